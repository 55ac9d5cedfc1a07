package summarize_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

const digestReply = "# Objective\nFinish the port.\n\n# Carryover\nnone"

func TestSummarize(t *testing.T) {
	msgs := condensertest.MustParse(`u"port the parser" a(1) r1:2k a:300`)
	for name, c := range map[string]struct {
		step   condensertest.Step
		reason summarize.Reason
	}{
		"good":          {condensertest.Reply(digestReply), summarize.Accepted},
		"blank":         {condensertest.Blank(), summarize.Blank},
		"thinking only": {condensertest.ThinkingOnly(), summarize.ThinkingOnly},
		"refusal":       {condensertest.Refusal(), summarize.Refused},
		"cut off":       {condensertest.CutOff(), summarize.CutOff},
		"tool call":     {condensertest.ToolCall(), summarize.ToolCalled},
		"error":         {condensertest.Fail(errors.New("503")), summarize.Failed},
		"panic":         {condensertest.Panic(), summarize.Failed},
		"echo":          {condensertest.Echo(), summarize.TooLarge},
		"giant":         {condensertest.Giant(20_000), summarize.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			model := condensertest.NewScript(c.step)
			s := summarize.Summarize(t.Context(), msgs, summarize.Options{Invoker: model, Provider: "p", Model: "m"})
			assert.Equal(t, c.reason, s.Reason, s.Reason.String())
			assert.Equal(t, 4, s.Covered)
			assert.Equal(t, 1, s.Calls)
			text := message.PlainText(s.Message)
			assert.True(t, strings.HasPrefix(text, summarize.DigestHeader+"\n\n"))
			assert.Equal(t, summarize.Origin, s.Message.Head().Origin)
			if c.reason == summarize.Accepted {
				assert.Equal(t, summarize.DigestHeader+"\n\n"+digestReply, text)
				assert.Positive(t, s.Usage.Input)
			} else {
				assert.Contains(t, text, "# Carryover")
				assert.Contains(t, text, "port the parser")
			}
			assert.LessOrEqual(t, budget.EstimateMessageTokens(s.Message), budget.EstimateTokens(msgs))
			r := model.Requests()[0]
			assert.Equal(t, summarize.Request{System: summarize.Brief(), Prompt: r.Prompt, MaxTokens: 2048, Thinking: "high", Provider: "p", Model: "m"}, r)
			assert.Contains(t, r.Prompt, "» you: port the parser")
		})
	}
}

func TestSummarizeLocally(t *testing.T) {
	msgs := condensertest.MustParse(`u"port the parser" a:300`)
	s := summarize.Summarize(t.Context(), msgs, summarize.Options{Prior: "# Objective\nThe lexer is done.", MaxTokens: 300})
	assert.Equal(t, summarize.NoInvoker, s.Reason)
	assert.Zero(t, s.Calls)
	assert.Contains(t, message.PlainText(s.Message), "The lexer is done.")
	b := summarize.Branch(t.Context(), msgs, summarize.Options{})
	assert.True(t, strings.HasPrefix(message.PlainText(b.Message), "[branch digest — archived from a path not taken]\n"))
	none := summarize.Summarize(t.Context(), nil, summarize.Options{})
	assert.Contains(t, message.PlainText(none.Message), "# Carryover")
}

func TestSummarizeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	model := condensertest.NewScript(func(ctx context.Context, r summarize.Request) (summarize.Response, error) {
		cancel()
		return condensertest.Reply(digestReply)(ctx, r)
	})
	msgs := condensertest.MustParse(`u"port the parser" a:300`)
	s := summarize.Summarize(ctx, msgs, summarize.Options{Invoker: model})
	assert.Equal(t, summarize.Cancelled, s.Reason, "an answer after the end does not count")
	assert.ErrorIs(t, s.Err, context.Canceled)
	s = summarize.Summarize(ctx, msgs, summarize.Options{Invoker: model})
	assert.Equal(t, summarize.Cancelled, s.Reason)
	assert.Equal(t, 1, model.Calls(), "and nobody is asked")
}

// long returns a transcript whose every message holds a word of its own.
func long(n, size int) (msgs []message.Message, words []string) {
	for i := range n {
		word := fmt.Sprintf("word%04dx", i)
		words = append(words, word)
		text := word + strings.Repeat(" lorem ipsum", size/12)
		if i%2 == 0 {
			msgs = append(msgs, message.NewUser(text))
		} else {
			msgs = append(msgs, message.NewAssistant(message.Text(text)))
		}
	}
	return msgs, words
}

