package transcript

import (
	"fmt"
	"slices"

	"github.com/condenser-go/condenser/message"
)

// Pinned is the rule of pinned messages: they stay, as the same pointer.
type Pinned struct{}

func (Pinned) Name() string      { return "pinned" }
func (Pinned) Cuts(v *View) Cuts { return AllCuts(v.Len()) }
func (Pinned) Check(before, after *View) []message.Violation {
	return kept("pinned", before, after, func(m message.Message) bool { return m.Head().Pinned })
}

// Systems is the rule a pipeline adds to those of the log: system messages
// stay, as the same pointer.
type Systems struct{}

func (Systems) Name() string      { return "systems" }
func (Systems) Cuts(v *View) Cuts { return AllCuts(v.Len()) }
func (Systems) Check(before, after *View) []message.Violation {
	return kept("systems", before, after, func(m message.Message) bool { return m.Kind() == message.KindSystem })
}

// Atomic is the rule of content that someone else verifies: a message that is
// Atomic or signed stays byte for byte, or goes with its group. One thing is
// allowed: a signed message (not an Atomic one) before the last user message
// may lose all its thinking at once.
type Atomic struct{}

func (Atomic) Name() string      { return "atomic" }
func (Atomic) Cuts(v *View) Cuts { return AllCuts(v.Len()) } // the groups are Pairs'

func (Atomic) Check(before, after *View) []message.Violation {
	if before == nil {
		return nil
	}
	var found []message.Violation
	for i, m := range before.msgs {
		if !m.Head().Atomic && !message.Signed(m) {
			continue
		}
		it := before.At(i)
		if after.holds(m, it.From, it.To) {
			continue
		}
		after.eachFor(it.From, it.To, func(k int, now Item) bool {
			if isCopy(m, it, after, k, now) && !(strippedOf(m, now.Msg) && k < lastUser(after)) {
				pos, _ := before.position(i)
				found = append(found, message.Violation{Index: k, Rule: "atomic",
					Problem: fmt.Sprintf("the %s message of log position %d is bound to its bytes and was changed", m.Kind(), pos)})
				return false
			}
			return true
		})
	}
	return found
}

// isCopy reports whether now, the item of after at index k, is a changed copy
// of m, which stood at it: it has a signature of m, still claims to be atomic in
// m's place alone, or looks like made from m and from no other message.
func isCopy(m message.Message, it Item, after *View, k int, now Item) bool {
	if now.Msg.Kind() != m.Kind() {
		return false
	}
	if _, original := after.position(k); original {
		return false
	}
	signatures := signaturesOf(m)
	if slices.ContainsFunc(signaturesOf(now.Msg), func(s string) bool { return slices.Contains(signatures, s) }) {
		return true
	}
	if m.Head().Atomic && now.Msg.Head().Atomic && now.From == it.From && now.To == it.To && it.To == it.From+1 {
		return true
	}
	return madeFrom(m, now.Msg) && !slices.ContainsFunc(after.log[now.From:now.To], func(o message.Message) bool { return o != m && madeFrom(o, now.Msg) })
}

func signaturesOf(m message.Message) []string {
	var out []string
	for _, b := range message.Content(m) {
		switch b := b.(type) {
		case *message.Thinking:
			if b.Signature != "" {
				out = append(out, b.Signature)
			}
		case *message.ToolCall:
			if b.Signature != "" {
				out = append(out, b.Signature)
			}
		}
	}
	return out
}

// sameCalls reports whether a and b make the same calls, by id and name, or
// answer the same one.
func sameCalls(a, b message.Message) bool {
	if r, ok := a.(*message.ToolResult); ok {
		o, ok := b.(*message.ToolResult)
		return ok && r.CallID == o.CallID
	}
	calls := message.Calls(a)
	return len(calls) > 0 && slices.EqualFunc(calls, message.Calls(b), func(x, y *message.ToolCall) bool { return x.ID == y.ID && x.Name == y.Name })
}

// strippedOf reports whether s is m without any thinking and otherwise the same.
func strippedOf(m, s message.Message) bool {
	a, ok := m.(*message.Assistant)
	if !ok || a.Atomic {
		return false
	}
	bare := message.Derive(a, func(a *message.Assistant) {
		a.Origin = s.Head().Origin
		a.Content = slices.DeleteFunc(a.Content, func(b message.Block) bool {
			_, thinking := b.(*message.Thinking)
			return thinking
		})
	})
	return message.Equal(bare, s)
}

// lastUser returns the index of the last user message, -1 if there is none.
func lastUser(v *View) int {
	for i := v.Len() - 1; i >= 0; i-- {
		if v.msgs[i].Kind() == message.KindUser {
			return i
		}
	}
	return -1
}

// NotEmpty is the rule that no edit leaves a message with nothing in it. A log
// may hold such messages; they are repaired by a placeholder in a tool result
// and hidden otherwise.
type NotEmpty struct{}

// NoOutput is the text Repair puts into an empty tool result.
const NoOutput = "(no output)"

func (NotEmpty) Name() string      { return "not-empty" }
func (NotEmpty) Cuts(v *View) Cuts { return AllCuts(v.Len()) }
func (NotEmpty) Check(before, after *View) []message.Violation {
	return check(before, after, findEmpty)
}

func findEmpty(v *View) []finding {
	var found []finding
	for i, m := range v.msgs {
		if message.IsEmpty(m) {
			pos, _ := v.position(i)
			found = append(found, finding{problem{"empty", pos, ""},
				message.Violation{Index: i, Rule: "not-empty", Problem: fmt.Sprintf("the %s message is empty", m.Kind())}})
		}
	}
	return found
}

func (NotEmpty) Repair(v *View) []Edit {
	var changes []Change
	for _, f := range findEmpty(v) {
		m := v.msgs[f.Index]
		if protected(m) || m.Kind() == message.KindSystem {
			continue
		}
		c := Change{I: f.Index, J: f.Index + 1, Why: "empty message"}
		if m.Kind() == message.KindToolResult {
			c.With = []message.Message{message.WithContent(m, RepairPass, message.Text(NoOutput))}
		}
		changes = append(changes, c)
	}
	return v.Changes(RepairPass, changes...)
}
