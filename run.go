package condenser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
	"github.com/condenser-go/condenser/trim"
)

// run is one way down the ladder.
type run struct {
	ctx   context.Context
	dry   bool
	start budget.Gauge
	first *transcript.View
	v     *transcript.View
	g     budget.Gauge
	edits []transcript.Edit
	steps []Step
	errs  []error // of passes
	told  []error // of models that the run went on without
	model modelCalls
}

func (p *Pipeline) run(ctx context.Context, v *transcript.View, g budget.Gauge, c Call, dry bool, r result) result {
	u := &run{dry: dry, start: g, first: v, v: v, g: g}
	u.ctx = summarize.WithObserver(ctx, u.model.add)
	if c.Focus != "" {
		u.ctx = summarize.WithFocus(u.ctx, c.Focus)
	}
	for _, pass := range p.Passes {
		if g.Cause() != Manual && u.g.Used() <= u.g.Target() || !u.step(pass) {
			break
		}
	}
	if len(u.edits) > 0 && ctx.Err() == nil {
		u.repair()
	}
	if u.g.Used() > u.g.Hard() && ctx.Err() == nil && !u.priced() {
		u.step(trim.Floor{})
	}
	return u.result(ctx, r)
}

// step runs one pass and takes what it proposes. It returns false if the
// ladder ends here.
func (u *run) step(pass Pass) bool {
	s := Step{Pass: pass.Name(), Before: u.g.Used(), After: u.g.Used()}
	if price, ok := u.price(pass); ok {
		s.Price = &price
		s.After = max(0, s.Before-price.Input+price.Output)
		u.steps = append(u.steps, s)
		return false
	}
	edits, err := u.plan(pass)
	if u.ctx.Err() != nil {
		if u.model.pending() { // it was paid for
			u.asked(&s)
			u.steps = append(u.steps, s)
		}
		return false
	}
	taken := false
	if len(edits) > 0 {
		takeErr := u.take(edits, pass.Name())
		if taken = takeErr == nil; !taken {
			err = errors.Join(err, in("pass "+pass.Name(), takeErr))
		}
	}
	if err != nil || !taken {
		s = Step{Pass: pass.Name(), Before: u.g.Used(), After: u.g.Used(), Err: err}
		u.asked(&s)
		u.steps = append(u.steps, s)
	}
	if err != nil {
		u.errs = append(u.errs, err)
		return u.g.Level() >= budget.Critical
	}
	return true
}

// asked moves to the step what a model was asked for. Its failure is an error of
// the run, also where the run went on without it.
func (u *run) asked(s *Step) {
	if err := u.model.into(s); err != nil && s.Err == nil {
		s.Err = err
		u.told = append(u.told, err)
	}
}

// price asks what a pass would pay, in a dry run.
func (u *run) price(pass Pass) (budget.Price, bool) {
	if !u.dry {
		return budget.Price{}, false
	}
	return priceOf(pass, u.v, u.g)
}

// priced reports whether a dry run ended before a pass that pays.
func (u *run) priced() bool { n := len(u.steps); return n > 0 && u.steps[n-1].Price != nil }

// plan calls the pass, and leaves it behind if the context ends first. A pass
// that panics is a pass that failed.
func (u *run) plan(pass Pass) ([]transcript.Edit, error) {
	type planned struct {
		edits []transcript.Edit
		err   error
	}
	call := func() (out planned) {
		defer func() {
			if r := recover(); r != nil {
				out = planned{err: panicked("pass "+pass.Name(), r)}
			}
		}()
		out.edits, out.err = pass.Plan(u.ctx, u.v, u.g)
		return out
	}
	if u.ctx.Done() == nil {
		out := call()
		return out.edits, out.err
	}
	done := make(chan planned, 1)
	go func() { done <- call() }()
	select {
	case out := <-done:
		return out.edits, out.err
	case <-u.ctx.Done():
		return nil, u.ctx.Err()
	}
}

// take folds edits in, unless they break a rule or make the transcript larger.
// It records a step for each pass that had a part in them.
func (u *run) take(edits []transcript.Edit, pass string) error {
	next, err := u.v.With(edits...)
	if err != nil {
		return err
	}
	if found := next.Check(u.v, transcript.Systems{}); len(found) > 0 {
		return &transcript.RuleError{Violations: found}
	}
	g := u.g.For(next.Messages())
	if g.Used() > u.g.Used() && g.Used() > u.g.Target() {
		return &fault{what: fmt.Sprintf("its edits make the transcript larger: %d tokens, and before %d", g.Used(), u.g.Used())}
	}
	u.record(edits, pass)
	u.edits = append(u.edits, edits...)
	u.v, u.g = next, g
	return nil
}

