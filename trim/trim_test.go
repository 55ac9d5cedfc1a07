package trim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
	"github.com/condenser-go/condenser/trim"
)

// plan runs p on msgs in a window of which 100 tokens are reserved.
func plan(t testing.TB, p condenser.Pass, window int, msgs []message.Message) (*transcript.View, budget.Gauge) {
	v, err := transcript.Fold(msgs)
	require.NoError(t, err)
	g := budget.Basis{Card: budget.ModelCard{ContextWindow: window}, Policy: budget.Policy{TriggerRatio: 0.75, KeepRecent: 600, ReserveTokens: 100}}.Gauge(v.Messages(), nil)
	edits, err := p.Plan(context.Background(), v, g)
	require.NoError(t, err)
	after, err := v.With(edits...)
	require.NoError(t, err)
	condensertest.Check(t.(condensertest.TB), after)
	require.Empty(t, after.Check(v, transcript.Systems{}))
	return after, g.For(after.Messages())
}

func shown(v *transcript.View) string { return condensertest.Show(v.Messages()) }

func TestOldest(t *testing.T) {
	for name, c := range map[string]struct {
		log    string
		window int
		want   string
	}{
		"the oldest, until the need is met": {"u:2k a:2k u:2k a:2k u:100", 2000, "M a u"},
		"by whole groups":                   {"u a(1,2) r1:4k r2:4k a:100 u", 2000, "M a u"},
		"system, pinned, running, digest":   {"s D u:4k u*:100 a:4k a(1):100 u:100", 2000, "s D M u* a(1) u"},
		"the last request":                  {"u:4k u:100 a(1) r1:2k a(2) r2:2k", 2000, "M u a(2) r2"},
		"a pinned result keeps its group":   {"u:9k a(1) r1*:100 u:100", 2000, "M a(1) r1* u"},
		"below the trigger":                 {"u:100 a:100 u", 2000, "u a u"},
		"nothing may go":                    {"s:9k u:100", 2000, "s u"},
		"one message":                       {"u:9k", 2000, "u"},
		"a marker is taken up":              {"M u:4k a:2k u:100", 2000, "M a u"},
	} {
		t.Run(name, func(t *testing.T) {
			v, _ := plan(t, trim.Oldest{}, c.window, condensertest.MustParse(c.log))
			assert.Equal(t, c.want, shown(v))
		})
	}
}

func TestMarker(t *testing.T) {
	msgs := condensertest.MustParse(`u"fix the  build of the parser, please, and then look at what the lexer does wrong" a:4k u"second" a:4k u"third"`)
	v, _ := plan(t, trim.Oldest{}, 1200, msgs)
	assert.Equal(t, "[4 earlier messages were left out to fit the window]\n"+
		"- the user asked: fix the build of the parser, please, and then look at what t…\n"+
		"- the user asked: second", message.PlainText(v.At(0).Msg))
	assert.Equal(t, trim.Origin, v.At(0).Msg.Head().Origin)

	// The next marker counts what this one counted, and carries its requests.
	next := append(v.Messages(), condensertest.MustParse("a:4k u:100")...)
	v, _ = plan(t, trim.Oldest{}, 1200, next)
	text := message.PlainText(v.At(0).Msg)
	assert.True(t, strings.HasPrefix(text, "[6 earlier messages"), text)
	assert.Contains(t, text, "- the user asked: second\n- the user asked: third")

	// One message is one; the next marker reads that too.
	v, _ = plan(t, trim.Oldest{}, 1200, condensertest.MustParse("u:9k a:100 u:100"))
	assert.Equal(t, "M a u", shown(v))
	assert.True(t, strings.HasPrefix(message.PlainText(v.At(0).Msg), "[1 earlier message was left out to fit the window]\n- the user asked: "))
	v, _ = plan(t, trim.Oldest{}, 1200, append(v.Messages()[:1:1], condensertest.MustParse("a:9k u:100")...))
	assert.True(t, strings.HasPrefix(message.PlainText(v.At(0).Msg), "[2 earlier messages"), message.PlainText(v.At(0).Msg))

	// A text that reads like a marker is just a text.
	v, _ = plan(t, trim.Oldest{}, 1200, condensertest.MustParse(`u"[900 earlier messages were left out to fit the window]" a:4k u:100`))
	assert.True(t, strings.HasPrefix(message.PlainText(v.At(0).Msg), "[2 earlier messages"))
	v, _ = plan(t, trim.Oldest{}, 1200, condensertest.MustParse(`M"no marker" a:4k u:100`))
	assert.True(t, strings.HasPrefix(message.PlainText(v.At(0).Msg), "[2 earlier messages"))
}

