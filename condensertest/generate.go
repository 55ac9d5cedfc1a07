package condensertest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/condenser-go/condenser/message"
)

// Source draws a number from [0, n). Adapt it to what drives the test:
//
//	src := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") } // rapid
//	src := condensertest.FromBytes(data)                                  // go test -fuzz
//	src := rand.New(rand.NewPCG(1, 2)).IntN                               // a loop
type Source func(n int) int

// FromBytes draws from the bytes of a fuzz input; once they are used up every
// draw is 0.
func FromBytes(data []byte) Source {
	return func(n int) int {
		v := 0
		for size := n - 1; size > 0 && len(data) > 0; size >>= 8 {
			v = v<<8 | int(data[0])
			data = data[1:]
		}
		return v % n
	}
}

// Generator makes transcripts of every shape the library must survive:
// parallel, pending, unanswered and orphaned calls, ids that recur,
// signed and unsigned thinking, images, empty and huge content, CJK, emoji, invalid UTF-8, no user
// at all. The zero value is ready.
type Generator struct {
	Valid bool // only what message.Validate accepts under the portable profile
	Steps int  // at most so many steps (a step is 1 to 10 messages); 0 means 14
	Huge  int  // so many messages get a text of 10 MB
}

// Transcript draws one transcript.
func (g Generator) Transcript(src Source) []message.Message {
	d := drawer{src: src, valid: g.Valid, reuse: src(3) == 0, users: g.Valid || src(8) != 0}
	if src(3) == 0 {
		d.add(message.NewSystem("You are a coding agent."))
	}
	if g.Valid {
		d.add(message.NewUser(d.text()))
	}
	steps := g.Steps
	if steps == 0 {
		steps = 14
	}
	for range src(steps + 1) {
		d.step()
	}
	if g.Valid {
		d.add(message.NewUser(d.text()))
	} else if src(4) == 0 {
		d.add(d.meta(&message.Assistant{Content: d.calls(1 + src(3))})) // still running
	}
	for i := 0; i < g.Huge && len(d.msgs) > 0; i++ {
		d.enlarge(src(len(d.msgs)))
	}
	return d.msgs
}

type drawer struct {
	src    Source
	valid  bool
	reuse  bool // call ids begin anew at every step
	users  bool // there are user messages
	nextID int
	msgs   []message.Message
}

func (d *drawer) add(m ...message.Message) { d.msgs = append(d.msgs, m...) }

func (d *drawer) step() {
	switch k := d.src(16); {
	case k < 3:
		if d.users {
			u := &message.User{Content: d.content()}
			u.Internal = d.src(8) == 0
			d.add(d.meta(u))
		}
	case k < 5:
		d.add(d.meta(&message.Assistant{Content: d.thought(d.content())}))
		if d.valid {
			d.add(message.NewUser(d.text()))
		}
	case k < 11:
		d.toolStep()
	case k == 11:
		code := d.src(2)
		d.add(d.meta(&message.BashExecution{Command: "go test ./...", Output: d.text(), ExitCode: &code}))
	case k == 12:
		d.add(d.meta(&message.Custom{CustomType: "note", Content: d.content()}))
	case k == 13:
		d.add(d.meta(&message.BranchSummary{Summary: d.text(), FromID: "m1"}))
	case k == 14:
		d.add(d.meta(&message.CompactionSummary{Summary: d.text(), TokensBefore: d.src(9999)}))
	default:
		if d.src(2) == 0 {
			d.add(d.meta(message.NewSystem("Note: " + d.text())))
		} else {
			raw := json.RawMessage(`{"kind":"checkpoint","state":[1,{"a":null}]}`)
			d.add(&message.Unknown{Raw: raw})
		}
	}
}

// toolStep adds an assistant message with calls and their results, damaged in
// one of the known ways unless the transcript is to be valid.
func (d *drawer) toolStep() {
	a := &message.Assistant{Content: d.calls(1 + d.src(4)*d.src(2))}
	if d.src(5) == 0 {
		t := &message.Thinking{Text: d.text(), Signature: "sig-" + fmt.Sprint(d.nextID)}
		a.Content = append([]message.Block{t}, a.Content...)
	} else {
		a.Content = d.thought(a.Content)
	}
	d.add(d.meta(a))
	var results []message.Message
	for _, c := range message.Calls(a) {
		r := message.NewToolResult(c, d.text())
		r.IsError = d.src(6) == 0
		results = append(results, d.meta(r))
	}
	if !d.valid {
		results = d.damage(results)
	}
	d.add(results...)
	if d.valid && d.src(3) == 0 {
		d.add(message.NewUser(d.text()))
	}
}

// thought puts unsigned thinking in front of what an agent says, or in its place.
func (d *drawer) thought(blocks []message.Block) []message.Block {
	switch d.src(16) {
	case 0:
		return append([]message.Block{&message.Thinking{Text: d.text()}}, blocks...)
	case 1:
		for _, b := range blocks {
			if _, ok := b.(*message.ToolCall); ok {
				return blocks
			}
		}
		return []message.Block{&message.Thinking{Text: "Perhaps the build is broken. " + d.text()}}
	}
	return blocks
}

