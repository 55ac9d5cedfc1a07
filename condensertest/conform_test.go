package condensertest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

// recorder is a TB that remembers the first failure.
type recorder struct{ failure string }

type stop struct{}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	if r.failure == "" {
		r.failure = fmt.Sprintf(format, args...)
	}
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(stop{})
}

// failureOf runs f and returns what it failed with, "" if it did not.
func failureOf(f func(condensertest.TB)) (failure string) {
	r := &recorder{}
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(stop); !ok {
				panic(p)
			}
		}
		failure = r.failure
	}()
	f(r)
	return r.failure
}

type fakePass struct {
	name string
	plan func(v *transcript.View) ([]transcript.Edit, error)
}

func (p fakePass) Name() string { return p.name }
func (p fakePass) Plan(_ context.Context, v *transcript.View, _ budget.Gauge) ([]transcript.Edit, error) {
	if v.Len() == 0 {
		return nil, nil
	}
	return p.plan(v)
}

// Each law finds the pass that breaks it.
func TestTestPassFindsFaults(t *testing.T) {
	n := 0
	digest := func() message.Message { return condensertest.MustParse(`D"x"`)[0] }
	one := func(v *transcript.View, with ...message.Message) ([]transcript.Edit, error) {
		return v.Changes("fake", transcript.Change{I: 0, J: 1, With: with, Why: "why"}), nil
	}
	for want, p := range map[string]fakePass{
		"no name": {"", nil},
		"boom":    {"fake", func(*transcript.View) ([]transcript.Edit, error) { return nil, errors.New("boom") }},
		"the edits differ": {"fake", func(v *transcript.View) ([]transcript.Edit, error) {
			n++
			return one(v, message.NewUser(fmt.Sprint(n)))
		}},
		"outside the log": {"fake", func(v *transcript.View) ([]transcript.Edit, error) { return []transcript.Edit{{From: 4, To: 4}}, nil }},
		"systems": {"fake", func(v *transcript.View) ([]transcript.Edit, error) {
			if v.At(0).Msg.Kind() != message.KindSystem || v.At(0).Msg.Head().Pinned {
				return nil, nil
			}
			return one(v, digest())
		}},
		"tokens became": {"fake", func(v *transcript.View) ([]transcript.Edit, error) {
			return one(v, v.At(0).Msg, condensertest.MustParse("D:9k")[0])
		}},
		"stands for it": {"fake", func(v *transcript.View) ([]transcript.Edit, error) {
			for i, m := range v.Messages() {
				if m.Kind() == message.KindCustom && !m.Head().Pinned && v.Cuts().At(i) && v.Cuts().At(i+1) {
					return v.Changes("fake", transcript.Change{I: i, J: i + 1}), nil
				}
			}
			return nil, nil
		}},
		"hides c, and nothing": {"fake", func(v *transcript.View) ([]transcript.Edit, error) { // one message is stood for, another is not
			var changes []transcript.Change
			for i, m := range v.Messages() {
				h := m.Head()
				if h.Pinned || h.Atomic || h.Internal || h.Origin != "" || !v.Cuts().At(i) || !v.Cuts().At(i+1) {
					continue
				}
				if u, ok := m.(*message.User); ok && len(changes) == 0 && len(message.PlainText(u)) > 3 {
					changes = append(changes, transcript.Change{I: i, J: i + 1, With: []message.Message{message.WithContent(u, "fake", message.Text("."))}, Why: "short"})
				}
				if m.Kind() == message.KindCustom && len(changes) == 1 {
					return v.Changes("fake", append(changes, transcript.Change{I: i, J: i + 1, Why: "gone"})...), nil
				}
			}
			return nil, nil
		}},
		"on its own result": {"fake", func(v *transcript.View) ([]transcript.Edit, error) {
			for i, m := range v.Messages() {
				if c, ok := m.(*message.Custom); ok && !m.Head().Pinned && !m.Head().Atomic && len(message.PlainText(c)) > 3 {
					short := message.WithContent(c, "fake", message.Text(message.PlainText(c)[:3]+"."[:len(c.Origin)%2]))
					if message.IsEmpty(short) {
						continue
					}
					return v.Changes("fake", transcript.Change{I: i, J: i + 1, With: []message.Message{short}, Why: "short"}), nil
				}
			}
			return nil, nil
		}},
		"the assistant message is empty": {"fake", func(v *transcript.View) ([]transcript.Edit, error) { // drops thinking, and leaves nothing
			for i, m := range v.Messages() {
				blocks := slices.DeleteFunc(slices.Clone(message.Content(m)), func(b message.Block) bool { _, ok := b.(*message.Thinking); return ok })
				if len(blocks) == len(message.Content(m)) || m.Head().Pinned || m.Head().Atomic || message.Signed(m) {
					continue
				}
				return v.Changes("fake", transcript.Change{I: i, J: i + 1, With: []message.Message{message.WithContent(m, "fake", blocks...)}, Why: "no thinking"}), nil
			}
			return nil, nil
		}},
		"pinned": {"fake", func(v *transcript.View) ([]transcript.Edit, error) {
			for i, m := range v.Messages() {
				if r, ok := m.(*message.ToolResult); ok && m.Head().Pinned && !m.Head().Atomic && r.Origin == "" {
					return v.Changes("fake", transcript.Change{I: i, J: i + 1, With: []message.Message{message.WithContent(m, "fake", message.Text("[cleared]"))}, Why: "cleared"}), nil
				}
			}
			return nil, nil
		}},
		"was changed after": {"fake", func(v *transcript.View) ([]transcript.Edit, error) {
			for _, m := range v.Messages() {
				if u, ok := m.(*message.User); ok {
					u.ID += "!"
					u.Pinned = !u.Pinned
				}
			}
			return nil, nil
		}},
	} {
		got := failureOf(func(tb condensertest.TB) { condensertest.TestPass(tb, p) })
		assert.Contains(t, got, want)
	}
	assert.Empty(t, failureOf(func(tb condensertest.TB) { condensertest.TestPass(tb, microcompact.ToolResults{Keep: 1}) }))
}