// record appends a step for each run of edits of one pass.
func (u *run) record(edits []transcript.Edit, pass string) {
	v, g := u.v, u.g
	digests := func(e transcript.Edit) bool { return e.Pass == summarize.Origin }
	if u.model.pending() && !slices.ContainsFunc(edits, digests) { // and something else was done instead
		s := Step{Pass: summarize.Origin, Before: g.Used(), After: g.Used()}
		u.asked(&s)
		u.steps = append(u.steps, s)
	}
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].Pass == edits[0].Pass {
			n++
		}
		next, err := v.With(edits[:n]...)
		if err != nil {
			next = v // they fold only together with what follows
		}
		after := g.For(next.Messages())
		s := Step{Pass: edits[0].Pass, Edits: n, Why: edits[0].Why, Before: g.Used(), After: after.Used(), Replaced: replaced(v, edits[:n])}
		if s.Pass == "" {
			s.Pass = pass
		}
		if s.Pass == summarize.Origin {
			u.asked(&s)
		}
		u.steps = append(u.steps, s)
		v, g, edits = next, after, edits[n:]
	}
}

// replaced counts the messages of v that edits take away.
func replaced(v *transcript.View, edits []transcript.Edit) int {
	n := 0
	for _, e := range edits {
		kept := 0
		for i := v.Index(e.From); i < v.Len() && v.At(i).From < e.To; i++ {
			n++
			if k := slices.Index(e.With[kept:], v.At(i).Msg); k >= 0 {
				n--
				kept += k + 1
			}
		}
	}
	return n
}

// repair mends what the view's rules find and can mend, once it has been
// touched anyway: a call whose result never came, a result whose call is gone.
func (u *run) repair() {
	edits := u.v.Repair()
	if len(edits) == 0 {
		return
	}
	next, err := u.v.With(edits...)
	if err != nil || len(next.Check(u.v, transcript.Systems{})) > 0 {
		return
	}
	u.record(edits, transcript.RepairPass)
	u.edits = append(u.edits, edits...)
	u.v, u.g = next, u.g.For(next.Messages())
}

// result says what came of the run.
func (u *run) result(ctx context.Context, r result) result {
	r.report.Steps = u.steps
	if ctx.Err() != nil {
		return r.keep(Cancelled, context.Cause(ctx))
	}
	err := errors.Join(u.errs...)
	if len(u.edits) > 0 && u.g.Used() >= u.start.Used() {
		u.edits, u.v, u.g = nil, u.first, u.start // nothing was gained
	}
	r.report.After = Count{u.v.Len(), u.g.Used()}
	r.report.Err = errors.Join(append(u.told, err)...)
	if u.priced() {
		r.report.After.Tokens = u.steps[len(u.steps)-1].After
	}
	switch {
	case r.report.After.Tokens > u.g.Hard():
		r.report.Outcome = Unreachable
		r.report.Blockers = blockers(u.v, u.g)
	case len(u.edits) > 0 || u.priced():
		r.report.Outcome = Condensed
	case err != nil:
		r.report.Outcome = Failed
	}
	if len(u.edits) > 0 {
		r.edits, r.view = u.edits, u.v
	}
	return r
}

// blockers names what may not be touched in v.
func blockers(v *transcript.View, g budget.Gauge) []Blocker {
	var found []Blocker
	if o := g.Basis().Overhead; o.Tokens > 0 {
		found = append(found, Blocker{BlockerOverhead, -1, o})
	}
	running, pending := message.Pair(v.Messages()).Pending()
	for i, m := range v.Messages() {
		kind := BlockerKind("")
		switch h := m.Head(); {
		case m.Kind() == message.KindSystem:
			kind = BlockerSystem
		case h.Pinned:
			kind = BlockerPinned
		case pending && i == running:
			kind = BlockerPending
		case h.Atomic || message.Signed(m):
			kind = BlockerAtomic
		default:
			continue
		}
		found = append(found, Blocker{kind, i, budget.Size{Tokens: g.Range(i, i+1), Bytes: message.SentBytes(m)}})
	}
	return found
}

// modelCalls collects how digests came about. A pass left behind may still add
// to it.
type modelCalls struct {
	mu     sync.Mutex
	any    bool
	calls  int
	usage  *message.Usage
	reason summarize.Reason
	err    error
}

func (c *modelCalls) add(s summarize.Summary) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.any = true
	c.calls += s.Calls
	c.reason = s.Reason
	if s.Reason != summarize.Accepted && s.Reason != summarize.NoInvoker {
		c.err = errors.Join(c.err, &summarize.Error{Reason: s.Reason, Err: s.Err})
	}
	if s.Usage == nil {
		return
	}
	sum := *s.Usage
	if c.usage != nil {
		sum.Input += c.usage.Input
		sum.Output += c.usage.Output
		sum.CacheRead += c.usage.CacheRead
		sum.CacheWrite += c.usage.CacheWrite
	}
	c.usage = &sum
}

// pending reports whether there is anything that no step tells yet.
func (c *modelCalls) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.any
}

// into moves what was collected to the step, and returns the models' errors.
func (c *modelCalls) into(s *Step) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.err
	s.Calls, s.Usage, s.Reason = c.calls, c.usage, c.reason
	c.any, c.calls, c.usage, c.reason, c.err = false, 0, nil, summarize.Accepted, nil
	return err
}
