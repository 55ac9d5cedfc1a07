package condenser_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/preset"
	"github.com/condenser-go/condenser/rehydrate"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

// Whatever takes messages takes a nil one, a nil pointer and a nil block: with
// an error, or as if it were not there. Nothing panics.
func TestNilsEverywhere(t *testing.T) {
	bad := []message.Message{nil, (*message.System)(nil), (*message.User)(nil), (*message.Assistant)(nil), (*message.ToolResult)(nil),
		(*message.BashExecution)(nil), (*message.Custom)(nil), (*message.BranchSummary)(nil), (*message.CompactionSummary)(nil), (*message.Unknown)(nil)}
	for _, b := range []message.Block{nil, (*message.Thinking)(nil), (*message.Image)(nil), (*message.ToolCall)(nil), (*message.Opaque)(nil)} {
		bad = append(bad, &message.User{Content: []message.Block{b, message.Text("x")}}, &message.Assistant{Content: []message.Block{b}}, &message.ToolResult{CallID: "1", Content: []message.Block{b}})
	}
	ctx := context.Background()
	one := map[string]func(message.Message){
		"PlainText":             func(m message.Message) { message.PlainText(m) },
		"Ask":                   func(m message.Message) { message.Ask(m) },
		"IsEmpty":               func(m message.Message) { message.IsEmpty(m) },
		"Signed":                func(m message.Message) { message.Signed(m) },
		"SentBytes":             func(m message.Message) { message.SentBytes(m) },
		"Calls":                 func(m message.Message) { message.Calls(m) },
		"Content":               func(m message.Message) { message.Content(m) },
		"Equal":                 func(m message.Message) { message.Equal(m, message.NewUser("x")); message.Equal(m, m) },
		"Marshal":               func(m message.Message) { _, _ = message.Marshal(m) },
		"Fingerprint":           func(m message.Message) { message.Fingerprint(m) },
		"EstimateMessageTokens": func(m message.Message) { budget.EstimateMessageTokens(m) },
		"RestoredPath":          func(m message.Message) { rehydrate.RestoredPath(m) },
	}
	policy := budget.Policy{TriggerRatio: 0.5, KeepRecent: 10}
	list := map[string]func([]message.Message){
		"Pair": func(msgs []message.Message) {
			p := message.Pair(msgs)
			for range p.Groups() {
			}
		},
		"Turns": func(msgs []message.Message) {
			for range message.Turns(msgs) {
			}
		},
		"Validate":              func(msgs []message.Message) { message.Validate(msgs, message.Portable) },
		"Encode":                func(msgs []message.Message) { _ = message.Encode(io.Discard, msgs) },
		"EstimateTokens":        func(msgs []message.Message) { budget.EstimateTokens(msgs) },
		"PrefixTokens":          func(msgs []message.Message) { budget.PrefixTokens(msgs) },
		"IsOver":                func(msgs []message.Message) { budget.IsOver(msgs, window(100), policy) },
		"PlanSlice":             func(msgs []message.Message) { budget.PlanSlice(msgs, policy) },
		"LastUserTurnStart":     func(msgs []message.Message) { budget.LastUserTurnStart(msgs) },
		"Gauge":                 func(msgs []message.Message) { budget.Basis{Card: window(100)}.Gauge(msgs, nil).For(msgs) },
		"ClearStaleToolResults": func(msgs []message.Message) { microcompact.ClearStaleToolResults(msgs, 1) },
		"RecentReads":           func(msgs []message.Message) { rehydrate.RecentReads(msgs, msgs, rehydrate.Defaults()) },
		"Flatten":               func(msgs []message.Message) { summarize.Flatten(msgs) },
		"BuildPrompt":           func(msgs []message.Message) { summarize.BuildPrompt(msgs, summarize.ScopeSession, "") },
		"Local":                 func(msgs []message.Message) { summarize.Local{}.Digest(msgs) },
		"Summarize": func(msgs []message.Message) {
			summarize.Summarize(ctx, msgs, summarize.Options{Invoker: condensertest.NewScript(condensertest.Echo())})
		},
		"CondenseTranscript": func(msgs []message.Message) { preset.CondenseTranscript(ctx, msgs, policy, true, nil) },
		"Fold":               func(msgs []message.Message) { _, _ = transcript.Fold(msgs) },
		"Append":             func(msgs []message.Message) { _ = transcript.NewLog().Append(msgs...) },
		"Sync":               func(msgs []message.Message) { _, _ = transcript.NewLog().Sync(msgs) },
		"Show":               func(msgs []message.Message) { condensertest.Show(msgs) },
		"Shapes":             func(msgs []message.Message) { condensertest.Shapes(msgs) },
		"Guard":              func(msgs []message.Message) { condensertest.Guard(t, msgs)() },
		"Fit": func(msgs []message.Message) {
			for _, n := range []int{2100, 100_000} {
				_, r, err := condenser.Default(condenser.Deps{Card: window(n), Observe: quiet}).Fit(ctx, msgs, condenser.Call{})
				assert.Error(t, err)
				assert.Equal(t, condenser.Failed, r.Outcome)
			}
		},
	}
	for i, m := range bad {
		for name, f := range one {
			assert.NotPanics(t, func() { f(m) }, "%s(%T %d)", name, m, i)
		}
		for name, f := range list {
			msgs := append(condensertest.MustParse("s u:9k a(1) r1:9k"), m, message.NewUser("go on"))
			assert.NotPanics(t, func() { f(msgs) }, "%s with a %T (%d)", name, m, i)
			assert.NotPanics(t, func() { f([]message.Message{m}) }, "%s of one %T (%d)", name, m, i)
		}
	}
	assert.NotPanics(t, func() { assert.Error(t, transcript.NewLog().Merge(nil)) })
	assert.NotPanics(t, func() {
		r, err := summarize.Collect(nil)
		assert.Error(t, err, fmt.Sprint(r))
	})
}
