package condenser

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

// Outcome is what came of a run.
type Outcome uint8

const (
	Unchanged   Outcome = iota // there was nothing to do, or nothing to gain
	Condensed                  // smaller than before, and within the hard limit
	Unreachable                // what may not be touched is beyond the hard limit: see Blockers
	Cancelled                  // the context ended: the history is as it was given
	Failed                     // an error kept it as it was: see Err
)

var outcomes = [...]string{"unchanged", "condensed", "unreachable", "cancelled", "failed"}

func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// MarshalText gives the name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Count is the size of a list of messages.
type Count struct {
	Messages int `json:"messages"`
	Tokens   int `json:"tokens"`
}

// Report says what a run did, in sizes and names. Its String, its JSON and its
// LogValue hold no content and no one else's words: of errors they tell the kind,
// and the errors themselves are in Err.
type Report struct {
	Outcome  Outcome
	Cause    Cause
	Level    budget.Level // before
	Before   Count
	After    Count
	Window   int // tokens, as Trigger, Target and Hard: see package budget
	Trigger  int
	Target   int
	Hard     int
	Steps    []Step    // in their order; empty if the gate was not passed
	Blockers []Blocker // if Unreachable
	CommitID string    // of what Condense committed
	Refusal  error     // the provider's, as the call brought it
	Err      error     // why it Failed or was Cancelled, or what a pass that did not stop the run met with; it may hold content
}

// Step is what one pass did.
type Step struct {
	Pass     string
	Edits    int
	Replaced int    // messages of the view it took away
	Why      string // of its first edit
	Before   int    // tokens
	After    int
	Calls    int              // of a model
	Usage    *message.Usage   // what they reported
	Reason   summarize.Reason // of a digest: Accepted, or why it is a local one, or none
	Price    *budget.Price    // in a dry run: what the pass would pay; After is then an estimate
	Err      error            // also a model's, where the run went on without it
}

// Blocker is something that may not be touched and keeps the hard limit out of
// reach.
type Blocker struct {
	Kind  BlockerKind
	Index int // of the view's item, -1 for the overhead
	Size  budget.Size
}

// BlockerKind says why something may not be touched.
type BlockerKind string

const (
	BlockerOverhead BlockerKind = "overhead"
	BlockerSystem   BlockerKind = "system"
	BlockerPinned   BlockerKind = "pinned"
	BlockerPending  BlockerKind = "pending"
	BlockerAtomic   BlockerKind = "atomic"
)

// String returns the report in a few lines, the first of which stands for itself.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s): %s, %d tokens", r.Outcome, r.Cause, r.Level, plural(r.Before.Messages, "message"), r.Before.Tokens)
	if r.After != r.Before {
		fmt.Fprintf(&b, " → %s, %d tokens", plural(r.After.Messages, "message"), r.After.Tokens)
	}
	if r.Window > 0 {
		fmt.Fprintf(&b, "; window %d, hard %d, trigger %d, target %d", r.Window, r.Hard, r.Trigger, r.Target)
	} else {
		b.WriteString("; no window")
	}
	var told []error // by the steps
	for _, s := range r.Steps {
		b.WriteString("\n  " + s.String())
		told = append(told, s.Err)
	}
	for _, kind := range []BlockerKind{BlockerOverhead, BlockerSystem, BlockerPinned, BlockerPending, BlockerAtomic} {
		b.WriteString(r.blocked(kind))
	}
	if r.Refusal != nil {
		b.WriteString("\n  refused: " + kindOf(r.Refusal))
	}
	if r.Err != nil && kindOf(r.Err) != kindOf(errors.Join(told...)) {
		b.WriteString("\n  error: " + kindOf(r.Err))
	}
	return b.String()
}

