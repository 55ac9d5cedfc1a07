package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// session is a script: play tells a recorder, in order, what was there, said
// and done.
type session struct {
	name      string
	start     time.Time // of the first message
	unmetered bool      // replies carry no usage
	play      func(r *recorder)
}

// recorder carries a script out and keeps the transcript. After an error it
// does nothing any more; err is that error.
type recorder struct {
	*workspace
	session
	now      time.Time
	turn     int
	calls    int
	reported int // tokens of the prompt of the last reply
	msgs     []message.Message
	err      error
}

// record returns the transcript of s.
func record(m *machine, s session) ([]message.Message, error) {
	w, err := newWorkspace(m, s.name)
	if err != nil {
		return nil, err
	}
	r := &recorder{workspace: w, session: s, now: s.start}
	s.play(r)
	return r.msgs, r.err
}

// seed puts a file into the workspace before, or beside, the session.
func (r *recorder) seed(path, content string) {
	if r.err == nil {
		r.err = writeFile(r.local(path), []byte(content))
	}
}

// seedRepo puts this repository's Go files below the given folders into the
// workspace, without its tests.
func (r *recorder) seedRepo(folders ...string) {
	if r.err == nil {
		r.err = r.machine.copyRepo(r.dir, func(p string) bool {
			return strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go")
		}, folders...)
	}
}

// setup runs a shell command that is no part of the transcript.
func (r *recorder) setup(command string) {
	if r.err != nil {
		return
	}
	if out, code, err := r.shell(command); err != nil || code != 0 {
		r.err = fmt.Errorf("%s: exit status %d: %v\n%s", command, code, err, out)
	}
}

// add appends a message and fills in what all of them have.
func (r *recorder) add(m message.Message, after time.Duration) {
	r.now = r.now.Add(after)
	h := m.Head()
	h.ID = fmt.Sprintf("%s-%03d", r.name, len(r.msgs)+1)
	h.Time = r.now
	h.Turn = r.turn
	r.msgs = append(r.msgs, m)
}

// system says what the host tells the model.
func (r *recorder) system(text string) {
	if r.err == nil {
		r.add(message.NewSystem(text), 0)
	}
}

// user begins a turn.
func (r *recorder) user(text string) *message.User {
	u := message.NewUser(text)
	if r.err == nil {
		r.turn++
		r.add(u, 95*time.Second)
	}
	return u
}

// note adds an entry of another kind.
func (r *recorder) note(m message.Message) {
	if r.err == nil {
		r.add(m, 12*time.Second)
	}
}

// userRuns runs a command as the user does, beside the agent.
func (r *recorder) userRuns(command string, want int) {
	if r.err != nil {
		return
	}
	out, code, err := r.shell(command)
	if err != nil || code != want {
		r.err = fmt.Errorf("%s: exit status %d, and the script says %d: %v\n%s", command, code, want, err, out)
		return
	}
	r.add(message.NewBashExecution(command, out, code), 40*time.Second)
}

// says adds a reply, carries its calls out and adds what they printed.
func (r *recorder) says(text string, calls ...*call) *message.Assistant {
	return r.replies(nil, text, calls...)
}

// replies is says with reasoning before the text.
func (r *recorder) replies(thinking *message.Thinking, text string, calls ...*call) *message.Assistant {
	a := &message.Assistant{Model: "scripted", StopReason: "end_turn"}
	if r.err != nil {
		return a
	}
	if thinking != nil {
		a.Content = append(a.Content, thinking)
	}
	if text != "" {
		a.Content = append(a.Content, message.Text(text))
	}
	var asked []*message.ToolCall
	for _, c := range calls {
		r.calls++
		asked = append(asked, message.NewToolCall(fmt.Sprintf("%s_call_%03d", r.name, r.calls), c.tool, c.arguments()))
		a.Content = append(a.Content, asked[len(asked)-1])
		a.StopReason = "tool_use"
	}
	if !r.unmetered {
		a.Usage = r.usage(a)
	}
	r.add(a, time.Duration(4+len(text)/60)*time.Second)
	for i, c := range calls {
		r.answer(asked[i], c)
	}
	return a
}

// usage returns what a provider might report for a: the library's estimates,
// as if the prompt of the reply before had been cached.
func (r *recorder) usage(a *message.Assistant) *message.Usage {
	prompt := budget.EstimateTokens(r.msgs)
	u := &message.Usage{Input: prompt - r.reported, Output: budget.EstimateMessageTokens(a), CacheRead: r.reported}
	r.reported = prompt
	return u
}

func (r *recorder) answer(asked *message.ToolCall, c *call) {
	if r.err != nil {
		return
	}
	got := c.run(r.workspace)
	if r.err = c.check(got); r.err != nil {
		return
	}
	if strings.TrimSpace(got.text) == "" && got.image == nil {
		got.text = "(no output)"
	}
	result := message.NewToolResult(asked, got.text)
	result.IsError = got.failed
	if got.image != nil {
		result.Content = []message.Block{&message.Image{MIME: "image/png", Data: got.image}}
	}
	r.add(result, time.Second)
}
