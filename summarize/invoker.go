package summarize

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/condenser-go/condenser/message"
)

// ModelInvoker is the model that writes digests. It is the only way this
// library reaches one. Invoke is called from one goroutine at a time per
// digest, unless Pass.Parallel says otherwise, and is expected to return soon
// after ctx is done.
//
// An error that wraps ErrTooLong says that the prompt exceeds the model's
// window; the prompt is then made smaller.
type ModelInvoker interface {
	Invoke(ctx context.Context, r Request) (Response, error)
}

// InvokerFunc is a function as a ModelInvoker.
type InvokerFunc func(ctx context.Context, r Request) (Response, error)

func (f InvokerFunc) Invoke(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// ErrTooLong is what an invoker's error wraps to say that the prompt is too long.
var ErrTooLong = errors.New("prompt exceeds the summariser's window")

// Request is one call: a system text and one user turn. There are no tools.
type Request struct {
	System    string
	Prompt    string
	MaxTokens int    // of the reply
	Thinking  string // how hard to think, in the host's words; "high" by default
	Provider  string // as the pass or the options name them; the host's own if ""
	Model     string
	Scope     Scope
}

// Response is the model's whole reply.
type Response struct {
	Content      []message.Block
	FinishReason string // in the provider's words; "" if unknown
	Usage        *message.Usage
}

// Text returns the visible text of the reply.
func (r Response) Text() string {
	var b strings.Builder
	for _, block := range r.Content {
		if s, ok := message.TextOf(block); ok {
			b.WriteString(s)
		}
	}
	return b.String()
}

// Scope says what a digest is of. It changes the framing of the prompt and the
// digest's header, nothing else.
type Scope uint8

const (
	ScopeSession Scope = iota // the older part of a session that goes on
	ScopeBranch               // a branch that was left
)

// Delta is one piece of a streamed reply.
type Delta struct {
	Text     string
	Thinking string
	Reply    *Response // the terminal reply, if the provider sends one
}

// Collect reads a stream to its end. A terminal reply wins over the deltas
// before it, unless it has no text and they have; then it gives its finish
// reason and usage. An error in the stream is returned, with nothing else.
//
// A stream without a terminal reply is taken for a whole one, as the window-budget
// document has it: one that broke off must end in an error, or what there is of
// it passes for a digest.
func Collect(deltas iter.Seq2[Delta, error]) (Response, error) {
	if deltas == nil {
		return Response{}, errors.New("summarize: there is no stream")
	}
	var text, thinking strings.Builder
	var terminal *Response
	for d, err := range deltas {
		if err != nil {
			return Response{}, err
		}
		text.WriteString(d.Text)
		thinking.WriteString(d.Thinking)
		if d.Reply != nil {
			terminal = d.Reply
			break
		}
	}
	var r Response
	if terminal != nil {
		r = *terminal
		if strings.TrimSpace(r.Text()) != "" || callsTool(r) || strings.TrimSpace(text.String()) == "" {
			return r, nil
		}
		r.Content = nil
	}
	if thinking.Len() > 0 {
		r.Content = append(r.Content, &message.Thinking{Text: thinking.String()})
	}
	if text.Len() > 0 {
		r.Content = append(r.Content, message.Text(text.String()))
	}
	return r, nil
}

func callsTool(r Response) bool {
	for _, b := range r.Content {
		if _, ok := b.(*message.ToolCall); ok {
			return true
		}
	}
	return false
}
