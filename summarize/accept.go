package summarize

import (
	"errors"
	"fmt"
	"strings"

	"github.com/condenser-go/condenser/message"
)

// Reason says where a digest came from, or why a model's reply is none.
type Reason uint8

const (
	Accepted     Reason = iota // the model's reply
	NoInvoker                  // there is no model
	Failed                     // the invoker returned an error
	TooLong                    // it refused the prompt as too long, at any size
	Cancelled                  // the context ended
	Blank                      // no visible text
	ThinkingOnly               // reasoning and no text
	CutOff                     // stopped by a length limit
	Refused                    // stopped by a filter or a refusal
	Incomplete                 // stopped for a reason that is not known to mean completion
	ToolCalled                 // it called a tool
	TooLarge                   // larger than what it would replace, or more than twice its cap
)

var reasons = [...]string{"accepted", "no invoker", "failed", "prompt too long", "cancelled", "blank reply", "thinking only",
	"cut off", "refused", "incomplete", "called a tool", "too large"}

func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// Error is a model that gave no digest.
type Error struct {
	Reason Reason
	Err    error // the invoker's, if Reason is Failed, TooLong or Cancelled
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("summarize: %s: %v", e.Reason, e.Err)
	}
	return "summarize: " + e.Reason.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Accept judges what an invoker returned and gives its text, or the reason why
// it does not count as a digest: an error, a tool call, a finish reason other
// than completion, or no visible text. It judges neither size nor the context:
// an error after the context ended is Cancelled to its callers.
func Accept(r Response, err error) (text string, reason Reason) {
	switch {
	case errors.Is(err, ErrTooLong):
		return "", TooLong
	case err != nil:
		return "", Failed
	case callsTool(r):
		return "", ToolCalled
	}
	if reason := finish(r.FinishReason); reason != Accepted {
		return "", reason
	}
	text = clean(r.Text())
	if text != "" {
		return text, Accepted
	}
	for _, b := range r.Content {
		if _, ok := b.(*message.Thinking); ok {
			return "", ThinkingOnly
		}
	}
	return "", Blank
}

// finish judges a provider's finish reason. What is not known to mean
// completion does not pass.
func finish(reason string) Reason {
	switch strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(reason)) {
	case "", "stop", "end_turn", "stop_sequence", "complete", "completed", "done", "end", "eos", "eos_token", "finished", "success":
		return Accepted
	case "length", "max_tokens", "max_output_tokens", "token_limit", "model_length", "model_context_window_exceeded", "truncated":
		return CutOff
	case "refusal", "refused", "content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content", "spii", "guardrail_intervened", "sensitive":
		return Refused
	case "tool_use", "tool_call", "tool_calls", "function_call", "malformed_function_call":
		return ToolCalled
	}
	return Incomplete
}

// clean drops what no transcript may hold, and space at the ends.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "")
	return strings.TrimSpace(strings.ReplaceAll(s, "\x00", ""))
}
