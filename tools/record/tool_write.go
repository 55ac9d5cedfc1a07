package main

import (
	"fmt"
	"os"
	"strings"
)

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// write makes a file of the workspace, or overwrites it.
func write(path, content string) *call {
	in := writeInput{path, content}
	return &call{tool: "write", input: in, run: in.run}
}

func (in writeInput) run(w *workspace) answer {
	name := w.local(in.Path)
	if name == "" {
		return refuse("write: %s is outside the workspace", in.Path)
	}
	if err := writeFile(name, []byte(in.Content)); err != nil {
		return w.problem("write", in.Path, err)
	}
	return answer{text: fmt.Sprintf("wrote %s (%d lines)", in.Path, strings.Count(in.Content, "\n"))}
}

type editInput struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// edit replaces a text that stands once in a file of the workspace.
func edit(path, old, new string) *call {
	in := editInput{path, old, new}
	return &call{tool: "edit", input: in, run: in.run}
}

func (in editInput) run(w *workspace) answer {
	name := w.local(in.Path)
	if name == "" {
		return refuse("edit: %s is outside the workspace", in.Path)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return w.problem("edit", in.Path, err)
	}
	if n := strings.Count(string(data), in.Old); n != 1 {
		return refuse("edit: the old text stands %d times in %s, and must stand there once", n, in.Path)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), in.Old, in.New, 1)), 0o644); err != nil {
		return w.problem("edit", in.Path, err)
	}
	return answer{text: "edited " + in.Path}
}
