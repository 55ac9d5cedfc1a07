package condenser_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/rehydrate"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

func TestCombinators(t *testing.T) {
	msgs := condensertest.MustParse("u:9k a:9k u:9k a:100 u:100")
	v, err := transcript.Fold(msgs)
	require.NoError(t, err)
	g := budget.Basis{Card: window(8192), Policy: budget.AutoCondensePolicy()}.Gauge(msgs, nil)
	boom := errors.New("boom")
	nothing := passFunc{"nothing", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) { return nil, nil }}
	outside := passFunc{"x", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) {
		return []transcript.Edit{{From: 3, To: 3}}, nil
	}}
	one, two := replaceBy(0, 1, "D"), replaceBy(1, 2, "M")
	for name, c := range map[string]struct {
		pass condenser.Pass
		want string // the view after
		err  error
	}{
		"seq":                           {condenser.Seq(one, two), "D M u a u", nil},
		"seq goes on behind nothing":    {condenser.Seq(one, nothing, two), "D M u a u", nil},
		"seq keeps what came before":    {condenser.Seq(one, failing(boom), two), "D a u a u", boom},
		"seq, refused by the fold":      {condenser.Seq(one, outside), "D a u a u", transcript.ErrRange},
		"empty seq":                     {condenser.Seq(), "u a u a u", nil},
		"or else: the first":            {condenser.OrElse(one, two), "D a u a u", nil},
		"or else: it proposes nothing":  {condenser.OrElse(nothing, two), "u M u a u", nil},
		"or else: it fails":             {condenser.OrElse(failing(boom), two), "u M u a u", nil},
		"or else: both fail":            {condenser.OrElse(failing(boom), failing(boom)), "u a u a u", boom},
		"when it is that full":          {condenser.When(budget.Critical, one), "D a u a u", nil},
		"at least so many":              {condenser.AtLeast(2000, one), "D a u a u", nil},
		"at least: too few":             {condenser.AtLeast(9000, one), "u a u a u", nil},
		"at least: it fails":            {condenser.AtLeast(1, failing(boom)), "u a u a u", boom},
		"at least: refused by the fold": {condenser.AtLeast(1, outside), "u a u a u", transcript.ErrRange},
	} {
		t.Run(name, func(t *testing.T) {
			edits, err := c.pass.Plan(t.Context(), v, g)
			assert.ErrorIs(t, err, c.err)
			after, err := v.With(edits...)
			require.NoError(t, err)
			assert.Equal(t, c.want, condensertest.Show(after.Messages()))
		})
	}
	calm := budget.Basis{Card: window(90_000), Policy: budget.AutoCondensePolicy()}.Gauge(msgs, nil)
	edits, err := condenser.When(budget.Warn, one).Plan(t.Context(), v, calm)
	require.NoError(t, err)
	assert.Empty(t, edits)
	assert.Equal(t, "mine+mine|nothing", condenser.OrElse(condenser.Seq(one, two), condenser.When(budget.Warn, condenser.AtLeast(1, nothing))).Name())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	edits, err = condenser.OrElse(failing(ctx.Err()), two).Plan(ctx, v, g)
	assert.Empty(t, edits, "cancelled: the second is not asked")
	assert.ErrorIs(t, err, context.Canceled)
}

func TestCombinatorsPrice(t *testing.T) {
	v, err := transcript.Fold(condensertest.MustParse("u:9k a(1) r1:9k u:9k a:100 u:100"))
	require.NoError(t, err)
	g := budget.Basis{Card: window(8192), Policy: budget.AutoCondensePolicy()}.Gauge(v.Messages(), nil)
	model := condensertest.NewScript(condensertest.Reply("x"))
	paid, free := &summarize.Pass{Invoker: model}, microcompact.ToolResults{Keep: -1}
	for name, c := range map[string]struct {
		pass condenser.Pass
		ok   bool
	}{
		"free":                    {condenser.Seq(free), false},
		"behind a free one":       {condenser.Seq(free, paid), true},
		"behind one with none":    {condenser.Seq(rehydrate.Reads{}, paid), true},
		"behind one that fails":   {condenser.Seq(failing(errors.New("x")), paid), false},
		"or else, the first":      {condenser.OrElse(paid, free), true},
		"or else, the second":     {condenser.OrElse(free, paid), true},
		"when":                    {condenser.When(budget.Condense, paid), true},
		"at least":                {condenser.AtLeast(1, paid), true},
		"at least, of a free one": {condenser.AtLeast(1, free), false},
	} {
		price, ok := c.pass.(condenser.Pricer).Price(v, g)
		assert.Equal(t, c.ok, ok, name)
		assert.Equal(t, c.ok, price.Input > 0, name)
	}
	calm := budget.Basis{Card: window(90_000), Policy: budget.AutoCondensePolicy()}.Gauge(v.Messages(), nil)
	_, ok := condenser.When(budget.Condense, paid).(condenser.Pricer).Price(v, calm)
	assert.False(t, ok)
	assert.Zero(t, model.Calls())
}
