package summarize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/condenser-go/condenser/message"
)

// facts are what a transcript says that can be taken from it mechanically:
// from typed fields and arguments, and from lines quoted as they are.
type facts struct {
	asks     requests
	files    recent[file] // that calls changed
	read     texts        // files that were only read
	commands recent[command]
	failures texts // of other calls, with the line that says why
	todos    []todo
	doing    string // the agent's last words
	decided  texts  // sentences in which it gives reasons
	rules    texts  // sentences in which the user sets bounds
	notes    texts
	running  []string       // calls without a result
	lost     map[string]int // by label: how many lines earlier digests left out
	prior    recent[placed] // other lines of earlier digests, by their text

	users, agents, results, others int
}

// gather walks msgs once. Internal and system messages are not looked at.
// Behind a digest that expanded names stand the messages it was made from.
func gather(msgs []message.Message, expanded map[message.Message]bool) *facts {
	f := &facts{asks: asksOf(msgs, expanded), lost: map[string]int{}}
	pairs := message.Pair(msgs)
	for i, m := range msgs {
		if m.Head().Internal {
			continue
		}
		if isDigest(m) {
			f.digest(readDigest(digestBody(m)), expanded[m])
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
				f.fail(m.ToolName, outcomeOf(m, ""))
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
			f.text(m)
		case *message.CompactionSummary:
			f.text(m)
		}
	}
	for _, x := range f.files.values() {
		f.read.drop(x.path)
	}
	return f
}

func (f *facts) user(m *message.User) {
	if m.Origin != "" && m.Origin != message.Shortened {
		return
	}
	f.users++
	for _, s := range sentences(message.PlainText(m), bounds) {
		f.rules.add(s)
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
	o := outcomeOf(r, strings.Join(says.commands, "\n"))
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
			o := o.orRefused(r)
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
		o = o.read(m.Output, m.Command)
	}
	f.command(m.Command, o)
}

// maxCommand is how much of a command line a digest has, in runes: its beginning
// and, of a longer one, its end, where commands that begin alike differ.
const maxCommand, maxCommandTail = 160, 60

func (f *facts) command(line string, o outcome) {
	if line = message.Line(line, 4000); line == "" {
		return
	}
	if short := message.Line(line, maxCommand); short != line {
		line = message.Line(line, maxCommand-maxCommandTail) + " " + strings.TrimSpace(lastRunes(line, maxCommandTail))
	}
	f.commands.put(line, func(c *command) {
		if c.again {
			*c = command{}
		}
		c.line, c.out = line, o
		c.times++
		if o.failed {
			c.failures++
		}
	})
}

// maxDoing is how much of the agent's last words a digest has, in runes.
const maxDoing = 300

// reasons returns the sentences in which the agent gives reasons, but for those
// that its last words show.
func (f *facts) reasons() []string {
	doing := message.Line(f.doing, maxDoing)
	return slices.DeleteFunc(f.decided.values(), func(s string) bool { return strings.Contains(doing, s) })
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
	again bool // from a digest whose messages follow
}

func (x *file) put(a act, o outcome) {
	if x.again {
		*x = file{}
	}
	old := *x
	*x = file{path: a.path, verb: a.verb, times: old.times, out: o}
	if o.known && !o.failed {
		if x.times++; a.verb == "deleted" || strings.HasPrefix(old.verb, "deleted") {
			x.times = 1 // what was done to it before is gone with it
		}
		if a.verb == "edited" && (strings.HasPrefix(old.verb, "created") || strings.HasPrefix(old.verb, "written")) {
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
		return s + "not " + x.verb + ", it failed" + x.out.because()
	case x.times == 1:
		s += x.verb
	default:
		s += fmt.Sprintf("%s (%d calls)", x.verb, x.times)
	}
	switch {
	case !x.out.known:
		s += "; the last call has no result yet"
	case x.out.failed:
		s += "; the last call failed" + x.out.because()
	}
	return s
}

// command is one command line and how it ended last.
type command struct {
	line     string
	times    int
	failures int
	out      outcome
	again    bool // from a digest whose messages follow
}

// String is the command's line in a digest.
func (c command) String() string {
	s := "$ " + c.line + " → " + c.out.String()
	if c.times > 1 {
		s += fmt.Sprintf(", run %d times", c.times)
	}
	if c.failures > 0 && c.failures < c.times {
		s += fmt.Sprintf(", %d failed", c.failures)
	}
	return s
}

// stuck is String with the line that says what went wrong.
func (c command) stuck() string {
	if c.out.line == "" {
		return c.String()
	}
	return c.String() + ": " + message.Line(c.out.line, 200)
}

// lastFailing returns the index of the failing command that ran last, -1 if
// none failed.
func lastFailing(commands []command) int {
	for k := len(commands) - 1; k >= 0; k-- {
		if commands[k].out.failed {
			return k
		}
	}
	return -1
}
