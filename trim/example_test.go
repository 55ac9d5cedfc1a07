package trim_test

import (
	"context"
	"fmt"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
	"github.com/condenser-go/condenser/trim"
)

func Example() {
	v, _ := transcript.Fold(condensertest.MustParse(`u"port the parser" a:9k u"and the lexer" a:9k u"how far are you?"`))
	g := budget.Basis{Card: budget.ModelCard{ContextWindow: 4096}, Policy: budget.AutoCondensePolicy()}.Gauge(v.Messages(), nil)

	edits, err := trim.Oldest{}.Plan(context.Background(), v, g)
	if err != nil {
		fmt.Println(err)
	}
	after, _ := v.With(edits...)
	for _, m := range after.Messages() {
		fmt.Println(message.PlainText(m))
	}
	// Output:
	// [4 earlier messages were left out to fit the window]
	// - the user asked: port the parser
	// - the user asked: and the lexer
	// how far are you?
}
