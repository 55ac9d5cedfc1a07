package condenser

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/transcript"
)

// Seq is a pass that runs others one after the other, each on the view the ones
// before have left. What they propose is taken or refused as one. It ends at an
// error.
func Seq(passes ...Pass) Pass { return seq(passes) }

type seq []Pass

func (s seq) Name() string { return names(s, "+") }

func (s seq) Plan(ctx context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	var all []transcript.Edit
	for _, p := range s {
		edits, err := p.Plan(ctx, v, g)
		if len(edits) > 0 {
			next, foldErr := v.With(edits...)
			if foldErr != nil {
				return all, errors.Join(err, foldErr)
			}
			all = append(all, edits...)
			v, g = next, g.For(next.Messages())
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// Price is that of the first pass that pays, on the view the ones before it leave.
func (s seq) Price(v *transcript.View, g budget.Gauge) (budget.Price, bool) {
	for _, p := range s {
		if price, ok := priceOf(p, v, g); ok {
			return price, true
		}
		edits, err := p.Plan(context.Background(), v, g)
		next, foldErr := v.With(edits...)
		if err != nil || foldErr != nil {
			break
		}
		v, g = next, g.For(next.Messages())
	}
	return budget.Price{}, false
}

func priceOf(p Pass, v *transcript.View, g budget.Gauge) (budget.Price, bool) {
	if pricer, ok := p.(Pricer); ok {
		return pricer.Price(v, g)
	}
	return budget.Price{}, false
}

// OrElse is a pass that runs the first of two and, if it fails or proposes
// nothing, the second.
func OrElse(first, second Pass) Pass { return orElse{first, second} }

type orElse struct{ first, second Pass }

func (o orElse) Name() string { return names([]Pass{o.first, o.second}, "|") }

func (o orElse) Plan(ctx context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	edits, err := o.first.Plan(ctx, v, g)
	if len(edits) > 0 && err == nil || ctx.Err() != nil {
		return edits, err
	}
	edits, err2 := o.second.Plan(ctx, v, g)
	if len(edits) > 0 {
		return edits, err2
	}
	return nil, errors.Join(err, err2)
}

// Price is the first's, else the second's.
func (o orElse) Price(v *transcript.View, g budget.Gauge) (budget.Price, bool) {
	if price, ok := priceOf(o.first, v, g); ok {
		return price, true
	}
	return priceOf(o.second, v, g)
}

// When is a pass that runs p only while the window is at least this full.
func When(level budget.Level, p Pass) Pass { return when{level, p} }

type when struct {
	level budget.Level
	Pass
}

func (w when) Plan(ctx context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	if g.Level() < w.level {
		return nil, nil
	}
	return w.Pass.Plan(ctx, v, g)
}

func (w when) Price(v *transcript.View, g budget.Gauge) (budget.Price, bool) {
	if g.Level() < w.level {
		return budget.Price{}, false
	}
	return priceOf(w.Pass, v, g)
}

// AtLeast is a pass that takes p's edits only if they free so many tokens.
func AtLeast(tokens int, p Pass) Pass { return atLeast{tokens, p} }

type atLeast struct {
	tokens int
	Pass
}

func (a atLeast) Plan(ctx context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	edits, err := a.Pass.Plan(ctx, v, g)
	if len(edits) == 0 {
		return nil, err
	}
	next, foldErr := v.With(edits...)
	if foldErr != nil {
		return nil, errors.Join(err, foldErr)
	}
	if g.Used()-g.For(next.Messages()).Used() < a.tokens {
		return nil, err
	}
	return edits, err
}

func (a atLeast) Price(v *transcript.View, g budget.Gauge) (budget.Price, bool) {
	return priceOf(a.Pass, v, g)
}

// holdsNil reports whether a pass, or one it is made of, is nil.
func holdsNil(p Pass) bool {
	switch p := p.(type) {
	case nil:
		return true
	case seq:
		return slices.ContainsFunc(p, holdsNil)
	case orElse:
		return holdsNil(p.first) || holdsNil(p.second)
	case when:
		return holdsNil(p.Pass)
	case atLeast:
		return holdsNil(p.Pass)
	}
	return false
}

func names(passes []Pass, sep string) string {
	list := make([]string, len(passes))
	for i, p := range passes {
		list[i] = p.Name()
	}
	return strings.Join(list, sep)
}
