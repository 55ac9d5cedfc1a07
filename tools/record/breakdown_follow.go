package main

// What the agent of the session breakdown writes: package follow.

const followFirst = `// Package follow reads a stored session while it grows.
package follow

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"github.com/condenser-go/condenser/message"
)

// Reader returns the messages of a file as they are appended. It is not for
// concurrent use.
type Reader struct {
	name string
	read int64 // bytes of the file that were returned as messages
}

// New returns a reader that begins at the start of the file.
func New(name string) *Reader { return &Reader{name: name} }

// Next returns the messages that were appended since the last call.
func (r *Reader) Next() ([]message.Message, error) {
	f, err := os.Open(r.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
` + followSeek + `	var fresh bytes.Buffer
	lines := bufio.NewReader(f)
` + followEager + `	msgs, err := message.Decode(&fresh)
	if err != nil {
		return nil, err
	}
	r.read += n
	return msgs, nil
}
`

const followSeek = `	if _, err := f.Seek(r.read, io.SeekStart); err != nil {
		return nil, err
	}
`

const followSize = `	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < r.read {
		r.read = 0 // another file by the same name
	}
	if _, err := f.Seek(r.read, io.SeekStart); err != nil {
		return nil, err
	}
`

const followEager = `	n := int64(0)
	for {
		line, err := lines.ReadBytes('\n')
		n += int64(len(line))
		fresh.Write(line)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
`

const followPatient = `	n := int64(0)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break // line has no line break yet: it is left for the next call
		}
		if err != nil {
			return nil, err
		}
		n += int64(len(line))
		fresh.Write(line)
	}
`

const followTest = `package follow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/condenser-go/condenser/message"
)

const (
	hello = "{\"kind\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}\n"
	hi    = "{\"kind\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}\n"
)

// file is a session on disk that grows.
type file struct {
	t    testing.TB
	name string
}

func newFile(t testing.TB) file { return file{t, filepath.Join(t.TempDir(), "session.jsonl")} }

func (f file) add(s string) {
	w, err := os.OpenFile(f.name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		f.t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString(s); err != nil {
		f.t.Fatal(err)
	}
}

func (f file) expect(r *Reader, want ...string) {
	f.t.Helper()
	msgs, err := r.Next()
	if err != nil {
		f.t.Fatalf("Next: %v", err)
	}
	if len(msgs) != len(want) {
		f.t.Fatalf("%d messages, want %d", len(msgs), len(want))
	}
	for i, m := range msgs {
		if got := message.PlainText(m); got != want[i] {
			f.t.Errorf("message %d is %q, want %q", i, got, want[i])
		}
	}
}

func TestAppended(t *testing.T) {
	f := newFile(t)
	f.add(hello)
	r := New(f.name)
	f.expect(r, "hello")
	f.expect(r)
	f.add(hi + hello)
	f.expect(r, "hi", "hello")
}

func TestHalfLine(t *testing.T) {
	f := newFile(t)
	f.add(hello + hi[:20])
	r := New(f.name)
	f.expect(r, "hello")
	f.add(hi[20:])
	f.expect(r, "hi")
}

func TestShorter(t *testing.T) {
	f := newFile(t)
	f.add(hello + hi)
	r := New(f.name)
	f.expect(r, "hello", "hi")
	if err := os.Truncate(f.name, 0); err != nil {
		t.Fatal(err)
	}
	f.add(hi)
	f.expect(r, "hi")
}

func BenchmarkNext(b *testing.B) {
	stored, err := os.ReadFile("../sample/session.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	f := newFile(b)
	f.add(string(stored))
	f.add(hello)
	r := New(f.name)
	for b.Loop() {
		r.read = int64(len(stored))
		if msgs, err := r.Next(); err != nil || len(msgs) != 1 {
			b.Fatal(len(msgs), err)
		}
	}
}
`

const followOpen = `package follow

import "github.com/condenser-go/condenser/message"

// Open returns how many tool calls in msgs have no result.
func Open(msgs []message.Message) int {
	pairs := message.Pair(msgs)
	n := 0
	for i := range msgs {
		for _, result := range pairs.Answers(i) {
			if result < 0 {
				n++
			}
		}
	}
	return n
}
`

const followOpenTest = `package follow

import (
	"testing"

	"github.com/condenser-go/condenser/message"
)

func TestOpen(t *testing.T) {
	first, second := message.NewToolCall("c1", "read", "{}"), message.NewToolCall("c2", "bash", "{}")
	msgs := []message.Message{
		message.NewUser("look"),
		message.NewAssistant(first, second),
		message.NewToolResult(first, "a file"),
	}
	for n, want := range []int{0, 0, 2, 1} {
		if got := Open(msgs[:n]); got != want {
			t.Errorf("of the first %d messages %d calls are open, want %d", n, got, want)
		}
	}
}
`