// blocked is the line of one kind of blockers, "" if there are none.
func (r Report) blocked(kind BlockerKind) string {
	n, tokens := 0, 0
	for _, k := range r.Blockers {
		if k.Kind == kind {
			n++
			tokens += k.Size.Tokens
		}
	}
	switch {
	case n == 0:
		return ""
	case kind == BlockerOverhead:
		return fmt.Sprintf("\n  blocked by %s: %d tokens", kind, tokens)
	}
	return fmt.Sprintf("\n  blocked by %s: %s, %d tokens", kind, plural(n, "message"), tokens)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// String returns the step in one line.
func (s Step) String() string {
	if s.Edits == 0 && s.Calls == 0 && s.Price == nil && s.Err == nil {
		return s.Pass + ": nothing to do"
	}
	out := fmt.Sprintf("%s: %d → %d tokens", s.Pass, s.Before, s.After)
	if s.Edits > 0 {
		out += fmt.Sprintf(", %s in %s (%s)", plural(s.Replaced, "message"), plural(s.Edits, "edit"), s.Why)
	}
	if s.Calls > 0 {
		out += ", " + plural(s.Calls, "model call")
	}
	if s.Price != nil {
		out += fmt.Sprintf(", would pay %d tokens in and %d out", s.Price.Input, s.Price.Output)
	}
	if s.Err != nil {
		out += ", error: " + kindOf(s.Err)
	}
	return out
}

// MarshalJSON gives the report with lower-case names; errors are texts.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Outcome  Outcome   `json:"outcome"`
		Cause    string    `json:"cause"`
		Level    string    `json:"level"`
		Before   Count     `json:"before"`
		After    Count     `json:"after"`
		Window   int       `json:"window"`
		Trigger  int       `json:"trigger"`
		Target   int       `json:"target"`
		Hard     int       `json:"hard"`
		Steps    []Step    `json:"steps"`
		Blockers []Blocker `json:"blockers,omitempty"`
		CommitID string    `json:"commit,omitempty"`
		Refusal  string    `json:"refusal,omitempty"`
		Error    string    `json:"error,omitempty"`
	}{r.Outcome, r.Cause.String(), r.Level.String(), r.Before, r.After, r.Window, r.Trigger, r.Target, r.Hard,
		append([]Step{}, r.Steps...), r.Blockers, r.CommitID, kindOf(r.Refusal), kindOf(r.Err)})
}

// MarshalJSON is as for [Report].
func (s Step) MarshalJSON() ([]byte, error) {
	type usage struct {
		Input      int `json:"input"`
		Output     int `json:"output"`
		CacheRead  int `json:"cache_read"`
		CacheWrite int `json:"cache_write"`
	}
	type price struct {
		Input  int `json:"input"`
		Output int `json:"output"`
	}
	out := struct {
		Pass     string `json:"pass"`
		Edits    int    `json:"edits"`
		Replaced int    `json:"replaced"`
		Why      string `json:"why,omitempty"`
		Before   int    `json:"before"`
		After    int    `json:"after"`
		Calls    int    `json:"calls,omitempty"`
		Usage    *usage `json:"usage,omitempty"`
		Reason   string `json:"reason,omitempty"`
		Price    *price `json:"price,omitempty"`
		Error    string `json:"error,omitempty"`
	}{Pass: s.Pass, Edits: s.Edits, Replaced: s.Replaced, Why: s.Why, Before: s.Before, After: s.After, Calls: s.Calls, Error: kindOf(s.Err)}
	if u := s.Usage; u != nil {
		out.Usage = &usage{u.Input, u.Output, u.CacheRead, u.CacheWrite}
	}
	if s.Calls > 0 || s.Reason != summarize.Accepted {
		out.Reason = s.Reason.String()
	}
	if p := s.Price; p != nil {
		out.Price = &price{p.Input, p.Output}
	}
	return json.Marshal(out)
}

// MarshalJSON gives the blocker with lower-case names.
func (b Blocker) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind   BlockerKind `json:"kind"`
		Index  int         `json:"index"`
		Tokens int         `json:"tokens"`
	}{b.Kind, b.Index, b.Size.Tokens})
}

// LogValue gives the report to slog as a group of sizes.
func (r Report) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("outcome", r.Outcome.String()),
		slog.String("cause", r.Cause.String()),
		slog.String("level", r.Level.String()),
		slog.Int("messages_before", r.Before.Messages),
		slog.Int("messages_after", r.After.Messages),
		slog.Int("tokens_before", r.Before.Tokens),
		slog.Int("tokens_after", r.After.Tokens),
		slog.Int("window", r.Window),
		slog.Int("hard", r.Hard),
		slog.Int("trigger", r.Trigger),
		slog.Int("target", r.Target),
	}
	var passes []string
	for _, s := range r.Steps {
		if s.Edits > 0 {
			passes = append(passes, s.Pass)
		}
	}
	if passes != nil {
		attrs = append(attrs, slog.String("passes", strings.Join(passes, ",")))
	}
	if len(r.Blockers) > 0 {
		attrs = append(attrs, slog.Int("blockers", len(r.Blockers)))
	}
	if r.Refusal != nil {
		attrs = append(attrs, slog.String("refusal", kindOf(r.Refusal)))
	}
	if r.CommitID != "" {
		attrs = append(attrs, slog.String("commit", r.CommitID))
	}
	if r.Err != nil {
		attrs = append(attrs, slog.String("error", kindOf(r.Err)))
	}
	return slog.GroupValue(attrs...)
}
