package condenser

import (
	"context"
	"errors"
	"fmt"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/transcript"
)

// Pass proposes edits of a view. It is its options: the zero value of every
// pass here works. A pass has no memory and may plan for any number of sessions
// at a time; condensertest.TestPass checks one of your own.
type Pass interface {
	// Name is what the report calls it, and the Origin of what it makes.
	Name() string
	// Plan returns edits made with v.Replace or v.Changes, none if there is
	// nothing to do. It changes no message. With an error it may return edits too:
	// they are taken, and the error is reported.
	Plan(ctx context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error)
}

// Pricer is a pass that pays a model. Price returns what Plan would pay and
// calls nothing; ok is false if Plan would pay nothing.
type Pricer interface {
	Price(v *transcript.View, g budget.Gauge) (price budget.Price, ok bool)
}

// Cause says why a transcript is to be condensed.
type Cause = budget.Cause

// The causes: before a model call, at the user's wish, after a provider's
// refusal, and beside the running session.
const (
	Threshold  = budget.Threshold
	Manual     = budget.Manual
	Overflow   = budget.Overflow
	Background = budget.Background
)

// Call is what is known only when a request is about to be made.
type Call struct {
	Cause    Cause
	Overhead budget.Size       // what the request carries beside the transcript; only its Tokens count yet
	Card     *budget.ModelCard // the model of this request; nil: the pipeline's
	Focus    string            // what the user asked the digest to keep; a local digest, made without a model, takes no notice
	Err      error             // the provider's refusal, with Cause Overflow
}

// validate returns every problem of c under a policy, joined, or nil.
func (c Call) validate(policy budget.Policy) error {
	var errs []error
	if o := c.Overhead; o.Tokens < 0 || o.Bytes < 0 || o.Images < 0 {
		errs = append(errs, fmt.Errorf("the Overhead of the call is negative: %d tokens, %d bytes, %d images", o.Tokens, o.Bytes, o.Images))
	}
	if c.Cause > Background {
		errs = append(errs, fmt.Errorf("the Cause of the call is unknown: %s", c.Cause))
	}
	if c.Card != nil {
		if err := checkCard(*c.Card, policy, "the call's Card"); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// checkCard returns what is wrong with a card under a policy.
func checkCard(card budget.ModelCard, policy budget.Policy, what string) error {
	switch {
	case card.ContextWindow < 0:
		return fmt.Errorf("the ContextWindow of %s is %d tokens", what, card.ContextWindow)
	case card.MaxOutput < 0:
		return fmt.Errorf("the MaxOutput of %s is %d tokens", what, card.MaxOutput)
	case card.ContextWindow > 0 && policy.ReserveTokens >= card.ContextWindow:
		return fmt.Errorf("a reserve of %d tokens does not fit: %s has a window of %d", policy.ReserveTokens, what, card.ContextWindow)
	}
	return nil
}
