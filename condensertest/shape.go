package condensertest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/condenser-go/condenser/message"
)

// Shape names something a transcript has that compaction code gets wrong.
type Shape string

// shapes are the shapes Shapes looks for, with how it tells.
var shapes = []struct {
	shape Shape
	holds func(*survey) bool
}{
	{"parallel calls", func(s *survey) bool { return s.any(func(m message.Message) bool { return len(message.Calls(m)) > 1 }) }},
	{"pending calls", func(s *survey) bool { _, ok := s.pairs.Pending(); return ok }},
	{"unanswered call", (*survey).unanswered},
	{"orphaned result", func(s *survey) bool {
		return s.results(func(i int, paired, again bool) bool { return !paired && !again })
	}},
	{"second result", func(s *survey) bool { return s.results(func(i int, paired, again bool) bool { return again }) }},
	{"something between call and result", (*survey).interleaved},
	{"ids reused across steps", (*survey).reused},
	{"equal ids in one message", (*survey).equalIDs},
	{"signed thinking", func(s *survey) bool { return s.any(message.Signed) }},
	{"unsigned thinking", func(s *survey) bool {
		return s.block(func(b message.Block) bool { t, ok := b.(*message.Thinking); return ok && t.Signature == "" })
	}},
	{"nothing but thinking", func(s *survey) bool {
		return s.any(func(m message.Message) bool {
			blocks := message.Content(m)
			return len(blocks) > 0 && !slices.ContainsFunc(blocks, func(b message.Block) bool { _, ok := b.(*message.Thinking); return !ok })
		})
	}},
	{"images", func(s *survey) bool {
		return s.block(func(b message.Block) bool { _, ok := b.(*message.Image); return ok })
	}},
	{"opaque blocks", func(s *survey) bool {
		return s.block(func(b message.Block) bool { _, ok := b.(*message.Opaque); return ok })
	}},
	{"empty content", func(s *survey) bool { return s.any(message.IsEmpty) }},
	{"text of 0 bytes", func(s *survey) bool { return s.text(func(t string) bool { return t == "" }) }},
	{"text over 16 kB", func(s *survey) bool { return s.text(func(t string) bool { return len(t) > 16_000 }) }},
	{"CJK", func(s *survey) bool { return s.runes(func(r rune) bool { return unicode.Is(unicode.Han, r) }) }},
	{"emoji", func(s *survey) bool { return s.runes(func(r rune) bool { return r > 0x1F300 }) }},
	{"invalid UTF-8", func(s *survey) bool { return s.text(func(t string) bool { return !utf8.ValidString(t) }) }},
	{"truncated arguments", func(s *survey) bool {
		return s.block(func(b message.Block) bool {
			c, ok := b.(*message.ToolCall)
			return ok && !strings.HasSuffix(string(c.Input), "}")
		})
	}},
	{"no user message", func(s *survey) bool { return !s.any(kindIs(message.KindUser)) }},
	{"system message inside", func(s *survey) bool {
		return slices.ContainsFunc(s.msgs[min(1, len(s.msgs)):], kindIs(message.KindSystem))
	}},
	{"bash", func(s *survey) bool { return s.any(kindIs(message.KindBashExecution)) }},
	{"custom", func(s *survey) bool { return s.any(kindIs(message.KindCustom)) }},
	{"branch summary", func(s *survey) bool { return s.any(kindIs(message.KindBranchSummary)) }},
	{"compaction summary", func(s *survey) bool { return s.any(kindIs(message.KindCompactionSummary)) }},
	{"unknown kind", func(s *survey) bool { return s.any(kindIs(message.KindUnknown)) }},
	{"pinned", func(s *survey) bool { return s.any(func(m message.Message) bool { return m.Head().Pinned }) }},
	{"atomic", func(s *survey) bool { return s.any(func(m message.Message) bool { return m.Head().Atomic }) }},
	{"internal", func(s *survey) bool { return s.any(func(m message.Message) bool { return m.Head().Internal }) }},
	{"unknown fields", func(s *survey) bool { return s.any(func(m message.Message) bool { return len(m.Head().Extra) > 0 }) }},
	{"error result", func(s *survey) bool {
		return s.any(func(m message.Message) bool { r, ok := m.(*message.ToolResult); return ok && r.IsError })
	}},
	{"no message", func(s *survey) bool { return len(s.msgs) == 0 }},
}

// AllShapes returns every shape Shapes can tell, in a fixed order.
func AllShapes() []Shape {
	all := make([]Shape, len(shapes))
	for i, s := range shapes {
		all[i] = s.shape
	}
	return all
}

// Shapes returns the shapes msgs has, judged by what it holds and not by how
// it was made: a test counts them, and fails when its generator leaves one out.
func Shapes(msgs []message.Message) []Shape {
	msgs = message.Present(msgs)
	s := &survey{msgs: msgs, pairs: message.Pair(msgs)}
	var found []Shape
	for _, sh := range shapes {
		if sh.holds(s) {
			found = append(found, sh.shape)
		}
	}
	return found
}

type survey struct {
	msgs  []message.Message
	pairs *message.Pairing
}

func kindIs(k message.Kind) func(message.Message) bool {
	return func(m message.Message) bool { return m.Kind() == k }
}

func (s *survey) any(f func(message.Message) bool) bool { return slices.ContainsFunc(s.msgs, f) }

func (s *survey) block(f func(message.Block) bool) bool {
	return s.any(func(m message.Message) bool { return slices.ContainsFunc(message.Content(m), f) })
}

func (s *survey) text(f func(string) bool) bool {
	return s.block(func(b message.Block) bool { t, ok := b.(message.Text); return ok && f(string(t)) })
}

func (s *survey) runes(f func(rune) bool) bool {
	return s.text(func(t string) bool { return len(t) < 1<<16 && strings.ContainsFunc(t, f) })
}

// results calls f for each result: whether it answers a call, and if not,
// whether the call it names was there.
func (s *survey) results(f func(i int, paired, again bool) bool) bool {
	asked := map[string]bool{}
	for i, m := range s.msgs {
		for _, c := range message.Calls(m) {
			asked[c.ID] = true
		}
		if r, ok := m.(*message.ToolResult); ok {
			_, _, paired := s.pairs.Call(i)
			if f(i, paired, !paired && asked[r.CallID]) {
				return true
			}
		}
	}
	return false
}

func (s *survey) unanswered() bool {
	last := -1
	for i := range s.msgs {
		if s.msgs[i].Kind() == message.KindAssistant {
			if last >= 0 && slices.Contains(s.pairs.Answers(last), -1) {
				return true
			}
			last = i
		}
	}
	return false
}

func (s *survey) interleaved() bool {
	for from, to := range s.pairs.Groups() {
		for _, m := range s.msgs[from+1 : to] {
			if k := m.Kind(); k != message.KindToolResult && k != message.KindAssistant {
				return true
			}
		}
	}
	return false
}

func (s *survey) reused() bool {
	seen := map[string]bool{}
	for _, m := range s.msgs {
		calls := message.Calls(m)
		for _, c := range calls {
			if seen[c.ID] {
				return true
			}
		}
		for _, c := range calls {
			seen[c.ID] = true
		}
	}
	return false
}

func (s *survey) equalIDs() bool {
	return s.any(func(m message.Message) bool {
		seen := map[string]bool{}
		for _, c := range message.Calls(m) {
			if seen[c.ID] {
				return true
			}
			seen[c.ID] = true
		}
		return false
	})
}
