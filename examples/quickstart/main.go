// Command quickstart condenses one recorded session and prints what was there,
// what was done and what is left. It needs no key and no network.
//
//	go run ./examples/quickstart [-window TOKENS] [-show] [FILE]
//
// FILE is any transcript in the stored form (package message).
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

func main() {
	window := flag.Int("window", 16_384, "the model's context window, in tokens")
	show := flag.Bool("show", false, "also print the first message behind the system's: the digest, if there is one")
	flag.Parse()
	name := "testdata/sessions/breakdown.jsonl"
	if flag.NArg() > 0 {
		name = flag.Arg(0)
	}
	if err := run(name, *window, *show, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(name string, window int, show bool, out io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	history, bad, err := message.DecodeLenient(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(history) == 0 && len(bad) > 0 {
		return fmt.Errorf("%s: no line of it is a message: %w", name, bad[0])
	}
	for _, line := range bad {
		fmt.Fprintf(out, "left out %s, %v\n", name, line)
	}

	// This is all a host has to do.
	var report condenser.Report
	condense := condenser.NewCondenser(condenser.Deps{
		Card:    budget.ModelCard{ContextWindow: window},
		Observe: func(_ context.Context, r condenser.Report) { report = r },
	})
	view := condense(context.Background(), history)

	fmt.Fprintf(out, "before  %s\n", line(report.Before, window))
	for _, s := range report.Steps {
		if s.Edits > 0 || s.Err != nil {
			fmt.Fprintf(out, "        %s\n", s)
		}
	}
	fmt.Fprintf(out, "after   %s\n", line(report.After, window))
	fmt.Fprintf(out, "outcome %s: the window holds %d tokens, %d of them beside the reply\n", report.Outcome, window, report.Hard)
	if problems := message.Validate(view, message.Portable); len(problems) > 0 {
		fmt.Fprintf(out, "a provider may refuse it: %v\n", problems[0])
	}
	if show {
		for _, m := range view {
			if m.Kind() != message.KindSystem {
				fmt.Fprintf(out, "\n%s\n", message.PlainText(m))
				break
			}
		}
	}
	return report.Err
}

func line(c condenser.Count, window int) string {
	return fmt.Sprintf("%4d messages  %6d tokens  %5.1f %% of the window", c.Messages, c.Tokens, 100*float64(c.Tokens)/float64(window))
}
