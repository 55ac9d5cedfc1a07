package budget

import (
	"sort"

	"github.com/condenser-go/condenser/message"
)

// Plan says where to cut: Dropped is to be folded, Kept stays as it is. Cut is
// the index of the first kept message; 0: nothing can be condensed.
type Plan struct {
	Cut           int
	Dropped, Kept []message.Message
}

// PlanSlice returns the window-budget document's plan: the longest tail of at
// most p.KeepRecent estimated tokens, its start moved forward past tool
// results, and past results whose call would be left behind (the document
// looks at the first kept message only: see docs/deviations.md, D2). A tail
// that would be empty gives Cut 0, so a last message above KeepRecent leaves
// nothing to condense; so do KeepRecent 0 and a transcript that fits.
func PlanSlice(msgs []message.Message, p Policy) Plan {
	prefix := PrefixTokens(msgs)
	cut := tailStart(prefix, p.KeepRecent)
	if cut > 0 {
		cut = afterResults(msgs, cut)
	}
	if cut >= len(msgs) {
		cut = 0
	}
	return Plan{Cut: cut, Dropped: msgs[:cut:cut], Kept: msgs[cut:]}
}

// tailStart returns the first index whose tail has at most keep tokens; 0 if all has.
func tailStart(prefix []int, keep int) int {
	least := prefix[len(prefix)-1] - keep
	if least <= 0 {
		return 0
	}
	return sort.SearchInts(prefix, least)
}

// afterResults returns the first index from cut on where a tail may start: at
// no tool result, and with no pair across it.
func afterResults(msgs []message.Message, cut int) int {
	for from, to := range message.Pair(msgs).Groups() {
		if from < cut && cut < to {
			cut = to
		}
		if from >= cut {
			break
		}
	}
	for cut < len(msgs) && isResult(msgs[cut]) {
		cut++
	}
	return cut
}

// LastUserTurnStart returns the index of the last *User: where a forced
// condensing cuts. ok is false if there is none.
func LastUserTurnStart(msgs []message.Message) (index int, ok bool) {
	for i := len(msgs) - 1; i >= 0; i-- {
		if u, ok := msgs[i].(*message.User); ok && u != nil {
			return i, true
		}
	}
	return 0, false
}

func isResult(m message.Message) bool {
	r, ok := m.(*message.ToolResult)
	return ok && r != nil
}
