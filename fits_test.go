package condenser_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

func TestUnreachable(t *testing.T) {
	msgs := condensertest.MustParse("s:19k u*:900 a:9k a(1)$:300")
	p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
	out, r, err := p.Fit(t.Context(), msgs, condenser.Call{Overhead: budget.Size{Tokens: 1000}})
	require.NoError(t, err)
	assert.Equal(t, condenser.Unreachable, r.Outcome)
	assert.Greater(t, r.After.Tokens, r.Hard)
	assert.Less(t, r.After.Tokens, r.Before.Tokens, "as small as it gets")
	assert.Equal(t, r.After.Tokens, budget.EstimateTokens(out))
	var kinds []condenser.BlockerKind
	for _, b := range r.Blockers {
		kinds = append(kinds, b.Kind)
		assert.Positive(t, b.Size.Tokens)
	}
	assert.Equal(t, []condenser.BlockerKind{condenser.BlockerOverhead, condenser.BlockerSystem, condenser.BlockerPinned, condenser.BlockerPending}, kinds)
	_, r, _ = p.Fit(t.Context(), condensertest.MustParse("s:29k u a(1)$ r1"), condenser.Call{})
	assert.Equal(t, condenser.BlockerAtomic, r.Blockers[1].Kind)
}

// What may not be touched is more than the window itself: the request would be
// refused in any case, so what could be touched is not wiped for nothing.
func TestHopelessLeavesTheHistoryAlone(t *testing.T) {
	msgs := condensertest.MustParse(`s:30k u"rename the parser" a:3k u"and its tests" a:3k u"go on"`)
	out, r, err := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet}).Fit(t.Context(), msgs, condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, condenser.Unreachable, r.Outcome)
	assert.Equal(t, "s D u", condensertest.Show(out))
	digest := message.PlainText(out[1])
	for _, want := range []string{"- rename the parser", "- and its tests", "Condensed here: 4 messages"} {
		assert.Contains(t, digest, want)
	}
}

// The overhead alone is more than the window: even nothing would not fit.
func TestNoRoomAtAll(t *testing.T) {
	msgs := condensertest.MustParse("s u:90k a u")
	p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
	for _, cause := range []condenser.Cause{condenser.Threshold, condenser.Manual, condenser.Overflow} {
		out, r, err := p.Fit(t.Context(), msgs, condenser.Call{Cause: cause, Overhead: budget.Size{Tokens: 6144}})
		require.NoError(t, err)
		assert.True(t, sameSlice(msgs, out))
		assert.Equal(t, condenser.Unreachable, r.Outcome)
		assert.Equal(t, r.Before, r.After)
		assert.Empty(t, r.Steps)
		assert.Equal(t, condenser.BlockerOverhead, r.Blockers[0].Kind)
	}
	out, r, _ := p.Fit(t.Context(), msgs, condenser.Call{Overhead: budget.Size{Tokens: 6000}})
	assert.Equal(t, condenser.Condensed, r.Outcome, r)
	assert.NotEmpty(t, out)
}

// panicking is a counter with a fault of its own.
type panicking struct{ budget.WindowBudget }

func (panicking) Tokens(message.Message) int { panic("no table") }

func TestPanickingCounter(t *testing.T) {
	msgs := condensertest.MustParse("u:90k a u")
	p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet, Counter: panicking{}})
	for range 2 {
		out, r, err := p.Fit(t.Context(), msgs, condenser.Call{})
		assert.ErrorContains(t, err, "panic: no table")
		assert.Equal(t, condenser.Failed, r.Outcome)
		assert.True(t, sameSlice(msgs, out))
	}
}

