package main

import (
	"os"
	"strings"
)

type lsInput struct {
	Path string `json:"path"`
}

// ls prints the names in a folder, sorted, with a slash behind those of folders.
func ls(path string) *call {
	in := lsInput{path}
	return &call{tool: "ls", input: in, run: in.run}
}

func (in lsInput) run(w *workspace) answer {
	entries, err := os.ReadDir(w.open(in.Path))
	if err != nil {
		return w.problem("ls", in.Path, err)
	}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Name())
		if e.IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
	}
	return answer{text: b.String()}
}
