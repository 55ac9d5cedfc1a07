package main

// The history of the repository of the session bisect, and what the agent
// writes into it.

const wrapHead = `// Package wrap breaks text into lines.
package wrap

`

const wrapFirst = wrapHead + `import "strings"

// Wrap breaks text into lines of at most width columns, unless a word is longer.
func Wrap(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}
`

const wrapRunes = wrapHead + `import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most width columns, unless a word is longer.
func Wrap(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}
`

const wrapBuilder = wrapHead + `import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most width columns, unless a word is longer.
func Wrap(text string, width int) string {
	var b strings.Builder
` + wrapLoop + `	return b.String()
}
`

const wrapLoop = `	n := 0 // columns of the line so far
	for _, word := range strings.Fields(text) {
		w := utf8.RuneCountInString(word)
		switch {
		case n == 0:
		case n+w > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
		}
		b.WriteString(word)
		n += w
	}
`

const wrapSplit = wrapHead + `import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks text into lines of at most width columns, unless a word is
// longer. Paragraphs, with an empty line between them, stay apart.
func Wrap(text string, width int) string {
	var b strings.Builder
	for i, p := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n\n")
		}
		wrap(&b, p, width)
	}
	return b.String()
}

func wrap(b *strings.Builder, text string, width int) {
`

const wrapParagraphs = wrapSplit + wrapLoop + "}\n"

const wrapHyphen = wrapSplit + `	n := 0 // columns of the line so far
	for _, word := range strings.Fields(text) {
		for i, part := range strings.SplitAfter(word, "-") {
			w := utf8.RuneCountInString(part)
			switch {
			case n == 0:
			case n+w > width:
				b.WriteByte('\n')
				n = 0
			case i == 0:
				b.WriteByte(' ')
			}
			b.WriteString(part)
			n += w
		}
	}
}
`

const wrapBoth = wrapSplit + `	n := 0 // columns of the line so far
	for _, word := range strings.Fields(text) {
		for i, part := range strings.SplitAfter(word, "-") {
			w := utf8.RuneCountInString(part)
			switch {
			case n == 0:
			case n+w > width:
				b.WriteByte('\n')
				n = 0
			case i == 0:
				b.WriteByte(' ')
				n++
			}
			b.WriteString(part)
			n += w
		}
	}
}
`

const wrapTest = `package wrap

import "testing"

func TestWrap(t *testing.T) {
	if got, want := Wrap("one two", 5), "one\ntwo"; got != want {
		t.Errorf("Wrap = %q, want %q", got, want)
	}
}
`

const hyphenTest = `package wrap

import "testing"

func TestHyphen(t *testing.T) {
	if got, want := Wrap("a well-known fact", 8), "a well-\nknown\nfact"; got != want {
		t.Errorf("Wrap = %q, want %q", got, want)
	}
}
`

const wrapCommand = `// Command wrap breaks standard input into lines.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"example.com/wrap"
)

func main() {
	width := flag.Int("width", 72, "columns of a line")
	flag.Parse()
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wrap:", err)
		os.Exit(1)
	}
	fmt.Println(wrap.Wrap(string(text), *width))
}
`

const widthProperty = `package wrap

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const text = "The quick brown fox jumps over the lazy dog, a well-known sentence of nine words and a tail."

func TestWidth(t *testing.T) {
	for width := 1; width <= 40; width++ {
		for _, line := range strings.Split(Wrap(text, width), "\n") {
			if utf8.RuneCountInString(line) > width && len(strings.Fields(line)) > 1 {
				t.Errorf("width %d: %q is too long", width, line)
			}
		}
	}
}
`
