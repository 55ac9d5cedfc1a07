package budget_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

func picture(t testing.TB, w, h int) *message.Image {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
	return &message.Image{MIME: "image/png", Data: b.Bytes()}
}

func TestBytes4(t *testing.T) {
	call := func(input string) message.Message {
		return message.NewAssistant(message.NewToolCall("1", "grep", input))
	}
	for name, c := range map[string]struct {
		m            message.Message
		want, awaken int
	}{
		"each text is rounded up":  {message.NewAssistant(message.Text("12345"), message.Text("1234"), message.Text("1")), 4 + 2 + 1 + 1, 4 + 10/4},
		"bytes, not characters":    {message.NewUser("你好世界"), 4 + 3, 4 + 3},
		"no content":               {&message.User{}, 4, 4},
		"thinking":                 {message.NewAssistant(&message.Thinking{Text: "12345678"}), 6, 6},
		"compact arguments":        {call("{ \"q\" :\n\"fn\" }"), 4 + 1 + 3 + 8, 4},
		"escapes are decoded":      {call(`{"q":"\u00e9\u4f60\ud83d\ude00\u0001"}`), 4 + 1 + (8+2+3+4+6+3)/4 + 8, 4},
		"a result and its tool":    {message.NewToolResult(message.NewToolCall("1", "bash", ""), "ok"), 8 + 1 + 1, 4},
		"custom by its text":       {message.NewCustom("ignored", `{"a":1}`), 4 + 2, 4 + 1},
		"bash":                     {message.NewBashExecution("ls", "a\nb", 0), 4 + 1 + 1, 4 + 5/4},
		"summaries":                {&message.CompactionSummary{Summary: "12345"}, 4 + 2, 4 + 1},
		"a branch":                 {&message.BranchSummary{Summary: "12345"}, 4 + 2, 4 + 1},
		"unknown":                  {&message.Unknown{Raw: json.RawMessage(`{"kind":"x"}`)}, 4 + 3, 4 + 3},
		"opaque":                   {&message.User{Content: []message.Block{&message.Opaque{Raw: json.RawMessage(`{"type":"x"}`)}}}, 4 + 3, 4 + 3},
		"a small picture":          {&message.User{Content: []message.Block{&message.Image{Data: []byte("ABC")}}}, 4 + 85, 4 + 12},
		"a picture by its base64":  {&message.User{Content: []message.Block{&message.Image{Data: make([]byte, 75_000)}}}, 4 + 100, 4 + 12},
		"an enormous picture":      {&message.User{Content: []message.Block{&message.Image{Data: make([]byte, 13_000_000)}}}, 4 + 16_000, 4 + 12},
		"nil":                      {nil, 0, 0},
		"a URL":                    {&message.User{Content: []message.Block{&message.Image{URL: "http://x"}}}, 4 + 85, 4 + 12},
		"arguments that are none":  {call(""), 4 + 1 + 0 + 8, 4},
		"arguments that break off": {call(`{"q":"a b`), 4 + 1 + 3 + 8, 4},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, budget.Bytes4{}.Tokens(c.m))
			assert.Equal(t, c.awaken, budget.Bytes4{Floor: true}.Tokens(c.m))
		})
	}
	assert.Equal(t, 2, budget.Bytes4{}.TextTokens("12345"))
	assert.Equal(t, 1, budget.Bytes4{Floor: true}.TextTokens("12345"))
}

