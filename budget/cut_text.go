package budget

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutMark ends a text that CutText has cut.
const cutMark = "..."

// CutText returns text if it costs at most tokens, else its beginning and
// "...": up to the end of a sentence or line in the second half of what fits, else
// up to the end of a word there, else as much as fits. It is the NeuroLink
// document's truncateToTokenBudget, and what it returns fits, mark included; where
// not even a rune and the mark do, it is "". Cuts lie between runes. cut reports
// whether text was cut.
func CutText(text string, tokens int, c Counter) (short string, cut bool) {
	if c.TextTokens(text) <= tokens {
		return text, false
	}
	fits := func(i int) bool { return c.TextTokens(text[:i]+cutMark) <= tokens }
	most := longest(text, func(i int) bool { return c.TextTokens(text[:i]) <= tokens })
	for _, border := range []func(string, int) int{sentenceEnd, wordEnd} {
		for i := border(text, most); i > most/2; i = border(text, i-1) {
			if fits(i) {
				return text[:i] + cutMark, true
			}
		}
	}
	if most = longest(text, fits); most == 0 {
		return "", true
	}
	return text[:most] + cutMark, true
}

// longest returns the most bytes of text that fit, at a rune border. What fits
// is taken to grow with the text but for a token or so.
func longest(text string, fits func(int) bool) int {
	i := sort.Search(len(text), func(i int) bool { return !fits(runeStart(text, i)) })
	for i = runeStart(text, i); i > 0 && !fits(i); i = runeStart(text, i-1) {
	}
	return i
}

// sentenceEnd returns the last end of a sentence or a line in text[:i], 0 if
// there is none: behind a full stop, or a mark of exclamation or question, that a
// blank follows, behind one of CJK, and behind a line break.
func sentenceEnd(text string, i int) int {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:i])
		switch {
		case r == '\n', r == '。', r == '！', r == '？':
			return i
		case (r == '.' || r == '!' || r == '?') && i < len(text) && text[i] == ' ':
			return i
		}
		i -= n
	}
	return 0
}

// wordEnd returns the last end of a word in text[:i], 0 if there is none.
func wordEnd(text string, i int) int {
	if i = strings.LastIndexFunc(text[:i], unicode.IsSpace); i < 0 {
		return 0
	}
	return len(strings.TrimRightFunc(text[:i], unicode.IsSpace))
}
