package condenser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

// fault is an error that says what happened in words of this library alone, so
// that a report can tell it. The text may hold the words of a host, a model or a
// message, and is for Report.Err.
type fault struct {
	what string
	text string // "" means what
	err  error
}

func (e *fault) Error() string {
	if e.text == "" {
		return e.what
	}
	return e.text
}

func (e *fault) Unwrap() error { return e.err }

// wrong is a fault whose error holds no one's words but ours.
func wrong(err error) *fault { return &fault{what: "condenser: " + err.Error(), err: err} }

// in says where err, whose words are not ours, came from.
func in(where string, err error) *fault {
	what := where
	if k := kindOf(err); k != "" {
		what += ": " + k
	}
	return &fault{what: what, text: where + ": " + err.Error(), err: err}
}

// panicked is a pass, a counter or a codec that panicked.
func panicked(where string, value any) *fault {
	return &fault{what: where + ": panic", text: fmt.Sprintf("%s: panic: %v", where, value)}
}

// kindOf says what err is about, and none of its words that are not ours.
func kindOf(err error) string {
	if err == nil {
		return ""
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var kinds []string
		for _, e := range joined.Unwrap() {
			kinds = append(kinds, kindOf(e))
		}
		return strings.Join(kinds, "; ")
	}
	var f *fault
	var digest *summarize.Error
	var rules *transcript.RuleError
	switch {
	case errors.As(err, &f):
		return f.what
	case errors.As(err, &digest) && digest.Err != nil:
		return "summarize: " + digest.Reason.String() + ": " + kindOf(digest.Err)
	case errors.As(err, &digest):
		return "summarize: " + digest.Reason.String()
	case errors.As(err, &rules) && len(rules.Violations) > 0:
		return "it breaks the rule " + rules.Violations[0].Rule
	}
	for _, known := range []error{context.Canceled, context.DeadlineExceeded, transcript.ErrConflict, transcript.ErrRange, transcript.ErrStale, transcript.ErrDuplicate} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprintf("an error (%T)", err)
}
