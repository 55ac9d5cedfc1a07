package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		var out strings.Builder
		require.NoError(t, run(name, 8192, true, &out), name)
		if strings.Contains(name, "breakdown") {
			assert.Contains(t, out.String(), "outcome condensed")
			assert.Contains(t, out.String(), "summarize: ")
			assert.Contains(t, out.String(), "[session digest")
			assert.NotContains(t, out.String(), "may refuse")
		}
	}
	assert.Error(t, run("no-such-file", 8192, false, &strings.Builder{}))
	assert.ErrorContains(t, run("main.go", 8192, false, &strings.Builder{}), "line 1")
}
