package summarize

import (
	"context"
	"errors"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// Pass folds the older head of a view into one digest. What it keeps as it is:
// the newest KeepRecent tokens (at least the last atomic group, and one more
// where next to nothing would be left and the target has room for it), system
// and unknown messages, pinned messages and calls still running with their
// groups, and the user's last request. Everything before that becomes the
// digest; restored files and Internal messages in it go without being read. The
// digest before, known by its Origin, is handed on.
//
// With an Invoker the digest is the model's, and every request of the user is
// copied behind it; else it is the [Local] one. When a model's reply does not
// count, the head stays as it is and Plan returns an *[Error], unless the window
// is critical, the user asked for it, or the provider refused the request: then
// the local digest is used. A cancelled context is an *Error at any level.
//
// The zero value is a local digest under the document's defaults. It may be
// used by any number of sessions at a time.
type Pass struct {
	Invoker    ModelInvoker // nil: the digest is made locally
	KeepRecent int          // tokens; 0 means the gauge's: the policy's, at most half of the target
	MaxTokens  int          // of the digest; 0 means 2,048, at most a quarter of the target
	Window     int          // of the summariser, tokens; 0 means the gauge's, a negative number no limit
	Parallel   int          // so many chunks at a time, as a tree; below 2: rolling
	Always     bool         // the local digest at any level, as the window-budget document has it
	Provider   string       // passed on in the Request
	Model      string       //
	Thinking   string       // "" means "high"
}

// Name returns the Origin of digests.
func (*Pass) Name() string { return Origin }

// Plan returns the one edit that folds the head, or none if nothing is needed
// or nothing can be gained.
func (p *Pass) Plan(ctx context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	h, ok := p.head(v, g)
	if !ok || g.Need().Tokens == 0 || !p.worthwhile(v, g, h) {
		return nil, nil
	}
	s := p.digest(ctx, v, g, h)
	observe(ctx, s)
	if s.Message == nil {
		return nil, &Error{Reason: s.Reason, Err: s.Err}
	}
	if g.Tokens(s.Message) >= h.tokens {
		return nil, nil
	}
	why := "local digest: " + s.Reason.String()
	if s.Reason == Accepted {
		why = "digest by the model"
	}
	with := append([]message.Message{s.Message}, h.kept...)
	return v.Changes(Origin, transcript.Change{I: h.from, J: h.to, With: with, Why: why}), nil
}

// Price returns what Plan would pay the model; ok is false if it would ask none.
func (p *Pass) Price(v *transcript.View, g budget.Gauge) (price budget.Price, ok bool) {
	h, ok := p.head(v, g)
	if !ok || p.Invoker == nil || g.Need().Tokens == 0 || !p.worthwhile(v, g, h) {
		return budget.Price{}, false
	}
	return budget.Price{From: h.from, To: h.to, Input: h.tokens, Output: p.cap(g)}, true
}

// worthwhile reports whether a digest of h is better than h. A small head may be
// smaller than what a digest must name: its requests and changed files; then it
// stays, and one that would free less than a quarter of it too, unless the
// window is over the hard limit and can be brought below it.
func (p *Pass) worthwhile(v *transcript.View, g budget.Gauge, h head) bool {
	if p.Always || h.tokens >= 2*p.cap(g) || g.Level() >= budget.Critical && fixed(v, g) < g.Hard() {
		return true
	}
	d := p.local(v, g, h).behind("", h.source, h.expanded)
	return g.Tokens(d.fitted())*4 <= h.tokens*3 && !d.short
}

// cap returns how many tokens a digest may have.
func (p *Pass) cap(g budget.Gauge) int {
	if p.MaxTokens > 0 {
		return p.MaxTokens
	}
	if g.Target() == 0 { // there is no window to take a share of
		return DefaultMaxTokens
	}
	return min(DefaultMaxTokens, g.Target()/4)
}

// digest makes the digest of h. A nil Message means that there is none.
func (p *Pass) digest(ctx context.Context, v *transcript.View, g budget.Gauge, h head) Summary {
	s := Summary{Covered: len(h.folded), Reason: NoInvoker}
	if p.Invoker != nil {
		w := p.ask(ctx, g, h)
		s.Reason, s.Err, s.Usage, s.Calls = w.reason, w.err, w.usage, w.calls
		if w.reason == Accepted {
			if m := p.withAsks(w.text, v, g, h); g.Tokens(m) < h.tokens {
				s.Message = m
				return s
			}
			s.Reason = TooLarge
		}
	}
	urgent := g.Level() >= budget.Critical || g.Cause() == budget.Manual
	if s.Reason == Cancelled || s.Reason != NoInvoker && !urgent && !p.Always {
		return s
	}
	s.Message = p.local(v, g, h).digest(h.source, h.expanded)
	return s
}

// local returns the maker of a digest of h: within the cap, and with the user's
// requests up to half of what the window leaves as long as the target is kept, up
// to all of it if only so each can be named, but never with more than h's own size. If what is kept fills the
// window by itself, it will be cut, and the digest may have a third of what the
// window holds; if what may never be cut is beyond it, the window is no measure.
func (p *Pass) local(v *transcript.View, g budget.Gauge, h head) Local {
	room := h.tokens - 1
	asks := room
	if free := g.Hard() - fixed(v, g); g.Basis().Card.ContextWindow > 0 && free > 0 {
		room = min(room, max(g.Hard()-g.Used()+h.tokens, free/3))
		left := g.Target() - (g.Used() - h.tokens) // of the target
		asks = min(room, max(p.cap(g), min(free/2, left)))
	}
	return Local{MaxTokens: max(1, min(p.cap(g), room)), AskTokens: max(1, asks), Counter: g.Counter(), room: room, newer: h.newer}
}

// ask has the model write.
func (p *Pass) ask(ctx context.Context, g budget.Gauge, h head) written {
	o := Options{Invoker: p.Invoker, Focus: focusOf(ctx), MaxTokens: p.cap(g), Window: p.Window, Parallel: p.Parallel,
		Provider: p.Provider, Model: p.Model, Thinking: p.Thinking, Counter: g.Counter()}.withDefaults()
	if o.Window == 0 {
		o.Window = g.Basis().Card.ContextWindow
	}
	var prior []string
	var list []string
	for _, m := range h.folded {
		switch {
		case isDigest(m):
			prior = append(prior, digestBody(m))
		case m.Head().Origin != restored:
			list = append(list, messageEntries(m)...)
		}
	}
	return o.scribe().write(ctx, list, strings.Join(prior, "\n\n"))
}

// The Origins of what is not the session's own: files that a digest could not
// carry, markers of what was left out, results whose body is gone.
const (
	restored = "rehydrate"
	marker   = "trim"
	cleared  = "microcompact"
)

// clearedText is how microcompact leaves a result (microcompact.ClearedToolResult).
const clearedText = "[Old tool result content cleared]"

// withAsks puts the user's requests behind a model's digest: what the model
// made of them is its own word. A reply that has not the form it was asked for
// has the whole local digest behind it, lest "OK." stands for a history.
func (p *Pass) withAsks(text string, v *transcript.View, g budget.Gauge, h head) message.Message {
	l := p.local(v, g, h)
	if !structured(text) {
		l.MaxTokens = min(l.AskTokens, max(l.MaxTokens, g.TextTokens(text)+l.MaxTokens/2))
		return l.behind(text, h.source, h.expanded).fitted()
	}
	l.MaxTokens = l.AskTokens
	d := l.draft(text + "\n\n" + asksHeading + "\n")
	d.asks(asksOf(h.source, h.expanded))
	if list := d.section(objective); len(list) > 0 {
		text += "\n\n" + asksHeading + "\n" + strings.Join(list, "\n")
	}
	return newDigest(ScopeSession, text)
}

type contextKey int

const (
	focusKey contextKey = iota
	observeKey
)

// WithFocus returns a context that tells a Pass what the user asked the digest
// to keep.
func WithFocus(ctx context.Context, focus string) context.Context {
	return context.WithValue(ctx, focusKey, focus)
}

func focusOf(ctx context.Context) string {
	s, _ := ctx.Value(focusKey).(string)
	return s
}

// WithObserver returns a context in which a Pass hands every digest it made, or
// failed to make, to f: where it came from and what it cost.
func WithObserver(ctx context.Context, f func(Summary)) context.Context {
	return context.WithValue(ctx, observeKey, f)
}

func observe(ctx context.Context, s Summary) {
	if f, ok := ctx.Value(observeKey).(func(Summary)); ok {
		f(s)
	}
}

// IsCancelled reports whether err is a Pass's that stopped because its context ended.
func IsCancelled(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == Cancelled
}
