package tiktoken

// The encodings first split a text by a pattern, and then each piece into
// tokens. These functions match the patterns by hand:
//
//	cl100k  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
//	        | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//	o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	        |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	        |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// with the leftmost alternative that matches winning. They return where the
// piece that begins at i ends. s is valid UTF-8.

func (c *classes) nextCL100K(s string, i int) int {
	k, size := c.at(s, i)
	if s[i] == '\'' {
		if n := contraction(s, i); n > 0 {
			return i + n
		}
	}
	if k&letter != 0 {
		return c.letters(s, i+size)
	}
	if k&(number|newline) == 0 && i+size < len(s) {
		if k2, size2 := c.at(s, i+size); k2&letter != 0 {
			return c.letters(s, i+size+size2)
		}
	}
	return c.rest(s, i, k, size, false)
}

func (c *classes) letters(s string, i int) int {
	for i < len(s) {
		k, size := c.at(s, i)
		if k&letter == 0 {
			break
		}
		i += size
	}
	return i
}

func (c *classes) nextO200K(s string, i int) int {
	k, size := c.at(s, i)
	if k&(newline|letter|number) == 0 && i+size < len(s) { // may lead a word
		end, capitals := c.word(s, i+size)
		if capitals && k&lower != 0 { // a mark: by itself it is a word of the first alternative
			end, _ = c.word(s, i)
		}
		if end > 0 {
			return end
		}
	}
	if k&(upper|lower) != 0 {
		if end, _ := c.word(s, i); end > 0 {
			return end
		}
	}
	return c.rest(s, i, k, size, true)
}

// word matches the first two alternatives of o200k behind what may lead a word;
// 0 if there is none at i. capitals says that it was the second.
func (c *classes) word(s string, i int) (end int, capitals bool) {
	start := i
	both := -1 // where the last rune that may stand in either part ends
	for i < len(s) {
		k, size := c.at(s, i)
		if k&upper == 0 {
			break
		}
		i += size
		if k&lower != 0 {
			both = i
		}
	}
	first := i
	for i < len(s) {
		k, size := c.at(s, i)
		if k&lower == 0 {
			break
		}
		i += size
	}
	switch {
	case i > first: // both parts
	case both >= 0: // the first part gives back down to a rune that may begin the second
		i = both
	case first > start:
		i, capitals = first, true
	default:
		return 0, false
	}
	if i < len(s) && s[i] == '\'' {
		i += contraction(s, i)
	}
	return i, capitals
}

// rest matches what both patterns end with; slashes says whether a slash may
// follow punctuation as a line end may.
func (c *classes) rest(s string, i int, k class, size int, slashes bool) int {
	if k&number != 0 {
		for n := 0; n < 3 && i < len(s); n++ {
			k, size := c.at(s, i)
			if k&number == 0 {
				break
			}
			i += size
		}
		return i
	}
	at := i
	if s[i] == ' ' && i+1 < len(s) {
		at = i + 1
	}
	if end := c.punctuation(s, at); end > at {
		for end < len(s) && (s[end] == '\r' || s[end] == '\n' || slashes && s[end] == '/') {
			end++
		}
		return end
	}
	return c.blanks(s, i)
}

// punctuation returns the end of the run of what is no space, letter or number.
func (c *classes) punctuation(s string, i int) int {
	for i < len(s) {
		k, size := c.at(s, i)
		if k&(space|letter|number) != 0 {
			break
		}
		i += size
	}
	return i
}

// blanks matches the three alternatives of white space.
func (c *classes) blanks(s string, i int) int {
	start := i
	lastLine, last := -1, i // ends of the last line end, and beginning of the last rune
	for i < len(s) {
		k, size := c.at(s, i)
		if k&space == 0 {
			break
		}
		last = i
		i += size
		if k&newline != 0 {
			lastLine = i
		}
	}
	switch {
	case lastLine >= 0:
		return lastLine
	case i == len(s) || last == start:
		return i
	}
	return last
}

// contraction returns the length of 's, 't, 're, 've, 'm, 'll or 'd at s[i], in
// either case; 0 if there is none. s[i] is an apostrophe.
func contraction(s string, i int) int {
	if i+1 >= len(s) {
		return 0
	}
	switch s[i+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if i+2 < len(s) && s[i+2]|0x20 == 'e' {
			return 3
		}
	case 'l':
		if i+2 < len(s) && s[i+2]|0x20 == 'l' {
			return 3
		}
	}
	return 0
}
