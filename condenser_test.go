package condenser_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/internal/checks"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

func TestMain(m *testing.M) {
	checks.Set(1)
	goleak.VerifyTestMain(m)
}

func window(n int) budget.ModelCard { return budget.ModelCard{ContextWindow: n} }

// quiet takes the reports and keeps slog out of the test's output.
func quiet(context.Context, condenser.Report) {}

// busy is a session over the trigger of a window of 8,192 tokens.
const busy = `s u"port the parser" a(1) r1:9k a(2) r2:9k u"and test it" a(3) r3:9k a:900 u"go on"`

func TestZeroDepsAreTheIdentity(t *testing.T) {
	var d condenser.Deps
	require.NoError(t, d.Validate())
	condense := condenser.NewCondenser(d)
	msgs := condensertest.MustParse("u:9k a:9k u")
	assert.True(t, sameSlice(msgs, condense(t.Context(), msgs)))
	assert.Nil(t, condense(t.Context(), nil))
}

func TestNewCondenser(t *testing.T) {
	var reports []condenser.Report
	d := condenser.Deps{Card: window(8192), Observe: func(_ context.Context, r condenser.Report) { reports = append(reports, r) }}
	condense := condenser.NewCondenser(d)

	small := condensertest.MustParse("s u a u")
	assert.True(t, sameSlice(small, condense(t.Context(), small)), "below the trigger the very slice comes back")

	msgs := condensertest.MustParse(busy)
	unchanged := condensertest.Guard(t, msgs)
	out := condense(t.Context(), msgs)
	unchanged()
	assert.Equal(t, "s D F a u", condensertest.Show(out))
	assert.LessOrEqual(t, budget.EstimateTokens(out), 8192-2048)
	assert.Empty(t, message.Validate(out, message.Portable))

	require.Len(t, reports, 2, "one report a call")
	assert.Equal(t, condenser.Unchanged, reports[0].Outcome)
	assert.Equal(t, condenser.Condensed, reports[1].Outcome)
	assert.Equal(t, budget.EstimateTokens(out), reports[1].After.Tokens)
	assert.Equal(t, 5, reports[1].After.Messages)
	assert.Equal(t, []int{8192, 6144, 4608, 3686}, []int{reports[1].Window, reports[1].Hard, reports[1].Trigger, reports[1].Target})
}

// A hook of the shape every runtime has takes it without an adapter.
func TestCondenserAssigns(t *testing.T) {
	var hook func(context.Context, []message.Message) []message.Message = condenser.NewCondenser(condenser.Deps{})
	assert.NotNil(t, hook)
}

func TestWrongDeps(t *testing.T) {
	wrong := map[string]condenser.Deps{
		"TriggerRatio":        {Card: window(8192), Policy: &budget.Policy{TriggerRatio: 7, KeepRecent: 1}},
		"KeepRecent":          {Card: window(8192), Policy: &budget.Policy{}},
		"has a window of 100": {Card: window(100)},
		"ContextWindow of":    {Card: window(-1)},
	}
	for want, d := range wrong {
		t.Run(want, func(t *testing.T) {
			require.ErrorContains(t, d.Validate(), want)
			var got condenser.Report
			d.Observe = func(_ context.Context, r condenser.Report) { got = r }
			msgs := condensertest.MustParse("u:90k a u")
			assert.True(t, sameSlice(msgs, condenser.NewCondenser(d)(t.Context(), msgs)), "the identity, and it says so")
			assert.Equal(t, condenser.Failed, got.Outcome)
			assert.Equal(t, len(msgs), got.Before.Messages)
			assert.ErrorContains(t, got.Err, want)
		})
	}
	all := condenser.Deps{Card: window(-1), Policy: &budget.Policy{TriggerRatio: -1, KeepRecent: -1, ReserveTokens: -1}}
	for _, what := range []string{"TriggerRatio", "KeepRecent", "ReserveTokens", "ContextWindow"} {
		assert.ErrorContains(t, all.Validate(), what, "every problem at once")
	}
	p := condenser.Default(condenser.Deps{})
	p.Target, p.Passes = 1.5, append(p.Passes, nil)
	assert.ErrorContains(t, p.Validate(), "Target is 1.5")
	assert.ErrorContains(t, p.Validate(), "pass 3 of Passes is nil")
	for _, made := range []condenser.Pass{condenser.Seq(p.Passes[0], nil), condenser.OrElse(p.Passes[0], nil), condenser.When(budget.OK, nil), condenser.AtLeast(1, nil)} {
		p.Passes = []condenser.Pass{made}
		assert.ErrorContains(t, p.Validate(), "pass 0 of Passes is nil, or made of")
	}
}

