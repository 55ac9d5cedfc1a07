package tiktoken_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/budget/tiktoken"
	"github.com/condenser-go/condenser/message"
)

func TestForModel(t *testing.T) {
	for name, want := range map[string]*tiktoken.Encoding{
		"gpt-4o": tiktoken.O200K, "gpt-4o-mini-2024-07-18": tiktoken.O200K, "chatgpt-4o-latest": tiktoken.O200K, "gpt-4.1-nano": tiktoken.O200K, "gpt-5": tiktoken.O200K,
		"gpt-5.1-codex": tiktoken.O200K, "gpt-5-mini": tiktoken.O200K, "o1": tiktoken.O200K, "o3-mini": tiktoken.O200K, "o4-mini": tiktoken.O200K, "openai/gpt-oss-120b": tiktoken.O200K,
		"ft:gpt-4o-mini:me::x": tiktoken.O200K, "GPT-4o": tiktoken.O200K, "gpt-4": tiktoken.CL100K, "gpt-4-turbo": tiktoken.CL100K, "gpt-3.5-turbo-16k": tiktoken.CL100K,
		"azure/gpt-35-turbo": tiktoken.CL100K, "text-embedding-3-small": tiktoken.CL100K, "claude-sonnet-4": nil, "gemini-2.5-pro": nil, "": nil, "o10": nil, "gpt-45": nil,
	} {
		e, ok := tiktoken.ForModel(name)
		assert.Same(t, want, e, name)
		assert.Equal(t, want != nil, ok, name)
	}
}

func TestCounter(t *testing.T) {
	call := message.NewToolCall("c1", "read", `{"path":"main.go"}`)
	exact := func(s string) int { return tiktoken.O200K.TextTokens(s) }
	for _, c := range []struct {
		m    message.Message
		want int
	}{
		{message.NewUser("hello world"), 4 + 2},
		{message.NewAssistant(message.Text("yes"), call), 4 + exact("yes") + 4 + exact("read") + exact(`{"path":"main.go"}`)},
		{message.NewAssistant(&message.Thinking{Text: "let me see"}), 4 + exact("let me see")},
		{message.NewToolResult(call, "ok"), 8 + exact("ok")},
		{message.NewBashExecution("ls", "a b", 0), 4 + exact("ls") + exact("a b")},
		{&message.CompactionSummary{Summary: "x y"}, 4 + 2},
		{&message.User{Content: []message.Block{&message.Image{URL: "x"}}}, 4 + budget.ImageTokens},
		{nil, 0},
	} {
		assert.Equal(t, c.want, tiktoken.Counter{}.Tokens(c.m))
	}
	assert.Equal(t, tiktoken.CL100K.TextTokens("naïve 漢字"), tiktoken.Counter{Encoding: tiktoken.CL100K}.TextTokens("naïve 漢字"))
	assert.Equal(t, 6, tiktoken.Reference(tiktoken.O200K).Tokens(message.NewUser("hello world")))
	assert.Equal(t, "o200k_base", tiktoken.O200K.String())
}

// What reads like a special token is text, and a byte that is not UTF-8 counts
// as the U+FFFD it is sent as.
func TestSpecialTexts(t *testing.T) {
	for _, e := range encodings {
		assert.Equal(t, 7, e.TextTokens("<|endoftext|>"))
		assert.Equal(t, e.TextTokens("a\ufffd\ufffdb"), e.TextTokens("a\xff\xfeb"))
		assert.Zero(t, e.TextTokens(""))
	}
}

func TestNoAllocations(t *testing.T) {
	if race {
		t.Skip("with -race a pool forgets at random")
	}
	text := strings.Repeat("func main() { println(\"héllo, 世界\") } // and more of it\n", 40)
	m := message.NewAssistant(message.Text(text), message.NewToolCall("1", "write", fmt.Sprintf(`{"content":%q}`, text)))
	var counter budget.Counter = tiktoken.Counter{}
	counter.Tokens(m)
	assert.Zero(t, testing.AllocsPerRun(100, func() { counter.Tokens(m) }))
}

func TestConcurrent(t *testing.T) {
	want := tiktoken.O200K.TextTokens(strings.Repeat("some text, ", 500))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				assert.Equal(t, want, tiktoken.O200K.TextTokens(strings.Repeat("some text, ", 500)))
			}
		})
	}
	wg.Wait()
}
