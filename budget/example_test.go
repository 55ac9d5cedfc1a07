package budget_test

import (
	"fmt"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
)

func Example() {
	msgs := condensertest.MustParse("u:8k a(1):100 r1:20k a:500 u:100")
	card := budget.ModelCard{Name: "small", ContextWindow: 8192}
	policy := budget.AutoCondensePolicy()

	fmt.Println(budget.EstimateTokens(msgs), "tokens of", budget.Limit(card, policy), "over:", budget.IsOver(msgs, card, policy))
	fmt.Println("cut at", budget.PlanSlice(msgs, budget.Policy{KeepRecent: 200}).Cut)

	g := budget.Basis{Card: card, Policy: policy, Overhead: budget.Size{Tokens: 500}}.Gauge(msgs, nil)
	fmt.Println(g.Level(), "hard", g.Hard(), "trigger", g.Trigger(), "target", g.Target(), "need", g.Need().Tokens)
	// Output:
	// 8210 tokens of 4608 over: true
	// cut at 3
	// critical hard 5644 trigger 4108 target 3286 need 4924
}
