package summarize_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

// Without a model the digest is made from what the messages hold.
func Example() {
	edit := message.NewToolCall("c1", "edit", `{"path":"parser.go","old":"a","new":"b"}`)
	test := message.NewToolCall("c2", "bash", `{"command":"go test ./..."}`)
	msgs := []message.Message{
		message.NewUser("Port the parser. Never touch the public API."),
		message.NewAssistant(edit), message.NewToolResult(edit, "ok"),
		message.NewAssistant(test), message.NewToolResult(test, "--- FAIL: TestParse\n"+strings.Repeat("    a long log line\n", 20)+"exit status 1"),
		message.NewUser("And what now?"),
	}
	s := summarize.Summarize(context.Background(), msgs, summarize.Options{MaxTokens: 400})
	fmt.Println(message.PlainText(s.Message))
	fmt.Println("—", s.Covered, "messages,", s.Reason)
	// Output:
	// [session digest — older turns condensed]
	//
	// # Objective
	// Last request, word for word:
	// And what now?
	// Earlier requests, oldest first:
	// - Port the parser. Never touch the public API.
	//
	// # Guardrails
	// - Never touch the public API.
	//
	// # Status (Shipped / Active / Stuck)
	// Shipped, by file:
	// - parser.go: edited
	// Stuck:
	// - $ go test ./... → exit 1: --- FAIL: TestParse
	//
	// # Carryover
	// Condensed here: 6 messages (2 of the user, 2 of the agent, 2 tool results).
	// — 6 messages, no invoker
}

// A scripted model stands in for a real one; a blank reply does not count.
func ExampleSummarize() {
	msgs := condensertest.MustParse(`u"port the parser" a(1) r1:2k a:500`)
	model := condensertest.NewScript(condensertest.Reply("# Objective\nPort the parser."), condensertest.Blank())

	s := summarize.Summarize(context.Background(), msgs, summarize.Options{Invoker: model})
	fmt.Println(s.Reason, s.Usage.Output > 0)
	s = summarize.Summarize(context.Background(), msgs, summarize.Options{Invoker: model})
	fmt.Println(s.Reason)
	// Output:
	// accepted true
	// blank reply
}

func ExampleFlatten() {
	fmt.Println(summarize.Flatten(condensertest.MustParse(`u"fix it" a(1=bash)"Let me look." r1"no such file"!`)))
	// Output:
	// » you: fix it
	// » agent: Let me look.
	// » agent.call bash: {"path":"f1.go"}
	// » tool!err (bash): no such file
}
