package tiktoken

import (
	"unicode"
	"unicode/utf8"
)

// class says what the patterns ask of a rune.
type class uint8

const (
	upper  class = 1 << iota // Lu, Lt, Lm, Lo, M: may stand in the first part of a word
	lower                    // Ll, Lm, Lo, M: may stand in the second part of a word
	letter                   // L
	number                   // N
	space                    // \s
	newline
)

// classes of the runes below len(classes): ASCII and the rest of the basic plane.
type classes [1 << 16]class

func newClasses() *classes {
	var c classes
	for r := range c {
		c[r] = classOf(rune(r))
	}
	return &c
}

func classOf(r rune) class {
	var c class
	switch {
	case unicode.In(r, unicode.Lu, unicode.Lt):
		c = upper | letter
	case unicode.Is(unicode.Ll, r):
		c = lower | letter
	case unicode.In(r, unicode.Lm, unicode.Lo):
		c = upper | lower | letter
	case unicode.Is(unicode.M, r):
		c = upper | lower
	case unicode.Is(unicode.N, r):
		c = number
	case unicode.IsSpace(r):
		c = space
	}
	if r == '\n' || r == '\r' {
		c |= newline
	}
	return c
}

// at returns the class and the size of the rune at s[i]. s is valid UTF-8.
func (c *classes) at(s string, i int) (class, int) {
	if b := s[i]; b < utf8.RuneSelf {
		return c[b], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if int(r) < len(c) {
		return c[r], size
	}
	return classOf(r), size
}
