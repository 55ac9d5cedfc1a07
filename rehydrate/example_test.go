package rehydrate_test

import (
	"fmt"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/rehydrate"
)

func Example() {
	dropped := condensertest.MustParse(`u a(1,2) r1"package one" r2"package two"`) // reads f1.go and f2.go
	kept := condensertest.MustParse(`a(1) r1"package one, again"`)
	for _, m := range rehydrate.RecentReads(dropped, kept, rehydrate.Defaults()) {
		fmt.Println(message.PlainText(m))
	}
	// Output:
	// [Restored file after compaction] f2.go
	// package two
}
