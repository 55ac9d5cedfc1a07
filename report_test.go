package condenser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/preset"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
	"github.com/condenser-go/condenser/trim"
)

// fullReport has every field set.
func fullReport() condenser.Report {
	return condenser.Report{
		Outcome: condenser.Unreachable, Cause: condenser.Overflow, Level: budget.Critical,
		Before: condenser.Count{Messages: 9, Tokens: 9000}, After: condenser.Count{Messages: 2, Tokens: 7000},
		Window: 8192, Hard: 6144, Trigger: 4608, Target: 3686,
		Steps: []condenser.Step{
			{Pass: "summarize", Edits: 1, Replaced: 8, Why: "digest by the model", Before: 9000, After: 7000, Calls: 2, Usage: &message.Usage{Input: 8000, Output: 300, CacheRead: 1, CacheWrite: 2}},
			{Pass: "mine", Before: 7000, After: 6500, Price: &budget.Price{From: 1, To: 4, Input: 500, Output: 20}, Err: &summarize.Error{Reason: summarize.Failed, Err: errors.New("boom\nand more")}},
		},
		Blockers: []condenser.Blocker{{Kind: condenser.BlockerOverhead, Index: -1, Size: budget.Size{Tokens: 10}}, {Kind: condenser.BlockerSystem, Index: 0, Size: budget.Size{Tokens: 6900}}},
		CommitID: "c-1", Refusal: errors.New("400"), Err: context.Canceled,
	}
}

func TestReportString(t *testing.T) {
	assert.Equal(t, `unreachable (overflow, critical): 9 messages, 9000 tokens → 2 messages, 7000 tokens; window 8192, hard 6144, trigger 4608, target 3686
  summarize: 9000 → 7000 tokens, 8 messages in 1 edit (digest by the model), 2 model calls
  mine: 7000 → 6500 tokens, would pay 500 tokens in and 20 out, error: summarize: failed: an error (*errors.errorString)
  blocked by overhead: 10 tokens
  blocked by system: 1 message, 6900 tokens
  refused: an error (*errors.errorString)
  error: context canceled`, fullReport().String())
	assert.Equal(t, "unchanged (threshold, ok): 0 messages, 0 tokens; no window", condenser.Report{}.String())
	boom := &summarize.Error{Reason: summarize.Blank}
	once := condenser.Report{Outcome: condenser.Failed, Window: 9, Steps: []condenser.Step{{Pass: "mine", Err: boom}}, Err: errors.Join(boom)}
	assert.Equal(t, 1, strings.Count(once.String(), "blank reply"), "an error is told once")
	once.Err = context.Canceled
	assert.Contains(t, once.String(), "error: context canceled")
	assert.Equal(t, "trim: nothing to do", condenser.Step{Pass: "trim", Before: 5, After: 5}.String())
	assert.Equal(t, "Outcome(9)", condenser.Outcome(9).String())
}

func TestReportJSON(t *testing.T) {
	data, err := json.Marshal(fullReport())
	require.NoError(t, err)
	assert.JSONEq(t, `{"outcome":"unreachable","cause":"overflow","level":"critical","before":{"messages":9,"tokens":9000},"after":{"messages":2,"tokens":7000},
		"window":8192,"trigger":4608,"target":3686,"hard":6144,
		"steps":[{"pass":"summarize","edits":1,"replaced":8,"why":"digest by the model","before":9000,"after":7000,"calls":2,"reason":"accepted","usage":{"input":8000,"output":300,"cache_read":1,"cache_write":2}},
			{"pass":"mine","edits":0,"replaced":0,"before":7000,"after":6500,"price":{"input":500,"output":20},"error":"summarize: failed: an error (*errors.errorString)"}],
		"blockers":[{"kind":"overhead","index":-1,"tokens":10},{"kind":"system","index":0,"tokens":6900}],"commit":"c-1","refusal":"an error (*errors.errorString)","error":"context canceled"}`, string(data))
}

func TestReportLogs(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("done", "r", fullReport())
	assert.Equal(t, "level=INFO msg=done r.outcome=unreachable r.cause=overflow r.level=critical r.messages_before=9 r.messages_after=2 "+
		"r.tokens_before=9000 r.tokens_after=7000 r.window=8192 r.hard=6144 r.trigger=4608 r.target=3686 r.passes=summarize r.blockers=2 "+
		"r.refusal=\"an error (*errors.errorString)\" r.commit=c-1 r.error=\"context canceled\"\n", out.String())
}