func TestFloorCutsOutputsFirst(t *testing.T) {
	msgs := condensertest.MustParse("u:100 a(1,2,3) r1:9k r2:300 r3:9k b:9k a:100 u:100")
	v, g := plan(t, trim.Floor{}, 4000, msgs)
	assert.Equal(t, "u a(1,2,3) r1~ r2 r3~ b~ a u", shown(v))
	assert.LessOrEqual(t, g.Used(), g.Target())
	assert.Greater(t, g.Used(), g.Target()*8/10, "no more than needed")
	for _, i := range []int{2, 4, 5} {
		text := message.PlainText(v.At(i).Msg)
		assert.Contains(t, text, "bytes left out")
		whole := message.PlainText(msgs[i])
		assert.Equal(t, whole[len(whole)-99:], text[len(text)-99:], "the tail stays")
		assert.Equal(t, message.Shortened, v.At(i).Msg.Head().Origin)
	}
	assert.Equal(t, "cut in the middle", v.Edits()[0].Why)
}

func TestFloorReachesTheHardLimit(t *testing.T) {
	huge := strings.Repeat("日本語のログ 🧑‍🚀\n", 1<<18)
	for name, msgs := range map[string][]message.Message{
		"one huge request":        {message.NewUser(huge)},
		"one huge result":         condensertest.MustParse("u a(1) r1:10M"),
		"huge arguments":          {message.NewUser("x"), message.NewAssistant(message.NewToolCall("1", "write", `{"content":"`+strings.Repeat("x", 1<<20)+`"}`)), message.NewToolResult(message.NewToolCall("1", "write", ""), "ok")},
		"a running call, huge":    {message.NewUser("x"), message.NewAssistant(message.NewToolCall("1", "write", `{"content":"`+strings.Repeat("x", 1<<20)))},
		"many parallel results":   condensertest.MustParse("u a(1,2,3,4,5,6,7,8) r1:9k r2:9k r3:9k r4:9k r5:9k r6:9k r7:9k r8:9k"),
		"huge thinking":           {message.NewUser("x"), message.NewAssistant(&message.Thinking{Text: huge}, message.Text("done"))},
		"images":                  {&message.User{Content: []message.Block{&message.Image{URL: "a"}, &message.Image{URL: "b"}, message.Text("what is this?")}}},
		"opaque":                  {&message.User{Content: []message.Block{&message.Opaque{Type: "audio", Raw: []byte(`{"type":"audio","data":"` + strings.Repeat("x", 1<<16) + `"}`)}}}},
		"huge summaries":          {&message.CompactionSummary{Summary: huge}, &message.BranchSummary{Summary: huge}, message.NewUser("x")},
		"a huge branch, last":     {&message.BranchSummary{Summary: huge}},
		"a huge summary, last":    {&message.CompactionSummary{Summary: huge}},
		"a huge digest":           append(condensertest.MustParse("D:40k"), message.NewUser("x")),
		"digest, request, result": condensertest.MustParse("D:40k u:40k a(1) r1:40k"),
		"signed, and huge":        condensertest.MustParse("u a:40k$ a(1) r1 u:100"),
		"a huge command":          {message.NewBashExecution(huge, huge, 1)},
		"unknown":                 append(condensertest.MustParse("u:100"), &message.Unknown{Raw: []byte(`{"kind":"x","data":"` + strings.Repeat("x", 1<<16) + `"}`)}, message.NewUser("x")),
	} {
		t.Run(name, func(t *testing.T) {
			v, g := plan(t, trim.Floor{}, 700, msgs)
			assert.LessOrEqual(t, g.Used(), g.Hard(), shown(v))
			assert.Greater(t, g.Used(), 0)
			for _, m := range v.Messages() {
				for _, f := range message.Validate([]message.Message{m}, message.Portable) {
					assert.NotEqual(t, "V8", f.Rule, f.Problem)
				}
			}
		})
	}
}

// What may not be touched keeps the floor from being reached, and stays.
func TestFloorBlocked(t *testing.T) {
	for _, log := range []string{"s:9k u:100", "u*:9k u:100", "s:9k u*:100 a(1) r1 u:100", "u a(1)$:9k"} {
		v, g := plan(t, trim.Floor{}, 700, condensertest.MustParse(log))
		assert.Greater(t, g.Used(), g.Hard(), log)
		assert.NotEmpty(t, v.Messages())
	}
	v, g := plan(t, trim.Floor{}, 90, nil) // the reserve alone is more than the window
	assert.Zero(t, v.Len())
	assert.Equal(t, budget.Critical, g.Level())
}

