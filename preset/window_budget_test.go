package preset_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/preset"
	"github.com/condenser-go/condenser/summarize"
)

func deps(model summarize.ModelInvoker, window int) condenser.Deps {
	return condenser.Deps{Card: budget.ModelCard{ContextWindow: window}, Invoker: model, Observe: func(context.Context, condenser.Report) {}}
}

const session = `u"port the parser" a(1) r1:9k u:9k a(2) r2:9k a:900 u"go on" a:100`

func fit(t *testing.T, p *condenser.Pipeline, log string, c condenser.Call) ([]message.Message, condenser.Report) {
	out, r, err := p.Fit(t.Context(), condensertest.MustParse(log), c)
	require.NoError(t, err)
	return out, r
}

func TestFactory(t *testing.T) {
	small := condensertest.MustParse("u a")
	p := preset.WindowBudgetFactory(condenser.Deps{})
	assert.Equal(t, small, p.Func()(t.Context(), small), "no card: the identity")

	out, r := fit(t, preset.WindowBudgetFactory(deps(condensertest.NewScript(condensertest.Reply("# Objective\nx")), 8192)), session, condenser.Call{})
	assert.Equal(t, "D a u a", condensertest.Show(out), "gate, slice and digest, nothing else")
	require.Len(t, r.Steps, 1)
	assert.Contains(t, message.PlainText(out[0]), "[session digest — older turns condensed]\n\n# Objective\nx")
}

// The document's recorder falls back to the local digest at any level.
func TestFailuresGiveTheLocalDigest(t *testing.T) {
	for name, step := range map[string]condensertest.Step{"error": condensertest.Fail(errors.New("503")), "blank": condensertest.Blank(), "cut off": condensertest.CutOff()} {
		for _, ladder := range []func(condenser.Deps) *condenser.Pipeline{preset.WindowBudget, preset.WindowBudgetFactory} {
			out, r := fit(t, ladder(deps(condensertest.NewScript(step), 12_000)), session, condenser.Call{})
			assert.Equal(t, condenser.Condensed, r.Outcome, name)
			assert.Contains(t, message.PlainText(out[0]), "# Carryover", name)
		}
	}
}

func TestRunner(t *testing.T) {
	out, r := fit(t, preset.WindowBudget(deps(nil, 8192)), session, condenser.Call{})
	assert.Equal(t, "D F a u a", condensertest.Show(out), "a second file would be beyond the target")
	assert.Less(t, r.After.Messages, r.Before.Messages)

	out, _ = fit(t, preset.WindowBudget(deps(nil, 100_000)), session, condenser.Call{Cause: condenser.Manual})
	assert.Equal(t, "D F F u a", condensertest.Show(out), "force: before the last user turn")
	out, r = fit(t, preset.WindowBudget(deps(nil, 100_000)), session, condenser.Call{})
	assert.Equal(t, condenser.Unchanged, r.Outcome)
	assert.Len(t, out, 9)
}

// The count guard: files come back only as long as the transcript gets shorter
// in messages.
func TestCountGuard(t *testing.T) {
	out, _ := fit(t, preset.WindowBudget(deps(nil, 100_000)), "a(1,2) r1:900 r2:900 u", condenser.Call{Cause: condenser.Manual})
	assert.Equal(t, "D F u", condensertest.Show(out))
}

func TestCondenseTranscript(t *testing.T) {
	p := budget.Policy{TriggerRatio: 0.75, KeepRecent: 500, ReserveTokens: 2048}
	model := condensertest.NewScript(condensertest.Reply("# Objective\nx"))
	for name, c := range map[string]struct {
		log   string
		force bool
		want  string // "" for the very slice
	}{
		"auto":                          {session, false, "D F F a u a"},
		"force":                         {session, true, "D F F u a"},
		"force, no user":                {"a:900 a:900", true, ""},
		"force, one turn":               {"u:900 a:900", true, ""},
		"force, not through a pair":     {"u a:900 a(1) u r1 a", true, "D a(1) u r1 a"},
		"one message is no shorter":     {"u:9k u:900", true, ""},
		"it fits":                       {"u a u", false, ""},
		"D1 stays in the plan function": {"u a u:9k", false, ""},
		"cleared before, restored from what was there": {"u a(1) r1:900 a(2) r2:900 a(3) r3:900 a(4) r4:900 a(5) r5:900 a(6) r6:900 a(7) r7:900 u", true, "D F F F F F u"},
	} {
		t.Run(name, func(t *testing.T) {
			msgs := condensertest.MustParse(c.log)
			unchanged := condensertest.Guard(t, msgs)
			out := preset.CondenseTranscript(t.Context(), msgs, p, c.force, model)
			unchanged()
			if c.want == "" {
				assert.Same(t, &msgs[0], &out[0])
				assert.Len(t, out, len(msgs))
				return
			}
			assert.Equal(t, c.want, condensertest.Show(out))
			assert.Less(t, len(out), len(msgs))
		})
	}
}

// Whatever the transcript: never longer in messages, no pair parted, nothing changed.
func TestCondenseTranscriptLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := condensertest.Generator{Valid: true}.Transcript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		unchanged := condensertest.Guard(t, msgs)
		p := budget.Policy{KeepRecent: rapid.IntRange(1, 4000).Draw(t, "keep")}
		out := preset.CondenseTranscript(context.Background(), msgs, p, rapid.Bool().Draw(t, "force"), nil)
		unchanged()
		require.Empty(t, message.Validate(out, message.Portable))
		if len(out) == len(msgs) {
			require.Same(t, &msgs[0], &out[0])
		} else {
			require.Less(t, len(out), len(msgs))
		}
	})
}

// The runner as a pipeline keeps the laws that the documented function cannot:
// it fits, also when the last message alone is more than the tail may be (D1).
func TestD1(t *testing.T) {
	out, r := fit(t, preset.WindowBudget(deps(nil, 8192)), `u"first" a:9k u:9k a(1) r1:14k`, condenser.Call{})
	assert.Equal(t, condenser.Condensed, r.Outcome)
	assert.Equal(t, "D a(1) r1", condensertest.Show(out))
	assert.LessOrEqual(t, r.After.Tokens, r.Hard)
}
