package budget

import "github.com/condenser-go/condenser/message"

// EstimateMessageTokens returns the window-budget document's estimate of one
// message, exact to the document: ceil(scalars / 3.6) over its texts, names
// and compact JSON arguments, plus 4 a message, 2 a block, 6 a tool call or
// result and 1,024 an image. A call's null input, ids, exit codes and a
// result's tool name weigh nothing.
func EstimateMessageTokens(m message.Message) int { return WindowBudget{}.Tokens(m) }

// EstimateTokens returns the sum over msgs; 0 for none.
func EstimateTokens(msgs []message.Message) int {
	n := 0
	for _, m := range msgs {
		n += EstimateMessageTokens(m)
	}
	return n
}

// PrefixTokens returns n+1 numbers for n messages: the i-th is the estimate of
// msgs[:i]. They never decrease.
func PrefixTokens(msgs []message.Message) []int {
	prefix := make([]int, len(msgs)+1)
	for i, m := range msgs {
		prefix[i+1] = prefix[i] + EstimateMessageTokens(m)
	}
	return prefix
}