type fakeRule struct {
	transcript.Pairs
	name   string
	check  func(before, after *transcript.View) []message.Violation
	cuts   func(v *transcript.View) transcript.Cuts
	repair func(v *transcript.View) []transcript.Edit
}

func (r fakeRule) Name() string { return r.name }
func (r fakeRule) Check(before, after *transcript.View) []message.Violation {
	if r.check == nil {
		return nil
	}
	return r.check(before, after)
}
func (r fakeRule) Cuts(v *transcript.View) transcript.Cuts {
	if r.cuts == nil {
		return transcript.AllCuts(v.Len())
	}
	return r.cuts(v)
}
func (r fakeRule) Repair(v *transcript.View) []transcript.Edit {
	if r.repair == nil {
		return nil
	}
	return r.repair(v)
}

func TestTestRuleFindsFaults(t *testing.T) {
	n := 0
	always := func(before, _ *transcript.View) []message.Violation {
		return []message.Violation{{Rule: "r", Problem: "p"}}
	}
	for want, r := range map[string]fakeRule{
		"no name":               {},
		"the violations differ": {name: "r", check: func(_, _ *transcript.View) []message.Violation { n++; return []message.Violation{{Index: n}} }},
		"says too little":       {name: "r", check: func(_, _ *transcript.View) []message.Violation { return []message.Violation{{Index: 0}} }},
		"worse than itself":     {name: "r", check: always},
		"the ends are no cuts":  {name: "r", cuts: func(v *transcript.View) transcript.Cuts { return transcript.AllCuts(v.Len() - 1) }},
		"come to no end": {name: "r", repair: func(v *transcript.View) []transcript.Edit {
			if v.Len() == 0 {
				return nil
			}
			return []transcript.Edit{v.Replace(0, 1, v.At(0).Msg)}
		}},
		"does not fold": {name: "r", repair: func(*transcript.View) []transcript.Edit { return []transcript.Edit{{From: 2, To: 1}} }},
		"is worse": {name: "r", check: func(before, after *transcript.View) []message.Violation {
			if before != nil && before != after {
				return always(before, after)
			}
			return nil
		}, repair: func(v *transcript.View) []transcript.Edit {
			if v.Len() < 2 || len(v.Edits()) > 0 {
				return nil
			}
			return []transcript.Edit{v.Replace(0, 1, v.At(0).Msg)}
		}},
	} {
		assert.Contains(t, failureOf(func(tb condensertest.TB) { condensertest.TestRule(tb, r) }), want)
	}
	for _, r := range append(transcript.StructuralRules(), transcript.Systems{}) {
		assert.Empty(t, failureOf(func(tb condensertest.TB) { condensertest.TestRule(tb, r) }))
	}
}

