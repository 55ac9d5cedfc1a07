package transcript

import (
	"cmp"
	"slices"
	"sort"

	"github.com/condenser-go/condenser/message"
)

// View is what the model sees: a log with its visible edits folded in. It is
// immutable and may be shared between goroutines.
//
// Two numbers are kept apart: an index counts the items of the view, a
// position the messages of the log.
type View struct {
	log   []message.Message
	msgs  []message.Message
	spans []span // of the visible edits, by position
	edits []Edit
	rules []Rule // nil: the structural rules
}

// span is one visible edit and where its messages stand in the view.
type span struct{ from, to, edit, index, count int }

// Item is one message of a view and the log positions [From, To) it stands
// for: its own, or those of the edit that made it. Messages of one edit stand
// for the same span. Edit is the edit's number in Edits, -1 for an original.
type Item struct {
	Msg            message.Message
	From, To, Edit int
}

// Len returns the number of items.
func (v *View) Len() int { return len(v.msgs) }

// Messages returns the items' messages. The slice is for reading.
func (v *View) Messages() []message.Message { return v.msgs[:len(v.msgs):len(v.msgs)] }

// LogLen returns the number of messages in the log.
func (v *View) LogLen() int { return len(v.log) }

// Original returns what the log holds at positions [from, to), whatever edits
// have made of it. The slice is for reading. Positions outside the log are cut off.
func (v *View) Original(from, to int) []message.Message {
	from, to = max(0, from), min(to, len(v.log))
	if from >= to {
		return nil
	}
	return v.log[from:to:to]
}

// Edits returns all edits of the view, the hidden ones too. The slice is for
// reading.
func (v *View) Edits() []Edit { return v.edits }

// At returns the item at index i, 0 <= i < Len. It takes O(log e).
func (v *View) At(i int) Item {
	k := sort.Search(len(v.spans), func(k int) bool { return v.spans[k].index > i }) - 1
	if k < 0 {
		return Item{Msg: v.msgs[i], From: i, To: i + 1, Edit: -1}
	}
	s := v.spans[k]
	if i < s.index+s.count {
		return Item{Msg: v.msgs[i], From: s.from, To: s.to, Edit: s.edit}
	}
	p := s.to + i - (s.index + s.count)
	return Item{Msg: v.msgs[i], From: p, To: p + 1, Edit: -1}
}

// Replace returns the edit that puts with in the place of the items [i, j): the
// next view is items[:i] + with + items[j:]. It is the only way a pass makes
// an edit. Where i or j falls between the messages of one earlier edit, the
// others are carried along in With. With i == j it inserts before item i (at
// the end: after the last), by replacing a neighbour by itself and more.
//
// Indices outside the view, and an insertion into an empty view, give an edit
// that every fold refuses with ErrRange.
func (v *View) Replace(i, j int, with ...message.Message) Edit {
	n := len(v.msgs)
	if i < 0 || j < i || j > n || n == 0 {
		return Edit{From: -1, To: -1}
	}
	out := with[:len(with):len(with)]
	switch {
	case i < j:
	case i < n:
		j++
		out = append(out, v.msgs[i])
	default:
		i--
		out = append([]message.Message{v.msgs[i]}, with...)
	}
	first, last := v.At(i), v.At(j-1)
	if first.Edit >= 0 {
		if s := v.spanOf(first); s.index < i {
			out = append(v.msgs[s.index:i:i], out...)
		}
	}
	if last.Edit >= 0 {
		if s := v.spanOf(last); j < s.index+s.count {
			out = append(out[:len(out):len(out)], v.msgs[j:s.index+s.count]...)
		}
	}
	return Edit{From: first.From, To: last.To, With: out}
}

// Change is one replacement of several: what [View.Replace] takes.
type Change struct {
	I, J int // view indices, half-open
	With []message.Message
	Why  string
}

// Changes returns the edits of pass that make all the changes at once. The
// changes must be disjoint; their order does not matter. It is Replace for
// each, but where two would touch messages of the same earlier edit they
// become one, so that neither undoes the other. Changes that overlap or lie
// outside the view give an edit that every fold refuses with ErrRange.
func (v *View) Changes(pass string, changes ...Change) []Edit {
	if len(changes) == 0 {
		return nil
	}
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Or(a.I-b.I, a.J-b.J) })
	edits := make([]Edit, 0, len(changes))
	var last Change // what the last edit does
	for k, c := range changes {
		e := v.Replace(c.I, c.J, c.With...)
		if n := len(edits) - 1; k > 0 && e.From < edits[n].To && e.From >= 0 {
			if c.I < last.J {
				e.From = -1
			} else {
				with := append(last.With[:len(last.With):len(last.With)], v.msgs[last.J:c.I]...)
				c = Change{I: last.I, J: c.J, With: append(with, c.With...), Why: last.Why}
				e = v.Replace(c.I, c.J, c.With...)
				edits = edits[:n]
			}
		}
		e.Pass, e.Why = pass, c.Why
		edits = append(edits, e)
		last = c
	}
	return edits
}

func (v *View) spanOf(it Item) span {
	k := sort.Search(len(v.spans), func(k int) bool { return v.spans[k].from >= it.From })
	return v.spans[k]
}

// With returns the view with further edits folded in, as a log would show it
// after a commit of them. v stays as it is.
func (v *View) With(edits ...Edit) (*View, error) {
	if len(edits) == 0 {
		return v, nil
	}
	return fold(v.log, v.rules, append(v.edits[:len(v.edits):len(v.edits)], edits...))
}

// Index returns the index of the first item that ends behind log position p:
// where p is seen, or where it would be if an edit hides it without a trace.
func (v *View) Index(p int) int {
	k := sort.Search(len(v.spans), func(k int) bool { return v.spans[k].to > p })
	i := p
	if k > 0 {
		s := v.spans[k-1]
		i = s.index + s.count + p - s.to
	}
	if k < len(v.spans) && v.spans[k].from <= p {
		i = v.spans[k].index
	}
	return min(i, len(v.msgs))
}