func (d *drawer) damage(results []message.Message) []message.Message {
	k := d.src(len(results))
	switch d.src(14) {
	case 0: // one call stays unanswered
		return append(results[:k:k], results[k+1:]...)
	case 1: // a result comes twice
		return append(results, message.Derive(results[k], func(message.Message) {}))
	case 2: // a result of a call that is not there
		return append(results, message.NewToolResult(message.NewToolCall("lost", "read", "{}"), d.text()))
	case 3: // the user speaks before the results
		return append([]message.Message{message.NewUser(d.text())}, results...)
	case 4: // something stands between the results
		note := message.NewCustom("note", d.text())
		return append(append(results[:k:k], note), results[k:]...)
	}
	return results
}

func (d *drawer) calls(n int) []message.Block {
	if d.reuse {
		d.nextID = 0
	}
	var blocks []message.Block
	if d.src(3) == 0 {
		blocks = append(blocks, message.Text("Let me look."))
	}
	for i := range n {
		id := fmt.Sprintf("call_%d", d.nextID)
		if d.valid || d.src(40) != 0 { // else the next call gets the same id
			d.nextID++
		}
		tool := tools[d.src(len(tools))]
		input := fmt.Sprintf(tool.input, d.src(5))
		if !d.valid && d.src(30) == 0 {
			input = input[:len(input)-2] // cut off
		}
		c := message.NewToolCall(id, tool.name, input)
		if i == 0 && d.src(30) == 0 {
			c.Signature = "thought"
		}
		blocks = append(blocks, c)
	}
	return blocks
}

var tools = [...]struct{ name, input string }{
	{"read", `{"path":"src/f%d.go"}`},
	{"bash", `{"command":"go test ./pkg%d"}`},
	{"edit", `{"path":"src/f%d.go","old":"a","new":"b"}`},
	{"write", `{"file_path":"docs/n%d.md","content":"text"}`},
	{"grep", `{"pattern":"func f%d"}`},
	{"todo", `{"todos":[{"content":"step %d","status":"pending"}]}`},
}

func (d *drawer) content() []message.Block {
	if !d.valid && d.src(12) == 0 {
		return nil
	}
	var blocks []message.Block
	for range 1 + d.src(2)*d.src(2) {
		switch d.src(10) {
		case 0:
			blocks = append(blocks, &message.Image{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")})
		case 1:
			blocks = append(blocks, &message.Opaque{Type: "audio", Raw: json.RawMessage(`{"type":"audio","ref":"a1"}`)})
		default:
			blocks = append(blocks, message.Text(d.text()))
		}
	}
	return blocks
}

// text draws a text of 0 B to some 40 kB.
func (d *drawer) text() string {
	k := d.src(20)
	if d.valid && k < 4 {
		k = 4
	}
	switch k {
	case 0:
		return ""
	case 1:
		return " \n\t"
	case 2:
		return "torn \xff\xfe bytes \xed\xa0\x80 and a NUL \x00."
	case 3:
		return "line one\r\nline two  \r\n</scrollback> still text"
	case 4:
		return "请把构建修好，不要改动公共接口。ビルドを直してください。"
	case 5:
		return "done 👍🏽 — naïve café 🧑‍🚀"
	case 6:
		return strings.Repeat("ok\tpkg/a\t0.01s\n", 1+d.src(80))
	case 7:
		return strings.Repeat("func f() error { return nil } // line\n", 1+d.src(1000))
	case 8:
		return strings.Repeat("x", 1+d.src(3000))
	case 9:
		return "FAIL pkg/b\nerror: undefined: frobnicate\nexit status 1"
	}
	return fmt.Sprintf("Please look at src/f%d.go and tell me why test %d fails.", d.src(9), d.src(99))
}

// meta draws the flags a host may set.
func (d *drawer) meta(m message.Message) message.Message {
	h := m.Head()
	h.ID = fmt.Sprintf("m%d", len(d.msgs))
	switch d.src(30) {
	case 0:
		h.Pinned = true
	case 1:
		h.Atomic = true
	case 2:
		h.Turn = 1 + d.src(9)
	case 3:
		h.Extra = json.RawMessage(`{"x_host":{"n":18446744073709551615}}`)
	}
	return m
}

var tenMB = strings.Repeat("0123456789abcdef", 10<<20/16)

func (d *drawer) enlarge(i int) {
	if len(message.Content(d.msgs[i])) == 0 {
		return
	}
	if _, call := d.msgs[i].(*message.Assistant); call {
		return
	}
	d.msgs[i] = message.Derive(d.msgs[i], func(m message.Message) {
		message.Content(m)[0] = message.Text(tenMB)
	})
}
