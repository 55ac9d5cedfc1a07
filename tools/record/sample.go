package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/condenser-go/condenser/message"
)

// seedSample puts a stored session into the workspace: an agent reads files of
// the standard library, one of them longer than a scanner's line.
func (r *recorder) seedSample(path string) {
	if r.err != nil {
		return
	}
	msgs := []message.Message{message.NewSystem("You are a coding agent."), message.NewUser("How does net/http decide on chunked encoding?")}
	for i, name := range []string{"src/net/http/sniff.go", "src/net/http/transfer.go", "src/net/http/server.go", "src/bufio/scan.go", "src/strings/builder.go"} {
		data, err := os.ReadFile(r.open(name))
		if err != nil {
			r.err = err
			return
		}
		call := message.NewToolCall(fmt.Sprintf("c%d", i+1), "read", fmt.Sprintf(`{"path":%q}`, name))
		msgs = append(msgs,
			message.NewAssistant(&message.Thinking{Text: "The answer must be in one of these files."}, message.Text("Next file."), call),
			message.NewToolResult(call, string(data)))
	}
	msgs = append(msgs, message.NewAssistant(message.Text("It is decided in transfer.go, by shouldSendChunkedRequestBody and its callers.")), message.NewUser("Thanks."))
	var b bytes.Buffer
	if r.err = message.Encode(&b, msgs); r.err == nil {
		r.seed(path, b.String())
	}
}
