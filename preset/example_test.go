package preset_test

import (
	"context"
	"fmt"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/preset"
)

func Example() {
	p := preset.WindowBudget(condenser.Deps{Card: budget.ModelCard{ContextWindow: 8192}})
	history := condensertest.MustParse(`u"port the parser" a(1) r1:9k u:9k a(2) r2:9k a:900 u"go on" a:100`)

	view, report, err := p.Fit(context.Background(), history, condenser.Call{})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(report.Outcome, condensertest.Show(view))
	// Output: condensed D F a u a
}
