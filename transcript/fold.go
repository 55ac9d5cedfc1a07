package transcript

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/condenser-go/condenser/message"
)

// Fold returns the view of msgs with edits folded in, in their order.
//
// An edit whose Needs (or To) lies beyond the end of msgs is void and passed
// over, so folding a shorter log with the same edits is rewinding it. Of the
// others a span covers whole items of the view the edits before it made, else
// ErrConflict: any two are disjoint, or the later contains the earlier and
// hides it; on equal spans the later wins. Any subset of edits that fold
// therefore folds too. Errors name the edit: ErrRange, ErrConflict, or a nil
// message.
//
// For n messages and e edits it takes O(n + e log e). The view keeps msgs and
// the edits and never writes to them.
func Fold(msgs []message.Message, edits ...Edit) (*View, error) {
	if err := message.CheckNil(msgs); err != nil {
		return nil, err
	}
	return fold(msgs, nil, edits)
}

// fold is Fold for messages known not to be nil.
func fold(msgs []message.Message, rules []Rule, edits []Edit) (*View, error) {
	visible, err := visibleEdits(len(msgs), edits)
	if err != nil {
		return nil, err
	}
	v := &View{log: msgs[:len(msgs):len(msgs)], edits: edits[:len(edits):len(edits)], rules: rules}
	if len(visible) == 0 {
		v.msgs = v.log
		return v, nil
	}
	size := len(msgs)
	for _, k := range visible {
		size += len(edits[k].With) - (edits[k].To - edits[k].From)
	}
	v.msgs = make([]message.Message, 0, size)
	v.spans = make([]span, 0, len(visible))
	next := 0 // log position
	for _, k := range visible {
		e := edits[k]
		v.msgs = append(v.msgs, msgs[next:e.From]...)
		v.spans = append(v.spans, span{from: e.From, to: e.To, edit: k, index: len(v.msgs), count: len(e.With)})
		v.msgs = append(v.msgs, e.With...)
		next = e.To
	}
	v.msgs = append(v.msgs, msgs[next:]...)
	return v, nil
}

// visibleEdits returns the numbers of the edits that no other hides, by
// position. It sorts outer spans before inner ones and walks them with a stack
// of the spans it is inside of.
func visibleEdits(n int, edits []Edit) ([]int, error) {
	order := make([]int, 0, len(edits))
	for k, e := range edits {
		if err := e.check(); err != nil {
			return nil, err
		}
		if e.needs() <= n {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(edits[a].From-edits[b].From, edits[b].To-edits[a].To, b-a)
	})
	var visible, inside []int
	for _, k := range order {
		e := edits[k]
		for len(inside) > 0 && edits[inside[len(inside)-1]].To <= e.From {
			inside = inside[:len(inside)-1]
		}
		if len(inside) == 0 {
			visible = append(visible, k)
		} else if outer := inside[len(inside)-1]; edits[outer].To < e.To || outer < k {
			return nil, conflict(edits, outer, k)
		}
		inside = append(inside, k)
	}
	return visible, nil
}

func conflict(edits []Edit, a, b int) error {
	later, earlier := edits[max(a, b)], edits[min(a, b)]
	return fmt.Errorf("edit [%d, %d) of %q against [%d, %d) of %q: %w",
		later.From, later.To, later.Pass, earlier.From, earlier.To, earlier.Pass, ErrConflict)
}
