package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The fences of a prompt. Whatever stands inside one could hold the text of its
// end tag; escapeFences puts a backslash into everything that a model might
// read as a tag of ours, in any case and spelling, and unescapeFences takes it
// out again, so that nothing is lost.
var fenceNames = []string{"scrollback", "carried-digest", "focus"}

func escapeFences(s string) string { return rewriteFences(s, true) }

func unescapeFences(s string) string { return rewriteFences(s, false) }

func rewriteFences(s string, escape bool) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		open := bracketLen(s[i:])
		if open == 0 {
			i++
			continue
		}
		if !namesFence(s[i+open:]) {
			i += open
			continue
		}
		i += open
		b.WriteString(s[done:i])
		done = i
		if escape {
			b.WriteByte('\\')
		} else if strings.HasPrefix(s[i:], "\\") {
			done++
		}
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// bracketLen returns how many bytes of s's start read as an opening bracket.
func bracketLen(s string) int {
	switch s[0] {
	case '<':
		return 1
	case '&':
		for _, b := range [...]string{"&lt;", "&#60;", "&#x3c;"} {
			if len(s) >= len(b) && strings.EqualFold(s[:len(b)], b) {
				return len(b)
			}
		}
	case 0xE2, 0xEF:
		for _, b := range [...]string{"＜", "﹤", "‹"} {
			if strings.HasPrefix(s, b) {
				return len(b)
			}
		}
	}
	return 0
}

// namesFence reports whether s goes on with the name of a fence, looking past
// slashes, backslashes, blanks and what cannot be seen.
func namesFence(s string) bool {
	for _, name := range fenceNames {
		if rest, ok := matchName(s, name); ok && !continuesWord(rest) {
			return true
		}
	}
	return false
}

// matchName matches name at the start of s. A long run of ignorable characters
// ends the search, so that the whole stays linear; the backslashes of escapes
// do not count.
func matchName(s, name string) (rest string, ok bool) {
	const most = 32
	skipped := 0
	s = strings.TrimLeft(s, "\\")
	for name != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case size == 0:
			return s, false
		case fold(r) == rune(name[0]):
			s, name = s[size:], name[1:]
		case ignorable(r) && skipped < most:
			s = s[size:]
			skipped++
		default:
			return s, false
		}
	}
	return s, true
}

// fold brings full-width and upper-case letters and all dashes to ASCII.
func fold(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		r -= 0xFEE0
	}
	if r == '_' || unicode.Is(unicode.Pd, r) {
		return '-'
	}
	return unicode.ToLower(r)
}

func ignorable(r rune) bool {
	return r == '/' || r == '\\' || r == '／' || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

func continuesWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
