package condenser

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// Pipeline is a ladder of passes with the numbers it works by. It is read-only
// after its first use and may be shared by any number of sessions and
// goroutines.
//
// A run begins at the gate: below the trigger nothing happens, unless the cause
// is Manual or Overflow. Then the passes run in their order, and as soon as the
// target is reached no further one does (with Manual all do). What a pass
// proposes is taken if it breaks no structural rule, keeps every system message
// and does not make the transcript larger, but for room up to the target. A
// pass that fails below the critical level ends the run, so that no cheaper
// means takes what it was to save; above it the next one tries. What is then
// beyond the hard limit goes through [trim.Floor].
type Pipeline struct {
	Card    budget.ModelCard
	Policy  budget.Policy  // the zero Policy means budget.AutoCondensePolicy()
	Target  float64        // fraction of hard to condense down to; 0 means 0.6
	Counter budget.Counter // nil means budget.WindowBudget
	Passes  []Pass
	Call    func(context.Context) Call    // for Func; nil: the zero Call
	Observe func(context.Context, Report) // called once for every run; nil: errors go to slog.Default, each kind once

	memos memos
	told  told
}

func (p *Pipeline) policy() budget.Policy {
	if p.Policy == (budget.Policy{}) {
		return budget.AutoCondensePolicy()
	}
	return p.Policy
}

// counter is never nil.
func (p *Pipeline) counter() budget.Counter {
	if p.Counter == nil {
		return budget.WindowBudget{}
	}
	return p.Counter
}

func (p *Pipeline) basis(c Call) budget.Basis {
	b := budget.Basis{Card: p.Card, Policy: p.policy(), Target: p.Target, Counter: p.counter(), Overhead: c.Overhead, Cause: c.Cause}
	if c.Card != nil {
		b.Card = *c.Card
	}
	return b
}

// Func returns the pipeline as a hook. It calls Call for what is known per
// request.
func (p *Pipeline) Func() Condenser {
	return func(ctx context.Context, messages []message.Message) []message.Message {
		var c Call
		if p.Call != nil {
			c = p.Call(ctx)
		}
		out, _, _ := p.Fit(ctx, messages, c)
		return out
	}
}

// Fit returns what to send of msgs. It is msgs itself, the same slice, unless
// the outcome is Condensed or Unreachable; untouched messages come back as the
// same pointers. The error is the report's if the outcome is Cancelled or
// Failed, else nil.
func (p *Pipeline) Fit(ctx context.Context, msgs []message.Message, c Call) ([]message.Message, Report, error) {
	r := p.fit(ctx, msgs, c)
	p.tell(ctx, r.report)
	if r.edits == nil {
		return msgs, r.report, r.failure()
	}
	return r.view.Messages(), r.report, r.failure()
}

// fit is Fit without telling anyone.
func (p *Pipeline) fit(ctx context.Context, msgs []message.Message, c Call) result {
	return p.gate(ctx, msgs, c, false, func() (*transcript.View, error) { return transcript.Fold(msgs) })
}

// Condense plans on l's view and commits the edits to l. The report tells the
// commit's ID. Messages appended meanwhile stay as they are; if l has moved on
// in another way, the commit may be refused, and the outcome is Failed.
func (p *Pipeline) Condense(ctx context.Context, l *transcript.Log, c Call) (Report, error) {
	v := l.View()
	r := p.gate(ctx, v.Messages(), c, false, func() (*transcript.View, error) { return v, nil })
	if r.edits != nil {
		commit := transcript.NewCommit(v.LogLen(), r.edits...)
		if err := l.Commit(commit); err != nil {
			r = r.keep(Failed, in("condenser: commit", err))
		} else {
			r.report.CommitID = commit.ID
		}
	}
	p.tell(ctx, r.report)
	return r.report, r.failure()
}

// Plan is a dry run: it calls no model and tells no observer. A pass that would
// pay is not run: its step says what it would pay, and the report ends there,
// with an estimate of what would be left.
func (p *Pipeline) Plan(v *transcript.View, c Call) (Report, error) {
	r := p.gate(context.Background(), v.Messages(), c, true, func() (*transcript.View, error) { return v, nil })
	return r.report, r.failure()
}

