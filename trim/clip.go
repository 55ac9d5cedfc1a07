package trim

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

func cutNotice(n int) string { return fmt.Sprintf("[… %d bytes left out …]", n) }

const (
	imageNotice = "[image left out]"
	// leastCap is the smallest share of a text: about its notice.
	leastCap = 12
)

// canClip reports whether m may be changed at all.
func canClip(m message.Message) bool {
	h := m.Head()
	if h.Pinned || h.Atomic || message.Signed(m) {
		return false
	}
	switch m.Kind() {
	case message.KindSystem, message.KindUnknown:
		return false
	}
	return true
}

// clip returns m with no text, argument or image of it above tokens; m itself
// if none is. Texts keep their head and tail.
func clip(m message.Message, tokens int, c budget.Counter) message.Message {
	cut := func(s string) string { return budget.CutMiddle(s, tokens, c, cutNotice) }
	switch b := m.(type) {
	case *message.BashExecution:
		if command, output := cut(b.Command), cut(b.Output); command != b.Command || output != b.Output {
			return message.Derive(b, func(b *message.BashExecution) { b.Command, b.Output, b.Origin = command, output, originOf(m) })
		}
		return m
	case *message.BranchSummary:
		if s := cut(b.Summary); s != b.Summary {
			return message.Derive(b, func(b *message.BranchSummary) { b.Summary, b.Origin = s, originOf(m) })
		}
		return m
	case *message.CompactionSummary:
		if s := cut(b.Summary); s != b.Summary {
			return message.Derive(b, func(b *message.CompactionSummary) { b.Summary, b.Origin = s, originOf(m) })
		}
		return m
	}
	blocks := message.Content(m)
	var out []message.Block
	for i, b := range blocks {
		now := clipBlock(b, tokens, c)
		if now == b {
			continue
		}
		if out == nil {
			out = append(out, blocks...)
		}
		out[i] = now
	}
	if out == nil {
		return m
	}
	return message.WithContent(m, originOf(m), out...)
}

// originOf keeps the Origin of what another pass made, so that a digest stays
// known as one.
func originOf(m message.Message) string {
	if o := m.Head().Origin; o != "" {
		return o
	}
	return message.Shortened
}

func clipBlock(b message.Block, tokens int, c budget.Counter) message.Block {
	switch t := b.(type) {
	case message.Text:
		return message.Text(budget.CutMiddle(string(t), tokens, c, cutNotice))
	case *message.Thinking:
		if s := budget.CutMiddle(t.Text, tokens, c, cutNotice); s != t.Text {
			return &message.Thinking{Text: s}
		}
	case *message.Image:
		if cost := blockTokens(b, c); cost > tokens {
			return message.Text(imageNotice)
		}
	case *message.Opaque:
		if cost := blockTokens(b, c); cost > tokens {
			return message.Text(fmt.Sprintf("[%s left out]", message.Line(t.Type, 40)))
		}
	case *message.ToolCall:
		if c.TextTokens(string(t.Input)) > tokens {
			return &message.ToolCall{ID: t.ID, Name: t.Name, Input: shortInput(t.Input, tokens, c), Extra: t.Extra}
		}
	}
	return b
}

// shortInput stands in the place of arguments that are too large. It is a JSON
// object, whatever they were.
func shortInput(raw json.RawMessage, tokens int, c budget.Counter) json.RawMessage {
	input := func(n int) json.RawMessage {
		out, _ := json.Marshal(map[string]string{"left_out": message.Line(string(raw), n)})
		return out
	}
	n := sort.Search(1000, func(n int) bool { return c.TextTokens(string(input(n))) > tokens })
	return input(max(0, n-1))
}

// blockTokens is what b alone costs.
func blockTokens(b message.Block, c budget.Counter) int {
	empty := &message.User{}
	return c.Tokens(&message.User{Content: []message.Block{b}}) - c.Tokens(empty)
}

// parts returns the costs of what clip could cut in m, each by itself.
func parts(m message.Message, c budget.Counter) []int {
	switch b := m.(type) {
	case *message.BashExecution:
		return []int{c.TextTokens(b.Command), c.TextTokens(b.Output)}
	case *message.BranchSummary:
		return []int{c.TextTokens(b.Summary)}
	case *message.CompactionSummary:
		return []int{c.TextTokens(b.Summary)}
	}
	var out []int
	for _, b := range message.Content(m) {
		switch t := b.(type) {
		case message.Text:
			out = append(out, c.TextTokens(string(t)))
		case *message.Thinking:
			out = append(out, c.TextTokens(t.Text))
		case *message.ToolCall:
			out = append(out, c.TextTokens(string(t.Input)))
		default:
			out = append(out, blockTokens(b, c))
		}
	}
	return out
}
