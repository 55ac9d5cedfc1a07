package condenser_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/rehydrate"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
	"github.com/condenser-go/condenser/trim"
)

// passFunc is a pass that is a function.
type passFunc struct {
	name string
	plan func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error)
}

func (p passFunc) Name() string { return p.name }
func (p passFunc) Plan(ctx context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	return p.plan(ctx, v, g)
}

// replaceBy is a pass that replaces items [i, j) by what the notation says.
func replaceBy(i, j int, notation string) condenser.Pass {
	return passFunc{"mine", func(_ context.Context, v *transcript.View, _ budget.Gauge) ([]transcript.Edit, error) {
		return v.Changes("mine", transcript.Change{I: i, J: j, With: condensertest.MustParse(notation), Why: "because"}), nil
	}}
}

func failing(err error) condenser.Pass {
	return passFunc{"failing", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) { return nil, err }}
}

func pipeline(n int, passes ...condenser.Pass) *condenser.Pipeline {
	return &condenser.Pipeline{Card: window(n), Passes: passes, Observe: quiet}
}

func TestLadderStopsWhenThereIsRoom(t *testing.T) {
	asked := 0
	count := passFunc{"count", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) {
		asked++
		return nil, nil
	}}
	msgs := condensertest.MustParse("u a(1) r1:9k a(2) r2:9k a(3) r3:9k u")
	p := pipeline(8192, count, microcompact.ToolResults{Keep: 1}, count)
	out, r, err := p.Fit(t.Context(), msgs, condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, condenser.Condensed, r.Outcome)
	assert.Equal(t, "u a(1) r1~ a(2) r2~ a(3) r3 u", condensertest.Show(out))
	assert.Equal(t, 1, asked, "the pass behind was not needed")
	_, _, err = p.Fit(t.Context(), msgs, condenser.Call{Cause: condenser.Manual})
	require.NoError(t, err)
	assert.Equal(t, 3, asked, "the user asked: all run")
	for _, m := range []int{0, 1, 3, 5, 6, 7} {
		assert.Same(t, msgs[m], out[m], "untouched messages are the same pointers")
	}
}

// Between the target and the trigger nothing happens: that gap is what keeps
// the next turns from condensing again.
func TestGate(t *testing.T) {
	asked := 0
	count := passFunc{"count", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) {
		asked++
		return nil, nil
	}}
	msgs := condensertest.MustParse("u:15k")
	out, r, err := pipeline(8192, count).Fit(t.Context(), msgs, condenser.Call{})
	require.NoError(t, err)
	assert.True(t, sameSlice(msgs, out))
	assert.Equal(t, condenser.Unchanged, r.Outcome)
	assert.Greater(t, r.Before.Tokens, r.Target)
	assert.Less(t, r.Before.Tokens, r.Trigger)
	assert.Empty(t, r.Steps)
	assert.Zero(t, asked)
}

// A ladder without a floor of its own ends at the floor.
func TestEveryLadderEndsAtTheFloor(t *testing.T) {
	msgs := condensertest.MustParse("u:9k a:9k u:9k")
	for _, p := range []*condenser.Pipeline{pipeline(8192), pipeline(8192, failing(errors.New("boom")))} {
		out, r, err := p.Fit(t.Context(), msgs, condenser.Call{})
		require.NoError(t, err)
		assert.Equal(t, condenser.Condensed, r.Outcome)
		assert.LessOrEqual(t, r.After.Tokens, r.Hard)
		assert.Equal(t, trim.Origin, r.Steps[len(r.Steps)-1].Pass)
		assert.Equal(t, r.After.Tokens, budget.EstimateTokens(out))
	}
}