// gate runs the ladder if msgs are to be condensed. view is asked for only then.
// A counter that panics is an error like any other.
func (p *Pipeline) gate(ctx context.Context, msgs []message.Message, c Call, dry bool, view func() (*transcript.View, error)) (r result) {
	r.report = Report{Cause: c.Cause, Refusal: c.Err}
	defer func() {
		if err := recover(); err != nil {
			r = r.keep(Failed, panicked("condenser", err))
		}
	}()
	b := p.basis(c)
	r.report.Window, r.report.Before.Messages = b.Card.ContextWindow, len(msgs)
	r.report.After = r.report.Before
	if err := errors.Join(p.Validate(), c.validate(b.Policy)); err != nil {
		return r.keep(Failed, wrong(err))
	}
	if b.Card.ContextWindow <= 0 {
		return r
	}
	r.report.Hard, r.report.Trigger = b.Hard(), b.Trigger()
	memo := p.memos.take(msgs, b.Counter)
	defer p.memos.put(memo)
	used := memo.Sum(msgs)
	r.report.Before = Count{len(msgs), used}
	r.report.After = r.report.Before
	if memo.HasNil() {
		return r.keep(Failed, wrong(message.CheckNil(msgs)))
	}
	if !b.IsOver(used) {
		r.report.Level = b.Level(used)
		r.report.Target = b.TargetOf(used)
		return r
	}
	if err := ctx.Err(); err != nil {
		return r.keep(Cancelled, context.Cause(ctx))
	}
	v, err := view()
	if err != nil {
		return r.keep(Failed, in("condenser: fold", err))
	}
	g := b.Gauge(msgs, memo)
	r.report.Level, r.report.Target = g.Level(), g.Target()
	if g.Hard() <= 0 { // even an empty transcript would not fit
		r.report.Outcome, r.report.Blockers = Unreachable, blockers(v, g)
		return r
	}
	return p.run(ctx, v, g, c, dry, r)
}

// result is a run's: edits is nil if the history stays as it was.
type result struct {
	edits  []transcript.Edit
	view   *transcript.View // after
	report Report
}

// keep makes r a result that changes nothing.
func (r result) keep(o Outcome, err error) result {
	r.edits, r.view = nil, nil
	r.report.Outcome, r.report.Err = o, err
	r.report.After = r.report.Before
	return r
}

// failure is the error a caller gets.
func (r result) failure() error {
	if r.report.Outcome == Cancelled || r.report.Outcome == Failed {
		return r.report.Err
	}
	return nil
}

// tell hands the report on.
func (p *Pipeline) tell(ctx context.Context, r Report) {
	if p.Observe != nil {
		p.Observe(ctx, r)
		return
	}
	if r.Err != nil && r.Outcome != Cancelled && p.told.first(kindOf(r.Err)) {
		slog.Default().ErrorContext(ctx, "condenser", "report", r)
	}
}

// told remembers which kinds of errors have been logged.
type told struct {
	mu    sync.Mutex
	texts map[string]bool
}

// first reports whether text is new. Beyond so many texts nothing is.
func (t *told) first(text string) bool {
	const most = 100
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts[text] || len(t.texts) >= most {
		return false
	}
	if t.texts == nil {
		t.texts = map[string]bool{}
	}
	t.texts[text] = true
	return true
}

// memos lends each run a memo, if it can the one that knows its history. It
// keeps a few, for the sessions seen last.
type memos struct {
	mu   sync.Mutex
	free []*budget.Memo // the one used last is last
}

const maxMemos = 8

func (s *memos) take(msgs []message.Message, c budget.Counter) *budget.Memo {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.free) - 1; i >= 0; i-- {
		first := s.free[i].First()
		if len(msgs) > 0 && first != nil && (first == msgs[0] || message.Equal(first, msgs[0])) {
			m := s.free[i]
			s.free = append(s.free[:i], s.free[i+1:]...)
			return m
		}
	}
	return budget.NewMemo(c)
}

func (s *memos) put(m *budget.Memo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == maxMemos {
		s.free = append(s.free[:0], s.free[1:]...)
	}
	s.free = append(s.free, m)
}
