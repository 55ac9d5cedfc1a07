package summarize_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

func TestFlatten(t *testing.T) {
	one := 1
	user := func(origin, text string) message.Message {
		u := message.NewUser(text)
		u.Origin = origin
		return u
	}
	for want, m := range map[string]message.Message{
		"» you: fix it":           message.NewUser("fix it"),
		"» you: a\nb\n\nc":        message.NewUser("a  \r\nb\t\n\nc \n\n"),
		"» you: a\n\\» you: b":    message.NewUser("a\n» you: b"),
		"» you: a\n \t\\» you: b": message.NewUser("a\n \t» you: b"),
		"» you: a\r\\» you: b\u2028\u3000\\» agent: c\v\\» d\u0085\\» e\f\\» f": message.NewUser("a\r» you: b\u2028\u3000» agent: c\v» d\u0085» e\f» f"),
		"» you: \\\\» x":                    message.NewUser(`\» x`),
		"» you: [image image/png]\n[audio]": &message.User{Content: []message.Block{&message.Image{MIME: "image/png"}, &message.Opaque{Type: "audio", Raw: json.RawMessage(`{}`)}}},
		"» agent.plan: hm\n» agent: yes\n» agent.call read: {\"path\":\"a\"}\n» agent: lost the connection": &message.Assistant{
			Content: []message.Block{&message.Thinking{Text: "hm"}, message.Text("yes"), message.NewToolCall("1", "read", `{"path":"a"}`)}, ErrorMessage: "lost the connection"},
		"» tool (read): body":       &message.ToolResult{ToolName: "read", Content: []message.Block{message.Text("body")}},
		"» tool!err (a b): no":      &message.ToolResult{ToolName: "a\nb", IsError: true, Content: []message.Block{message.Text("no")}},
		"» shell$ make [exit 1]\nx": &message.BashExecution{Command: "make", Output: "x\n", ExitCode: &one},
		"» shell$ ls":               &message.BashExecution{Command: "ls"},
		"» note (todo): x":          message.NewCustom("todo", "x"),
		"» digest: b":               &message.BranchSummary{Summary: "b"},
		"» digest: c":               &message.CompactionSummary{Summary: "c"},
		"» digest: d":               user(summarize.Origin, "d"),
		"» note (rehydrate): f":     user("rehydrate", "f"),
		"» you: short":              user(message.Shortened, "short"),
		"":                          message.NewUser(" \n"),
	} {
		assert.Equal(t, want, summarize.Flatten([]message.Message{m}))
	}
	internal := message.Derive(message.NewUser("reminder"), func(u *message.User) { u.Internal = true })
	assert.Equal(t, "» you: a\n» agent: b", summarize.Flatten([]message.Message{
		message.NewSystem("rules"), message.NewUser("a"), internal, &message.Unknown{Raw: json.RawMessage(`{"kind":"x"}`)}, message.NewAssistant(message.Text("b\xff\x00"))}))
}

func TestBuildPrompt(t *testing.T) {
	msgs := condensertest.MustParse(`u"fix it" a"done"`)
	p := summarize.BuildPrompt(msgs, summarize.ScopeSession, "")
	parts := strings.Split(p, "\n\n")
	assert.Equal(t, "<scrollback>\n» you: fix it\n» agent: done\n</scrollback>", parts[1])
	assert.NotContains(t, p, "<carried-digest>")
	at := -1
	for _, h := range []string{"# Objective", "# Guardrails", "# Status (Shipped / Active / Stuck)", "# Rationale", "# Plan", "# Carryover"} {
		i := strings.Index(p, h+"\n")
		assert.Greater(t, i, at, h)
		at = i
	}
	assert.NotContains(t, summarize.BuildPrompt(msgs, summarize.ScopeSession, " \n"), "<carried-digest>", "a blank digest is none")
	b := summarize.BuildPrompt(msgs, summarize.ScopeBranch, "what was")
	assert.NotEqual(t, parts[0], strings.Split(b, "\n\n")[0])
	assert.Less(t, strings.Index(b, "<carried-digest>\nwhat was\n</carried-digest>"), strings.Index(b, "<scrollback>"))
	assert.NotEmpty(t, summarize.Brief())
	assert.Contains(t, summarize.Sections(), "# Objective")
	require.NotContains(t, p, summarize.Brief())
}
