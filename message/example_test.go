package message_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/condenser-go/condenser/message"
)

func Example() {
	call := message.NewToolCall("c1", "bash", `{"command":"go build"}`)
	msgs := []message.Message{
		message.NewUser("fix the build"),
		message.NewAssistant(message.Text("Let me see."), call),
		message.NewToolResult(call, "undefined: frobnicate"),
	}
	if err := message.Encode(os.Stdout, msgs); err != nil {
		fmt.Println(err)
	}
	i, _, _ := message.Pair(msgs).Call(2)
	fmt.Println("message 2 answers message", i)
	fmt.Println(message.Validate(msgs[1:], message.Portable))
	// Output:
	// {"kind":"user","content":[{"type":"text","text":"fix the build"}]}
	// {"kind":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_call","id":"c1","name":"bash","input":{"command":"go build"}}]}
	// {"kind":"tool_result","tool_call_id":"c1","tool_name":"bash","is_error":false,"content":[{"type":"text","text":"undefined: frobnicate"}]}
	// message 2 answers message 1
	// [message 0: V1: the first message is of kind assistant, not a user's]
}

func ExampleDecodeLenient() {
	stored := `{"kind":"user","content":[{"type":"text","text":"hello"}]}
{"kind":"user","content":[{"type":"te`
	msgs, bad, err := message.DecodeLenient(strings.NewReader(stored))
	fmt.Println(len(msgs), bad[0], err)
	// Output: 1 line 2: not JSON: unexpected end of JSON input <nil>
}

func ExampleDerive() {
	read := message.NewToolResult(message.NewToolCall("c1", "read", `{}`), "a long file")
	cleared := message.Derive(read, func(r *message.ToolResult) {
		r.Content = []message.Block{message.Text("[cleared]")}
	})
	fmt.Println(message.PlainText(read), "/", message.PlainText(cleared))
	// Output: a long file / [cleared]
}