func TestNeuroLink(t *testing.T) {
	for _, c := range []struct {
		text string
		n    budget.NeuroLink
		want int
	}{
		{"", budget.NeuroLink{}, 0}, {"a", budget.NeuroLink{}, 2}, {"a", budget.NeuroLink{Provider: "mistral"}, 2}, {"abcde", budget.NeuroLink{Code: true}, 3},
		{"😀", budget.NeuroLink{Provider: "anthropic"}, 2}, {strings.Repeat("x", 399), budget.NeuroLink{Provider: "azure"}, 115}, {"hello world", budget.NeuroLink{Provider: "__proto__"}, 4},
		{strings.Repeat("x", 40_001), budget.NeuroLink{Provider: "mistral"}, 14_492}, {strings.Repeat("x", 4000), budget.NeuroLink{Provider: "google-ai"}, 1357},
	} {
		assert.Equal(t, c.want, c.n.TextTokens(c.text))
	}
	n := budget.NeuroLink{}
	msgs := condensertest.MustParse(`u"hello" a"hi"`)
	assert.Equal(t, 24+4+3+4+2, budget.NewMemo(n).Sum(msgs))
	assert.Zero(t, budget.NewMemo(n).Sum(nil))
	assert.Zero(t, n.Tokens(nil))
	call := message.NewAssistant(message.NewToolCall("1", "read", `{"path":"a"}`))
	assert.Equal(t, 4+n.TextTokens(strings.Repeat("x", 16)), n.Tokens(call), "a call is not free")
	assert.Equal(t, 4, n.Tokens(&message.User{Content: []message.Block{&message.Image{URL: "x"}}}), "a picture is")
	for _, m := range []message.Message{message.NewBashExecution("ab", "cd", 0), &message.CompactionSummary{Summary: "abcd"}, &message.BranchSummary{Summary: "abcd"}, message.NewCustom("x", "abcd"),
		message.NewAssistant(&message.Thinking{Text: "abcd"}), &message.Unknown{Raw: json.RawMessage("abcd")}, &message.User{Content: []message.Block{&message.Opaque{Raw: json.RawMessage("abcd")}}}} {
		assert.Equal(t, 4+2, n.Tokens(m))
	}
}

// In integers it is what it is in float64, as the document computes it, and
// UTF-16 is counted without being made.
func TestNeuroLinkInIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		provider := rapid.SampledFrom([]string{"", "anthropic", "bedrock", "google-ai", "vertex", "mistral", "openai"}).Draw(t, "provider")
		factor := map[string]int{"anthropic": 123, "bedrock": 123, "google-ai": 118, "vertex": 118, "mistral": 126}[provider]
		if factor == 0 {
			factor = 100
		}
		base := (len(utf16.Encode([]rune(s))) + 3) / 4
		require.Equal(t, (base*factor*115+9999)/10_000, budget.NeuroLink{Provider: provider}.TextTokens(s))
	})
}

func TestImages(t *testing.T) {
	for _, c := range []struct {
		w, h, openAI, anthropic, gemini int
	}{
		{100, 100, 85 + 170, 14, 258},
		{1024, 1024, 85 + 4*170, 1399, 4 * 258},
		{2048, 4096, 85 + 6*170, 1640, 18 * 258},
		{512, 512, 85 + 170, 350, 258},
		{4000, 100, 85 + 4*170, 82, 6 * 258},
	} {
		p := picture(t, c.w, c.h)
		name := fmt.Sprintf("%d by %d", c.w, c.h)
		assert.Equal(t, c.openAI, budget.OpenAIImages.Tokens(p), name)
		assert.Equal(t, c.anthropic, budget.AnthropicImages.Tokens(p), name)
		assert.Equal(t, c.gemini, budget.GeminiImages.Tokens(p), name)
		assert.Equal(t, budget.ImageTokens, budget.FlatImages.Tokens(p), name)
	}
	assert.Equal(t, budget.ImageTokens, budget.OpenAIImages.Tokens(&message.Image{URL: "http://x"}), "its size is not known")
}

func TestWireTokens(t *testing.T) {
	c := budget.Bytes4{}
	for _, x := range []struct {
		m    message.Message
		want int
	}{
		{message.NewUser("12345678"), 4 + 2},
		{message.NewAssistant(message.Text("1234"), &message.Thinking{Text: "1234"}, message.NewToolCall("id", "read", `{"a":1}`)), 4 + 1 + 1 + 4 + 1 + 2},
		{&message.Assistant{ErrorMessage: "1234"}, 4 + 1},
		{message.NewToolResult(message.NewToolCall("1", "bash", ""), "1234"), 4 + 4 + 1},
		{message.NewBashExecution("1234", "1234", 0), 4 + 1 + 1},
		{&message.CompactionSummary{Summary: "1234"}, 4 + 1},
		{&message.BranchSummary{Summary: "1234"}, 4 + 1},
		{&message.Unknown{Raw: json.RawMessage("1234")}, 4 + 1},
		{&message.User{Content: []message.Block{&message.Opaque{Raw: json.RawMessage("1234")}, picture(t, 10, 10)}}, 4 + 1 + budget.ImageTokens},
		{nil, 0},
	} {
		assert.Equal(t, x.want, budget.WireTokens(x.m, c, budget.FlatImages))
	}
	m := message.NewAssistant(message.Text("some text"), message.NewToolCall("1", "write", `{"content":"more"}`))
	var counter budget.TextCounter = budget.WindowBudget{}
	assert.Zero(t, testing.AllocsPerRun(100, func() { budget.WireTokens(m, counter, budget.FlatImages) }))
}

