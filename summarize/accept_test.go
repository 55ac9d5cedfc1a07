package summarize_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

func TestAccept(t *testing.T) {
	text := func(s string) []message.Block { return []message.Block{message.Text(s)} }
	for name, c := range map[string]struct {
		r    summarize.Response
		err  error
		want summarize.Reason
		text string
	}{
		"text":                 {summarize.Response{Content: text(" a\xffb\x00 \n"), FinishReason: "end_turn"}, nil, summarize.Accepted, "ab"},
		"two texts":            {summarize.Response{Content: append(text("a"), text("b")...)}, nil, summarize.Accepted, "ab"},
		"with thinking":        {summarize.Response{Content: append([]message.Block{&message.Thinking{Text: "t"}}, text("a")...), FinishReason: "STOP"}, nil, summarize.Accepted, "a"},
		"nothing":              {summarize.Response{}, nil, summarize.Blank, ""},
		"blank":                {summarize.Response{Content: text(" \n\t"), FinishReason: "stop"}, nil, summarize.Blank, ""},
		"only NUL":             {summarize.Response{Content: text("\x00")}, nil, summarize.Blank, ""},
		"thinking only":        {summarize.Response{Content: []message.Block{&message.Thinking{Text: "t"}}}, nil, summarize.ThinkingOnly, ""},
		"error":                {summarize.Response{Content: text("a")}, errors.New("x"), summarize.Failed, ""},
		"a timeout of its own": {summarize.Response{}, context.DeadlineExceeded, summarize.Failed, ""},
		"too long":             {summarize.Response{}, fmt.Errorf("400: %w", summarize.ErrTooLong), summarize.TooLong, ""},
		"tool call":            {summarize.Response{Content: append(text("a"), message.NewToolCall("1", "bash", "{}")), FinishReason: "stop"}, nil, summarize.ToolCalled, ""},
		"tool use":             {summarize.Response{Content: text("a"), FinishReason: "tool_use"}, nil, summarize.ToolCalled, ""},
		"cut off":              {summarize.Response{Content: text("a"), FinishReason: "max_tokens"}, nil, summarize.CutOff, ""},
		"cut off, dashes":      {summarize.Response{Content: text("a"), FinishReason: "Max-Output Tokens"}, nil, summarize.CutOff, ""},
		"refused":              {summarize.Response{Content: text("a"), FinishReason: "content_filter"}, nil, summarize.Refused, ""},
		"unknown reason":       {summarize.Response{Content: text("a"), FinishReason: "paused"}, nil, summarize.Incomplete, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, reason := summarize.Accept(c.r, c.err)
			assert.Equal(t, c.want, reason, reason.String())
			assert.Equal(t, c.text, got)
		})
	}
	assert.Equal(t, "Reason(99)", summarize.Reason(99).String())
}

func TestError(t *testing.T) {
	e := &summarize.Error{Reason: summarize.Failed, Err: errors.New("503")}
	assert.EqualError(t, e, "summarize: failed: 503")
	assert.EqualError(t, errors.Unwrap(e), "503")
	assert.EqualError(t, &summarize.Error{Reason: summarize.Blank}, "summarize: blank reply")
	assert.True(t, summarize.IsCancelled(fmt.Errorf("x: %w", &summarize.Error{Reason: summarize.Cancelled})))
	assert.False(t, summarize.IsCancelled(e))
}

func stream(deltas ...any) iter.Seq2[summarize.Delta, error] {
	return func(yield func(summarize.Delta, error) bool) {
		for _, d := range deltas {
			var ok bool
			switch d := d.(type) {
			case string:
				ok = yield(summarize.Delta{Text: d}, nil)
			case summarize.Delta:
				ok = yield(d, nil)
			case error:
				ok = yield(summarize.Delta{}, d)
			}
			if !ok {
				return
			}
		}
	}
}

func TestCollect(t *testing.T) {
	reply := func(reason string, b ...message.Block) summarize.Delta {
		return summarize.Delta{Reply: &summarize.Response{Content: b, FinishReason: reason, Usage: &message.Usage{Output: 7}}}
	}
	r, err := summarize.Collect(stream("a", summarize.Delta{Thinking: "hm"}, "b"))
	require.NoError(t, err)
	assert.Equal(t, []message.Block{&message.Thinking{Text: "hm"}, message.Text("ab")}, r.Content)

	r, err = summarize.Collect(stream("a", "b", reply("stop", message.Text("whole")), "late"))
	require.NoError(t, err)
	assert.Equal(t, "whole", r.Text(), "a terminal reply wins")

	r, err = summarize.Collect(stream("a", "b", reply("length", message.Text(" "))))
	require.NoError(t, err)
	assert.Equal(t, "ab", r.Text())
	assert.Equal(t, "length", r.FinishReason)
	assert.Equal(t, 7, r.Usage.Output)

	r, err = summarize.Collect(stream("a", reply("tool_use", message.NewToolCall("1", "x", "{}"))))
	require.NoError(t, err)
	_, reason := summarize.Accept(r, nil)
	assert.Equal(t, summarize.ToolCalled, reason, "a call is not covered up by deltas")

	_, err = summarize.Collect(stream("a", errors.New("reset"), "b"))
	assert.EqualError(t, err, "reset")

	r, err = summarize.Collect(stream())
	require.NoError(t, err)
	assert.Empty(t, r.Content)
}
