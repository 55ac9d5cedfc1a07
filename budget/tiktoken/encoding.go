package tiktoken

import (
	_ "embed"
	"fmt"
	"sync"
	"unicode/utf8"
	"unsafe"
)

var (
	//go:embed o200k.vocab
	o200kVocabulary string
	//go:embed cl100k.vocab
	cl100kVocabulary string
)

// Encoding is one of OpenAI's tokenizers. It counts; it is safe for concurrent
// use, and its methods do not allocate once the encoding is loaded, which its
// first use does (tens of milliseconds, some 8 MB).
type Encoding struct {
	name string
	load func() *engine
}

// The encodings.
var (
	O200K  = &Encoding{"o200k_base", sync.OnceValue(func() *engine { return newEngine(o200kVocabulary, (*classes).nextO200K) })}
	CL100K = &Encoding{"cl100k_base", sync.OnceValue(func() *engine { return newEngine(cl100kVocabulary, (*classes).nextCL100K) })}
)

// String returns the encoding's name, as OpenAI has it.
func (e *Encoding) String() string { return e.name }

// TextTokens returns how many tokens s has, exactly. Text that reads like a
// special token counts as text; a byte that is not UTF-8 counts as U+FFFD, as
// which it is sent.
func (e *Encoding) TextTokens(s string) int { return e.load().count(s) }

// engine is a loaded encoding.
type engine struct {
	vocabulary *vocabulary
	classes    *classes
	next       func(c *classes, s string, i int) int
	pool       sync.Pool
}

func newEngine(data string, next func(*classes, string, int) int) *engine {
	v, err := readVocabulary(data)
	if err != nil {
		panic(fmt.Sprintf("%v: the package is damaged", err)) // it is embedded
	}
	e := &engine{vocabulary: v, classes: loadClasses(), next: next}
	e.pool.New = func() any { return new(scratch) }
	return e
}

var loadClasses = sync.OnceValue(newClasses)

// keepScratch is how many links and bytes a scratch may have to be kept: a long
// piece's is let go.
const keepScratch = 1 << 16

func (e *engine) count(s string) int {
	b := e.pool.Get().(*scratch)
	n := 0
	if utf8.ValidString(s) {
		n = e.countValid(s, b)
	} else {
		n = e.countValid(b.mended(s), b)
	}
	if cap(b.links) <= keepScratch && cap(b.valid) <= keepScratch {
		e.pool.Put(b)
	}
	return n
}

func (e *engine) countValid(s string, b *scratch) int {
	n := 0
	for i := 0; i < len(s); {
		end := e.next(e.classes, s, i)
		n += e.vocabulary.tokens(s[i:end], b)
		i = end
	}
	return n
}

// mended returns s with U+FFFD for each byte that is not UTF-8.
func (b *scratch) mended(s string) string {
	b.valid = b.valid[:0]
	for _, r := range s {
		b.valid = utf8.AppendRune(b.valid, r)
	}
	return unsafe.String(unsafe.SliceData(b.valid), len(b.valid)) // nothing keeps it
}
