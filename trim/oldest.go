package trim

import (
	"context"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// Oldest leaves out the oldest atomic groups behind a marker until the need is
// met. What it never leaves out: system messages, groups with a pinned message
// or a call that is still running, digests, the newest group, and the user's
// last request. The marker counts what was left out and carries the first 60
// characters of the requests among it, as far as there is room.
type Oldest struct{}

// Name returns the Origin of markers.
func (Oldest) Name() string { return Origin }

// Plan returns one edit, or none if nothing is needed or nothing may go.
func (Oldest) Plan(_ context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	need := g.Need().Tokens
	if need <= 0 {
		return nil, nil
	}
	d := newDraft(v, g)
	d.leaveOut(g.Used() - need)
	edits := d.edits(max(g.Used()-need, d.used))
	if !d.gains(edits) {
		return nil, nil
	}
	return edits, nil
}

// Floor is the floor of every ladder: it brings a view that is over the trigger
// down to the target as far as cutting long tool output does, and a view beyond
// the hard limit below it by whatever is lawful. In this order: tool results,
// command output and restored files are cut in the middle, to no less than 512
// tokens each; the oldest groups go, as with [Oldest]; every text is cut, down
// to a notice, the digest and a call that is still running last; the user's
// last request and the digest go.
//
// System, pinned and atomic messages are never touched: if they, the overhead
// and the newest message cut to a notice are more than the hard limit, the view
// stays beyond it. If they are more than the window itself, the request would be
// refused however little was left, and only outputs are cut. Cuts lie between
// runes, the head and the tail of a text stay.
type Floor struct{}

// leastOutput is what the first step leaves of an output, in tokens.
const leastOutput = 512

// Name returns the Origin of markers.
func (Floor) Name() string { return Origin }

// Plan returns the edits, or none if the view is not over the trigger.
func (Floor) Plan(_ context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	if g.Level() < budget.Condense || v.Len() == 0 {
		return nil, nil
	}
	d := clipped(v, g)
	d.reachHard()
	if window := g.Hard() + g.Basis().Policy.ReserveTokens; d.used+d.frame() > window {
		d = clipped(v, g)
	}
	edits := d.edits(max(g.Target(), min(g.Hard(), d.used+leastOutput)))
	if !d.gains(edits) {
		return nil, nil
	}
	return edits, nil
}

// clipped returns the first step of the floor: outputs are cut.
func clipped(v *transcript.View, g budget.Gauge) *draft {
	d := newDraft(v, g)
	d.clipTo(g.Target(), min(leastOutput, max(leastCap, g.Hard()/8)), isOutput)
	return d
}

// reachHard takes the other steps, as far as they are needed.
func (d *draft) reachHard() {
	if d.used > d.g.Hard() {
		d.leaveOut(d.g.Target())
	}
	hard := d.g.Hard() - d.frame()
	running := func(it item) bool { return it.group == d.running && it.msg.Kind() == message.KindAssistant }
	if d.used > hard {
		d.clipTo(hard, leastCap, func(it item) bool { return it.msg.Head().Origin != digest && !running(it) })
	}
	if d.used > hard {
		d.clipTo(hard, leastCap, func(item) bool { return true })
	}
	if d.used > hard {
		d.leaveOutRest(hard)
	}
}

// frame returns what the marker will cost at least.
func (d *draft) frame() int {
	for _, it := range d.items {
		if it.out {
			return d.g.Tokens((&marker{count: len(d.items)}).message(0, d.g.Counter()))
		}
	}
	return 0
}

// leaveOutRest takes out what leaveOut may not: digests and the user's last
// request, but never the newest group.
func (d *draft) leaveOutRest(aim int) {
	newest := d.items[len(d.items)-1].group
	for i := range d.items {
		if d.used <= aim {
			return
		}
		if d.items[i].group == i && i != newest && i != d.running && !d.holds(i, protected) {
			d.takeOut(i)
		}
	}
}

func protected(m message.Message) bool {
	return m.Kind() == message.KindSystem || m.Head().Pinned
}

// holds reports whether any message of the group at i is such.
func (d *draft) holds(i int, such func(message.Message) bool) bool {
	for k := i; k < len(d.items) && d.items[k].group == i; k++ {
		if such(d.items[k].msg) {
			return true
		}
	}
	return false
}

// isOutput reports whether a message is what a tool or a command printed.
func isOutput(it item) bool {
	switch it.msg.Kind() {
	case message.KindToolResult, message.KindBashExecution, message.KindCustom:
		return true
	}
	return it.msg.Head().Origin == "rehydrate"
}