// A pass that fails below the critical level ends the run: what was done stays,
// the rest is not saved by cheaper means.
func TestFailingPass(t *testing.T) {
	boom := errors.New("boom")
	var reports []condenser.Report
	p := pipeline(8192, microcompact.ToolResults{Keep: 2}, failing(boom), trim.Oldest{})
	p.Observe = func(_ context.Context, r condenser.Report) { reports = append(reports, r) }
	msgs := condensertest.MustParse("u a(1) r1:9k a(2) r2:9k a(3) r3:9k u:100")
	out, r, err := p.Fit(t.Context(), msgs, condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, "u a(1) r1~ a(2) r2 a(3) r3 u", condensertest.Show(out))
	assert.Equal(t, condenser.Condensed, r.Outcome)
	assert.ErrorIs(t, r.Err, boom)
	require.Len(t, r.Steps, 2)
	assert.ErrorIs(t, r.Steps[1].Err, boom)
	assert.Equal(t, "failing", r.Steps[1].Pass)

	p = pipeline(8192, failing(boom), trim.Oldest{})
	out, r, err = p.Fit(t.Context(), condensertest.MustParse("u a(1) r1:18k u"), condenser.Call{})
	require.ErrorIs(t, err, boom)
	assert.Equal(t, condenser.Failed, r.Outcome)
	assert.Len(t, out, 4)

	_, r, err = p.Fit(t.Context(), condensertest.MustParse("u:9k a(1) r1:18k u"), condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, condenser.Condensed, r.Outcome, "critical: the next one tries")
	require.Len(t, reports, 1, "told once a run")
}

// What a pass proposes is taken only if it breaks nothing.
func TestBadPassesAreRefused(t *testing.T) {
	msgs := condensertest.MustParse("s u:9k a(1)^ r1 u*:9k u")
	for name, c := range map[string]struct {
		pass condenser.Pass
		want string
	}{
		"parts a pair":      {replaceBy(3, 4, ""), "pairs"},
		"drops system":      {replaceBy(0, 2, "D"), "systems"},
		"drops pinned":      {replaceBy(4, 5, "D"), "pinned"},
		"empties a message": {replaceBy(1, 2, "u:0~"), "not-empty"},
		"makes it larger":   {replaceBy(1, 2, "D:40k"), "larger"},
		"an edit out of range": {passFunc{"x", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) {
			return []transcript.Edit{{From: 5, To: 4}}, nil
		}}, "outside the log"},
		"a nil message": {passFunc{"x", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) {
			return []transcript.Edit{{From: 1, To: 2, With: []message.Message{nil}}}, nil
		}}, "is nil"},
		"a panic": {passFunc{"x", func(context.Context, *transcript.View, budget.Gauge) ([]transcript.Edit, error) { panic("oops") }}, "panic: oops"},
	} {
		t.Run(name, func(t *testing.T) {
			out, r, err := pipeline(8192, c.pass).Fit(t.Context(), msgs, condenser.Call{})
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, condenser.Failed, r.Outcome)
			assert.True(t, sameSlice(msgs, out))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, _, err = pipeline(8192, c.pass).Fit(ctx, msgs, condenser.Call{})
			require.ErrorContains(t, err, c.want, "and in a goroutine of its own")
		})
	}
}

func TestNilMessage(t *testing.T) {
	for _, size := range []string{"u:40k", "u"} { // above the trigger and below it
		msgs := append(condensertest.MustParse(size), nil, (*message.User)(nil))
		p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
		for range 2 {
			out, r, err := p.Fit(t.Context(), msgs, condenser.Call{})
			assert.ErrorContains(t, err, "message 1 is nil")
			assert.Equal(t, condenser.Failed, r.Outcome)
			assert.True(t, sameSlice(msgs, out))
		}
		msgs[1], msgs[2] = message.NewUser("x"), message.NewUser("y")
		_, _, err := p.Fit(t.Context(), msgs, condenser.Call{})
		assert.NoError(t, err, "they are there now")
		_, _, err = p.Fit(t.Context(), append(msgs[:2:2], nil), condenser.Call{})
		assert.ErrorContains(t, err, "message 2 is nil")
		_, _, err = p.Fit(t.Context(), msgs[:1], condenser.Call{})
		assert.NoError(t, err)
	}
}

func TestRepairsComeWithACompaction(t *testing.T) {
	msgs := condensertest.MustParse("u:9k a:9k u:9k a(1):100 u:100 r9:100 a(2):100 r2:100")
	out, r, err := pipeline(8192, &summarize.Pass{}).Fit(t.Context(), msgs, condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, "D a(1) r1!~ u a(2) r2", condensertest.Show(out))
	assert.Equal(t, transcript.RepairPass, r.Steps[len(r.Steps)-1].Pass)
	small := condensertest.MustParse("u a(1) u r9")
	out, _, _ = pipeline(8192, &summarize.Pass{}).Fit(t.Context(), small, condenser.Call{})
	assert.True(t, sameSlice(small, out), "below the trigger nothing is mended")
}

