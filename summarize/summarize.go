package summarize

import (
	"context"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// Summary is a digest and where it came from.
type Summary struct {
	Message message.Message
	Covered int            // so many messages it stands for
	Reason  Reason         // Accepted, or why the digest is a local one
	Err     error          // the invoker's, if there is one
	Usage   *message.Usage // of all calls together; nil if none was reported
	Calls   int            // of the model
}

// Options are the settings of a digest. The zero value is a local digest of a
// session.
type Options struct {
	Invoker   ModelInvoker   // nil: the digest is made locally
	Scope     Scope          //
	Prior     string         // an earlier digest to carry on
	Focus     string         // what the user asked the digest to keep
	MaxTokens int            // of the digest; 0 means DefaultMaxTokens
	Window    int            // of the model, tokens; beyond it the messages are digested in chunks; 0: never
	Parallel  int            // so many chunks at a time, as a tree; below 2: rolling
	Provider  string         // passed on in the Request
	Model     string         //
	Thinking  string         // "" means "high"
	Counter   budget.Counter // nil means budget.WindowBudget
}

// DefaultThinking is what a Request says of thinking if nobody else does.
const DefaultThinking = "high"

func (o Options) withDefaults() Options {
	if o.MaxTokens <= 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	if o.Thinking == "" {
		o.Thinking = DefaultThinking
	}
	if o.Counter == nil {
		o.Counter = budget.WindowBudget{}
	}
	return o
}

func (o Options) scribe() scribe {
	return scribe{invoker: o.Invoker, request: Request{Provider: o.Provider, Model: o.Model, Thinking: o.Thinking},
		scope: o.Scope, focus: o.Focus, max: o.MaxTokens, window: o.Window, parallel: o.Parallel, counter: o.Counter}
}

// Summarize returns a digest of msgs: the document's summarize. It never fails:
// with no invoker, and whenever the reply does not count (see [Accept]; also
// when it is larger than what it replaces, or the context ends), the digest is
// the [Local] one, and Reason says why.
//
// It is the plain function: whoever would rather keep the messages than lose
// them to a local digest uses a [Pass].
func Summarize(ctx context.Context, msgs []message.Message, o Options) Summary {
	o = o.withDefaults()
	msgs = message.Present(msgs)
	s := Summary{Covered: len(msgs), Reason: NoInvoker}
	if o.Invoker != nil {
		w := o.scribe().write(ctx, entries(msgs), o.Prior)
		s.Reason, s.Err, s.Usage, s.Calls = w.reason, w.err, w.usage, w.calls
		if w.reason == Accepted {
			d := newDigest(o.Scope, w.text)
			if o.Counter.Tokens(d) <= tokensOf(msgs, o.Counter)+o.Counter.TextTokens(o.Prior) {
				s.Message = d
				return s
			}
			s.Reason = TooLarge
		}
	}
	if strings.TrimSpace(o.Prior) != "" {
		msgs = append([]message.Message{newDigest(o.Scope, o.Prior)}, msgs...)
	}
	s.Message = Local{Scope: o.Scope, MaxTokens: min(o.MaxTokens, tokensOf(msgs, o.Counter)), Counter: o.Counter}.Digest(msgs)
	return s
}

// Branch is Summarize with ScopeBranch: the archive of a branch that was left.
func Branch(ctx context.Context, msgs []message.Message, o Options) Summary {
	o.Scope = ScopeBranch
	return Summarize(ctx, msgs, o)
}

func tokensOf(msgs []message.Message, c budget.Counter) int {
	n := 0
	for _, m := range msgs {
		n += c.Tokens(m)
	}
	return n
}
