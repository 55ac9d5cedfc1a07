// Command conductor is a small agent loop with everything a host needs around
// its transcript: the auto-compaction hook, /compact [focus], a breaker that
// lets a model rest after three failures, and a session that is persisted and
// resumed.
//
//	go run ./examples/conductor [-session FILE] [-window TOKENS]
//
// Each line of standard input is a turn of the user; /compact, /undo and /show
// are commands. The agent here is a stand-in that lists and reads files; put
// yours in its place.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

func main() {
	session := flag.String("session", "", "the file the session is kept in; none: it is not kept")
	window := flag.Int("window", 8192, "the model's context window, in tokens")
	flag.Parse()
	c := &conductor{file: *session, agent: files{root: "."}, out: os.Stdout}
	if err := c.open(*window, nil); err != nil {
		fmt.Fprintln(os.Stderr, "conductor:", err)
		os.Exit(1)
	}
	if err := c.run(context.Background(), os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "conductor:", err)
		os.Exit(1)
	}
}

// agent answers the view it is shown with the messages of its turn.
type agent interface {
	Turn(ctx context.Context, view []message.Message) ([]message.Message, error)
}

type conductor struct {
	file    string
	agent   agent
	out     io.Writer
	log     *transcript.Log
	model   *breaker            // nil: there is no model
	digests *condenser.Pipeline // with the model
	local   *condenser.Pipeline // without it
}

// maxFailures in a row open the breaker: digests are then made without the
// model until the user condenses by hand.
const maxFailures = 3

// breaker counts a model's failures in a row: whatever gives no digest.
type breaker struct {
	model    summarize.ModelInvoker
	failures atomic.Int32 // a call that was left behind may still count
}

func (b *breaker) Invoke(ctx context.Context, r summarize.Request) (summarize.Response, error) {
	resp, err := b.model.Invoke(ctx, r)
	if _, reason := summarize.Accept(resp, err); reason == summarize.Accepted {
		b.failures.Store(0)
	} else if ctx.Err() == nil {
		b.failures.Add(1)
	}
	return resp, err
}

func (b *breaker) open() bool { return b.failures.Load() >= maxFailures }

// open resumes the session in c.file, or begins one.
func (c *conductor) open(window int, model summarize.ModelInvoker) error {
	d := condenser.Deps{
		Card: budget.ModelCard{ContextWindow: window},
		Observe: func(_ context.Context, r condenser.Report) {
			if r.Outcome != condenser.Unchanged {
				fmt.Fprintln(c.out, "·", r)
			}
		},
	}
	c.local = condenser.Default(d)
	if model != nil {
		c.model = &breaker{model: model}
		d.Invoker = c.model
		c.digests = condenser.Default(d)
	}
	c.log = transcript.NewLog()
	if c.file != "" {
		f, err := os.Open(c.file)
		if err == nil {
			defer f.Close()
			if c.log, err = transcript.ReadLog(f); err != nil {
				return fmt.Errorf("%s: %w", c.file, err)
			}
			fmt.Fprintf(c.out, "· resumed: %d messages, %d of them shown\n", c.log.Len(), c.log.View().Len())
			return nil
		}
		if !os.IsNotExist(err) {
			return err
		}
	}
	return c.log.Append(message.NewSystem("You are a file clerk: list and read what you are asked for."))
}

func (c *conductor) run(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReader(in) // a Scanner would end at a pasted line of 64 kB
	for {
		line, readErr := lines.ReadString('\n')
		err := c.turn(ctx, strings.TrimSpace(line))
		if err := errors.Join(err, c.save()); err != nil { // also what the user said before it failed
			return err
		}
		if readErr == io.EOF {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

func (c *conductor) turn(ctx context.Context, line string) error {
	command, rest, _ := strings.Cut(line, " ")
	switch command {
	case "":
		return nil
	case "/compact":
		c.condense(ctx, condenser.Call{Cause: condenser.Manual, Focus: rest})
		return nil
	case "/undo":
		return c.undo()
	case "/show":
		for _, m := range c.log.View().Messages() {
			fmt.Fprintf(c.out, "%-12s %s\n", m.Kind(), message.Line(message.PlainText(m), 80))
		}
		return nil
	}
	if err := c.log.Append(message.NewUser(line)); err != nil {
		return err
	}
	// The hook: before each model call.
	c.condense(ctx, condenser.Call{})
	reply, err := c.agent.Turn(ctx, c.log.View().Messages())
	if err != nil {
		return err
	}
	for _, m := range reply {
		fmt.Fprintf(c.out, "%-12s %s\n", m.Kind(), message.Line(message.PlainText(m), 80))
	}
	return c.log.Append(reply...)
}

// condense plans and commits on the log. A failure costs nothing but the room
// it did not make: the log is as it was, and the observer has been told.
func (c *conductor) condense(ctx context.Context, call condenser.Call) {
	p := c.local
	if c.model != nil && (!c.model.open() || call.Cause == condenser.Manual) {
		p = c.digests
	}
	_, _ = p.Condense(ctx, c.log, call)
	if p == c.digests && c.model.open() {
		fmt.Fprintln(c.out, "· the model rests after", maxFailures, "failures; /compact tries it again")
	}
}

// undo takes the last compaction back.
func (c *conductor) undo() error {
	commits := c.log.Commits()
	if len(commits) == 0 {
		fmt.Fprintln(c.out, "· nothing to undo")
		return nil
	}
	if err := c.log.Revert(commits[len(commits)-1].ID); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "· undone: %d messages are shown\n", c.log.View().Len())
	return nil
}

// save writes the session beside its file and renames it into place.
func (c *conductor) save() error {
	if c.file == "" {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(c.file), ".session-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := transcript.WriteLog(f, c.log); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), c.file)
}

// files is the stand-in for an agent: it lists root, or reads the files under it
// that the user names.
type files struct{ root string }

func (a files) Turn(_ context.Context, view []message.Message) ([]message.Message, error) {
	ask, _ := message.Ask(view[len(view)-1])
	var turn []message.Message
	step := func(tool, input string, do func() (string, error)) {
		call := message.NewToolCall(fmt.Sprintf("call_%d_%d", len(view), len(turn)), tool, input)
		text, err := do()
		result := message.NewToolResult(call, text)
		if err != nil {
			result = message.NewToolResult(call, err.Error())
			result.IsError = true
		}
		turn = append(turn, message.NewAssistant(message.Text("Let me look."), call), result)
	}
	dir := os.DirFS(a.root)
	for _, word := range strings.Fields(ask) {
		if name := strings.Trim(word, ".,?!"); strings.Contains(name, ".") {
			step("read", fmt.Sprintf(`{"path":%q}`, name), func() (string, error) {
				f, err := dir.Open(name)
				if err != nil {
					return "", err
				}
				defer f.Close()
				data, err := io.ReadAll(io.LimitReader(f, 16<<10))
				return string(data), err
			})
		}
	}
	if turn == nil {
		step("ls", `{"path":"."}`, func() (string, error) {
			entries, err := os.ReadDir(a.root)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return strings.Join(names, "\n"), err
		})
	}
	return append(turn, message.NewAssistant(message.Text("Done: "+message.Line(ask, 60)))), nil
}
