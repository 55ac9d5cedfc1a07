package tiktoken

import (
	"sync"
	"unicode"

	"github.com/pkoukk/tiktoken-go"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// Reference returns tiktoken-go's own count over the same vocabulary: the oracle
// this package is tested against, for whoever wants to see for themselves. It is
// slow (some 3 MB/s), allocates 126 bytes a byte, and takes a quarter of a second
// and some 50 MB to load, once for each encoding. It sets no global loader, asks no
// network and takes special tokens for text. Its time is quadratic in runs of one
// kind of character, so runs above 4 KB are cut there: on those its count may be
// 0.02 % high.
func Reference(e *Encoding) budget.Counter { return reference{e.name, 4 << 10} }

// reference is the name of an encoding, and the longest run of one kind of
// character that is left whole, in bytes.
type reference struct {
	name string
	run  int
}

// TextTokens returns tiktoken-go's count.
func (r reference) TextTokens(s string) int {
	t := references[r.name]()
	n := 0
	for _, part := range cutRuns(s, r.run) {
		n += len(t.EncodeOrdinary(part))
	}
	return n
}

// Tokens returns what m costs on the wire.
func (r reference) Tokens(m message.Message) int { return budget.WireTokens(m, r, budget.FlatImages) }

var references = map[string]func() *tiktoken.Tiktoken{
	O200K.name:  sync.OnceValue(func() *tiktoken.Tiktoken { return newReference(O200K, o200kPattern) }),
	CL100K.name: sync.OnceValue(func() *tiktoken.Tiktoken { return newReference(CL100K, cl100kPattern) }),
}

// The patterns, as OpenAI publishes them.
const (
	cl100kPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	o200kPattern  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
		`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

func newReference(e *Encoding, pattern string) *tiktoken.Tiktoken {
	v := e.load().vocabulary
	ranks := make(map[string]int, len(v.start))
	for r := range len(v.start) - 1 {
		ranks[v.token(int32(r))] = r
	}
	bpe, err := tiktoken.NewCoreBPE(ranks, map[string]int{}, pattern)
	if err != nil {
		panic("tiktoken: " + err.Error()) // the pattern is a constant
	}
	return tiktoken.NewTiktoken(bpe, &tiktoken.Encoding{Name: e.name}, map[string]any{})
}

// cutRuns cuts s behind every run bytes of letters, digits, blanks or others in a
// row.
func cutRuns(s string, run int) []string {
	var parts []string
	from, start, last := 0, 0, -1
	for i, r := range s {
		kind := kindOf(r)
		if kind != last {
			start, last = i, kind
		}
		if i-start >= run {
			parts = append(parts, s[from:i])
			from, start = i, i
		}
	}
	return append(parts, s[from:])
}

func kindOf(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return 0
	case unicode.IsNumber(r):
		return 1
	case unicode.IsSpace(r):
		return 2
	}
	return 3
}
