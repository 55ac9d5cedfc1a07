package budget

import (
	"fmt"
	"math"

	"github.com/condenser-go/condenser/message"
)

// Level says how full the window is.
type Level uint8

const (
	OK       Level = iota
	Warn           // from 0.6 of hard on
	Condense       // above the trigger
	Critical       // above hard: the request would not fit
)

func (l Level) String() string {
	switch l {
	case OK:
		return "ok"
	case Warn:
		return "warn"
	case Condense:
		return "condense"
	case Critical:
		return "critical"
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

const (
	// DefaultTarget is the fraction of hard that is condensed down to: far enough
	// below the trigger that the next turns do not condense again.
	DefaultTarget = 0.6
	warnRatio     = 0.6
	// overflowTarget is the fraction of what was refused that the next request may
	// have, where the estimate says it should have fitted (the NeuroLink document's
	// recovery aims at 0.7 too).
	overflowTarget = 0.7
)

// Basis is what a reading rests on.
type Basis struct {
	Card     ModelCard
	Policy   Policy
	Target   float64 // fraction of hard; 0 means DefaultTarget
	Counter  Counter // nil means WindowBudget
	Overhead Size    // what the request carries beside the transcript
	Cause    Cause
}

func (b Basis) counter() Counter {
	if b.Counter == nil {
		return WindowBudget{}
	}
	return b.Counter
}

// Hard returns window − reserve − overhead, in tokens. It is negative if the
// overhead alone is too large.
func (b Basis) Hard() int { return b.Card.ContextWindow - b.Policy.ReserveTokens - b.Overhead.Tokens }

// Limit returns the window-budget document's limit in whole tokens.
func (b Basis) Limit() int { return int(math.Floor(Limit(b.Card, b.Policy))) }

// Trigger returns the limit less the overhead: a transcript with more is over
// it. No overhead brings it below half of hard (or the limit, if that is less),
// lest a transcript is condensed that has most of its room left.
func (b Basis) Trigger() int {
	return max(b.Limit()-b.Overhead.Tokens, min(b.Limit(), b.Hard()/2))
}

// IsOver reports whether a transcript of so many tokens is to be condensed:
// over the trigger, or whatever it has if the cause is not a threshold. A
// window of 0 is never over.
func (b Basis) IsOver(tokens int) bool {
	if b.Card.ContextWindow <= 0 {
		return false
	}
	return b.Cause == Manual || b.Cause == Overflow || tokens > b.Trigger()
}

// Gauge returns the reading of msgs, which it keeps. memo may be nil; it is
// used during the call only.
func (b Basis) Gauge(msgs []message.Message, memo *Memo) Gauge {
	if memo == nil {
		memo = NewMemo(b.counter())
	}
	total := memo.Sum(msgs)
	return Gauge{basis: b, msgs: msgs, prefix: memo.prefix(), total: total, target: b.TargetOf(total), over: b.IsOver(total)}
}

// TargetOf returns what a transcript of so many tokens is condensed down to:
// the fraction of hard, and at most the trigger, or four fifths of it if an
// overhead has lowered it.
func (b Basis) TargetOf(used int) int {
	ratio := b.Target
	if ratio == 0 {
		ratio = DefaultTarget
	}
	most := b.Trigger()
	if b.Overhead.Tokens > 0 {
		most = most * 4 / 5
	}
	target := min(int(ratio*float64(b.Hard())), most)
	if b.Cause == Overflow {
		target = min(target, int(overflowTarget*float64(used)))
	}
	return max(0, target)
}

// Gauge is an immutable reading: one list of messages, priced by one counter,
// against one basis. Passes get one with the view it was read from; For makes
// the reading of another list.
type Gauge struct {
	basis  Basis
	msgs   []message.Message
	prefix []int // n+1 sums
	total  int
	target int
	over   bool // the first reading of the series was over the trigger
}

// Estimate is a reading as hosts report it.
type Estimate struct {
	ContextTokens int  // transcript and overhead
	ContextWindow int  // of the model
	Anchored      bool // rests on usage a provider reported; always false yet
}

// Estimate returns the tokens of the whole request and the window.
func (g Gauge) Estimate() Estimate {
	return Estimate{ContextTokens: g.total + g.basis.Overhead.Tokens, ContextWindow: g.basis.Card.ContextWindow}
}

// Basis returns what the reading rests on.
func (g Gauge) Basis() Basis { return g.basis }

// Cause returns why the transcript is to be condensed.
func (g Gauge) Cause() Cause { return g.basis.Cause }

// Used returns the tokens of the transcript, without overhead.
func (g Gauge) Used() int { return g.total }

// Hard, Trigger and Target return the numbers of the package comment, for the
// transcript alone.
func (g Gauge) Hard() int    { return g.basis.Hard() }
func (g Gauge) Trigger() int { return g.basis.Trigger() }
func (g Gauge) Target() int  { return g.target }

// KeepRecent returns how many tokens of the newest messages stay as they are:
// the policy's, but at most half of the target.
func (g Gauge) KeepRecent() int { return min(g.basis.Policy.KeepRecent, g.target/2) }

// Level returns how full the window is.
func (g Gauge) Level() Level { return g.basis.Level(g.total) }

// Level returns how full the window is with a transcript of so many tokens.
// After a provider's refusal it is at least Critical, and with a window of 0 it
// is OK.
func (b Basis) Level(used int) Level {
	switch {
	case b.Card.ContextWindow <= 0:
		return OK
	case b.Cause == Overflow || used > b.Hard():
		return Critical
	case used > b.Trigger():
		return Condense
	case float64(used) >= warnRatio*float64(b.Hard()):
		return Warn
	}
	return OK
}

// Need returns what should be freed: the way down to the target, once the
// transcript is to be condensed; everything if the user asked for it. A series
// of passes that began above the trigger goes on below it, down to the target.
func (g Gauge) Need() Size {
	switch {
	case !g.over:
		return Size{}
	case g.basis.Cause == Manual:
		return Size{Tokens: g.total}
	}
	return Size{Tokens: max(0, g.total-g.target)}
}

// Counter returns the counter that both sides of every comparison come from.
func (g Gauge) Counter() Counter { return g.basis.counter() }

// Tokens returns what m costs, TextTokens what s does.
func (g Gauge) Tokens(m message.Message) int { return g.basis.counter().Tokens(m) }
func (g Gauge) TextTokens(s string) int      { return g.basis.counter().TextTokens(s) }

// Range returns what the messages [i, j) of the reading cost.
func (g Gauge) Range(i, j int) int { return g.prefix[j] - g.prefix[i] }

// TailStart returns the first index whose tail has at most keep tokens.
func (g Gauge) TailStart(keep int) int { return tailStart(g.prefix, keep) }

// For returns the reading of other messages on the same basis. The target, and
// whether it is to be reached, are kept, so that a series of passes aims at
// one. Messages both lists share, by pointer, are not counted again.
func (g Gauge) For(msgs []message.Message) Gauge {
	prefix := make([]int, len(msgs)+1)
	head := 0
	for head < min(len(msgs), len(g.msgs)) && msgs[head] == g.msgs[head] {
		head++
	}
	shift := len(g.msgs) - len(msgs)
	tail := len(msgs)
	for tail > head && tail+shift > head && msgs[tail-1] == g.msgs[tail+shift-1] {
		tail--
	}
	for i, m := range msgs {
		var cost int
		switch {
		case i < head, i < tail && i < len(g.msgs) && m == g.msgs[i]:
			cost = g.Range(i, i+1)
		case i >= tail:
			cost = g.Range(i+shift, i+shift+1)
		default:
			cost = g.Tokens(m)
		}
		prefix[i+1] = prefix[i] + cost
	}
	total := prefix[len(msgs)] + listTokens(g.basis.counter(), len(msgs))
	return Gauge{basis: g.basis, msgs: msgs, prefix: prefix, total: total, target: g.target, over: g.over}
}
