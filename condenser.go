package condenser

import (
	"context"
	"errors"
	"fmt"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/rehydrate"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/trim"
)

// Condenser is what an agent loop calls before each model call. It never
// changes its input and never fails: where there is nothing to do, or nothing
// can be done, it returns the very slice it was given.
type Condenser = func(ctx context.Context, messages []message.Message) []message.Message

// Deps is what a condenser is made of. Everything has a default; the zero Deps
// is the identity and touches no network.
type Deps struct {
	Card    budget.ModelCard              // zero: no window, and the condenser is the identity
	Invoker summarize.ModelInvoker        // nil: digests are made locally
	Policy  *budget.Policy                // nil: budget.AutoCondensePolicy()
	Counter budget.Counter                // nil: budget.WindowBudget
	Call    func(context.Context) Call    // what is known only per request; nil: the zero Call
	Observe func(context.Context, Report) // called once for every call; nil: errors go to slog.Default, each kind once
}

// NewCondenser returns Default(d).Func(). Wrong Deps make it the identity, and
// every call reports what [Deps.Validate] says.
//
// Keep what you get back, history = condense(ctx, history), and append to that:
// a condenser has no memory, so a history that is handed over whole again is
// condensed anew, at a model's price if there is an Invoker. Hosts that want to
// keep every message use a [transcript.Log] with [Pipeline.Condense].
//
// A model that fails is asked again at every step while the transcript is
// between the trigger and the hard limit: put a breaker into the Invoker, as
// examples/conductor does.
func NewCondenser(d Deps) Condenser { return Default(d).Func() }

// Default returns the ladder we recommend: clear stale tool results, fold the
// older head into a digest and restore the files read last behind it, and, as
// long as the window is still over the trigger, cut long outputs and leave out
// the oldest groups.
//
// Which tools' results go stale, and which tool reads files, is told by name:
// the window-budget document's names, among them "read" for files. For tools
// of other names make a ladder of your own with microcompact.ToolResults.Tools
// and rehydrate.Reads.Tools.
func Default(d Deps) *Pipeline {
	p := d.Pipeline()
	p.Passes = []Pass{
		microcompact.ToolResults{},
		Seq(&summarize.Pass{Invoker: d.Invoker}, rehydrate.Reads{}),
		When(budget.Condense, trim.Floor{}),
	}
	return p
}

// Pipeline returns a pipeline of d without passes, for a ladder of one's own.
// The invoker is for the passes that want it.
func (d Deps) Pipeline() *Pipeline {
	p := &Pipeline{Card: d.Card, Counter: d.Counter, Call: d.Call, Observe: d.Observe}
	if d.Policy != nil {
		p.Policy = *d.Policy
		if p.Policy == (budget.Policy{}) {
			p.Policy.KeepRecent = -1 // an explicit zero policy is a wrong one, not the default
		}
	}
	return p
}

// Validate returns every problem of d, joined, or nil.
func (d Deps) Validate() error { return d.Pipeline().Validate() }

// Validate returns every problem of p, joined, or nil.
func (p *Pipeline) Validate() error {
	var errs []error
	policy := p.policy()
	if err := policy.Validate(); err != nil {
		errs = append(errs, err)
	}
	if err := checkCard(p.Card, policy, "Card"); err != nil {
		errs = append(errs, err)
	}
	if !(p.Target >= 0 && p.Target <= 1) {
		errs = append(errs, fmt.Errorf("the Target is %v, and must be between 0 (the default) and 1", p.Target))
	}
	for i, pass := range p.Passes {
		if holdsNil(pass) {
			errs = append(errs, fmt.Errorf("pass %d of Passes is nil, or made of a pass that is", i))
		}
	}
	return errors.Join(errs...)
}
