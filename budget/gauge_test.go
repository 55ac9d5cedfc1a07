package budget_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

// perMessage counts 10 a message and 3 a list, and how often it is asked.
type perMessage struct{ asked *int }

func (c perMessage) Tokens(message.Message) int { *c.asked++; return 10 }
func (c perMessage) TextTokens(s string) int    { return len(s) }
func (c perMessage) ListTokens(n int) int       { return 3 }

func TestGaugeNumbers(t *testing.T) {
	b := budget.Basis{Card: budget.ModelCard{ContextWindow: 10_000}, Policy: budget.Policy{TriggerRatio: 0.75, KeepRecent: 6000, ReserveTokens: 2000}}
	read := func(b budget.Basis, tokens int) budget.Gauge {
		return b.Gauge([]message.Message{message.NewUser(string(make([]byte, (tokens-6)*36/10)))}, nil)
	}
	g := read(b, 5000)
	assert.Equal(t, []int{5000, 8000, 6000, 4800}, []int{g.Used(), g.Hard(), g.Trigger(), g.Target()})
	assert.Equal(t, 2400, g.KeepRecent(), "at most half of the target")
	assert.Equal(t, budget.Estimate{ContextTokens: 5000, ContextWindow: 10_000}, g.Estimate())
	assert.Equal(t, []any{budget.Warn, budget.Size{}, budget.Threshold}, []any{g.Level(), g.Need(), g.Cause()})
	assert.Equal(t, budget.OK, read(b, 4799).Level())
	assert.Equal(t, budget.Warn, read(b, 4800).Level())
	assert.Equal(t, budget.Warn, read(b, 6000).Level(), "the limit itself is not over it")
	assert.Equal(t, budget.Condense, read(b, 6001).Level())
	assert.Equal(t, budget.Size{Tokens: 1201}, read(b, 6001).Need())
	assert.Equal(t, budget.Condense, read(b, 8000).Level())
	assert.Equal(t, budget.Critical, read(b, 8001).Level())

	b.Overhead.Tokens = 1000
	g = read(b, 5000)
	assert.Equal(t, []int{7000, 5000, 4000}, []int{g.Hard(), g.Trigger(), g.Target()}, "four fifths of what the overhead left of the trigger")
	assert.Equal(t, 6000, g.Estimate().ContextTokens)
	b.Overhead.Tokens = 7000
	assert.Equal(t, []int{1000, 500, 400}, []int{b.Hard(), b.Trigger(), b.TargetOf(0)}, "a short transcript is left alone")
	b.Overhead.Tokens = 9000
	g = read(b, 5000)
	assert.Equal(t, []int{-1000, -500, 0}, []int{g.Hard(), g.Trigger(), g.Target()}, "the overhead alone is too large")
	assert.Equal(t, budget.Critical, g.Level())

	b.Overhead.Tokens, b.Cause = 0, budget.Manual
	assert.Equal(t, budget.Size{Tokens: 100}, read(b, 100).Need(), "the user asked")
	assert.Equal(t, budget.OK, read(b, 100).Level())
	b.Cause = budget.Overflow
	g = read(b, 1000)
	assert.Equal(t, 700, g.Target(), "refused: smaller than it was, whatever the estimate says")
	assert.Equal(t, budget.Critical, g.Level())
	b.Cause, b.Target = budget.Threshold, 1
	assert.Equal(t, 6000, read(b, 100).Target(), "at most the trigger")

	b.Card.ContextWindow = 0
	g = read(b, 5000)
	assert.Equal(t, []any{budget.OK, budget.Size{}, false}, []any{g.Level(), g.Need(), g.Basis().IsOver(1 << 30)})
}

// A series of passes that began above the trigger goes on below it, down to the
// target; one that began below it does nothing.
func TestGaugeNeedGoesOnToTheTarget(t *testing.T) {
	b := budget.Basis{Card: budget.ModelCard{ContextWindow: 10_000}, Policy: budget.Policy{TriggerRatio: 0.75, KeepRecent: 6000, ReserveTokens: 2000}}
	sized := func(tokens int) []message.Message {
		return []message.Message{message.NewUser(string(make([]byte, (tokens-6)*36/10)))}
	}
	g := b.Gauge(sized(6500), nil)
	assert.Equal(t, budget.Size{Tokens: 1700}, g.Need())
	g = g.For(sized(5000))
	assert.Equal(t, budget.Size{Tokens: 200}, g.Need(), "below the trigger, above the target")
	assert.Equal(t, budget.Size{}, g.For(sized(4800)).Need())
	assert.Equal(t, budget.Size{}, b.Gauge(sized(5000), nil).Need())
}

