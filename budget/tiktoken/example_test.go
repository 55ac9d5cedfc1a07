package tiktoken_test

import (
	"fmt"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/budget/tiktoken"
)

func Example() {
	e, ok := tiktoken.ForModel("gpt-4o-mini")
	text := `{"hash":"9f86d081884c7d659a2feaa0c55ad015","名前":"田中"}`
	fmt.Println(e, ok, "exact:", e.TextTokens(text), "estimated:", budget.WindowBudget{}.TextTokens(text))
	// Output:
	// o200k_base true exact: 28 estimated: 15
}
