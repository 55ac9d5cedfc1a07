package microcompact_test

import (
	"context"
	"fmt"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/transcript"
)

func Example() {
	v, _ := transcript.Fold(condensertest.MustParse("u a(1,2) r1:9k r2:9k a u"))
	g := budget.Basis{Card: budget.ModelCard{ContextWindow: 8192}, Policy: budget.AutoCondensePolicy()}.Gauge(v.Messages(), nil)

	edits, err := microcompact.ToolResults{Keep: 1}.Plan(context.Background(), v, g)
	if err != nil {
		fmt.Println(err)
	}
	after, _ := v.With(edits...)
	fmt.Println(condensertest.Show(after.Messages()))
	fmt.Println(g.Used(), "tokens, then", g.For(after.Messages()).Used())
	// Output:
	// u a(1,2) r1~ r2 a u
	// 5211 tokens, then 2661
}
