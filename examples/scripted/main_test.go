package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

const session = `s u"port the parser" a(1) r1:9k u:9k a(2) r2:9k a:900 u"go on"`

// A good digest replaces the head; the user's requests are in it.
func TestHostCondenses(t *testing.T) {
	model := condensertest.NewScript(condensertest.Reply("# Objective\nFinish."))
	h := newHost(model, 12_000)
	require.NoError(t, h.say(t.Context(), session))
	assert.Equal(t, condenser.Condensed, h.last.Outcome)
	assert.Equal(t, "s D a(2) r2 a u", condensertest.Show(h.history))
	assert.Contains(t, message.PlainText(h.history[1]), "port the parser")
	assert.Equal(t, 1, model.Calls())
	assert.Contains(t, model.Requests()[0].Prompt, "» you: port the parser")
}

// A model that fails leaves the history as it is, until it answers.
func TestHostSurvivesAFailingModel(t *testing.T) {
	model := condensertest.NewScript(condensertest.Fail(errors.New("503")), condensertest.Reply("# Objective\nFinish."))
	h := newHost(model, 12_000)
	require.NoError(t, h.say(t.Context(), session))
	assert.Equal(t, condenser.Failed, h.last.Outcome)
	assert.Equal(t, "s u a(1) r1 u a(2) r2 a u", condensertest.Show(h.history))
	require.NoError(t, h.say(t.Context(), "a u"))
	assert.Equal(t, condenser.Condensed, h.last.Outcome)
}

// The prompt never exceeds the model's own window, however long the head is.
func TestHostWithASmallSummariser(t *testing.T) {
	model := &condensertest.Script{Window: 12_000, Steps: []condensertest.Step{condensertest.Reply("# Objective\nFinish.")}}
	h := newHost(model, 12_000)
	require.NoError(t, h.say(t.Context(), strings.ReplaceAll(session, "9k", "90k")))
	assert.Equal(t, condenser.Condensed, h.last.Outcome)
	assert.Zero(t, model.Refused())
}

func TestHostCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := newHost(nil, 12_000)
	require.NoError(t, h.say(ctx, session))
	assert.Equal(t, condenser.Cancelled, h.last.Outcome)
	assert.Len(t, h.history, 9)
}

func TestPlay(t *testing.T) {
	var out strings.Builder
	play(t.Context(), &out)
	assert.Equal(t, 8, strings.Count(out.String(), "1 call"), out.String())
	assert.ErrorContains(t, newHost(nil, 1).say(t.Context(), "?!x"), "item 0")
}
