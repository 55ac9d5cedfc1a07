package budget

import (
	"errors"
	"fmt"
)

// Policy says when to condense and what to keep. The zero Policy is not a
// default: see [AutoCondensePolicy].
type Policy struct {
	TriggerRatio  float64 // fraction of the usable window that may be filled, in (0, 1]
	KeepRecent    int     // TOKENS of the newest messages to keep as they are, at least 1
	ReserveTokens int     // tokens of the window that stay free for the reply, at least 0
}

// AutoCondensePolicy returns the policy of the window-budget document, which
// is the default everywhere: condense at 0.75, keep 6,000 tokens, reserve 2,048.
func AutoCondensePolicy() Policy {
	return Policy{TriggerRatio: 0.75, KeepRecent: 6000, ReserveTokens: 2048}
}

// Validate returns every problem of p, joined, or nil.
func (p Policy) Validate() error {
	var errs []error
	if !(p.TriggerRatio > 0 && p.TriggerRatio <= 1) { // NaN is neither
		errs = append(errs, fmt.Errorf("the TriggerRatio is %v, and must be above 0 and at most 1", p.TriggerRatio))
	}
	if p.KeepRecent < 1 {
		errs = append(errs, fmt.Errorf("the KeepRecent is %d tokens, and must be at least 1: with nothing to keep there is nowhere to cut", p.KeepRecent))
	}
	if p.ReserveTokens < 0 {
		errs = append(errs, fmt.Errorf("the ReserveTokens is %d, and must be at least 0", p.ReserveTokens))
	}
	return errors.Join(errs...)
}

// ModelCard is what a budget needs to know of a model.
type ModelCard struct {
	Name          string
	ContextWindow int // tokens; 0: unknown, and nothing is ever condensed
	MaxOutput     int // tokens; 0: unknown; not used yet: Policy.ReserveTokens is what stays free
}

// Size is what a request is limited in. Gauges count Tokens; Bytes and Images
// are not used yet.
type Size struct{ Tokens, Bytes, Images int }

// Price is what a pass would pay a model: it would read the view's items
// [From, To) and spend Input and Output tokens on them.
type Price struct{ From, To, Input, Output int }

// Cause says why a transcript is to be condensed.
type Cause uint8

const (
	Threshold  Cause = iota // before a model call: only if it is over the trigger
	Manual                  // the user asked: whatever can be condensed before their last request
	Overflow                // the provider refused the request as too long
	Background              // as Threshold, beside the running session
)

func (c Cause) String() string {
	switch c {
	case Threshold:
		return "threshold"
	case Manual:
		return "manual"
	case Overflow:
		return "overflow"
	case Background:
		return "background"
	}
	return fmt.Sprintf("Cause(%d)", uint8(c))
}
