package rehydrate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/rehydrate"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

func paths(msgs []message.Message) string {
	var out []string
	for _, m := range msgs {
		if p, ok := rehydrate.RestoredPath(m); ok {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// read is a call and its result.
func read(id, tool, input, body string) []message.Message {
	c := message.NewToolCall(id, tool, input)
	return []message.Message{message.NewAssistant(c), message.NewToolResult(c, body)}
}

func join(lists ...[]message.Message) (all []message.Message) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func TestRecentReads(t *testing.T) {
	file := func(n int, body string) []message.Message {
		return read(fmt.Sprint("c", n), "read", fmt.Sprintf(`{"path":"f%d.go"}`, n), body)
	}
	failed := func(n int) []message.Message {
		msgs := file(n, "no such file")
		msgs[1].(*message.ToolResult).IsError = true
		return msgs
	}
	many := join(file(0, "a"), file(1, "b"), file(2, "c"), file(3, "d"), file(4, "e"), file(5, "f"))
	o := rehydrate.Options{MaxFiles: 5, TokenBudget: 8000, Tool: "read"}
	for name, c := range map[string]struct {
		dropped, kept []message.Message
		o             rehydrate.Options
		want          string
	}{
		"nothing":                    {nil, nil, o, ""},
		"the newest five":            {many, nil, o, "f1.go f2.go f3.go f4.go f5.go"},
		"as many as said":            {many, nil, rehydrate.Options{MaxFiles: 2, TokenBudget: 8000, Tool: "read"}, "f4.go f5.go"},
		"none":                       {many, nil, rehydrate.Options{TokenBudget: 8000, Tool: "read"}, ""},
		"up to the first too large":  {join(file(1, "x"), file(2, strings.Repeat("x", 9000)), file(3, "x")), nil, rehydrate.Options{MaxFiles: 5, TokenBudget: 100, Tool: "read"}, "f3.go"},
		"the newest, however large":  {join(file(1, "x"), file(2, strings.Repeat("x", 99_000))), nil, o, "f2.go"},
		"the freshest body":          {join(file(1, "old"), file(2, "x"), file(1, "new")), nil, o, "f2.go f1.go"},
		"what is still seen stays":   {many, file(5, "f"), o, "f0.go f1.go f2.go f3.go f4.go"},
		"an error shows nothing":     {many[10:], failed(5), o, "f5.go"},
		"nor does a cleared body":    {many[10:], file(5, microcompact.ClearedToolResult), o, "f5.go"},
		"errors are not restored":    {join(file(1, "good"), failed(1), failed(2)), nil, o, "f1.go"},
		"nor what is blank":          {file(1, " \n"), nil, o, ""},
		"nor what was cleared":       {file(1, microcompact.ClearedToolResult), nil, o, ""},
		"nor a result without call":  {many[1:2], nil, o, ""},
		"another tool":               {read("1", "grep", `{"path":"a"}`, "x"), nil, o, ""},
		"path alone, as documented":  {read("1", "read", `{"file":"a"}`, "x"), nil, o, ""},
		"other keys, in their order": {join(read("1", "read", `{"file":"a","file_path":"b"}`, "x"), read("2", "read", `{"filePath":"c","path":""}`, "x"), read("3", "read", `{"path":7,"file":"d"}`, "x")), nil, rehydrate.Defaults(), "b c d"},
		"no JSON":                    {read("1", "read", `{"path":"a`, "x"), nil, rehydrate.Defaults(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := rehydrate.RecentReads(c.dropped, c.kept, c.o)
			assert.Equal(t, c.want, paths(got))
		})
	}
	got := rehydrate.RecentReads(join(file(1, "old"), file(1, "new")), nil, o)
	assert.Equal(t, "[Restored file after compaction] f1.go\nnew", message.PlainText(got[0]))
	assert.Equal(t, rehydrate.Origin, got[0].Head().Origin)
	_, ok := rehydrate.RestoredPath(message.NewUser(message.PlainText(got[0])))
	assert.False(t, ok, "known by its Origin, not by its text")
}

// folded is a log whose first n messages stand as a digest.
func folded(t *testing.T, msgs []message.Message, n int) *transcript.View {
	v, err := transcript.Fold(msgs)
	require.NoError(t, err)
	v, err = v.With(v.Replace(0, n, condensertest.MustParse("D")...))
	require.NoError(t, err)
	return v
}

func plan(t *testing.T, p rehydrate.Reads, v *transcript.View, window int) *transcript.View {
	g := budget.Basis{Card: budget.ModelCard{ContextWindow: window}, Policy: budget.AutoCondensePolicy()}.Gauge(v.Messages(), nil)
	edits, err := p.Plan(context.Background(), v, g)
	require.NoError(t, err)
	after, err := v.With(edits...)
	require.NoError(t, err)
	condensertest.Check(t, after)
	again, err := p.Plan(context.Background(), after, g.For(after.Messages()))
	require.NoError(t, err)
	require.Empty(t, again, "it does not run twice on one digest")
	return after
}

func TestReads(t *testing.T) {
	head := join(read("1", "Read", `{"file_path":"a.go"}`, strings.Repeat("a", 2000)), read("2", "read", `{"path":"b.go"}`, "b"), read("3", "read", `{"path":"c.go"}`, "c"))
	tail := condensertest.MustParse("u")
	v := folded(t, join(head, tail), 6)
	after := plan(t, rehydrate.Reads{}, v, 20_000)
	assert.Equal(t, "D F F F u", condensertest.Show(after.Messages()))
	assert.Equal(t, "a.go b.go c.go", paths(after.Messages()))
	assert.Equal(t, "files read last", after.Edits()[1].Why)

	assert.Equal(t, "b.go c.go", paths(plan(t, rehydrate.Reads{MaxFiles: 2}, v, 20_000).Messages()))
	assert.Equal(t, "b.go c.go", paths(plan(t, rehydrate.Reads{Tokens: 200}, v, 20_000).Messages()), "what is too large is passed over")
	assert.Equal(t, "b.go c.go", paths(plan(t, rehydrate.Reads{}, v, 2900).Messages()), "never beyond the target")
	assert.Equal(t, "", paths(plan(t, rehydrate.Reads{MaxFiles: -1}, v, 20_000).Messages()))
	assert.Equal(t, "", paths(plan(t, rehydrate.Reads{Tokens: -1}, v, 20_000).Messages()))
	assert.Equal(t, "", paths(plan(t, rehydrate.Reads{Tools: []string{"view"}}, v, 20_000).Messages()))
	assert.Equal(t, "b.go c.go", paths(plan(t, rehydrate.Reads{PathKeys: []string{"path"}}, v, 20_000).Messages()))

	short := folded(t, join(head[2:6], tail), 4)
	assert.Equal(t, "b.go c.go", paths(plan(t, rehydrate.Reads{Shorter: true}, short, 20_000).Messages()))
	assert.Equal(t, "c.go", paths(plan(t, rehydrate.Reads{Shorter: true}, folded(t, join(head[1:2], head[4:6], tail), 3), 20_000).Messages()), "the view gets shorter")
}

// D5: what was cleared before the digest was made comes back whole.
func TestReadsFromOriginals(t *testing.T) {
	v, err := transcript.Fold(join(read("1", "read", `{"path":"a.go"}`, "package a"), condensertest.MustParse("u")))
	require.NoError(t, err)
	v, err = v.With(v.Replace(1, 2, message.WithContent(v.At(1).Msg, microcompact.Origin, message.Text(microcompact.ClearedToolResult))))
	require.NoError(t, err)
	v, err = v.With(v.Replace(0, 2, condensertest.MustParse("D")...))
	require.NoError(t, err)
	after := plan(t, rehydrate.Reads{}, v, 20_000)
	assert.Contains(t, message.PlainText(after.At(1).Msg), "package a")
}

func TestStaleBodiesStayAway(t *testing.T) {
	a := read("1", "read", `{"path":"a.go"}`, "old")
	b := read("2", "read", `{"path":"b.go"}`, "fine")
	edit := read("3", "str_replace", `{"path":"a.go"}`, "ok")
	v := folded(t, join(a, b, edit, condensertest.MustParse("u")), 6)
	assert.Equal(t, "b.go", paths(plan(t, rehydrate.Reads{}, v, 20_000).Messages()), "a.go was changed after it was read")
	v = folded(t, join(a, b, condensertest.MustParse("u"), edit), 4)
	assert.Equal(t, "b.go", paths(plan(t, rehydrate.Reads{}, v, 20_000).Messages()), "also behind the digest")
	failed := read("3", "str_replace", `{"path":"a.go"}`, "no such text")
	failed[1].(*message.ToolResult).IsError = true
	v = folded(t, join(a, b, failed, condensertest.MustParse("u")), 6)
	assert.Equal(t, "a.go b.go", paths(plan(t, rehydrate.Reads{}, v, 20_000).Messages()), "a call that failed changed nothing")
	v = folded(t, join(edit, a, read("4", "grep", `{"path":"a.go"}`, "x"), condensertest.MustParse("u")), 6)
	assert.Equal(t, "a.go", paths(plan(t, rehydrate.Reads{}, v, 20_000).Messages()))
	v = folded(t, join(a, condensertest.MustParse("u"), read("5", "read", `{"path":"a.go"}`, "new")), 2)
	assert.Equal(t, "", paths(plan(t, rehydrate.Reads{}, v, 20_000).Messages()), "a read behind the digest shows it")
}

func TestNoDigestNoFiles(t *testing.T) {
	for _, log := range []string{"", "u a(1) r1 u", "D u a(1) r1 u"} {
		v, err := transcript.Fold(condensertest.MustParse(log))
		require.NoError(t, err)
		assert.Same(t, v, plan(t, rehydrate.Reads{}, v, 20_000))
	}
}

func TestSentinelsAgree(t *testing.T) {
	// The packages do not import each other; what one writes the other knows.
	v := folded(t, join(read("1", "read", `{"path":"a.go"}`, microcompact.ClearedToolResult), condensertest.MustParse("u")), 2)
	assert.Same(t, v, plan(t, rehydrate.Reads{}, v, 20_000))
	assert.Equal(t, summarize.Origin, condensertest.MustParse("D")[0].Head().Origin)
	assert.Equal(t, rehydrate.Origin, condensertest.MustParse("F")[0].Head().Origin)
}

func TestReadsConform(t *testing.T) {
	condensertest.TestPass(t, rehydrate.Reads{}, condensertest.Grows)
}
