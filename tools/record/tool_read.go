package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type readInput struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"` // of the first line, 1-based
	Limit  int    `json:"limit,omitempty"`  // of lines
}

// read prints a file with line numbers: all of it, or so many lines from a
// line on. A PNG comes as an image.
func read(path string, window ...int) *call {
	in := readInput{Path: path}
	if len(window) == 2 {
		in.Offset, in.Limit = window[0], window[1]
	}
	return &call{tool: "read", input: in, run: in.run}
}

func (in readInput) run(w *workspace) answer {
	data, err := os.ReadFile(w.open(in.Path))
	if err != nil {
		return w.problem("read", in.Path, err)
	}
	if filepath.Ext(in.Path) == ".png" {
		return answer{image: data}
	}
	var b strings.Builder
	n, from := 0, max(1, in.Offset)
	for line := range strings.Lines(string(data)) {
		if n++; n < from || in.Limit > 0 && n >= from+in.Limit {
			continue
		}
		fmt.Fprintf(&b, "%5d\t%s\n", n, strings.TrimRight(line, "\r\n"))
	}
	if b.Len() == 0 {
		return refuse("read: %s has %d lines", in.Path, n)
	}
	return answer{text: b.String()}
}