// A report tells sizes and names. No word of the transcript, of a model, of a
// host's error or of a panic is in it, in any form.
func TestReportsHoldNoContent(t *testing.T) {
	msgs := condensertest.MustParse(`s"canary" u"canary canary" a(1) r1:9k a"canary" a(2=canarytool) r2"canary failed"! u:9k a:9k u"canary"`)
	canary := errors.New("400 near canary")
	bad := func(plan func(*transcript.View) ([]transcript.Edit, error)) condenser.Pass {
		return passFunc{"mine", func(_ context.Context, v *transcript.View, _ budget.Gauge) ([]transcript.Edit, error) { return plan(v) }}
	}
	for name, p := range map[string]*condenser.Pipeline{
		"local":   condenser.Default(condenser.Deps{Card: window(8192)}),
		"refused": condenser.Default(condenser.Deps{Card: window(2400), Invoker: condensertest.NewScript(condensertest.Reply("canary"))}),
		"failing": condenser.Default(condenser.Deps{Card: window(8192), Invoker: condensertest.NewScript(condensertest.Fail(canary))}),
		"a pass":  pipeline(8192, bad(func(*transcript.View) ([]transcript.Edit, error) { return nil, canary })),
		"a panic": pipeline(8192, bad(func(*transcript.View) ([]transcript.Edit, error) { panic("canary") })),
		"a rule":  pipeline(8192, bad(func(v *transcript.View) ([]transcript.Edit, error) { return []transcript.Edit{v.Replace(5, 6)}, nil })),
	} {
		t.Run(name, func(t *testing.T) {
			var got condenser.Report
			p.Observe = func(_ context.Context, r condenser.Report) { got = r }
			_, _, _ = p.Fit(t.Context(), msgs, condenser.Call{Cause: condenser.Overflow, Err: canary})
			data, err := json.Marshal(got)
			require.NoError(t, err)
			for _, s := range []string{got.String(), string(data), got.LogValue().String()} {
				assert.NotContains(t, s, "canary")
			}
			if name != "local" && name != "refused" {
				assert.Error(t, got.Err)
			}
		})
	}
	var got condenser.Report
	p := condenser.Default(condenser.Deps{Card: window(2400), Observe: func(_ context.Context, r condenser.Report) { got = r }})
	_, err := condenser.WrapErr(p, badCodec{err: canary})(t.Context(), hostHistory())
	assert.ErrorIs(t, err, canary, "the error itself is there")
	assert.Contains(t, got.String(), "error: condenser: encode: an error")
	assert.NotContains(t, got.String(), "canary")
}

// An error of rules without a violation is an error like any other.
func TestEmptyRuleError(t *testing.T) {
	assert.NotPanics(t, func() {
		_, r, _ := pipeline(8192, failing(&transcript.RuleError{})).Fit(t.Context(), condensertest.MustParse("u:40k a u"), condenser.Call{})
		assert.Error(t, r.Err)
		assert.Contains(t, r.String(), "failing")
	})
}

// A model that failed is told of, also where the run went on without it.
func TestReportTellsOfTheModel(t *testing.T) {
	boom := errors.New("503")
	for name, p := range map[string]*condenser.Pipeline{
		"a local digest":  condenser.Default(condenser.Deps{Card: window(8192), Invoker: condensertest.NewScript(condensertest.Fail(boom))}),
		"another pass":    pipeline(8192, condenser.OrElse(&summarize.Pass{Invoker: condensertest.NewScript(condensertest.Fail(boom))}, trim.Oldest{})),
		"the preset's":    preset.WindowBudget(condenser.Deps{Card: window(8192), Invoker: condensertest.NewScript(condensertest.Fail(boom))}),
		"nothing at all":  pipeline(40_000, &summarize.Pass{Invoker: condensertest.NewScript(condensertest.Fail(boom))}),
		"the floor alone": pipeline(8192, passFunc{"mine", (&summarize.Pass{Invoker: condensertest.NewScript(condensertest.Fail(boom))}).Plan}),
	} {
		t.Run(name, func(t *testing.T) {
			p.Observe = quiet
			_, r, err := p.Fit(t.Context(), condensertest.MustParse("u:40k a:40k u:28k a:100 u:100"), condenser.Call{})
			calls := 0
			for _, s := range r.Steps {
				if s.Calls > 0 {
					calls += s.Calls
					assert.Equal(t, summarize.Failed, s.Reason)
					assert.ErrorIs(t, s.Err, boom)
				}
			}
			assert.Equal(t, 1, calls, r)
			assert.ErrorIs(t, r.Err, boom)
			if name == "nothing at all" {
				assert.Equal(t, condenser.Failed, r.Outcome)
				assert.ErrorIs(t, err, boom)
			} else {
				assert.Equal(t, condenser.Condensed, r.Outcome)
				assert.NoError(t, err)
			}
		})
	}
}
