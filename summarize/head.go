package summarize

import (
	"slices"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// head is what a pass would fold: the view's items [from, to), in two parts.
type head struct {
	from, to int
	folded   []message.Message        // into the digest
	kept     []message.Message        // behind it, as they are
	tokens   int                      // of folded
	source   []message.Message        // the log's messages behind folded, cleared bodies as they were
	expanded map[message.Message]bool // digests in source whose own messages follow them
	newer    bool                     // a later request of the user stays in the view
}

// head chooses what to fold; ok is false if there is nothing.
func (p *Pass) head(v *transcript.View, g budget.Gauge) (h head, ok bool) {
	cuts := v.Cuts()
	keep := p.keep(v, g)
	if g.Cause() == budget.Manual {
		if i, found := lastAsk(v); found {
			h, ok = p.split(v, g, cuts.Floor(i), -1)
			if len(h.folded) > 0 && g.Used()-h.tokens+min(h.tokens, p.cap(g)) <= g.Target() {
				return h, ok
			}
		}
	}
	to := cuts.Ceil(g.TailStart(keep))
	if to >= v.Len() { // one group alone is more than is to be kept (docs/deviations.md, D1)
		to = cuts.Floor(v.Len() - 1)
	}
	if longer, okLonger := p.longer(v, g, cuts, keep, to); okLonger && !ok {
		return longer, true
	}
	if later, okLater := p.splitAt(v, g, to, keep); okLater && (!ok || later.to > h.to) {
		return later, true
	}
	return h, ok
}

// longer is the head in front of a tail that has one group more than to leaves
// it: where so large a group stands there that less than a quarter of keep would
// be left. ok is false if the target is out of reach then, or a request would
// have to go for it.
func (p *Pass) longer(v *transcript.View, g budget.Gauge, cuts transcript.Cuts, keep, to int) (h head, ok bool) {
	if to == 0 || p.KeepRecent > 0 || p.Always || g.Cause() == budget.Manual || g.Range(to, v.Len()) >= keep/4 {
		return h, false
	}
	before := cuts.Floor(to - 1)
	if g.Range(before, v.Len())+fixed(v, g)+p.cap(g) > g.Target() {
		return h, false
	}
	if h, ok = p.splitAt(v, g, before, keep); !ok {
		return h, false
	}
	d := p.local(v, g, h).draft("")
	d.asks(asksOf(h.source, h.expanded))
	return h, !d.short
}

// splitAt is split, with the user's last request kept unless it is large.
func (p *Pass) splitAt(v *transcript.View, g budget.Gauge, to, keep int) (h head, ok bool) {
	ask, found := lastAsk(v)
	if !found || ask >= to || g.Range(ask, ask+1) > keep {
		ask = -1
	}
	return p.split(v, g, to, ask)
}

// keep returns how many tokens of the newest messages stay as they are. What
// may not be folded anyway leaves less of the target to share: at most half of
// the rest is kept.
func (p *Pass) keep(v *transcript.View, g budget.Gauge) int {
	if p.KeepRecent > 0 {
		return p.KeepRecent
	}
	fixed := fixed(v, g)
	room := max(g.Target()-fixed, (g.Hard()-fixed)*6/10)
	return max(0, min(g.KeepRecent(), room/2))
}

// fixed returns the tokens of what may never be folded: system and pinned messages.
func fixed(v *transcript.View, g budget.Gauge) int {
	n := 0
	for i, m := range v.Messages() {
		if m.Kind() == message.KindSystem || m.Head().Pinned {
			n += g.Range(i, i+1)
		}
	}
	return n
}

// lastAsk returns the index of the user's last request.
func lastAsk(v *transcript.View) (int, bool) {
	for i, m := range slices.Backward(v.Messages()) {
		if _, ok := message.Ask(m); ok {
			return i, true
		}
	}
	return 0, false
}

// split divides the items before to into what is folded and what is kept; ask
// is the index of the request to keep, -1 for none.
func (p *Pass) split(v *transcript.View, g budget.Gauge, to, ask int) (h head, ok bool) {
	msgs := v.Messages()[:to]
	for h.from < to && msgs[h.from].Kind() == message.KindSystem {
		h.from++
	}
	h.to = to
	keep := keptGroups(v, to)
	if ask >= 0 {
		keep[ask] = true
	}
	gain := false // something that no pass put there
	for i := h.from; i < to; i++ {
		if keep[i] {
			h.kept = append(h.kept, msgs[i])
			continue
		}
		h.folded = append(h.folded, msgs[i])
		h.tokens += g.Range(i, i+1)
		switch m := msgs[i].Head(); m.Origin {
		case Origin, restored, marker:
		default:
			gain = gain || !m.Internal
		}
	}
	h.source, h.expanded = sourceOf(v, h)
	last, found := lastAsk(v)
	h.newer = found && (last >= to || keep[last])
	return h, gain
}

// keptGroups marks the items before to that stay: system and unknown messages,
// and the groups of pinned messages and of calls that are still running.
func keptGroups(v *transcript.View, to int) []bool {
	keep := make([]bool, to)
	pairs := message.Pair(v.Messages())
	running, pending := pairs.Pending()
	for from, end := range pairs.Groups() {
		if from >= to {
			break
		}
		group := v.Messages()[from:end]
		whole := pending && from <= running && running < end ||
			slices.ContainsFunc(group, func(m message.Message) bool { return m.Head().Pinned })
		for i := from; i < min(end, to); i++ {
			k := v.Messages()[i].Kind()
			keep[i] = whole || k == message.KindSystem || k == message.KindUnknown
		}
	}
	return keep
}

// sourceOf returns the messages a local digest of h is made from: the log's own
// behind the folded items, so that a cleared result still tells its outcome,
// and earlier digests, so that what a model wrote is carried on.
func sourceOf(v *transcript.View, h head) (source []message.Message, expanded map[message.Message]bool) {
	expanded = map[message.Message]bool{}
	kept := make(map[message.Message]bool, len(h.kept))
	for _, m := range h.kept {
		kept[m] = true
	}
	next := 0
	for i := h.from; i < h.to; i++ {
		it := v.At(i)
		if it.Edit < 0 {
			if !kept[it.Msg] {
				source = append(source, it.Msg)
			}
			continue
		}
		if isDigest(it.Msg) {
			source = append(source, it.Msg)
			expanded[it.Msg] = true
		}
		for p := max(it.From, next); p < it.To; p++ {
			if m := v.Original(p, p+1)[0]; m.Kind() != message.KindSystem && !kept[m] {
				source = append(source, m)
			}
		}
		next = max(next, it.To)
	}
	return source, expanded
}
