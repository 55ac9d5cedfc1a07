package condenser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

// longSession is a session of about n messages: an ask, then tool rounds, some
// of them parallel, 600 bytes a result.
func longSession(n int) []message.Message {
	var msgs []message.Message
	for i := 0; len(msgs) < n; i++ {
		if i%20 == 0 {
			msgs = append(msgs, message.NewUser(fmt.Sprintf("request %d: please look at pkg%d and make its tests pass", i, i%37)))
		}
		a := message.NewAssistant(message.Text("Let me look."))
		var results []message.Message
		for k := range 1 + i%3 {
			c := message.NewToolCall(fmt.Sprintf("c%d_%d", i, k), []string{"read", "bash", "edit"}[k], fmt.Sprintf(`{"path":"pkg%d/f%d.go","command":"go test ./pkg%d"}`, i%37, k, i%37))
			a.Content = append(a.Content, c)
			results = append(results, message.NewToolResult(c, strings.Repeat(fmt.Sprintf("line %d of a result\n", i), 30)))
		}
		msgs = append(append(msgs, a), results...)
	}
	return msgs
}

// The gate: what every turn costs while there is nothing to do. The baselines
// are adding up 100,000 numbers, and pricing all messages anew.
func BenchmarkGate(b *testing.B) {
	msgs := longSession(100_001)[:100_001]
	p := condenser.Default(condenser.Deps{Card: budget.ModelCard{ContextWindow: 1 << 30}, Observe: quiet})
	ctx := context.Background()
	b.Run("100k-messages-append-one", func(b *testing.B) {
		b.ReportAllocs()
		condense := p.Func()
		condense(ctx, msgs[:100_000])
		for i := 0; b.Loop(); i++ {
			condense(ctx, msgs[:100_000+i%2]) // one more, and one less
		}
	})
	b.Run("100k-messages-cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			budget.EstimateTokens(msgs)
		}
	})
	b.Run("100k-numbers-sum", func(b *testing.B) {
		costs := make([]int, len(msgs))
		for i, m := range msgs {
			costs[i] = budget.EstimateMessageTokens(m)
		}
		total := 0
		for b.Loop() {
			total = 0
			for _, c := range costs {
				total += c
			}
		}
		b.ReportMetric(float64(total), "tokens")
	})
}

// The whole ladder without a model. The baseline is pricing all messages once.
func BenchmarkFit(b *testing.B) {
	for _, n := range []int{10_000, 20_000} {
		msgs := longSession(n)
		b.Run(fmt.Sprintf("%dk-messages", n/1000), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := condenser.Default(condenser.Deps{Card: budget.ModelCard{ContextWindow: 200_000}, Observe: quiet})
				if _, r, err := p.Fit(context.Background(), msgs, condenser.Call{}); err != nil || r.Outcome != condenser.Condensed {
					b.Fatal(r, err)
				}
			}
		})
		b.Run(fmt.Sprintf("%dk-messages-count", n/1000), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				budget.EstimateTokens(msgs)
			}
		})
	}
}

// Folding 500 edits into 10,000 messages. The baseline is copying the list.
func BenchmarkFold(b *testing.B) {
	msgs := longSession(10_000)[:10_000]
	var edits []transcript.Edit
	for i := range 500 {
		edits = append(edits, transcript.Edit{From: i * 20, To: i*20 + 5, With: []message.Message{message.NewUser("a digest")}})
	}
	b.Run("10k-messages-500-edits", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := transcript.Fold(msgs, edits...); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("10k-messages-copy", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = append([]message.Message(nil), msgs...)
		}
	})
}

// One commit and one append on a log of 10,000 messages.
func BenchmarkLog(b *testing.B) {
	msgs := longSession(10_000)[:10_000]
	b.Run("10k-messages-commit", func(b *testing.B) {
		b.ReportAllocs()
		l := transcript.NewLog()
		if err := l.Append(msgs...); err != nil {
			b.Fatal(err)
		}
		for i := 0; b.Loop(); i++ {
			s := l.Snapshot()
			v := s.View()
			cut := v.Cuts().Floor(v.Len() / 2)
			if err := s.Commit(transcript.Commit{Edits: []transcript.Edit{v.Replace(0, cut, message.NewUser("a digest"))}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("10k-messages-append-one", func(b *testing.B) {
		b.ReportAllocs()
		l := transcript.NewLog()
		if err := l.Append(msgs...); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if err := l.Append(msgs[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The digest without a model.
func BenchmarkLocalDigest(b *testing.B) {
	for _, n := range []int{10_000, 20_000} {
		msgs := longSession(n)
		b.Run(fmt.Sprintf("%dk-messages", n/1000), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				summarize.Local{}.Digest(msgs)
			}
		})
	}
}

// Reading and writing the stored form, 10,000 messages.
func BenchmarkStored(b *testing.B) {
	msgs := longSession(10_000)
	text := stored(b, msgs)
	b.Run("10k-messages-encode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			stored(b, msgs)
		}
	})
	b.Run("10k-messages-decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := message.Decode(strings.NewReader(text)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
