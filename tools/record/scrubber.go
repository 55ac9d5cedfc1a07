package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// machinePaths are the beginnings of paths that must not be in a session.
var machinePaths = []string{"/tmp", "/root", "/work", "/home", "/usr/local"}

// pathIn returns what s has around the first of machinePaths, "" if it has none.
func pathIn(s string) string {
	for _, p := range machinePaths {
		if i := strings.Index(s, p); i >= 0 {
			return s[max(0, i-40):min(len(s), i+40)]
		}
	}
	return ""
}

// scrubber replaces the folders of this machine by names: $SCRATCH, $GOROOT
// and $REPO.
type scrubber struct{ from, to []string }

// add makes s replace dir, and what dir is a link to, by name.
func (s *scrubber) add(dir, name string) {
	dirs := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		dirs = append(dirs, real)
	}
	for _, d := range dirs {
		i, _ := slices.BinarySearchFunc(s.from, d, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		s.from = slices.Insert(s.from, i, d) // longest first: one folder may stand in another
		s.to = slices.Insert(s.to, i, name)
	}
}

// clean returns text without the folders.
func (s *scrubber) clean(text string) string {
	for i, from := range s.from {
		text = strings.ReplaceAll(text, from, s.to[i])
	}
	return text
}
