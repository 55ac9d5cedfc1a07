package microcompact_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/transcript"
)

func plan(t testing.TB, p microcompact.ToolResults, log string, window int, cause budget.Cause) *transcript.View {
	v, err := transcript.Fold(condensertest.MustParse(log))
	require.NoError(t, err)
	g := budget.Basis{Card: budget.ModelCard{ContextWindow: window}, Policy: budget.AutoCondensePolicy(), Cause: cause}.Gauge(v.Messages(), nil)
	edits, err := p.Plan(context.Background(), v, g)
	require.NoError(t, err)
	after, err := v.With(edits...)
	require.NoError(t, err)
	condensertest.Check(t, after)
	return after
}

func TestToolResults(t *testing.T) {
	four := "u a(1) r1:4k a(2) r2:4k a(3) r3:4k a(4) r4:4k u"
	for name, c := range map[string]struct {
		pass   microcompact.ToolResults
		log    string
		window int
		cause  budget.Cause
		want   string
	}{
		"oldest first, until the need is met": {microcompact.ToolResults{Keep: 1}, four, 6500, 0, "u a(1) r1~ a(2) r2~ a(3) r3 a(4) r4 u"},
		"below the trigger":                   {microcompact.ToolResults{Keep: 1}, four, 9000, 0, "u a(1) r1 a(2) r2 a(3) r3 a(4) r4 u"},
		"keep is kept":                        {microcompact.ToolResults{Keep: 3}, four, 4096, 0, "u a(1) r1~ a(2) r2 a(3) r3 a(4) r4 u"},
		"six by default":                      {microcompact.ToolResults{}, four, 4096, 0, "u a(1) r1 a(2) r2 a(3) r3 a(4) r4 u"},
		"none kept":                           {microcompact.ToolResults{Keep: -1}, four, 4096, 0, "u a(1) r1~ a(2) r2~ a(3) r3~ a(4) r4~ u"},
		"all, whatever the need":              {microcompact.ToolResults{Keep: 1, All: true}, four, 9000, 0, "u a(1) r1~ a(2) r2~ a(3) r3~ a(4) r4 u"},
		"the user asked":                      {microcompact.ToolResults{Keep: 1}, four, 90_000, budget.Manual, "u a(1) r1~ a(2) r2~ a(3) r3~ a(4) r4 u"},
		"parallel results count each":         {microcompact.ToolResults{Keep: 2}, "u a(1,2,3) r1:4k r2:4k r3:4k", 4096, 0, "u a(1,2,3) r1~ r2 r3"},
		"pinned and atomic stay":              {microcompact.ToolResults{Keep: -1}, "u a(1,2,3) r1*:4k r2^:4k r3:4k", 4096, 0, "u a(1,2,3) r1* r2^ r3~"},
		"small ones stay":                     {microcompact.ToolResults{Keep: -1}, "u a(1,2) r1:10 r2:9k", 4096, 0, "u a(1,2) r1 r2~"},
		"other tools stay":                    {microcompact.ToolResults{Keep: -1}, "u a(1=todo,2=READ) r1:9k r2:9k", 4096, 0, "u a(1=todo,2=READ) r1 r2~"},
		"tools by name":                       {microcompact.ToolResults{Keep: -1, Tools: []string{"Todo"}}, "u a(1=todo,2) r1:9k r2:9k", 4096, 0, "u a(1=todo,2) r1~ r2"},
		"no owner":                            {microcompact.ToolResults{Keep: -1}, "u r1:9k u:9k", 4096, 0, "u r1 u"},
		"ids recur: each has its own owner":   {microcompact.ToolResults{Keep: -1}, "u a(1=todo) r1:9k a(1) r1:9k", 4096, 0, "u a(1=todo) r1 a(1) r1~"},
		"a second answer has the same owner":  {microcompact.ToolResults{Keep: -1}, "u a(1) r1:9k r1:9k", 4096, 0, "u a(1) r1~ r1~"},
	} {
		t.Run(name, func(t *testing.T) {
			after := plan(t, c.pass, c.log, c.window, c.cause)
			assert.Equal(t, c.want, condensertest.Show(after.Messages()))
			for _, m := range after.Messages() {
				if m.Head().Origin != "" {
					assert.Equal(t, "[Old tool result content cleared]", message.PlainText(m))
				}
			}
		})
	}
	after := plan(t, microcompact.ToolResults{Keep: -1, Placeholder: "gone"}, "u a(1) r1:9k", 4096, 0)
	assert.Equal(t, "gone", message.PlainText(after.At(2).Msg))
	assert.Equal(t, "stale result", after.Edits()[0].Why)
	assert.Equal(t, microcompact.Origin, after.Edits()[0].Pass)
}

func TestToolResultsConform(t *testing.T) {
	condensertest.TestPass(t, microcompact.ToolResults{})
	condensertest.TestPass(t, microcompact.ToolResults{Keep: -1, All: true, Placeholder: "(cleared)"})
}

func TestClearStaleToolResults(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		keep int
		want string // "" if nothing changes
	}{
		"keeps the newest":          {"a(1) r1 a(2) r2 a(3) r3", 2, "a(1) r1~ a(2) r2 a(3) r3"},
		"at least one":              {"a(1) r1 a(2) r2", 0, "a(1) r1~ a(2) r2"},
		"all are kept":              {"a(1) r1 a(2) r2", 6, ""},
		"control tools":             {"a(1=todo) r1 a(2) r2 a(3=memory) r3", 1, ""},
		"case matters":              {"a(1=Read) r1 a(2) r2 a(3) r3", 1, "a(1=Read) r1 a(2) r2~ a(3) r3"},
		"a result without its call": {"r9 a(2) r2 a(3) r3", 1, "r9 a(2) r2~ a(3) r3"},
		"empty":                     {"", 1, ""},
		"pinned too, as documented": {"a(1) r1* a(2) r2", 1, "a(1) r1*~ a(2) r2"},
	} {
		t.Run(name, func(t *testing.T) {
			msgs := condensertest.MustParse(c.log)
			unchanged := condensertest.Guard(t, msgs)
			out, changed := microcompact.ClearStaleToolResults(msgs, c.keep)
			unchanged()
			assert.Equal(t, c.want != "", changed)
			if !changed {
				assert.Equal(t, fmt.Sprintf("%p", msgs), fmt.Sprintf("%p", out))
				return
			}
			assert.Equal(t, c.want, condensertest.Show(out))
			again, changed := microcompact.ClearStaleToolResults(out, c.keep)
			assert.False(t, changed, "cleared ones use up what is kept and stay")
			assert.Equal(t, out, again)
		})
	}
	names := microcompact.CompactableToolNames()
	assert.Len(t, names, 10)
	names[0] = "changed"
	assert.Equal(t, "read", microcompact.CompactableToolNames()[0])
}

// The plain function never touches anything but old results of the ten tools.
func TestClearStaleToolResultsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := condensertest.Generator{}.Transcript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		keep := rapid.IntRange(-1, 8).Draw(t, "keep")
		out, changed := microcompact.ClearStaleToolResults(msgs, keep)
		require.Len(t, out, len(msgs))
		n := 0
		for i, m := range out {
			if m == msgs[i] {
				continue
			}
			n++
			r, old := m.(*message.ToolResult), msgs[i].(*message.ToolResult)
			require.Equal(t, microcompact.ClearedToolResult, message.PlainText(r))
			require.Equal(t, []any{old.CallID, old.ToolName, old.IsError, old.ID}, []any{r.CallID, r.ToolName, r.IsError, r.ID})
		}
		require.Equal(t, changed, n > 0)
	})
}