// lines is a codec for hosts whose messages are "role: text" lines.
type lines struct{ fault string }

func (c lines) Decode(history []string) ([]condenser.Group, error) {
	var groups []condenser.Group
	for _, l := range history {
		role, text, ok := strings.Cut(l, ": ")
		if !ok || c.fault == "decode" || c.fault == "decode again" && strings.Contains(l, "D:") {
			return nil, errors.New("no role")
		}
		var m message.Message = message.NewAssistant(message.Text(text))
		if role == "user" || role == "digest" {
			u := message.NewUser(text)
			if role == "digest" && c.fault != "origin" {
				u.Origin = "summarize"
			}
			m = u
		}
		if role == "result" || role == "cleared" {
			r := message.NewToolResult(message.NewToolCall("1", "read", "{}"), text)
			if role == "cleared" && c.fault != "cleared" {
				r.Origin = "microcompact"
			}
			m = r
		}
		g := condenser.Group{N: 1, Messages: []message.Message{m}}
		switch c.fault {
		case "reach":
			g.N = 99
		case "short":
			g.N = 0
		case "empty":
			g.Messages = nil
		}
		groups = append(groups, g)
	}
	return groups, nil
}

func (c lines) Encode(from []string, now []message.Message) ([]string, error) {
	if c.fault == "encode" && from == nil {
		return nil, errors.New("cannot")
	}
	var out []string
	for _, m := range now {
		role := "agent"
		if m.Kind() == message.KindUser {
			role = "user"
		}
		if m.Head().Origin != "" {
			role = "digest"
		}
		if m.Kind() == message.KindToolResult {
			role = map[bool]string{true: "cleared", false: "result"}[m.Head().Origin != ""]
		}
		text := message.PlainText(m)
		if c.fault == "change" {
			text += "!"
		}
		if c.fault == "from" && from != nil {
			return from, nil
		}
		out = append(out, role+": "+strings.ReplaceAll(text, "\n", " "))
	}
	return out, nil
}

func TestTestCodecFindsFaults(t *testing.T) {
	history := []string{"user: fix it"}
	for i := range 20 {
		history = append(history, fmt.Sprintf("agent: step %d %0200d", i, i))
	}
	history = append(history, "result: ok", "user: go on")
	for fault, want := range map[string]string{"cleared": "(tool_result) was changed by a pass", "decode": "no role", "reach": "reaches beyond", "short": "encoded as it was", "empty": "came back as", "change": "encoded as it was",
		"from": "does not come back as changed", "encode": "a new digest", "origin": "came back as", "": ""} {
		got := failureOf(func(tb condensertest.TB) { condensertest.TestCodec(tb, condenser.Codec[string](lines{fault}), history) })
		if want == "" {
			assert.Empty(t, got)
		} else {
			assert.Contains(t, got, want, fault)
		}
	}
	assert.Contains(t, failureOf(func(tb condensertest.TB) { condensertest.TestCodec(tb, condenser.Codec[string](lines{})) }), "no histories")
}

func TestGuardFindsChanges(t *testing.T) {
	msgs := condensertest.MustParse("u a")
	assert.Contains(t, failureOf(func(tb condensertest.TB) {
		check := condensertest.Guard(tb, msgs)
		msgs[1].(*message.Assistant).Content[0] = message.Text("changed")
		check()
	}), "message 1 (assistant) was changed")
	for _, change := range []func(*message.Meta){
		func(h *message.Meta) { h.ID = "m9" },
		func(h *message.Meta) { h.Turn++ },
		func(h *message.Meta) { h.Time = time.Unix(1, 0) },
		func(h *message.Meta) { h.Internal = true },
	} {
		assert.Contains(t, failureOf(func(tb condensertest.TB) {
			check := condensertest.Guard(tb, msgs)
			change(msgs[0].Head())
			check()
		}), "message 0 (user) was changed")
	}
}

func TestScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(s *condensertest.Script, prompt string) (summarize.Response, error) {
			return s.Invoke(t.Context(), summarize.Request{Prompt: prompt, MaxTokens: 10})
		}
		s := &condensertest.Script{Window: 100, Steps: []condensertest.Step{condensertest.Reply("one"), condensertest.Echo(), condensertest.Delay(time.Hour, condensertest.Giant(50))}}
		_, err := ask(s, strings.Repeat("x", 1000))
		require.ErrorIs(t, err, summarize.ErrTooLong)
		r, err := ask(s, "a")
		require.NoError(t, err)
		assert.Equal(t, "one", r.Text(), "a refused prompt uses up no step")
		r, _ = ask(s, "echo me")
		assert.Equal(t, "echo me", r.Text())
		start := time.Now()
		r, _ = ask(s, "x")
		assert.Equal(t, time.Hour, time.Since(start))
		assert.GreaterOrEqual(t, r.Usage.Output, 50)
		assert.Equal(t, []int{4, 1}, []int{s.Calls(), s.Refused()})
		assert.Len(t, s.Requests(), 4)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = s.Invoke(ctx, summarize.Request{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = ask(condensertest.NewScript(), "x")
		assert.ErrorContains(t, err, "no steps")
		for want, step := range map[summarize.Reason]condensertest.Step{summarize.Blank: condensertest.Blank(), summarize.ThinkingOnly: condensertest.ThinkingOnly(),
			summarize.Refused: condensertest.Refusal(), summarize.CutOff: condensertest.CutOff(), summarize.ToolCalled: condensertest.ToolCall()} {
			_, reason := summarize.Accept(ask(condensertest.NewScript(step), "x"))
			assert.Equal(t, want, reason)
		}
		assert.Panics(t, func() { _, _ = ask(condensertest.NewScript(condensertest.Panic()), "x") })
	})
}

// The generator makes every shape, from random numbers and from fuzz bytes.
func TestGeneratorShapes(t *testing.T) {
	seen := map[condensertest.Shape]int{}
	n := 3000
	for i := range n {
		state := uint64(i + 1)
		src := func(n int) int {
			state ^= state << 13
			state ^= state >> 7
			state ^= state << 17
			return int(state % uint64(n))
		}
		for _, s := range condensertest.Shapes(condensertest.Generator{}.Transcript(src)) {
			seen[s]++
		}
	}
	for _, s := range condensertest.AllShapes() {
		assert.GreaterOrEqual(t, seen[s]*100, n, "%s", s)
	}
	huge := condensertest.Generator{Huge: 2, Valid: true}.Transcript(condensertest.FromBytes([]byte("some fuzz input, long enough for a few steps of a transcript")))
	assert.Empty(t, message.Validate(condensertest.Generator{Valid: true}.Transcript(condensertest.FromBytes(nil)), message.Portable))
	assert.Contains(t, condensertest.Shapes(huge), condensertest.Shape("text over 16 kB"))
}

func FuzzPipeline(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"))
	f.Add([]byte("a session of the fuzzer"))
	f.Fuzz(func(t *testing.T, data []byte) {
		src := condensertest.FromBytes(data)
		msgs := condensertest.Generator{}.Transcript(src)
		l := transcript.NewLog()
		require.NoError(t, l.Append(msgs...))
		p := condenser.Default(condenser.Deps{Card: budget.ModelCard{ContextWindow: 2500 + src(4000)}, Observe: func(context.Context, condenser.Report) {}})
		_, err := p.Condense(t.Context(), l, condenser.Call{Cause: condenser.Manual})
		require.NoError(t, err)
		condensertest.CheckLog(t, l)
	})
}
