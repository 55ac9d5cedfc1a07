package budget_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

func TestEstimateMessageTokens(t *testing.T) {
	code := 1
	call := func(input string) message.Message {
		return message.NewAssistant(message.NewToolCall("long id", "read", input))
	}
	for name, c := range map[string]struct {
		m    message.Message
		want int
	}{
		"empty text":         {message.NewUser(""), 6},
		"no content":         {&message.User{}, 4},
		"18 chars are 5":     {message.NewUser("123456789012345678"), 11},
		"19 chars are 6":     {message.NewUser("1234567890123456789"), 12},
		"scalars, not bytes": {message.NewUser("请把构建修好"), 6 + 2},
		"system as user":     {message.NewSystem("1234"), 8},
		"two blocks":         {message.NewAssistant(message.Text("ab"), &message.Thinking{Text: "cd"}), 4 + 4 + 2},
		"image":              {&message.User{Content: []message.Block{&message.Image{Data: make([]byte, 9999)}}}, 4 + 2 + 1024},
		"call":               {call(`{"a":1}`), 4 + 2 + 6 + 4},                                    // read + 7 characters
		"null input":         {call(`null`), 4 + 2 + 6 + 2},                                       // read
		"spaces are none":    {call("{ \"a\" :\n1 }"), 4 + 2 + 6 + 4},                             // the same
		"escapes":            {call(`{"a":"\u0041\u00e9\/\n\u000a\u0001\u0022"}`), 4 + 2 + 6 + 8}, // read{"a":"Aé/\n\n\u0001\""} has 27
		"result":             {&message.ToolResult{CallID: "x", ToolName: "ignored", Content: []message.Block{message.Text("1234")}}, 4 + 2 + 6 + 2},
		"error message":      {&message.Assistant{ErrorMessage: "1234"}, 4 + 2 + 2},
		"bash":               {&message.BashExecution{Command: "12", Output: "34", ExitCode: &code}, 4 + 2 + 2},
		"custom":             {message.NewCustom("12", "34"), 4 + 2 + 2},
		"custom, empty":      {&message.Custom{CustomType: "1234"}, 4 + 2 + 2},
		"branch":             {&message.BranchSummary{Summary: "1234", FromID: "ignored"}, 4 + 2 + 2},
		"compaction":         {&message.CompactionSummary{Summary: "1234", TokensBefore: 9}, 4 + 2 + 2},
		"opaque":             {&message.User{Content: []message.Block{&message.Opaque{Type: "x", Raw: json.RawMessage(`{"type":"x"}`)}}}, 4 + 2 + 4},
		"unknown":            {&message.Unknown{Raw: json.RawMessage(`{"kind":"x"}`)}, 4 + 2 + 4},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, budget.EstimateMessageTokens(c.m))
		})
	}
}

// ceil(chars / 3.6) in integers is what it is in float64, as the document computes it.
func TestCharTokens(t *testing.T) {
	for n := range 20_000 {
		require.Equal(t, int(math.Ceil(float64(n)/3.6)), budget.WindowBudget{}.TextTokens(string(make([]byte, n))))
	}
}

// A call's input weighs what its compact JSON weighs, and anything at all weighs something.
func TestInputWeighsItsCompactJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		pretty, err := json.MarshalIndent(map[string]any{"a": s, "b": []any{1.5, nil, true, s}}, " ", "\t")
		require.NoError(t, err)
		plain := message.NewAssistant(message.NewToolCall("1", "t", string(pretty)))
		var v any
		require.NoError(t, json.Unmarshal(pretty, &v))
		compact := canonical(v)
		want := int(math.Ceil(float64(1+len([]rune(compact)))/3.6)) + 12
		require.Equal(t, want, budget.EstimateMessageTokens(plain), "%s", compact)
		junk := rapid.SliceOf(rapid.Byte()).Draw(t, "junk")
		require.GreaterOrEqual(t, budget.EstimateMessageTokens(message.NewAssistant(message.NewToolCall("1", "t", string(junk)))), 12)
	})
}