// Without an observer an error is logged, each text once, and nothing else is.
func TestErrorsGoToSlogOnce(t *testing.T) {
	var out bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(old)

	good := condenser.NewCondenser(condenser.Deps{Card: window(8192)})
	good(t.Context(), condensertest.MustParse(busy))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	good(ctx, condensertest.MustParse(busy))
	assert.Empty(t, out.String())

	bad := condenser.NewCondenser(condenser.Deps{Card: window(8192), Policy: &budget.Policy{}})
	for range 3 {
		bad(t.Context(), condensertest.MustParse(`u"secret words"`))
	}
	assert.Equal(t, 1, strings.Count(out.String(), "\n"), out.String())
	assert.Contains(t, out.String(), "TriggerRatio")
	assert.NotContains(t, out.String(), "secret")
}

func TestCallComesWithEachRequest(t *testing.T) {
	var got condenser.Report
	type key struct{}
	d := condenser.Deps{Card: window(100_000), Observe: func(_ context.Context, r condenser.Report) { got = r },
		Call: func(ctx context.Context) condenser.Call {
			c, _ := ctx.Value(key{}).(condenser.Call)
			return c
		}}
	condense := condenser.NewCondenser(d)
	msgs := condensertest.MustParse(busy)
	condense(t.Context(), msgs)
	assert.Equal(t, condenser.Unchanged, got.Outcome)

	small := window(8192)
	condense(context.WithValue(t.Context(), key{}, condenser.Call{Card: &small}), msgs)
	assert.Equal(t, condenser.Condensed, got.Outcome, "the model of this request")
	assert.Equal(t, 8192, got.Window)

	condense(context.WithValue(t.Context(), key{}, condenser.Call{Overhead: budget.Size{Tokens: 90_000}}), msgs)
	assert.Equal(t, condenser.Condensed, got.Outcome, "the overhead counts")
	assert.Equal(t, 100_000-2048-90_000, got.Hard)

	condense(context.WithValue(t.Context(), key{}, condenser.Call{Cause: condenser.Manual}), msgs)
	assert.Equal(t, condenser.Condensed, got.Outcome, "the user asked")

	refusal := errors.New("400: prompt is too long")
	before := got.Before.Tokens
	condense(context.WithValue(t.Context(), key{}, condenser.Call{Cause: condenser.Overflow, Err: refusal}), msgs)
	assert.Equal(t, condenser.Condensed, got.Outcome, "refused: smaller, whatever the estimate says")
	assert.Less(t, got.After.Tokens, before*7/10)
	assert.Equal(t, refusal, got.Refusal)
}

func TestFocusReachesTheModel(t *testing.T) {
	model := condensertest.NewScript(condensertest.Reply("# Objective\nx"))
	p := condenser.Default(condenser.Deps{Card: window(8192), Invoker: model, Observe: quiet})
	_, _, err := p.Fit(t.Context(), condensertest.MustParse(busy), condenser.Call{Cause: condenser.Manual, Focus: "the flags"})
	require.NoError(t, err)
	assert.Contains(t, model.Requests()[0].Prompt, "<focus>\nthe flags\n</focus>")
}

// A counter of one's own is asked on both sides of every comparison.
type tenEach struct{ budget.WindowBudget }

func (tenEach) Tokens(message.Message) int { return 10 }

func TestOwnCounter(t *testing.T) {
	var got condenser.Report
	d := condenser.Deps{Card: window(8192), Counter: tenEach{}, Observe: func(_ context.Context, r condenser.Report) { got = r }}
	msgs := condensertest.MustParse(busy)
	assert.True(t, sameSlice(msgs, condenser.NewCondenser(d)(t.Context(), msgs)))
	assert.Equal(t, 110, got.Before.Tokens)
}

func TestInvokerFunc(t *testing.T) {
	called := 0
	model := summarize.InvokerFunc(func(context.Context, summarize.Request) (summarize.Response, error) {
		called++
		return summarize.Response{Content: []message.Block{message.Text("# Objective\nx")}}, nil
	})
	out := condenser.NewCondenser(condenser.Deps{Card: window(8192), Invoker: model, Observe: quiet})(t.Context(), condensertest.MustParse(busy))
	assert.Equal(t, 1, called)
	assert.Contains(t, message.PlainText(out[1]), "# Objective\nx")
}
