package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

func talk(t *testing.T, file string, model summarize.ModelInvoker, lines string) (*conductor, string) {
	var out strings.Builder
	c := &conductor{file: file, agent: files{root: "../../message"}, out: &out}
	require.NoError(t, c.open(8192, model))
	require.NoError(t, c.run(t.Context(), strings.NewReader(lines)))
	condensertest.CheckLog(t, c.log)
	return c, out.String()
}

func TestSession(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.jsonl")
	c, out := talk(t, file, nil, "what is there?\nread decode.go\nread encode.go and pair.go\n\nread no-such.go\n")
	assert.Contains(t, out, "condensed (threshold")
	assert.NotEmpty(t, c.log.Commits())
	shown := c.log.View().Messages()

	again, out := talk(t, file, nil, "/show\n/undo\n/undo\n/undo\n/undo\n/undo\nread raw.go\n")
	assert.Contains(t, out, "resumed: ")
	assert.Contains(t, out, "nothing to undo")
	assert.Equal(t, c.log.Len()+4, again.log.Len())
	assert.Empty(t, message.Validate(append(shown, message.NewUser("go on")), message.Portable))

	_, out = talk(t, "", nil, "what is there?\nread decode.go\n/compact the constants\nwhat now?\n")
	assert.Contains(t, out, "condensed (manual")
}

// Three failures open the breaker, below the hard limit and above it; digests are
// then made without the model until /compact tries it again.
func TestBreaker(t *testing.T) {
	fail := condensertest.Fail(errors.New("503"))
	model := condensertest.NewScript(fail, fail, fail, condensertest.Reply("# Objective\nread files\n\n# Plan\n- go on\n\n# Carryover\nthe names"))
	var out strings.Builder
	c := &conductor{agent: files{root: "../../message"}, out: &out}
	require.NoError(t, c.open(8192, model))
	require.NoError(t, c.log.Append(condensertest.MustParse("u:9k a:8k")...)) // over the trigger, below the hard limit
	for range 3 {
		require.NoError(t, c.run(t.Context(), strings.NewReader("what is there?\n")))
	}
	assert.Contains(t, out.String(), "rests after 3 failures")
	assert.Empty(t, c.log.Commits(), "below the hard limit nothing is lost to a failing model")
	require.NoError(t, c.run(t.Context(), strings.NewReader("what is there?\n")))
	assert.Equal(t, 3, model.Calls(), "it rests")
	assert.NotEmpty(t, c.log.Commits(), "and room is made without it")
	require.NoError(t, c.run(context.Background(), strings.NewReader("what now?\nand now?\n/compact\n")))
	assert.Equal(t, 4, model.Calls())
	assert.False(t, c.model.open())

	model = condensertest.NewScript(fail)
	c, _ = talk(t, "", model, strings.Repeat("read encode.go and decode.go\n", 12))
	assert.Equal(t, maxFailures, model.Calls(), "above the hard limit, too")
	assert.NotEmpty(t, c.log.Commits())
}

type broken struct{}

func (broken) Turn(context.Context, []message.Message) ([]message.Message, error) {
	return nil, errors.New("no agent")
}

// A turn that fails keeps what the user said.
func TestFailingTurn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.jsonl")
	c := &conductor{file: file, agent: broken{}, out: &strings.Builder{}}
	require.NoError(t, c.open(8192, nil))
	assert.ErrorContains(t, c.run(t.Context(), strings.NewReader(strings.Repeat("a long line ", 9000)+"\n")), "no agent")
	again, _ := talk(t, file, nil, "")
	assert.Equal(t, 2, again.log.Len())
}

func TestFaults(t *testing.T) {
	c := &conductor{file: "main.go", out: &strings.Builder{}}
	assert.ErrorContains(t, c.open(8192, nil), "line 1")
	c = &conductor{file: t.TempDir(), out: &strings.Builder{}}
	assert.Error(t, c.open(8192, nil), "a folder is no session")
	c = &conductor{file: "/no/such/dir/x", agent: files{root: "."}, out: &strings.Builder{}}
	require.NoError(t, c.open(8192, nil))
	assert.Error(t, c.run(t.Context(), strings.NewReader("hello\n")))
}
