package condensertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

// Step is one answer of a scripted model.
type Step func(ctx context.Context, r summarize.Request) (summarize.Response, error)

// Reply answers with text and a complete finish reason.
func Reply(text string) Step { return finish("stop", message.Text(text)) }

// Blank answers with white space.
func Blank() Step { return finish("stop", message.Text(" \n\t")) }

// ThinkingOnly answers with reasoning and no text.
func ThinkingOnly() Step { return finish("stop", &message.Thinking{Text: "let me think"}) }

// Refusal answers with text that a filter stopped.
func Refusal() Step { return finish("refusal", message.Text("I cannot help with that.")) }

// CutOff answers with text that the length limit stopped.
func CutOff() Step { return finish("max_tokens", message.Text("# Objective\nThe user wan")) }

// ToolCall answers with a call of a tool nobody offered.
func ToolCall() Step {
	return finish("tool_use", message.Text("Let me look."), message.NewToolCall("x1", "bash", `{"command":"ls"}`))
}

// Giant answers with a text of so many tokens, by the window-budget count.
func Giant(tokens int) Step { return Reply(strings.Repeat("and so on, ", tokens*36/110+1)) }

// Echo answers with its own prompt.
func Echo() Step {
	return func(_ context.Context, r summarize.Request) (summarize.Response, error) {
		return summarize.Response{Content: []message.Block{message.Text(r.Prompt)}, FinishReason: "stop"}, nil
	}
}

// Fail answers with an error.
func Fail(err error) Step {
	return func(context.Context, summarize.Request) (summarize.Response, error) { return summarize.Response{}, err }
}

// Panic panics.
func Panic() Step {
	return func(context.Context, summarize.Request) (summarize.Response, error) { panic("scripted panic") }
}

// Delay waits, or until the context ends, before step.
func Delay(d time.Duration, step Step) Step {
	return func(ctx context.Context, r summarize.Request) (summarize.Response, error) {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
			return step(ctx, r)
		case <-ctx.Done():
			return summarize.Response{}, ctx.Err()
		}
	}
}

// Hang waits until release is closed, whatever becomes of the context.
func Hang(release <-chan struct{}, step Step) Step {
	return func(ctx context.Context, r summarize.Request) (summarize.Response, error) {
		<-release
		return step(ctx, r)
	}
}

func finish(reason string, blocks ...message.Block) Step {
	return func(context.Context, summarize.Request) (summarize.Response, error) {
		return summarize.Response{Content: blocks, FinishReason: reason}, nil
	}
}

// Script is a model that answers from a list, the last answer for ever. It
// counts its calls, keeps the requests, and refuses a prompt beyond its window
// with an error that wraps summarize.ErrTooLong. It is safe for concurrent use.
type Script struct {
	Window int // tokens, by the window-budget count; 0 means unlimited
	Steps  []Step

	mu       sync.Mutex
	requests []summarize.Request
	refused  int
}

// NewScript returns a model that answers with steps in turn.
func NewScript(steps ...Step) *Script { return &Script{Steps: steps} }

var errNoSteps = errors.New("condensertest: the script has no steps")

// Invoke gives the next answer. Usage is made up from the request's size.
func (s *Script) Invoke(ctx context.Context, r summarize.Request) (summarize.Response, error) {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, r)
	input := budget.WindowBudget{}.TextTokens(r.System) + budget.WindowBudget{}.TextTokens(r.Prompt)
	if s.Window > 0 && input+r.MaxTokens > s.Window {
		s.refused++
		s.mu.Unlock()
		return summarize.Response{}, fmt.Errorf("%d tokens and %d to come, with a window of %d: %w", input, r.MaxTokens, s.Window, summarize.ErrTooLong)
	}
	s.mu.Unlock()
	if len(s.Steps) == 0 {
		return summarize.Response{}, errNoSteps
	}
	out, err := s.Steps[min(max(0, n-s.Refused()), len(s.Steps)-1)](ctx, r)
	if err == nil && out.Usage == nil {
		out.Usage = &message.Usage{Input: input, Output: budget.WindowBudget{}.TextTokens(out.Text())}
	}
	return out, err
}

// Requests returns the requests so far, the refused ones included.
func (s *Script) Requests() []summarize.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[:len(s.requests):len(s.requests)]
}

// Calls returns how often the model was called.
func (s *Script) Calls() int { return len(s.Requests()) }

// Refused returns how many prompts were beyond the window.
func (s *Script) Refused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}
