package condensertest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
)

// A host's unit test: a scripted model that fails once, and then answers.
func Example() {
	model := condensertest.NewScript(condensertest.Fail(errors.New("503 overloaded")), condensertest.Reply("# Objective\nPort the parser."))
	p := condenser.Default(condenser.Deps{Card: budget.ModelCard{ContextWindow: 8192}, Invoker: model, Observe: func(context.Context, condenser.Report) {}})
	history := condensertest.MustParse("s u:9k a:4k u:4k a:900 u:100")

	for range 2 {
		view, report, err := p.Fit(context.Background(), history, condenser.Call{})
		fmt.Println(report.Outcome, condensertest.Show(view), err)
	}
	fmt.Println(model.Calls(), "calls")
	// Output:
	// failed s u a u a u summarize: failed: 503 overloaded
	// condensed s D u a u <nil>
	// 2 calls
}
