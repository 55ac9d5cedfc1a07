package trim

import (
	"slices"
	"sort"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// digest is the Origin of digests (summarize.Origin): they go last.
const digest = "summarize"

// draft is a view on its way down: which items are out, and what the others
// are cut to.
type draft struct {
	v     *transcript.View
	g     budget.Gauge
	items []item
	used  int // tokens of what is in, markers aside

	running int // the group of calls that are still running, -1 if there is none
}

type item struct {
	msg, now message.Message
	cost     int // of now
	out      bool
	clips    bool // may be cut
	group    int  // index of its group's first item
}

func newDraft(v *transcript.View, g budget.Gauge) *draft {
	d := &draft{v: v, g: g, items: make([]item, v.Len()), used: g.Used(), running: -1}
	pairs := message.Pair(v.Messages())
	for from, to := range pairs.Groups() {
		for i := from; i < to; i++ {
			m := v.Messages()[i]
			d.items[i] = item{msg: m, now: m, cost: g.Range(i, i+1), clips: canClip(m), group: from}
		}
	}
	if i, pending := pairs.Pending(); pending {
		d.running = d.items[i].group
	}
	return d
}

// stays marks the groups that may not be left out: those of system and pinned
// messages, of calls that are still running, digests, the newest group and the
// user's last request.
func (d *draft) stays() []bool {
	stay := make([]bool, len(d.items))
	if d.running >= 0 {
		stay[d.running] = true
	}
	asked := false
	for i, m := range slices.Backward(d.v.Messages()) {
		_, ask := message.Ask(m)
		if m.Kind() == message.KindSystem || m.Head().Pinned || m.Head().Origin == digest || ask && !asked {
			stay[d.items[i].group] = true
		}
		asked = asked || ask
	}
	if n := len(d.items); n > 0 {
		stay[d.items[n-1].group] = true
	}
	return stay
}

// leaveOut takes groups out, oldest first, until what is left is at most aim
// or nothing more may go.
func (d *draft) leaveOut(aim int) {
	stay := d.stays()
	allow := d.g.Tokens((&marker{count: len(d.items)}).message(0, d.g.Counter()))
	for i := range d.items {
		if d.used+allow <= aim {
			return
		}
		if d.items[i].group == i && !stay[i] {
			d.takeOut(i)
		}
	}
}

// takeOut takes the group that begins at i out.
func (d *draft) takeOut(i int) {
	for k := i; k < len(d.items) && d.items[k].group == i; k++ {
		if !d.items[k].out {
			d.items[k].out = true
			d.used -= d.items[k].cost
		}
	}
}

// clipTo cuts the items that which selects so that all together cost at most
// aim, by one cap for every text: the longest give most. No cap is below least.
func (d *draft) clipTo(aim, least int, which func(item) bool) {
	var costs []int
	chosen := func(it item) bool { return !it.out && it.clips && which(it) }
	for _, it := range d.items {
		if chosen(it) {
			costs = append(costs, parts(it.now, d.g.Counter())...)
		}
	}
	slices.Sort(costs)
	for share := shareFor(costs, d.used-aim); d.used > aim; share = share * 9 / 10 {
		share = max(share, least)
		for i := range d.items {
			it := &d.items[i]
			if !chosen(*it) {
				continue
			}
			if now := clip(it.msg, share, d.g.Counter()); now != it.now {
				if cost := d.g.Tokens(now); cost < it.cost {
					d.used += cost - it.cost
					it.now, it.cost = now, cost
				}
			}
		}
		if share == least {
			return
		}
	}
}

// shareFor returns the largest share that frees need when it caps every one of
// the sorted costs; below 0 if none does.
func shareFor(costs []int, need int) int {
	if len(costs) == 0 {
		return -1
	}
	return sort.Search(costs[len(costs)-1]+1, func(share int) bool {
		freed := 0
		for i := len(costs) - 1; i >= 0 && costs[i] > share; i-- {
			freed += costs[i] - share
		}
		return freed < need
	}) - 1
}

// edits returns what the draft changes: one edit for the span of what is out,
// with the marker and what stays inside it, and one for each other item that
// was cut.
func (d *draft) edits(tokens int) []transcript.Edit {
	first, last := -1, -1
	var k marker
	for i, it := range d.items {
		if it.out {
			if first < 0 {
				first = i
			}
			last = i
			k.take(it.msg)
		}
	}
	var changes []transcript.Change
	if first >= 0 {
		c := transcript.Change{I: first, J: last + 1, Why: "oldest groups left out"}
		c.With = append(c.With, k.message(tokens-d.used, d.g.Counter()))
		for _, it := range d.items[first : last+1] {
			if !it.out {
				c.With = append(c.With, it.now)
			}
		}
		changes = append(changes, c)
	}
	for i, it := range d.items {
		if it.now != it.msg && !(first <= i && i <= last) {
			changes = append(changes, transcript.Change{I: i, J: i + 1, With: []message.Message{it.now}, Why: "cut in the middle"})
		}
	}
	return d.v.Changes(Origin, changes...)
}

// gains reports whether the edits leave less than there was.
func (d *draft) gains(edits []transcript.Edit) bool {
	if len(edits) == 0 {
		return false
	}
	after, err := d.v.With(edits...)
	return err == nil && d.g.For(after.Messages()).Used() < d.g.Used()
}
