package summarize

import (
	"fmt"
	"strings"

	"github.com/condenser-go/condenser/message"
)

// facts are what a transcript says that can be taken from it mechanically:
// from typed fields and arguments, and from lines quoted as they are.
type facts struct {
	asks     []string
	files    recent[file] // that calls changed
	read     texts        // files that were only read
	commands recent[command]
	failures texts // of other calls, with the line that says why
	todos    []todo
	doing    string // the agent's last words
	decided  texts  // sentences in which it gives reasons
	rules    texts  // sentences in which the user sets bounds
	notes    texts
	running  []string // calls without a result
	prior    texts    // lines of earlier digests, without their requests

	users, agents, results, others int
}

// gather walks msgs once. Internal and system messages are not looked at.
func gather(msgs []message.Message) *facts {
	f := &facts{asks: asksOf(msgs)}
	pairs := message.Pair(msgs)
	for i, m := range msgs {
		if m.Head().Internal {
			continue
		}
		switch m := m.(type) {
		case *message.User:
			f.user(m)
		case *message.Assistant:
			f.agents++
			f.assistant(m)
			answers := pairs.Answers(i)
			for k, c := range message.Calls(m) {
				var r *message.ToolResult
				if answers[k] >= 0 {
					r, _ = msgs[answers[k]].(*message.ToolResult)
				}
				f.call(c, r)
			}
		case *message.ToolResult:
			f.results++
			if _, _, ok := pairs.Call(i); !ok && m.IsError {
				f.fail(m.ToolName, outcomeOf(m, false))
			}
		case *message.BashExecution:
			f.others++
			f.bash(m)
		case *message.Custom:
			f.others++
			if s := message.Line(message.PlainText(m), 120); s != "" {
				f.notes.add(name(m.CustomType) + ": " + s)
			}
		case *message.BranchSummary:
			f.carry(m.Summary)
		case *message.CompactionSummary:
			f.carry(m.Summary)
		}
	}
	for _, x := range f.files.values() {
		f.read.drop(x.path)
	}
	return f
}

func (f *facts) user(m *message.User) {
	switch m.Origin {
	case Origin:
		_, rest := readAsks(digestBody(m))
		f.carry(strings.Join(rest, "\n"))
	case "", message.Shortened:
		f.users++
		for _, s := range sentences(message.PlainText(m), bounds) {
			f.rules.add(s)
		}
	}
}

// carry takes over the lines of an earlier digest.
func (f *facts) carry(text string) {
	for line := range strings.Lines(clean(text)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !isLabel(line) {
			f.prior.add(line)
		}
	}
}

func (f *facts) assistant(m *message.Assistant) {
	text := message.PlainText(m)
	if s := clean(text); s != "" {
		f.doing = s
		if list := checklist(s); list != nil {
			f.todos = list
		}
	}
	for _, s := range sentences(text, grounds) {
		f.decided.add(s)
	}
	if m.ErrorMessage != "" {
		f.failures.add("the model's reply: " + message.Line(m.ErrorMessage, 160))
	}
}

func (f *facts) call(c *message.ToolCall, r *message.ToolResult) {
	says := factsOf(c)
	o := outcomeOf(r, len(says.commands) > 0)
	if says.todos != nil {
		f.todos = says.todos
	}
	for _, line := range says.commands {
		f.command(line, o)
	}
	changes := false
	for _, a := range says.acts {
		if a.verb != "read" {
			changes = true
			f.files.put(a.path, func(x *file) { x.put(a, o) })
		} else if !o.failed {
			f.read.add(a.path)
		}
	}
	switch {
	case !o.known:
		f.running = append(f.running, name(c.Name)+" "+message.Line(string(c.Input), 80))
	case o.failed && !changes && len(says.commands) == 0:
		f.fail(c.Name, o)
	}
}

func (f *facts) fail(tool string, o outcome) {
	line := message.Line(o.line, 160)
	if line == "" {
		line = "failed"
	}
	f.failures.add(name(tool) + ": " + line)
}

func (f *facts) bash(m *message.BashExecution) {
	o := outcome{known: true}
	if m.ExitCode != nil {
		o.code = fmt.Sprint(*m.ExitCode)
		o.failed = *m.ExitCode != 0
	}
	if o.failed || m.ExitCode == nil {
		o.line = errorLine(m.Output, o.failed)
		o.failed = o.failed || o.line != ""
	}
	f.command(m.Command, o)
}

func (f *facts) command(line string, o outcome) {
	if line = message.Line(line, 160); line != "" {
		f.commands.put(line, func(c *command) { *c = command{line: line, times: c.times + 1, out: o} })
	}
}

// lastFailing returns the failing command that ran last.
func (f *facts) lastFailing() (command, bool) {
	commands := f.commands.values()
	for k := len(commands) - 1; k >= 0; k-- {
		if commands[k].out.failed {
			return commands[k], true
		}
	}
	return command{}, false
}

// open returns what is still to be done.
func (f *facts) open() []string {
	var out []string
	for _, t := range f.todos {
		if !t.done {
			out = append(out, "[ ] "+message.Line(t.text, 160))
		}
	}
	for _, s := range f.running {
		out = append(out, "no result yet: "+s)
	}
	return out
}

func (f *facts) count() string {
	n := f.users + f.agents + f.results + f.others
	return fmt.Sprintf("%s %d messages (%d of the user, %d of the agent, %d tool results).", countLabel, n, f.users, f.agents, f.results)
}

// file is one file that calls changed.
type file struct {
	path  string
	verb  string // of the last call that worked, else of the last call
	times int    // calls that worked
	out   outcome
}

func (x *file) put(a act, o outcome) {
	old := *x
	*x = file{path: a.path, verb: a.verb, times: old.times, out: o}
	if o.known && !o.failed {
		x.times++
		if a.verb == "edited" && strings.HasPrefix(old.verb, "created") || strings.HasPrefix(old.verb, "written") {
			x.verb = strings.TrimSuffix(old.verb, " and edited") + " and edited"
		}
	} else if old.times > 0 {
		x.verb = old.verb
	}
}

// String is the file's line in a digest.
func (x file) String() string {
	s := x.path + ": "
	switch {
	case x.times == 0 && !x.out.known:
		return s + "to be " + x.verb + ", no result yet"
	case x.times == 0:
		return s + "not " + x.verb + ", it failed: " + message.Line(x.out.line, 120)
	case x.times == 1:
		s += x.verb
	default:
		s += fmt.Sprintf("%s (%d calls)", x.verb, x.times)
	}
	switch {
	case !x.out.known:
		s += "; the last call has no result yet"
	case x.out.failed:
		s += "; the last call failed: " + message.Line(x.out.line, 120)
	}
	return s
}

// command is one command line and how it ended last.
type command struct {
	line  string
	times int
	out   outcome
}

// String is the command's line in a digest.
func (c command) String() string {
	s := "$ " + c.line + " → " + c.out.String()
	if c.times > 1 {
		s += fmt.Sprintf(", run %d times", c.times)
	}
	return s
}
