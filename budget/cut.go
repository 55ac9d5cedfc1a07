package budget

import (
	"sort"
	"unicode/utf8"
)

// CutMiddle returns text if it costs at most tokens, else as much of its head
// and tail as fits (two parts to one) around the notice that notice makes of
// the number of bytes left out. Cuts lie between runes. If not even the notice
// fits, the notice alone is returned: nothing is left out without a word.
func CutMiddle(text string, tokens int, c Counter, notice func(omitted int) string) string {
	if c.TextTokens(text) <= tokens {
		return text
	}
	cut := func(keep int) string {
		head := runeStart(text, keep-keep/3)
		tail := runeStart(text, len(text)-keep/3)
		return text[:head] + notice(tail-head) + text[tail:]
	}
	// The least number of bytes that is too much, by halving: counters grow with
	// their text but for a token or so, so the last step may be taken back.
	keep := sort.Search(len(text), func(keep int) bool { return c.TextTokens(cut(keep)) > tokens })
	for keep > 0 {
		keep--
		if s := cut(keep); c.TextTokens(s) <= tokens {
			return s
		}
	}
	return notice(len(text))
}

// runeStart returns the last rune border of s at or before i.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