func TestWrongCall(t *testing.T) {
	msgs := condensertest.MustParse("u:90k a u")
	p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
	for want, c := range map[string]condenser.Call{
		"the Overhead of the call is negative: -3 tokens": {Overhead: budget.Size{Tokens: -3}},
		"0 tokens, -1 bytes":                              {Overhead: budget.Size{Bytes: -1}},
		"the call's Card has a window of 2048":            {Card: &budget.ModelCard{ContextWindow: 2048}},
		"the ContextWindow of the call's Card is -1":      {Card: &budget.ModelCard{ContextWindow: -1}},
		"the Cause of the call is unknown: Cause(77)":     {Cause: 77},
	} {
		out, r, err := p.Fit(t.Context(), msgs, c)
		assert.ErrorContains(t, err, want)
		assert.Equal(t, condenser.Failed, r.Outcome)
		assert.True(t, sameSlice(msgs, out))
	}
}

// The laws of the whole ladder, over generated transcripts: valid stays valid,
// nothing is added to what was wrong, and it fits or says what blocks it.
func TestDefaultLadderLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		valid := src(2) == 0
		msgs := condensertest.Generator{Valid: valid, Steps: 30}.Transcript(src)
		unchanged := condensertest.Guard(t, msgs)
		d := condenser.Deps{Card: window(2600 + src(9000)), Observe: quiet}
		if src(2) == 0 {
			d.Invoker = condensertest.NewScript(condensertest.Reply("# Objective\nx"))
		}
		l := transcript.NewLog()
		require.NoError(t, l.Append(msgs...))
		c := condenser.Call{Cause: []condenser.Cause{condenser.Threshold, condenser.Manual, condenser.Overflow, condenser.Background}[src(4)]}
		if src(3) == 0 {
			c.Overhead.Tokens = src(d.Card.ContextWindow - 2048)
		}
		r, err := condenser.Default(d).Condense(context.Background(), l, c)
		if err != nil { // the reply was no smaller than the little it was to replace
			var e *summarize.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, summarize.TooLarge, e.Reason)
			require.LessOrEqual(t, r.After.Tokens, r.Hard)
			require.True(t, slices.Equal(msgs, l.View().Messages()))
			return
		}
		condensertest.CheckLog(t, l)
		v := l.View()
		require.Equal(t, budget.EstimateTokens(v.Messages()), r.After.Tokens)
		if r.After.Tokens > r.Hard {
			require.Equal(t, condenser.Unreachable, r.Outcome)
			require.NotEmpty(t, r.Blockers)
			require.Greater(t, leastOf(msgs), r.Hard, "within reach: %s\n%s\n%s", r, condensertest.Show(msgs), condensertest.Show(v.Messages()))
		} else {
			require.NotEqual(t, condenser.Unreachable, r.Outcome)
		}
		if valid {
			require.Empty(t, message.Validate(v.Messages(), message.Portable), "%s\n%s", r, condensertest.Show(v.Messages()))
		}
		bare, err := transcript.Fold(msgs)
		require.NoError(t, err)
		require.Empty(t, v.Check(bare, transcript.Systems{}))
		unchanged()
		if r.CommitID != "" {
			require.NoError(t, l.Revert(r.CommitID))
		}
		require.True(t, slices.Equal(msgs, l.View().Messages()), "taken back, it is the very messages")
	})
}

// leastOf is floorOf for histories of any shape: a pinned message keeps its
// group, calls that are still running stay, and of both only the text goes; a
// call without a result gets one.
func leastOf(msgs []message.Message) int {
	total := 30 // the marker
	pairs := message.Pair(msgs)
	running, pending := pairs.Pending()
	for from, to := range pairs.Groups() {
		group := msgs[from:to]
		stays := to == len(msgs) || pending && from <= running && running < to || slices.ContainsFunc(group, func(m message.Message) bool {
			return m.Kind() == message.KindSystem || m.Head().Pinned
		})
		for i, m := range group {
			if stays {
				for _, answer := range pairs.Answers(from + i) {
					if answer < 0 { // it gets a result that says there is none
						total += smallest(&message.ToolResult{})
					}
				}
			}
			switch h := m.Head(); {
			case !stays:
			case m.Kind() == message.KindSystem || m.Kind() == message.KindUnknown || h.Pinned || h.Atomic || message.Signed(m):
				total += budget.EstimateMessageTokens(m)
			default:
				total += smallest(m)
			}
		}
	}
	return total
}