func TestCutText(t *testing.T) {
	words := "First sentence here. Second sentence is a bit longer! Is this the third? Yes it is.\nA new line starts"
	for _, c := range []struct {
		text   string
		tokens int
		want   string
		cut    bool
	}{
		{"short", 2, "short", false},
		{"", 0, "", false},
		{words, 0, "", true},
		{words, -1, "", true},
		{words, 15, "First sentence here. Second sentence is a bit longer!...", true},
		{words, 22, "First sentence here. Second sentence is a bit longer! Is this the third? Yes it is.\n...", true},
		{"no stops at all just words going on", 5, "no stops at all...", true},
		{strings.Repeat("x", 100), 5, strings.Repeat("x", 17) + "...", true},
		{strings.Repeat("é", 100), 5, strings.Repeat("é", 8) + "...", true},
		{"一つ目の文です。二つ目の文です。三つ目", 11, "一つ目の文です。...", true},
		{"tiny", 0, "", true},
	} {
		got, cut := budget.CutText(c.text, c.tokens, budget.Bytes4{})
		assert.Equal(t, c.want, got, "%q in %d", c.text, c.tokens)
		assert.Equal(t, c.cut, cut)
	}
}

// Whatever the counter: what is returned fits, is a beginning of the text, and
// is valid if the text is.
func TestCutTextLaws(t *testing.T) {
	counters := []budget.Counter{budget.WindowBudget{}, budget.Bytes4{}, budget.Bytes4{Floor: true}, budget.NeuroLink{Provider: "mistral"}, budget.NeuroLink{Code: true}}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringOfN(rapid.RuneFrom([]rune("ab .!?\n。é漢😀")), 0, 60, -1).Draw(t, "text"), rapid.IntRange(1, 4).Draw(t, "times"))
		c := rapid.SampledFrom(counters).Draw(t, "counter")
		tokens := rapid.IntRange(-1, 40).Draw(t, "tokens")
		got, cut := budget.CutText(text, tokens, c)
		require.Equal(t, c.TextTokens(text) > tokens, cut)
		if !cut {
			require.Equal(t, text, got)
			return
		}
		require.True(t, strings.HasPrefix(text, strings.TrimSuffix(got, "...")))
		require.True(t, utf8.ValidString(got))
		require.True(t, got == "" || c.TextTokens(got) <= tokens, "%q is %d tokens of %d", got, c.TextTokens(got), tokens)
	})
}

// What a call's arguments weigh is what marshalling them would: without doing it.
func TestArgumentsWithoutMarshalling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{"a": rapid.String().Draw(t, "s"), "b": rapid.SliceOf(rapid.Int()).Draw(t, "n"), "c": rapid.Bool().Draw(t, "c")}
		raw, err := json.MarshalIndent(v, " ", "\t")
		require.NoError(t, err)
		var compact bytes.Buffer
		enc := json.NewEncoder(&compact)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(v))
		want := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSpace(compact.String()))
		m := message.NewAssistant(message.NewToolCall("1", "", string(raw)))
		require.Equal(t, 4+8+(len(want)+3)/4, budget.Bytes4{}.Tokens(m))
	})
	input := json.RawMessage(`{"content":"` + base64.StdEncoding.EncodeToString(make([]byte, 3000)) + `"}`)
	m := message.NewAssistant(&message.ToolCall{Name: "write", Input: input})
	assert.Zero(t, testing.AllocsPerRun(100, func() { budget.Bytes4{}.Tokens(m) }))
}
