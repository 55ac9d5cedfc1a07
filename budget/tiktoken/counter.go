package tiktoken

import (
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// Counter prices messages as they are sent, by the exact count of their texts:
// see budget.WireTokens. The zero value counts in O200K.
type Counter struct {
	Encoding *Encoding     // nil means O200K
	Images   budget.Images // the zero value is flat
}

func (c Counter) encoding() *Encoding {
	if c.Encoding == nil {
		return O200K
	}
	return c.Encoding
}

// TextTokens returns how many tokens s has, exactly.
func (c Counter) TextTokens(s string) int { return c.encoding().TextTokens(s) }

// Tokens returns what m costs on the wire.
func (c Counter) Tokens(m message.Message) int {
	return budget.WireTokens(m, c.encoding(), c.Images)
}

// models are the beginnings of the names of models, and their encodings.
var models = []struct {
	prefix   string
	encoding *Encoding
}{
	{"gpt-5", O200K}, {"gpt-4.5", O200K}, {"gpt-4.1", O200K}, {"gpt-4o", O200K}, {"chatgpt-4o", O200K}, {"gpt-oss", O200K}, {"codex", O200K},
	{"o1", O200K}, {"o3", O200K}, {"o4", O200K},
	{"gpt-4", CL100K}, {"gpt-3.5", CL100K}, {"gpt-35", CL100K}, {"text-embedding-3", CL100K}, {"text-embedding-ada-002", CL100K},
}

// ForModel returns the encoding of one of OpenAI's models, by the longest prefix
// of its name that is known; ok is false, and the encoding nil, for any other.
// What stands before a slash or behind "ft:" is passed over.
func ForModel(name string) (e *Encoding, ok bool) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(strings.ToLower(name), "ft:")
	longest := 0
	for _, m := range models {
		rest, has := strings.CutPrefix(name, m.prefix)
		if has && len(m.prefix) > longest && (rest == "" || strings.ContainsAny(rest[:1], "-.:@_")) {
			e, longest = m.encoding, len(m.prefix)
		}
	}
	return e, e != nil
}
