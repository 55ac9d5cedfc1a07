package budget

import "unicode/utf8"

// size is what a text has of each unit.
type size struct{ chars, bytes, units int } // Unicode scalars, UTF-8 bytes, UTF-16 units

func (s *size) add(chars, bytes, units int) {
	s.chars += chars
	s.bytes += bytes
	s.units += units
}

// rune adds r, which may be half a surrogate pair.
func (s *size) rune(r rune) {
	switch {
	case r < 0x80:
		s.add(1, 1, 1)
	case r < 0x800:
		s.add(1, 2, 1)
	case r < 0x10000:
		s.add(1, 3, 1)
	default:
		s.add(1, 4, 2)
	}
}

// sizeOfJSON returns the size of raw as compact JSON whose only escapes are
// \" \\ \b \f \n \r \t and \u00xx. What is no JSON is counted in the same
// manner, character by character. Nothing is marshalled and nothing allocated.
func sizeOfJSON(raw []byte) size {
	var s size
	quoted := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
			s.add(1, 1, 1)
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
		case c == '\\' && quoted && i+1 < len(raw):
			i++
			switch {
			case raw[i] == '/':
				s.add(1, 1, 1) // a plain slash
			case raw[i] != 'u' || i+4 >= len(raw):
				s.add(2, 2, 2)
			default:
				i += s.unicodeEscape(raw[i+1:])
			}
		case c < utf8.RuneSelf:
			s.add(1, 1, 1)
		default:
			r, n := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && n == 1 {
				s.add(1, 1, 1)
				continue
			}
			s.rune(r)
			i += n - 1
		}
	}
	return s
}

// unicodeEscape adds what the escape \u followed by b counts, and returns how
// many bytes of b it takes. b has at least four.
func (s *size) unicodeEscape(b []byte) int {
	r := hex4(b)
	switch {
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		s.add(2, 2, 2)
	case r < ' ':
		s.add(6, 6, 6)
	case r >= 0xD800 && r < 0xDC00 && len(b) >= 10 && b[4] == '\\' && b[5] == 'u':
		if low := hex4(b[6:]); low >= 0xDC00 && low < 0xE000 {
			s.add(1, 4, 2)
			return 10
		}
		s.rune(r)
	default:
		s.rune(r)
	}
	return 4
}

func hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		r = r<<4 | rune(c&15)
	}
	return r
}