// Beyond the window itself the request is refused however little is left.
func TestFloorBeyondTheWindow(t *testing.T) {
	msgs := condensertest.MustParse("s:2k u:2k a(1) r1:9k u:100")
	v, g := plan(t, trim.Floor{}, 500, msgs)
	assert.Equal(t, "s u a(1) r1~ u", shown(v), "only outputs are cut")
	assert.Greater(t, g.Used(), 500)
	v, g = plan(t, trim.Floor{}, 650, msgs)
	assert.Equal(t, "s M u~", shown(v), "the reserve is used up, but the request can be made")
	assert.Less(t, g.Used(), 650)
}

func TestFloorLeavesRoomAlone(t *testing.T) {
	msgs := condensertest.MustParse("u:100 a:100 u")
	v, _ := plan(t, trim.Floor{}, 700, msgs)
	assert.Equal(t, "u a u", shown(v))
}

// Over the trigger and within the hard limit only outputs are cut, and none
// below 512 tokens: what the agent and the user said stays whole.
func TestFloorBetweenTriggerAndHard(t *testing.T) {
	v, g := plan(t, trim.Floor{}, 4000, condensertest.MustParse("u:9k a:2k u:1k"))
	assert.Equal(t, budget.Condense, g.Level())
	assert.Equal(t, "u a u", shown(v))
}

func TestFloorKeepsEveryRequestItCan(t *testing.T) {
	var msgs []message.Message
	for i := range 12 {
		msgs = append(msgs, message.NewUser("request number "+string(rune('a'+i))), condensertest.MustParse("a:4k")[0])
	}
	msgs = append(msgs, message.NewUser("last"))
	v, g := plan(t, trim.Floor{}, 2000, msgs)
	assert.LessOrEqual(t, g.Used(), g.Hard())
	all := ""
	for _, m := range v.Messages() {
		all += message.PlainText(m) + "\n"
	}
	for i := range 12 {
		assert.Contains(t, all, "request number "+string(rune('a'+i)))
	}
}

func TestConform(t *testing.T) {
	condensertest.TestPass(t, trim.Oldest{})
	condensertest.TestPass(t, trim.Floor{})
}

// Fits: at any window the floor is at most hard, unless system, pinned and
// signed messages and the newest group, cut to notices, are more.
func TestFloorFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := condensertest.Generator{}.Transcript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		window := rapid.IntRange(150, 6000).Draw(t, "window")
		v, err := transcript.Fold(msgs)
		require.NoError(t, err)
		g := budget.Basis{Card: budget.ModelCard{ContextWindow: window}, Policy: budget.Policy{TriggerRatio: 0.75, KeepRecent: 600, ReserveTokens: 100}}.Gauge(msgs, nil)
		edits, err := trim.Floor{}.Plan(context.Background(), v, g)
		require.NoError(t, err)
		after, err := v.With(edits...)
		require.NoError(t, err)
		condensertest.Check(t, after)
		require.Empty(t, after.Check(v, transcript.Systems{}), "%s became %s", condensertest.Show(msgs), condensertest.Show(after.Messages()))
		if used := g.For(after.Messages()).Used(); used > g.Hard() {
			require.Greater(t, bound(msgs), g.Hard(), "%d tokens in %s", used, condensertest.Show(after.Messages()))
		}
	})
}

// bound is what no floor can get below: the groups of what may not be touched,
// the newest group and a marker, everything else in them a notice.
func bound(msgs []message.Message) int {
	total := 30
	p := message.Pair(msgs)
	running, pending := p.Pending()
	for from, to := range p.Groups() {
		keep := to == len(msgs) || pending && from <= running && running < to
		for _, m := range msgs[from:to] {
			keep = keep || m.Kind() == message.KindSystem || m.Head().Pinned
		}
		for _, m := range msgs[from:to] {
			if !keep {
				continue
			}
			if h := m.Head(); h.Pinned || h.Atomic || message.Signed(m) || m.Kind() == message.KindSystem || m.Kind() == message.KindUnknown {
				total += budget.EstimateMessageTokens(m)
			} else {
				total += 4 + 6 + 2*14 + 22*len(message.Content(m))
			}
		}
	}
	return total
}
