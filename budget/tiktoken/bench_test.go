package tiktoken_test

import (
	"strings"
	"testing"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/budget/tiktoken"
)

// Counting 1 MB of files, and the texts that make other tokenizers hang.
func BenchmarkCount(b *testing.B) {
	var mixed []string
	size := 0
	for _, s := range texts(b, 1200) {
		if size += len(s); size > 1<<20 {
			break
		}
		mixed = append(mixed, s)
	}
	count := func(name string, c budget.Counter, texts []string) {
		b.Run(name, func(b *testing.B) {
			c.TextTokens("load it")
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range texts {
					c.TextTokens(s)
				}
			}
		})
	}
	exact := tiktoken.Counter{}
	count("1MB-of-files", exact, mixed)
	count("1MB-of-files-tiktoken-go", tiktoken.Reference(tiktoken.O200K), mixed)
	for name, piece := range map[string]string{"a": "a", "spaces": " ", "rules": "=", "blank-lines": " \n", "han": "漢"} {
		one := strings.Repeat(piece, 1<<20/len(piece))
		count("1MB-of-"+name, exact, []string{one})
		count("2MB-of-"+name, exact, []string{one + one})
	}
}