func TestNothingGainedIsNoCompaction(t *testing.T) {
	grow := replaceBy(0, 1, "D:99")
	msgs := condensertest.MustParse("u:10 a u")
	out, r, err := pipeline(90_000, grow).Fit(t.Context(), msgs, condenser.Call{Cause: condenser.Manual})
	require.NoError(t, err)
	assert.Equal(t, condenser.Unchanged, r.Outcome)
	assert.Equal(t, r.Before, r.After)
	assert.True(t, sameSlice(msgs, out))
}

func TestCancelled(t *testing.T) {
	msgs := condensertest.MustParse(busy)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the user went away")
	cancel(why)
	p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
	out, r, err := p.Fit(ctx, msgs, condenser.Call{})
	assert.ErrorIs(t, err, why)
	assert.Equal(t, condenser.Cancelled, r.Outcome)
	assert.True(t, sameSlice(msgs, out))
}

// A cancel returns at once, whatever the invoker does, and leaves no goroutine
// once it is done.
func TestCancelLeavesAHangingModelBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		model := condensertest.NewScript(condensertest.Hang(release, condensertest.Reply("too late")))
		p := condenser.Default(condenser.Deps{Card: window(8192), Invoker: model, Observe: quiet})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		msgs := condensertest.MustParse("s u a(1) r1:9k a(2) r2:9k a(3) r3:9k a(4) r4:9k a(5) r5:9k a(6) r6:9k a(7) r7:9k u")
		out, r, err := p.Fit(ctx, msgs, condenser.Call{})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, condenser.Cancelled, r.Outcome)
		assert.True(t, sameSlice(msgs, out), "also what was cleared before the model was asked is as it was")
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, 1, model.Calls())
		close(release)
		synctest.Wait()
	})
}

func TestDelayedModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := condensertest.NewScript(condensertest.Delay(time.Minute, condensertest.Reply("# Objective\nx")))
		p := condenser.Default(condenser.Deps{Card: window(8192), Invoker: model, Observe: quiet})
		_, r, err := p.Fit(t.Context(), condensertest.MustParse(busy), condenser.Call{})
		require.NoError(t, err)
		assert.Equal(t, condenser.Condensed, r.Outcome)
		assert.Equal(t, 1, r.Steps[1].Calls)
		assert.Positive(t, r.Steps[1].Usage.Input)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, r, _ = p.Fit(ctx, condensertest.MustParse(busy), condenser.Call{})
		assert.Equal(t, condenser.Cancelled, r.Outcome)
		synctest.Wait()
	})
}

func TestCondenseOnALog(t *testing.T) {
	l := transcript.NewLog()
	require.NoError(t, l.Append(condensertest.MustParse(busy)...))
	p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
	r, err := p.Condense(t.Context(), l, condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, condenser.Condensed, r.Outcome)
	require.Len(t, l.Commits(), 1)
	assert.Equal(t, r.CommitID, l.Commits()[0].ID)
	assert.Equal(t, 11, l.Commits()[0].Seen)
	assert.Equal(t, 11, l.Len(), "the log keeps everything")
	assert.Equal(t, r.After.Messages, l.View().Len())
	condensertest.CheckLog(t, l)
	for pos, f := range l.History() {
		assert.True(t, f.Shown || f.Commit == r.CommitID && f.To > f.From, "position %d is stood for", pos)
	}

	r, err = p.Condense(t.Context(), l, condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, condenser.Unchanged, r.Outcome, "there is room now")

	require.NoError(t, l.Revert(l.Commits()[0].ID))
	assert.Equal(t, condensertest.Show(condensertest.MustParse(busy)), condensertest.Show(l.View().Messages()))
}

