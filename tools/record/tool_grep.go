package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// grepMatches is how many lines grep prints at most.
const grepMatches = 100

type grepInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

// grep prints the lines that match a regular expression, in a file or in all
// text files below a folder, as path:line:text. No match is no failure.
func grep(pattern, path string) *call {
	in := grepInput{pattern, path}
	return &call{tool: "grep", input: in, run: in.run}
}

func (in grepInput) run(w *workspace) answer {
	re, err := regexp.Compile(in.Pattern)
	if err != nil {
		return refuse("grep: %v", err)
	}
	root := w.open(in.Path)
	var found []string
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil || !utf8.Valid(data) {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		shown := path.Join(in.Path, filepath.ToSlash(rel))
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			if re.MatchString(strings.TrimRight(line, "\r\n")) {
				found = append(found, fmt.Sprintf("%s:%d:%s", shown, n, strings.TrimRight(line, "\r\n")))
			}
		}
		return nil
	})
	if err != nil {
		return w.problem("grep", in.Path, err)
	}
	if len(found) == 0 {
		return answer{text: "no match"}
	}
	if more := len(found) - grepMatches; more > 0 {
		found = append(found[:grepMatches], fmt.Sprintf("[%d more lines match]", more))
	}
	return answer{text: strings.Join(found, "\n") + "\n"}
}
