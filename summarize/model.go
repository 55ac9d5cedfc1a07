package summarize

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// scribe has a model write the digest of a list of messages: in one call if
// they fit its window, else in several.
type scribe struct {
	invoker  ModelInvoker
	request  Request // provider, model, thinking; the rest is filled in
	scope    Scope
	focus    string
	max      int // tokens of the digest
	window   int // of the model, tokens; 0: unlimited
	parallel int // so many chunks at a time; below 2: one after the other
	counter  budget.Counter
}

// written is what came of it: text, or the reason why there is none.
type written struct {
	text   string
	reason Reason
	err    error
	usage  *message.Usage
	calls  int
}

// minWindow is the least that is left of a window for what is to be digested:
// a smaller chunk would be all frame.
const minWindow = 256

// write digests entries on top of the digest prior. The invoker never gets more
// than its window holds, as far as the counter can tell.
func (s scribe) write(ctx context.Context, entries []string, prior string) written {
	if s.window > 0 {
		prior = budget.CutMiddle(prior, s.window/4, s.counter, omitted)
		room := s.room(prior)
		if room < minWindow {
			return written{reason: TooLong, err: fmt.Errorf("a window of %d tokens has no room beside the instructions", s.window)}
		}
		if s.tokens(entries) > room {
			entries = s.clip(entries, room)
		}
		if s.tokens(entries) > room {
			return s.chunked(ctx, entries, prior, room)
		}
	}
	w := s.call(ctx, entries, prior)
	if w.reason == TooLong && len(entries) > 0 {
		half := s.tokens(entries) / 2
		if half < minWindow {
			return w
		}
		next := s.chunked(ctx, s.clip(entries, half), prior, half)
		next.add(w)
		return next
	}
	return w
}

// room returns how many tokens of entries fit the window beside the frame, the
// digest before and the reply.
func (s scribe) room(prior string) int {
	frame := prompt{scope: s.scope, prior: prior, focus: s.focus, limit: s.max}.String()
	used := s.counter.TextTokens(brief) + s.counter.TextTokens(frame) + s.max
	return (s.window - used) * 9 / 10 // the rest is what the counter may be off by
}

func (s scribe) tokens(entries []string) int {
	n := 0
	for _, e := range entries {
		n += s.counter.TextTokens(e) + 1
	}
	return n
}

// clip cuts entries that would fill more than an eighth of room in the middle;
// the user's own words may fill half of it.
func (s scribe) clip(entries []string, room int) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		most := room / 8
		if strings.HasPrefix(e, TurnMark+" you:") {
			most = room / 2
		}
		out[i] = budget.CutMiddle(e, max(most, 32), s.counter, omitted)
	}
	return out
}

// chunks packs entries into lists of at most room tokens.
func (s scribe) chunks(entries []string, room int) [][]string {
	var out [][]string
	used := 0
	for _, e := range entries {
		cost := s.counter.TextTokens(e) + 1
		if len(out) == 0 || used+cost > room {
			out = append(out, nil)
			used = 0
		}
		out[len(out)-1] = append(out[len(out)-1], e)
		used += cost
	}
	return out
}

// chunked digests chunk by chunk, each on top of the digest of those before, or
// all at once and then their digests. One chunk that gives no digest gives none
// at all: what was not read must not be dropped.
func (s scribe) chunked(ctx context.Context, entries []string, prior string, room int) written {
	chunks := s.chunks(entries, room)
	if s.parallel > 1 {
		return s.tree(ctx, chunks, prior)
	}
	var total written
	for _, chunk := range chunks {
		w := s.write(ctx, chunk, prior)
		w.add(total)
		total = w
		if w.reason != Accepted {
			return total
		}
		prior = w.text
	}
	return total
}

func (s scribe) tree(ctx context.Context, chunks [][]string, prior string) written {
	parts := make([]written, len(chunks))
	var g errgroup.Group
	g.SetLimit(s.parallel)
	for i, chunk := range chunks {
		g.Go(func() error {
			p := ""
			if i == 0 {
				p = prior
			}
			parts[i] = s.write(ctx, chunk, p)
			return nil
		})
	}
	_ = g.Wait()
	var total written
	digests := make([]string, len(parts))
	for i, w := range parts {
		if total.add(w); w.reason != Accepted {
			total.reason, total.err = w.reason, w.err
			return total
		}
		digests[i] = fmt.Sprintf("%s digest, part %d of %d: %s", TurnMark, i+1, len(parts), tidy(w.text))
	}
	s.parallel = 1 // the digests together fit, or roll
	w := s.write(ctx, digests, "")
	w.add(total)
	return w
}

func (w *written) add(o written) {
	w.calls += o.calls
	if o.usage == nil {
		return
	}
	if w.usage == nil {
		w.usage = &message.Usage{}
	}
	sum := *w.usage
	sum.Input += o.usage.Input
	sum.Output += o.usage.Output
	sum.CacheRead += o.usage.CacheRead
	sum.CacheWrite += o.usage.CacheWrite
	w.usage = &sum
}

// call makes one request. A model that panics is a model that failed.
func (s scribe) call(ctx context.Context, entries []string, prior string) (w written) {
	r := s.request
	r.System = brief
	r.Prompt = prompt{scope: s.scope, prior: prior, focus: s.focus, limit: s.max, entries: entries}.String()
	r.MaxTokens, r.Scope = s.max, s.scope
	if ctx.Err() != nil {
		return written{reason: Cancelled, err: context.Cause(ctx)}
	}
	defer func() {
		if p := recover(); p != nil {
			w = written{reason: Failed, err: fmt.Errorf("the invoker panicked: %v", p), calls: 1}
		}
	}()
	resp, err := s.invoker.Invoke(ctx, r)
	if ctx.Err() != nil {
		return written{reason: Cancelled, err: errors.Join(context.Cause(ctx), err), usage: resp.Usage, calls: 1}
	}
	text, reason := Accept(resp, err)
	text = unlabel(unwrap(unescapeFences(text))) // the model may quote what was escaped for it
	switch {
	case reason != Accepted:
	case text == "":
		reason = Blank
	case s.counter.TextTokens(text) > 2*s.max:
		text, reason = "", TooLarge
	}
	return written{text: text, reason: reason, err: err, usage: resp.Usage, calls: 1}
}
