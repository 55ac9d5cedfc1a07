package transcript

import (
	"fmt"

	"github.com/condenser-go/condenser/message"
)

// Pairs is the rule of calls and results: every result answers a call, every
// call has exactly one result, parallel calls included. Only calls that the
// log itself has not answered yet, in its last assistant message, may go
// without; such a message may still get its results and stays visible, itself
// or a copy with the same calls.
//
// It repairs: a result of no call and a second result are hidden, a call
// that lost its result gets NoResult, and results move up to right behind
// their call, as providers want them.
type Pairs struct{}

// NoResult is the text of the result Repair gives to a call that has none.
const NoResult = "[No result was recorded for this call]"

// RepairPass is the Pass of every repair, and the Origin of what one makes.
const RepairPass = "repair"

func (Pairs) Name() string { return "pairs" }

func (Pairs) Check(before, after *View) []message.Violation {
	return check(before, after, findUnpaired)
}

// Cuts forbids what lies inside an atomic group.
func (Pairs) Cuts(v *View) Cuts {
	c := AllCuts(v.Len())
	for from, to := range message.Pair(v.msgs).Groups() {
		c = c.Forbid(from, to)
	}
	return c
}

func findUnpaired(v *View) []finding {
	var found []finding
	add := func(i int, what, call, format string, args ...any) {
		pos, _ := v.position(i)
		found = append(found, finding{problem{what, pos, call},
			message.Violation{Index: i, Rule: "pairs", Problem: fmt.Sprintf(format, args...)}})
	}
	p := message.Pair(v.msgs)
	running := runningCalls(v.log)
	for i, m := range v.msgs {
		switch m := m.(type) {
		case *message.Assistant:
			calls := message.Calls(m)
			for k, r := range p.Answers(i) {
				if r < 0 && !(running.isItem(v, i) && running.calls[k]) {
					add(i, "unanswered", calls[k].ID, "call %q (%s) has no result", calls[k].ID, calls[k].Name)
				}
			}
		case *message.ToolResult:
			if _, _, ok := p.Call(i); !ok {
				add(i, "orphan", m.CallID, "the result answers %q, which no message before asks for or another result answers", m.CallID)
			}
		}
	}
	if running != nil && !running.seen(v) {
		found = append(found, finding{problem{"running", running.pos, ""}, message.Violation{Index: v.Index(running.pos), Rule: "pairs",
			Problem: fmt.Sprintf("the message of log position %d is gone, and its calls may still be answered", running.pos)}})
	}
	return found
}

// running is the last assistant message of a log, if calls of it are unanswered.
type running struct {
	msg   message.Message
	pos   int
	calls []bool // which are unanswered
}

// isItem reports whether item i of v is the running message, or stands in its
// place with the same calls.
func (r *running) isItem(v *View, i int) bool {
	if r == nil {
		return false
	}
	it := v.At(i)
	if it.Msg == r.msg {
		return true
	}
	if _, original := v.position(i); original {
		return false
	}
	return it.From <= r.pos && r.pos < it.To && sameCalls(it.Msg, r.msg)
}

// seen reports whether v shows the running message.
func (r *running) seen(v *View) bool {
	found := false
	v.eachFor(r.pos, r.pos+1, func(i int, _ Item) bool {
		found = r.isItem(v, i)
		return !found
	})
	return found
}

func runningCalls(log []message.Message) *running {
	for pos := len(log) - 1; pos >= 0; pos-- {
		a, ok := log[pos].(*message.Assistant)
		if !ok {
			continue
		}
		answers := message.Pair(log[pos:]).Answers(0)
		r := &running{msg: a, pos: pos, calls: make([]bool, len(answers))}
		any := false
		for k, answer := range answers {
			r.calls[k] = answer < 0
			any = any || r.calls[k]
		}
		if any {
			return r
		}
		return nil
	}
	return nil
}

// Repair mends one sort of fault at a time: it hides, else answers, else moves.
func (Pairs) Repair(v *View) []Edit {
	var orphans, answers []Change
	found := findUnpaired(v)
	p := message.Pair(v.msgs)
	last := -1
	for _, f := range found {
		switch {
		case f.what == "orphan" && !protected(v.msgs[f.Index]):
			orphans = append(orphans, Change{I: f.Index, J: f.Index + 1, Why: "result without a call, or a second one"})
		case f.what == "unanswered" && f.Index != last:
			answers = append(answers, answer(v, p, f.Index))
			last = f.Index
		}
	}
	switch {
	case len(orphans) > 0:
		return v.Changes(RepairPass, orphans...)
	case len(answers) > 0:
		return v.Changes(RepairPass, answers...)
	}
	return v.Changes(RepairPass, gather(v, p)...)
}

// protected reports whether a repair must leave m alone.
func protected(m message.Message) bool { return m.Head().Pinned || m.Head().Atomic }

// answer gives the calls of message i that have no result one.
func answer(v *View, p *message.Pairing, i int) Change {
	at := i
	calls := message.Calls(v.msgs[i])
	var missing []message.Message
	for k, r := range p.Answers(i) {
		if r >= 0 {
			at = max(at, r)
			continue
		}
		m := message.NewToolResult(calls[k], NoResult)
		m.IsError, m.Origin = true, RepairPass
		missing = append(missing, m)
	}
	return Change{I: at, J: at + 1, Why: "call without a result", With: append([]message.Message{v.msgs[at]}, missing...)}
}

// gather moves results that have other messages before them to their call.
func gather(v *View, p *message.Pairing) []Change {
	var changes []Change
	for from, to := range p.Groups() {
		if gathered(v.msgs[from:to]) {
			continue
		}
		c := Change{I: from, J: to, Why: "results moved to their call"}
		results := make([][]message.Message, to-from) // by the index of their call's message
		for i := from; i < to; i++ {
			if call, _, ok := p.Call(i); ok {
				results[call-from] = append(results[call-from], v.msgs[i])
			}
		}
		for i := from; i < to; i++ {
			if _, _, ok := p.Call(i); !ok {
				c.With = append(append(c.With, v.msgs[i]), results[i-from]...)
			}
		}
		changes = append(changes, c)
	}
	return changes
}

// gathered reports whether a group is assistant messages followed by results.
func gathered(group []message.Message) bool {
	results := false
	for k, m := range group {
		switch m.(type) {
		case *message.ToolResult:
			results = true
		case *message.Assistant:
			if results {
				return false
			}
		default:
			return k == 0 && len(group) == 1
		}
	}
	return true
}
