// Command scripted shows how to unit test a host: the model is a script. It
// plays a few of the things models do, and prints what the host's history looks
// like afterwards. main_test.go has the same as tests.
//
//	go run ./examples/scripted
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

func main() { play(context.Background(), os.Stdout) }

// host is what is under test: anything that keeps a history and condenses it.
type host struct {
	history  []message.Message
	condense condenser.Condenser
	last     condenser.Report
}

func newHost(model summarize.ModelInvoker, window int) *host {
	h := &host{}
	h.condense = condenser.NewCondenser(condenser.Deps{
		Card:    budget.ModelCard{ContextWindow: window},
		Invoker: model,
		Observe: func(_ context.Context, r condenser.Report) { h.last = r },
	})
	return h
}

// say adds messages, in the notation of condensertest, and condenses.
func (h *host) say(ctx context.Context, notation string) error {
	more, err := condensertest.Parse(notation)
	if err != nil {
		return err
	}
	h.history = h.condense(ctx, append(h.history, more...))
	return nil
}

func play(ctx context.Context, out io.Writer) {
	// A long session in one line: two reads of 9 kB, and what was said around them.
	const session = `s u"port the parser" a(1) r1:9k u:9k a(2) r2:9k a:900 u"go on"`
	for _, c := range []struct {
		name string
		step condensertest.Step
	}{
		{"a good reply", condensertest.Reply("# Objective\nPort the parser.")},
		{"an error", condensertest.Fail(errors.New("503 overloaded"))},
		{"a blank reply", condensertest.Blank()},
		{"a refusal", condensertest.Refusal()},
		{"cut off", condensertest.CutOff()},
		{"a tool call", condensertest.ToolCall()},
		{"an echo of its prompt", condensertest.Echo()},
		{"a panic", condensertest.Panic()},
	} {
		model := condensertest.NewScript(c.step)
		h := newHost(model, 12_000)
		if err := h.say(ctx, session); err != nil {
			fmt.Fprintln(out, err)
			return
		}
		fmt.Fprintf(out, "%-22s %-10s %d call   %s\n", c.name, h.last.Outcome, model.Calls(), condensertest.Show(h.history))
	}
}
