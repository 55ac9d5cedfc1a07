package main

// The module of the session shell, and what the agent writes into it.

const probeMain = `// Command probe prints the content type of files.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	out := json.NewEncoder(os.Stdout)
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "probe:", err)
			os.Exit(1)
		}
		out.Encode(map[string]string{"name": name, "type": http.DetectContentType(data)})
	}
}
`

const probePlain = `// Command probe prints the content type of files: a line per file, the type, a
// tab and the name. A name with control characters is quoted as in Go.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"

	"example.com/probe/internal/kind"
)

func main() {
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "probe:", err)
			os.Exit(1)
		}
		if strings.ContainsFunc(name, unicode.IsControl) {
			name = strconv.Quote(name)
		}
		fmt.Printf("%s\t%s\n", kind.Of(data), name)
	}
}
`

const kindSource = `// Package kind tells the content type of what can be on the device.
package kind

import "bytes"

const considered = 512 // bytes of a file that are looked at

var signatures = []struct{ prefix, kind string }{
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"\x1f\x8b\x08", "application/x-gzip"},
}

// The tags that make a file HTML, if a space or > follows. Case is ignored.
var tags = []string{
	"<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE",
	"<A", "<STYLE", "<TITLE", "<B", "<BODY", "<BR", "<P", "<!--",
}

// Of returns the content type of a file that begins with data, as net/http
// does for these types, and application/octet-stream for all others.
func Of(data []byte) string {
	data = data[:min(len(data), considered)]
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.prefix)) {
			return s.kind
		}
	}
	if isHTML(data) {
		return "text/html; charset=utf-8"
	}
	if isText(data) {
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

func isHTML(data []byte) bool {
	for _, tag := range tags {
		if len(data) > len(tag) && bytes.EqualFold(data[:len(tag)], []byte(tag)) {
			if c := data[len(tag)]; c == ' ' || c == '>' {
				return true
			}
		}
	}
	return false
}

// isText reports whether data has no binary control bytes.
func isText(data []byte) bool {
	for _, c := range data {
		if c <= 0x08 || c == 0x0B || c >= 0x0E && c <= 0x1A || c >= 0x1C && c <= 0x1F {
			return false
		}
	}
	return true
}
`

const kindTest = `package kind

import (
	"net/http"
	"strings"
	"testing"
)

func TestAsNetHTTP(t *testing.T) {
	for _, data := range []string{
		"", "plain words", "a line\nand another\n", "\x1b[1mbold\x1b[0m", "caf\xc3\xa9", "caf\xe9",
		"<html>", "<HTML >", "<!doctype html>", "<!-- a comment -->", "<b>", "<blink>", "<",
		"\n  <html>", " \t<title>x</title>", " plain, indented",
		"GIF89a...", "GIF87a...", "\x89PNG\r\n\x1a\n...", "\xff\xd8\xff...", "\x1f\x8b\x08...",
		"\x00\x01\x02", "text with a \x00", strings.Repeat("x", 600) + "\x00",
	} {
		if got, want := Of([]byte(data)), http.DetectContentType([]byte(data)); got != want {
			t.Errorf("Of(%.40q) = %s, and net/http says %s", data, got, want)
		}
	}
}

func TestOthers(t *testing.T) {
	for _, data := range []string{"%PDF-1.7\x00", "PK\x03\x04", "\x00\x00\x01\x00"} {
		if got := Of([]byte(data)); got != "application/octet-stream" {
			t.Errorf("Of(%q) = %s", data, got)
		}
	}
}
`