// Messages appended while the model thinks stay, in order; a log that was
// rewound meanwhile refuses the commit and stays as it is.
func TestCondenseWhileTheLogMovesOn(t *testing.T) {
	l := transcript.NewLog()
	require.NoError(t, l.Append(condensertest.MustParse(busy)...))
	late := condensertest.MustParse("a u")
	model := condensertest.NewScript(func(ctx context.Context, r summarize.Request) (summarize.Response, error) {
		if err := l.Append(late...); err != nil {
			return summarize.Response{}, err
		}
		return condensertest.Reply("# Objective\nx")(ctx, r)
	}, func(ctx context.Context, r summarize.Request) (summarize.Response, error) {
		if err := l.Rewind(3); err != nil {
			return summarize.Response{}, err
		}
		return condensertest.Reply("# Objective\nx")(ctx, r)
	})
	p := condenser.Default(condenser.Deps{Card: window(8192), Invoker: model, Observe: quiet})
	_, err := p.Condense(t.Context(), l, condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, "s D F a u a u", condensertest.Show(l.View().Messages()))

	require.NoError(t, l.Append(condensertest.MustParse("a:9k u:9k a:9k u")...))
	r, err := p.Condense(t.Context(), l, condenser.Call{})
	assert.ErrorIs(t, err, transcript.ErrRange)
	assert.Equal(t, condenser.Failed, r.Outcome)
	assert.Empty(t, r.CommitID)
	assert.Equal(t, 3, l.Len())
	condensertest.CheckLog(t, l)
}

func TestPlanIsADryRun(t *testing.T) {
	model := condensertest.NewScript(condensertest.Reply("# Objective\nx"))
	told := 0
	p := condenser.Default(condenser.Deps{Card: window(8192), Invoker: model, Observe: func(context.Context, condenser.Report) { told++ }})
	v, err := transcript.Fold(condensertest.MustParse(busy))
	require.NoError(t, err)
	r, err := p.Plan(v, condenser.Call{})
	require.NoError(t, err)
	assert.Zero(t, model.Calls())
	assert.Zero(t, told)
	last := r.Steps[len(r.Steps)-1]
	require.NotNil(t, last.Price)
	assert.Positive(t, last.Price.Input)
	assert.Equal(t, last.After, r.After.Tokens)
	assert.Less(t, r.After.Tokens, r.Before.Tokens)
	assert.Equal(t, condenser.Condensed, r.Outcome)
	assert.Contains(t, r.String(), "would pay")

	free, err := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet}).Plan(v, condenser.Call{})
	require.NoError(t, err)
	_, real, err := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet}).Fit(t.Context(), v.Messages(), condenser.Call{})
	require.NoError(t, err)
	assert.Equal(t, real, free, "without a model the dry run is the run")
}

// One pipeline, many sessions: nothing of one is ever seen in another, and
// each result is what it would be alone.
func TestSharedPipeline(t *testing.T) {
	p := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
	histories := make([][]message.Message, 24)
	want := make([]string, len(histories))
	for i := range histories {
		histories[i] = condensertest.MustParse(fmt.Sprintf(`s u"canary%d" a(1) r1:9k u:9k a(2) r2:9k a:%d u`, i, 100+i))
		alone := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet})
		out, _, err := alone.Fit(t.Context(), histories[i], condenser.Call{})
		require.NoError(t, err)
		want[i] = stored(t, out)
	}
	var wg sync.WaitGroup
	for i, h := range histories {
		wg.Go(func() {
			for range 20 {
				out, _, err := p.Fit(context.Background(), h, condenser.Call{})
				if err != nil || stored(t, out) != want[i] {
					t.Errorf("session %d differs (error %v)", i, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestPassesConform(t *testing.T) {
	for name, p := range map[string]condenser.Pass{
		"seq":    condenser.Seq(&summarize.Pass{}, trim.Floor{}),
		"when":   condenser.When(budget.Condense, trim.Oldest{}),
		"least":  condenser.AtLeast(500, microcompact.ToolResults{Keep: 1}),
		"orelse": condenser.OrElse(microcompact.ToolResults{Keep: 1, Tools: []string{"read"}}, trim.Floor{}),
	} {
		if testing.Short() && name != "seq" {
			continue
		}
		t.Run(name, func(t *testing.T) { condensertest.TestPass(t, p, condensertest.Restless) })
	}
	condensertest.TestPass(t, condenser.Seq(&summarize.Pass{}, rehydrate.Reads{}), condensertest.Grows)
}