// Without an overhead the gauge's gate is the document's.
func TestTriggerIsTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		card := budget.ModelCard{ContextWindow: rapid.IntRange(1, 1_000_000).Draw(t, "window")}
		p := budget.Policy{TriggerRatio: rapid.Float64Range(0.001, 1).Draw(t, "ratio"), KeepRecent: 1, ReserveTokens: rapid.IntRange(0, card.ContextWindow-1).Draw(t, "reserve")}
		b := budget.Basis{Card: card, Policy: p}
		used := rapid.IntRange(0, 2*card.ContextWindow).Draw(t, "used")
		require.Equal(t, float64(used) > budget.Limit(card, p), b.IsOver(used))
		b.Overhead.Tokens = rapid.IntRange(0, b.Hard()).Draw(t, "overhead")
		require.LessOrEqual(t, b.Trigger(), b.Limit())
		require.GreaterOrEqual(t, b.Trigger(), min(b.Limit(), b.Hard()/2))
	})
}

func TestKeepRecentOfASmallWindow(t *testing.T) {
	// With the default policy a window of 8,192 has a limit of 4,608, below the 6,000 to keep.
	b := budget.Basis{Card: budget.ModelCard{ContextWindow: 8192}, Policy: budget.AutoCondensePolicy()}
	g := b.Gauge(nil, nil)
	assert.Equal(t, 3686, g.Target())
	assert.Equal(t, 1843, g.KeepRecent())
}

func TestListCounter(t *testing.T) {
	asked := 0
	b := budget.Basis{Counter: perMessage{&asked}, Card: budget.ModelCard{ContextWindow: 100}}
	g := b.Gauge(condensertest.MustParse("u a u"), nil)
	assert.Equal(t, 33, g.Used())
	assert.Equal(t, 13, g.For(condensertest.MustParse("u")).Used())
	assert.Equal(t, 5, g.TextTokens("12345"))
	assert.Equal(t, 20, g.Range(1, 3))
	assert.Equal(t, 2, g.TailStart(10))
	assert.Equal(t, 0, g.TailStart(30))
}

// A reading of another list is what a fresh reading of it would be, and counts
// no message again that both share.
func TestGaugeForIsAFreshReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := 0
		b := budget.Basis{Counter: counting{&asked}}
		msgs := transcriptOf(t)
		g := b.Gauge(msgs, nil)
		i := rapid.IntRange(0, len(msgs)).Draw(t, "i")
		j := rapid.IntRange(i, len(msgs)).Draw(t, "j")
		with := condensertest.MustParse("D F u")[:rapid.IntRange(0, 3).Draw(t, "with")]
		next := append(append(append([]message.Message{}, msgs[:i]...), with...), msgs[j:]...)
		asked = 0
		got := g.For(next)
		require.LessOrEqual(t, asked, len(with))
		fresh := b.Gauge(next, nil)
		require.Equal(t, fresh.Used(), got.Used())
		for k := range next {
			require.Equal(t, fresh.Range(0, k), got.Range(0, k))
		}
	})
}

type counting struct{ asked *int }

func (c counting) Tokens(m message.Message) int { *c.asked++; return budget.EstimateMessageTokens(m) }
func (c counting) TextTokens(s string) int      { return budget.WindowBudget{}.TextTokens(s) }

// A memo always says what counting says, whatever history it is shown next:
// one that grew, one edited in the middle, one decoded anew, another session's.
func TestMemo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memo := budget.NewMemo(budget.WindowBudget{})
		msgs := transcriptOf(t)
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				msgs = append(msgs[:len(msgs):len(msgs)], transcriptOf(t)...)
			case 1:
				if len(msgs) > 0 {
					i := rapid.IntRange(0, len(msgs)-1).Draw(t, "i")
					msgs = append(append(append([]message.Message{}, msgs[:i]...), message.NewUser("another text")), msgs[i+1:]...)
				}
			case 2:
				again := make([]message.Message, len(msgs))
				for i, m := range msgs {
					again[i] = message.Derive(m, func(message.Message) {})
				}
				msgs = again
			case 3:
				msgs = transcriptOf(t)
			}
			require.Equal(t, budget.EstimateTokens(msgs), memo.Sum(msgs))
		}
	})
}

func TestMemoCountsWhatIsNew(t *testing.T) {
	asked := 0
	memo := budget.NewMemo(counting{&asked})
	msgs := condensertest.MustParse("u a(1) r1:4k a u")
	memo.Sum(msgs[:4])
	assert.Equal(t, 4, asked)
	memo.Sum(msgs)
	assert.Equal(t, 5, asked)
	memo.Sum(condensertest.MustParse("u a(1) r1:4k a u"))
	assert.Equal(t, 5, asked, "equal messages are known")
	assert.Zero(t, testing.AllocsPerRun(100, func() { memo.Sum(msgs) }))
	memo.Sum(msgs[:1])
	memo.Sum(msgs)
	assert.Equal(t, 9, asked, "a shorter history is all it remembers")
}
