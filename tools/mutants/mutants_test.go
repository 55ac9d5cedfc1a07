package main

import (
	"os"
	"strings"
	"testing"
)

// Every guard on the list is in the sources, once.
func TestGuardsAreThere(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants {
		if seen[m.guard] {
			t.Errorf("%s is listed twice", m.guard)
		}
		seen[m.guard] = true
		data, err := os.ReadFile("../../" + m.file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), m.old); n != 1 {
			t.Errorf("%s: %s holds its text %d times", m.guard, m.file, n)
		}
		if m.old == m.new {
			t.Errorf("%s changes nothing", m.guard)
		}
	}
}
