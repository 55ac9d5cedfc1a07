package main

// What the agent of the session breakdown writes: the command where.

const whereMain = `// Command where prints where the tokens of a stored session go.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// row is one line of the table.
type row struct{ messages, tokens int }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: where session.jsonl")
		os.Exit(2)
	}
	msgs, err := load(os.Args[1])
	if err != nil {
		fmt.Fprintf(os.Stderr, "where: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	show(msgs)
}

// load reads a stored session.
func load(name string) ([]message.Message, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
` + whereScan + `}

// table counts msgs by part.
func table(msgs []message.Message) (rows map[string]row, order []string) {
	rows = map[string]row{}
	add := func(part string, messages, tokens int) {
		if _, ok := rows[part]; !ok {
			order = append(order, part)
		}
		r := rows[part]
		rows[part] = row{r.messages + messages, r.tokens + tokens}
	}
	for _, m := range msgs {
		a, ok := m.(*message.Assistant)
		if !ok {
			add(string(m.Kind()), 1, budget.EstimateMessageTokens(m))
			continue
		}
` + whereCountBlocks + `	}
	return rows, order
}

func show(msgs []message.Message) {
	rows, order := table(msgs)
	total := budget.EstimateTokens(msgs)
` + wherePrint + `}
`

const whereScan = `	var msgs []message.Message
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		m, err := message.Unmarshal(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		msgs = append(msgs, m)
	}
	return msgs, lines.Err()
`

const whereDecode = `	return message.Decode(f)
`

const whereCountBlocks = `		var w budget.WindowBudget
		for _, b := range a.Content {
			switch b := b.(type) {
			case message.Text:
				add("assistant", 1, w.TextTokens(string(b))+budget.BlockFramingTokens)
			case *message.ToolCall:
				add("tool_call", 1, w.TextTokens(b.Name+string(b.Input))+budget.BlockFramingTokens+budget.ToolCallEnvelopeTokens)
			}
		}
`

const whereCountRest = `		words := message.Derive(a, func(c *message.Assistant) {
			c.Content = slices.DeleteFunc(slices.Clone(c.Content), func(b message.Block) bool {
				_, isCall := b.(*message.ToolCall)
				return isCall
			})
		})
		n := budget.EstimateMessageTokens(words)
		add("assistant", 1, n)
		if calls := message.Calls(a); len(calls) > 0 {
			add("tool_call", len(calls), budget.EstimateMessageTokens(a)-n)
		}
`

const wherePrint = `	for _, part := range order {
		r := rows[part]
		fmt.Printf("%s %d %d %.1f%%\n", part, r.messages, r.tokens, 100*float64(r.tokens)/float64(total))
	}
`

const whereTable = `	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-12s\tcount\ttokens\tshare\t\n", "part")
	for _, part := range order {
		r := rows[part]
		fmt.Fprintf(w, "%-12s\t%d\t%d\t%.1f%%\t\n", part, r.messages, r.tokens, 100*float64(r.tokens)/float64(total))
	}
	fmt.Fprintf(w, "%-12s\t%d\t%d\t\t\n", "total", len(msgs), total)
	w.Flush()
`

const whereTest = `package main

import (
	"testing"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

func TestPartsAddUp(t *testing.T) {
	msgs, err := load("../../sample/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range msgs {
		got := 0
		rows, _ := table([]message.Message{m})
		for _, r := range rows {
			got += r.tokens
		}
		if want := budget.EstimateMessageTokens(m); got != want {
			t.Errorf("message %d (%s): parts add up to %d, want %d", i, m.Kind(), got, want)
		}
	}
}
`

const whereThin = `// Command where prints where the tokens of a stored session go.
package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: where session.jsonl")
		os.Exit(2)
	}
	if err := show(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "where: %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}

func show(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	msgs, err := message.Decode(f)
	if err != nil {
		return err
	}
	b := budget.ByPart(msgs)
	total := b.Tokens()
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%-12s\tcount\ttokens\tshare\t\n", "part")
` + whereRows + `	fmt.Fprintf(w, "%-12s\t%d\t%d\t\t\n", "total", len(msgs), total)
	return w.Flush()
}
`

const whereRows = `	for part, s := range b {
		fmt.Fprintf(w, "%-12s\t%d\t%d\t%.1f%%\t\n", budget.Part(part), s.Count, s.Tokens, 100*float64(s.Tokens)/float64(total))
	}
`

const whereSorted = `	var parts []budget.Part
	for part, s := range b {
		if s.Count > 0 {
			parts = append(parts, budget.Part(part))
		}
	}
	slices.SortStableFunc(parts, func(x, y budget.Part) int { return cmp.Compare(b[y].Tokens, b[x].Tokens) })
	for _, part := range parts {
		s := b[part]
		fmt.Fprintf(w, "%-12s\t%d\t%d\t%.1f%%\t\n", part, s.Count, s.Tokens, 100*float64(s.Tokens)/float64(total))
	}
`
