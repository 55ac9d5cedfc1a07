package summarize

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/condenser-go/condenser/message"
)

// cues are what a sentence must hold to be quoted: whole words, or for scripts
// without spaces any part.
type cues struct{ words, parts []string }

var (
	bounds = cues{
		words: []string{"must", "never", "don't", "do not", "only", "always", "without", "avoid", "instead", "make sure", "should not", "shouldn't"},
		parts: []string{"不要", "别", "必须", "禁止", "只能", "ないで", "必ず", "だけ", "하지 마"},
	}
	grounds = cues{
		words: []string{"because", "instead of", "decided", "root cause", "so that", "the problem is", "the issue is", "turns out", "that's why", "rather than"},
		parts: []string{"因为", "决定", "原因", "なぜなら", "ため", "決め"},
	}
)

const (
	maxSentence  = 240     // runes: a longer one is a paste, not a statement
	maxSentences = 8       // per message
	maxProse     = 8 << 10 // bytes of a message that are looked at
)

// sentences returns the sentences of text that hold a cue, as they stand.
func sentences(text string, c cues) []string {
	if len(text) > maxProse {
		text = text[:maxProse]
	}
	var out []string
	for line := range strings.Lines(clean(text)) {
		for _, s := range splitSentences(line) {
			if s = message.Line(strings.TrimLeft(s, " \t-*•#>"), maxSentence+1); s != "" && utf8.RuneCountInString(s) <= maxSentence && c.in(s) {
				if out = append(out, s); len(out) == maxSentences {
					return out
				}
			}
		}
	}
	return out
}

func splitSentences(line string) []string {
	var out []string
	start := 0
	for i, r := range line {
		end := i + utf8.RuneLen(r)
		stop := strings.ContainsRune("。！？", r) ||
			strings.ContainsRune(".!?", r) && (end == len(line) || line[end] == ' ')
		if stop {
			out = append(out, line[start:end])
			start = end
		}
	}
	return append(out, line[start:])
}

func (c cues) in(s string) bool {
	for _, p := range c.parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	s = " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return strings.ContainsRune(" ,;:.!?()\"`*_", r)
	}), " ") + " "
	return slices.ContainsFunc(c.words, func(w string) bool { return strings.Contains(s, " "+w+" ") })
}