func canonical(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return fmt.Sprintf(`{"a":%s,"b":%s}`, canonical(v["a"]), canonical(v["b"]))
	case []any:
		return fmt.Sprintf("[%s,%s,%s,%s]", canonical(v[0]), canonical(v[1]), canonical(v[2]), canonical(v[3]))
	case string:
		m, _ := message.Marshal(message.NewUser(v))
		var text struct {
			Content []struct {
				Text json.RawMessage `json:"text"`
			} `json:"content"`
		}
		_ = json.Unmarshal(m, &text)
		return string(text.Content[0].Text)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}

func TestSurrogateEscapes(t *testing.T) {
	count := func(input string) int {
		return budget.EstimateMessageTokens(message.NewAssistant(message.NewToolCall("1", "", input))) - 12
	}
	pad := `"1234567890123456` // with the quotes 18 characters, so that one more tips over
	assert.Equal(t, 5, count(pad+`"`))
	assert.Equal(t, 6, count(pad+`\ud83d\ude00"`))
	assert.Equal(t, 6, count(pad+`\ud83d"`))
	assert.Equal(t, 6, count(pad+`\ud83d\u0041"`)) // two characters
	assert.Equal(t, 6, count(pad+`\uD83D\uDE00\u00e9"`))
	assert.Equal(t, 5, count(pad+`\`))
	assert.Equal(t, 6, count(pad+`\u12`))
}

func TestPrefixTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := transcriptOf(t)
		prefix := budget.PrefixTokens(msgs)
		require.Len(t, prefix, len(msgs)+1)
		for i := range prefix {
			require.Equal(t, budget.EstimateTokens(msgs[:i]), prefix[i])
		}
	})
}

func transcriptOf(t *rapid.T) []message.Message {
	return condensertest.Generator{}.Transcript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
}

func TestLimit(t *testing.T) {
	p := budget.AutoCondensePolicy()
	for window, want := range map[int]float64{8192: 4608, 16384: 10752, 32768: 23040, 128000: 94464, 200000: 148464, 1000000: 748464, 2048: 0, 100: 0, -5: 0} {
		assert.Equal(t, want, budget.Limit(budget.ModelCard{ContextWindow: window}, p))
	}
	full := []message.Message{message.NewUser(string(make([]byte, 16567)))}
	require.Equal(t, 4608, budget.EstimateTokens(full))
	assert.False(t, budget.IsOver(full, budget.ModelCard{ContextWindow: 8192}, p))
	assert.True(t, budget.IsOver(append(full, message.NewUser("")), budget.ModelCard{ContextWindow: 8192}, p))
	assert.True(t, budget.IsOver(full, budget.ModelCard{}, p))
	assert.False(t, budget.IsOver(nil, budget.ModelCard{}, p))
}

func TestPlanSlice(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		keep int
		cut  int
	}{
		"all fits":                      {"u a u a", 9999, 0},
		"nothing to keep":               {"u a u a", 0, 0},
		"negative":                      {"u a u a", -7, 0},
		"the tail":                      {"u:400 a:400 u:10 a:10", 40, 2},
		"past results":                  {"u:400 a(1,2) r1:400 r2:10 u:10", 40, 4},
		"past an orphan":                {"u:400 r9:10 u:10", 40, 2},
		"not through a pair":            {"u:400 a(1):10 u:10 r1:10 a:10", 40, 4},
		"the last one is too large":     {"u a u:4000", 100, 0},
		"results at the end":            {"u:400 a(1) r1:400", 20, 0},
		"the last result is too large":  {"u:400 a(1) r1:4000", 100, 0},
		"a pair left open by the steer": {"u:400 a(1):400 b:400 u:10 r1:10", 60, 0},
	} {
		t.Run(name, func(t *testing.T) {
			msgs := condensertest.MustParse(c.log)
			p := budget.PlanSlice(msgs, budget.Policy{TriggerRatio: 1, KeepRecent: c.keep})
			assert.Equal(t, c.cut, p.Cut)
			assert.Len(t, p.Dropped, c.cut)
			assert.Len(t, p.Kept, len(msgs)-c.cut)
		})
	}
}

// D2: no cut parts a call from its result; and the kept tail is as long as it may be.
func TestPlanSliceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := transcriptOf(t)
		keep := rapid.IntRange(0, 3000).Draw(t, "keep")
		cut := budget.PlanSlice(msgs, budget.Policy{KeepRecent: keep}).Cut
		if cut == 0 {
			return
		}
		require.LessOrEqual(t, budget.EstimateTokens(msgs[cut:]), keep)
		require.NotEqual(t, message.KindToolResult, msgs[cut].Kind())
		p := message.Pair(msgs)
		for i := cut; i < len(msgs); i++ {
			if c, _, ok := p.Call(i); ok {
				require.GreaterOrEqual(t, c, cut)
			}
		}
	})
}

func TestLastUserTurnStart(t *testing.T) {
	i, ok := budget.LastUserTurnStart(condensertest.MustParse("u a u a b"))
	assert.True(t, ok)
	assert.Equal(t, 2, i)
	_, ok = budget.LastUserTurnStart(condensertest.MustParse("a b"))
	assert.False(t, ok)
}

func TestPolicyValidate(t *testing.T) {
	assert.NoError(t, budget.AutoCondensePolicy().Validate())
	assert.NoError(t, budget.Policy{TriggerRatio: 1, KeepRecent: 1}.Validate())
	for _, ratio := range []float64{0, -1, 1.01, math.NaN(), math.Inf(1)} {
		assert.ErrorContains(t, budget.Policy{TriggerRatio: ratio, KeepRecent: 1}.Validate(), "TriggerRatio")
	}
	err := budget.Policy{TriggerRatio: 7, KeepRecent: 0, ReserveTokens: -1}.Validate()
	for _, what := range []string{"TriggerRatio", "KeepRecent", "ReserveTokens"} {
		assert.ErrorContains(t, err, what)
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, "threshold manual overflow background Cause(9)", fmt.Sprint(budget.Threshold, " ", budget.Manual, " ", budget.Overflow, " ", budget.Background, " ", budget.Cause(9)))
	assert.Equal(t, "ok warn condense critical Level(9)", fmt.Sprint(budget.OK, " ", budget.Warn, " ", budget.Condense, " ", budget.Critical, " ", budget.Level(9)))
}

// CutMiddle fits, keeps head and tail, cuts between runes, and says so.
func TestCutMiddle(t *testing.T) {
	notice := func(n int) string { return fmt.Sprintf(" […%d…] ", n) }
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 400, -1).Draw(t, "text")
		tokens := rapid.IntRange(0, 90).Draw(t, "tokens")
		c := budget.WindowBudget{}
		got := budget.CutMiddle(text, tokens, c, notice)
		if c.TextTokens(text) <= tokens {
			require.Equal(t, text, got)
			return
		}
		if got != notice(len(text)) {
			require.LessOrEqual(t, c.TextTokens(got), tokens)
		}
		require.True(t, utf8.ValidString(got))
		head, rest, ok := strings.Cut(got, " […")
		require.True(t, ok)
		number, tail, _ := strings.Cut(rest, "…] ")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		if strings.HasPrefix(text, head) && strings.HasSuffix(text, tail) {
			require.Equal(t, len(text), len(head)+n+len(tail), "what is left out is counted")
		} else {
			require.Contains(t, text, " […", "the text itself holds the notice's words")
		}
	})
	assert.Equal(t, "aaaa…aa", budget.CutMiddle(strings.Repeat("a", 100), 2, budget.WindowBudget{}, func(int) string { return "…" }))
}

func TestCutMiddleOfAGiant(t *testing.T) {
	text := strings.Repeat("日本語", 3<<20)
	got := budget.CutMiddle(text, 1000, budget.WindowBudget{}, func(n int) string { return "…" })
	assert.True(t, utf8.ValidString(got))
	assert.Equal(t, 1000, budget.WindowBudget{}.TextTokens(got))
}
