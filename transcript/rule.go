package transcript

import (
	"fmt"

	"github.com/condenser-go/condenser/message"
)

// Rule is something every view must keep. A rule is stateless and safe for
// concurrent use; condensertest.TestRule checks one.
//
// A pass does not know the rules of a log it plans for, beyond the cuts they
// allow: where a rule of the host's wants messages kept, commits of edits that
// hide them are refused. Set Meta.Pinned on such messages instead, which passes
// respect.
type Rule interface {
	Name() string
	// Check returns what is wrong with after and was not wrong with before,
	// with indices of after. before is an earlier view of the same log; nil:
	// all that is wrong with after on its own.
	Check(before, after *View) []message.Violation
	// Cuts returns where a range of v may begin or end.
	Cuts(v *View) Cuts
}

// Repairer is a rule that can mend what it finds. Repair returns edits of v
// that leave less wrong than before, none if there is nothing it can mend.
type Repairer interface {
	Repair(v *View) []Edit
}

// StructuralRules returns the rules a log has when it is given none: Pairs,
// Atomic, Pinned and NotEmpty.
func StructuralRules() []Rule { return []Rule{Pairs{}, Atomic{}, Pinned{}, NotEmpty{}} }

var structural = StructuralRules()

func (v *View) ruleSet() []Rule {
	if v.rules == nil {
		return structural
	}
	return v.rules
}

// Cuts returns where a range of items may begin or end: where every rule of
// the view's log allows it (of a view from Fold: the structural rules).
func (v *View) Cuts() Cuts {
	c := AllCuts(v.Len())
	for _, r := range v.ruleSet() {
		c = c.And(r.Cuts(v))
	}
	return c
}

// Check returns what is wrong with v and was not wrong with before (nil: all
// that is wrong with v), by the rules of the view's log and any further ones.
func (v *View) Check(before *View, further ...Rule) []message.Violation {
	var found []message.Violation
	for _, r := range v.ruleSet() {
		found = append(found, r.Check(before, v)...)
	}
	for _, r := range further {
		found = append(found, r.Check(before, v)...)
	}
	return found
}

// Repair returns edits that mend what the view's rules find and can mend, to
// a fixpoint: folded in, they leave nothing for a second call. A view with
// nothing wrong gives none.
func (v *View) Repair() []Edit {
	var edits []Edit
	for next := v; ; {
		var round []Edit
		for _, r := range v.ruleSet() {
			if m, ok := r.(Repairer); ok {
				if round = m.Repair(next); len(round) > 0 {
					break
				}
			}
		}
		after, err := next.With(round...)
		if len(round) == 0 || err != nil || len(edits) > 4*v.Len() {
			return edits
		}
		edits = append(edits, round...)
		next = after
	}
}

// problem is a violation that can be recognised in another view of the same log.
type problem struct {
	what string
	pos  int // log position
	call string
}

// fresh returns the violations among found whose problem is not in before,
// counting: two equal problems need two in before.
func fresh(found []finding, before []finding) []message.Violation {
	had := make(map[problem]int, len(before))
	for _, f := range before {
		had[f.problem]++
	}
	var out []message.Violation
	for _, f := range found {
		if had[f.problem] > 0 {
			had[f.problem]--
			continue
		}
		out = append(out, f.Violation)
	}
	return out
}

type finding struct {
	problem
	message.Violation
}

// check compares what find finds in two views.
func check(before, after *View, find func(*View) []finding) []message.Violation {
	found := find(after)
	if len(found) == 0 {
		return nil
	}
	var old []finding
	if before != nil {
		old = find(before)
	}
	return fresh(found, old)
}

// position returns the log position of the item at index i: its own if it is
// an original (also one that an edit carries along), that of the message it is
// a changed copy of, else where its span begins.
func (v *View) position(i int) (pos int, original bool) {
	it := v.At(i)
	if it.Edit < 0 {
		return it.From, true
	}
	src := sources(v.log, v.edits[it.Edit])[i-v.spanOf(it).index]
	return max(src.pos, it.From), src.original
}

// source is where a message of an edit comes from: a log position, -1 if it is new.
type source struct {
	pos      int
	original bool
}

// sources matches the messages of e with those it stands for: originals by
// pointer, changed copies in their order with what is left.
func sources(log []message.Message, e Edit) []source {
	out := make([]source, len(e.With))
	taken := make([]bool, e.To-e.From)
	hint := e.From
	for k, m := range e.With {
		out[k].pos = findOriginal(log, e, hint, m)
		if p := out[k].pos; p >= 0 {
			out[k].original, taken[p-e.From] = true, true
			hint = p + 1
		}
	}
	for k, m := range e.With {
		for p := e.From; p < e.To && out[k].pos < 0; p++ {
			if !taken[p-e.From] && madeFrom(log[p], m) {
				out[k].pos, taken[p-e.From] = p, true
			}
		}
	}
	return out
}

// madeFrom reports whether made looks like a changed copy of m: of its kind
// and with its ID, or its calls.
func madeFrom(m, made message.Message) bool {
	if m.Kind() != made.Kind() {
		return false
	}
	if id := m.Head().ID; id != "" {
		return id == made.Head().ID
	}
	return sameCalls(m, made)
}

// eachFor calls each for the items that stand for any of the log positions
// [from, to), until it returns false.
func (v *View) eachFor(from, to int, each func(i int, it Item) bool) {
	for i := v.Index(from); i < v.Len(); i++ {
		it := v.At(i)
		if it.From >= to || !each(i, it) {
			return
		}
	}
}

// holds reports whether m, by pointer, stands for any of [from, to).
func (v *View) holds(m message.Message, from, to int) bool {
	found := false
	v.eachFor(from, to, func(_ int, it Item) bool {
		found = it.Msg == m
		return !found
	})
	return found
}

// kept reports the messages of before that want selects and after lost.
func kept(rule string, before, after *View, want func(message.Message) bool) []message.Violation {
	if before == nil {
		return nil
	}
	var lost []message.Violation
	for i, m := range before.msgs {
		if !want(m) {
			continue
		}
		it := before.At(i)
		if !after.holds(m, it.From, it.To) {
			pos, _ := before.position(i)
			lost = append(lost, message.Violation{Index: after.Index(pos), Rule: rule,
				Problem: fmt.Sprintf("the %s message of log position %d is gone or changed", m.Kind(), pos)})
		}
	}
	return lost
}
