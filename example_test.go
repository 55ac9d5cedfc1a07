package condenser_test

import (
	"context"
	"fmt"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

func Example() {
	condense := condenser.NewCondenser(condenser.Deps{Card: budget.ModelCard{ContextWindow: 8192}})

	history := condensertest.MustParse(`s u"port the parser" a(1) r1:9k a(2) r2:9k u"and test it" a(3) r3:9k a:900 u"go on"`)
	view := condense(context.Background(), history)

	fmt.Println(condensertest.Show(history), "·", budget.EstimateTokens(history), "tokens")
	fmt.Println(condensertest.Show(view), "·", budget.EstimateTokens(view), "tokens")
	// Output:
	// s u a(1) r1 a(2) r2 u a(3) r3 a u · 8080 tokens
	// s D F a u · 2941 tokens
}

func ExamplePipeline_Condense() {
	log := transcript.NewLog()
	_ = log.Append(condensertest.MustParse("s u:9k a:9k u:9k a:2k u:100")...)

	p := condenser.Default(condenser.Deps{Card: budget.ModelCard{ContextWindow: 8192}})
	report, err := p.Condense(context.Background(), log, condenser.Call{})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(report.Outcome, condensertest.Show(log.View().Messages()))

	_ = log.Revert(report.CommitID)
	fmt.Println(condensertest.Show(log.View().Messages()))
	// Output:
	// condensed s D a u
	// s u a u a u
}

// A ladder of one's own: clear old results first, and only above the trigger
// pay for a digest, if it frees at least 1,000 tokens.
func ExamplePipeline_Fit() {
	model := condensertest.NewScript(condensertest.Reply("# Objective\nPort the parser.\n\n# Plan\n- the lexer first\n\n# Carryover\nthe old flags stay"))
	p := &condenser.Pipeline{
		Card: budget.ModelCard{ContextWindow: 8192},
		Passes: []condenser.Pass{
			microcompact.ToolResults{Keep: 2},
			condenser.When(budget.Condense, condenser.AtLeast(1000, &summarize.Pass{Invoker: model})),
		},
	}
	history := condensertest.MustParse("u:9k a(1) r1:9k a(2) r2:5k u:200 a(3) r3:4k u:100")
	view, report, err := p.Fit(context.Background(), history, condenser.Call{Overhead: budget.Size{Tokens: 1200}})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(condensertest.Show(view), "for", model.Calls(), "call")
	fmt.Println(report)
	// Output:
	// D u a(3) r3 u for 1 call
	// condensed (threshold, critical): 9 messages, 7888 tokens → 5 messages, 1440 tokens; window 8192, hard 4944, trigger 3408, target 2726
	//   microcompact: 7888 → 5338 tokens, 1 message in 1 edit (stale result)
	//   summarize: 5338 → 1440 tokens, 5 messages in 1 edit (digest by the model), 1 model call
}

// A host with its own message type wraps the pipeline with a codec.
func ExampleWrap() {
	condense := condenser.Wrap(condenser.Default(condenser.Deps{Card: budget.ModelCard{ContextWindow: 4096}}), lineCodec{})
	history := []string{"user: fix it"}
	for i := range 30 {
		history = append(history, fmt.Sprintf("agent: step %d, %0300d", i, i))
	}
	out := condense(context.Background(), history)
	fmt.Println(len(history), "lines, then", len(out))
	fmt.Println(out[len(out)-1] == history[len(history)-1])
	// Output:
	// 31 lines, then 8
	// true
}

// lineCodec is for hosts whose messages are lines.
type lineCodec struct{}

func (lineCodec) Decode(lines []string) ([]condenser.Group, error) {
	var groups []condenser.Group
	for _, l := range lines {
		var m message.Message = message.NewAssistant(message.Text(l))
		if len(l) > 5 && l[:5] == "user:" {
			m = message.NewUser(l)
		}
		groups = append(groups, condenser.Group{N: 1, Messages: []message.Message{m}})
	}
	return groups, nil
}

func (lineCodec) Encode(_ []string, now []message.Message) ([]string, error) {
	var lines []string
	for _, m := range now {
		lines = append(lines, message.PlainText(m))
	}
	return lines, nil
}
