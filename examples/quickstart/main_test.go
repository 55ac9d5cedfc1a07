package main

import (
	"os"
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
	// One bad line does not refuse a session.
	lines := "{\"kind\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}\n{\"kind\":\n"
	name := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(lines), 0o600))
	var out strings.Builder
	require.NoError(t, run(name, 8192, false, &out))
	assert.Contains(t, out.String(), "left out "+name+", line 2: ")
	assert.Contains(t, out.String(), "outcome unchanged")
	assert.Error(t, run("no-such-file", 8192, false, &strings.Builder{}))
	assert.ErrorContains(t, run("main.go", 8192, false, &strings.Builder{}), "line 1")
}