// A head beyond the summariser's window is digested in chunks: the model never
// sees more than its window, everything was shown to it, and each digest is on
// top of the one before.
func TestChunks(t *testing.T) {
	for _, parallel := range []int{0, 3} {
		msgs, words := long(120, 1200)
		var n atomic.Int32
		model := &condensertest.Script{Window: 6000, Steps: []condensertest.Step{func(context.Context, summarize.Request) (summarize.Response, error) {
			return summarize.Response{Content: []message.Block{message.Text(fmt.Sprintf("digest %d", n.Add(1)))}, FinishReason: "stop"}, nil
		}}}
		s := summarize.Summarize(t.Context(), msgs, summarize.Options{Invoker: model, Window: 6000, MaxTokens: 500, Parallel: parallel})
		require.Equal(t, summarize.Accepted, s.Reason, s.Reason.String())
		assert.Zero(t, model.Refused())
		assert.Greater(t, s.Calls, 8)
		assert.Equal(t, s.Calls, model.Calls())
		all, usage := "", 0
		for i, r := range model.Requests() {
			all += r.Prompt
			usage += budget.WindowBudget{}.TextTokens(r.System) + budget.WindowBudget{}.TextTokens(r.Prompt)
			if parallel == 0 && i > 0 {
				assert.Contains(t, r.Prompt, fmt.Sprintf("<carried-digest>\ndigest %d\n</carried-digest>", i))
			}
		}
		assert.Equal(t, usage, s.Usage.Input, "what all calls cost is added up")
		for _, w := range words {
			require.Contains(t, all, w)
		}
		goleak.VerifyNone(t)
	}
}

// One chunk that gives no digest gives none at all: what nobody read must not go.
func TestChunkFails(t *testing.T) {
	for _, parallel := range []int{0, 2} {
		msgs, _ := long(120, 1200)
		steps := []condensertest.Step{condensertest.Reply("first"), condensertest.Blank(), condensertest.Reply("third")}
		s := summarize.Summarize(t.Context(), msgs, summarize.Options{Invoker: condensertest.NewScript(steps...), Window: 20_000, Parallel: parallel})
		assert.Equal(t, summarize.Blank, s.Reason)
		s = summarize.Summarize(t.Context(), msgs, summarize.Options{Invoker: condensertest.NewScript(condensertest.Panic()), Window: 20_000, Parallel: parallel})
		assert.Equal(t, summarize.Failed, s.Reason)
		assert.ErrorContains(t, s.Err, "panicked")
	}
}

// A model that finds the prompt too long, whatever the counter says, gets
// smaller ones until it can answer.
func TestHalving(t *testing.T) {
	msgs, words := long(60, 1200)
	all := ""
	model := &condensertest.Script{Window: 7000, Steps: []condensertest.Step{func(ctx context.Context, r summarize.Request) (summarize.Response, error) {
		all += r.Prompt // of those it did not refuse
		return condensertest.Reply("d")(ctx, r)
	}}}
	s := summarize.Summarize(t.Context(), msgs, summarize.Options{Invoker: model, MaxTokens: 500})
	require.Equal(t, summarize.Accepted, s.Reason)
	assert.Positive(t, model.Refused())
	for _, w := range words {
		require.Contains(t, all, w)
	}
	// One that always says so is asked a few times and not for ever.
	model = condensertest.NewScript(condensertest.Fail(fmt.Errorf("no: %w", summarize.ErrTooLong)))
	s = summarize.Summarize(t.Context(), msgs, summarize.Options{Invoker: model})
	assert.Equal(t, summarize.TooLong, s.Reason)
	assert.Less(t, model.Calls(), 12)
}

func TestGiantMessageInAChunk(t *testing.T) {
	msgs := condensertest.MustParse(`u"look at the log" a(1) r1:2M u:200k`)
	model := &condensertest.Script{Window: 8000, Steps: []condensertest.Step{condensertest.Reply("d")}}
	s := summarize.Summarize(t.Context(), msgs, summarize.Options{Invoker: model, Window: 8000, MaxTokens: 400})
	require.Equal(t, summarize.Accepted, s.Reason, s.Reason.String())
	assert.Contains(t, model.Requests()[0].Prompt, "bytes left out")
}

func TestWindowWithoutRoom(t *testing.T) {
	model := condensertest.NewScript(condensertest.Reply("d"))
	s := summarize.Summarize(t.Context(), condensertest.MustParse("u:4k a:4k"), summarize.Options{Invoker: model, Window: 900})
	assert.Equal(t, summarize.TooLong, s.Reason)
	assert.Zero(t, model.Calls())
	assert.ErrorContains(t, s.Err, "no room beside the instructions")
}
