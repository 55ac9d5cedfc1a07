package message

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding/json replaces what is not UTF-8 by U+FFFD and forgets the order of
// object members. The stored form may lose neither, so objects are cut into
// their members here, after json.Valid has accepted them (which also refuses
// nesting beyond 10,000), and strings are unquoted by unquote.

// field is one member of an object; value is its raw JSON.
type field struct {
	key   string
	value json.RawMessage
	known bool // asked for by a reader
}

// fields are the members of an object, in their order. Its readers mark what
// they take; rest returns what nobody took.
type fields struct {
	list []field
}

// readFields cuts the object raw into its members.
func readFields(raw []byte) (*fields, error) {
	if !json.Valid(raw) {
		var v json.RawMessage
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		return nil, fmt.Errorf("not JSON")
	}
	return cutObject(raw)
}

// cutObject is readFields for JSON known to be valid.
func cutObject(raw []byte) (*fields, error) {
	i := skipSpace(raw, 0)
	if raw[i] != '{' {
		return nil, fmt.Errorf("expected an object, got %s", typeOf(raw[i:]))
	}
	f := &fields{list: make([]field, 0, 8)}
	i = skipSpace(raw, i+1)
	for raw[i] != '}' {
		end := skipValue(raw, i)
		key := unquote(raw[i:end])
		i = skipSpace(raw, skipSpace(raw, end)+1) // the colon
		end = skipValue(raw, i)
		f.list = append(f.list, field{key: key, value: raw[i:end]})
		i = skipSpace(raw, end)
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return f, nil
}

// cutArray cuts an array, known to be valid JSON, into its elements.
func cutArray(raw []byte) ([]json.RawMessage, error) {
	if raw[0] != '[' {
		return nil, fmt.Errorf("expected an array, got %s", typeOf(raw))
	}
	var list []json.RawMessage
	i := skipSpace(raw, 1)
	for raw[i] != ']' {
		end := skipValue(raw, i)
		list = append(list, raw[i:end])
		i = skipSpace(raw, end)
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return list, nil
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns where the value that begins at i ends. It keeps a depth
// instead of recursing.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i++
			for b[i] != '"' {
				if b[i] == '\\' {
					i++
				}
				i++
			}
			i++
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
			continue
		default: // a number or a word
			for i < len(b) && !endsWord(b[i]) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

func endsWord(c byte) bool {
	switch c {
	case ',', ':', ']', '}', ' ', '\n', '\t', '\r':
		return true
	}
	return false
}

func typeOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// unquote returns the text of a valid JSON string. Bytes that are not UTF-8
// stay as they are, and a lone surrogate becomes its three bytes in the manner
// of UTF-8 (which are not UTF-8 either): nothing is replaced.
func unquote(raw []byte) string {
	raw = raw[1 : len(raw)-1]
	i := bytes.IndexByte(raw, '\\')
	if i < 0 {
		return string(raw)
	}
	out := append(make([]byte, 0, len(raw)), raw[:i]...)
	for i < len(raw) {
		if raw[i] != '\\' {
			next := bytes.IndexByte(raw[i:], '\\')
			if next < 0 {
				next = len(raw) - i
			}
			out = append(out, raw[i:i+next]...)
			i += next
			continue
		}
		switch c := raw[i+1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hex4(raw[i+2:])
			if utf16.IsSurrogate(r) && i+12 <= len(raw) && raw[i+6] == '\\' && raw[i+7] == 'u' {
				if pair := utf16.DecodeRune(r, hex4(raw[i+8:])); pair != utf8.RuneError {
					out = utf8.AppendRune(out, pair)
					i += 12
					continue
				}
			}
			if utf16.IsSurrogate(r) {
				out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			} else {
				out = utf8.AppendRune(out, r)
			}
			i += 6
			continue
		default: // " \ /
			out = append(out, c)
		}
		i += 2
	}
	return string(out)
}

func hex4(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n)
}

// take marks the member key as taken and returns its value, nil if there is
// none. A key that occurs twice is an error.
func (f *fields) take(key string) (json.RawMessage, error) {
	var found json.RawMessage
	for i := range f.list {
		if m := &f.list[i]; m.key == key {
			if found != nil {
				return nil, fmt.Errorf("field %q occurs twice", key)
			}
			m.known, found = true, m.value
		}
	}
	return found, nil
}

// get is take where null counts as absent.
func (f *fields) get(key string) (json.RawMessage, error) {
	raw, err := f.take(key)
	if string(raw) == "null" {
		return nil, err
	}
	return raw, err
}

// str reads a string, from key or, as base64, from key_base64.
func (f *fields) str(key string) (string, error) {
	raw, err := f.get(key)
	if err != nil {
		return "", err
	}
	coded, err := f.get(key + "_base64")
	if err != nil {
		return "", err
	}
	if raw != nil && coded != nil {
		return "", fmt.Errorf("fields %q and %q exclude each other", key, key+"_base64")
	}
	if coded != nil {
		b, err := decodeBase64(key+"_base64", coded)
		return string(b), err
	}
	if raw == nil {
		return "", nil
	}
	if raw[0] != '"' {
		return "", wrongType(key, "a string", raw)
	}
	return unquote(raw), nil
}

func decodeBase64(key string, raw json.RawMessage) ([]byte, error) {
	if raw[0] != '"' {
		return nil, wrongType(key, "a string", raw)
	}
	b, err := base64.StdEncoding.DecodeString(unquote(raw))
	if err != nil {
		return nil, fmt.Errorf("field %q: %w", key, err)
	}
	return b, nil
}

func (f *fields) boolean(key string) (bool, error) {
	raw, err := f.get(key)
	if err != nil || raw == nil {
		return false, err
	}
	if raw[0] != 't' && raw[0] != 'f' {
		return false, wrongType(key, "a boolean", raw)
	}
	return raw[0] == 't', nil
}

// integer reads a whole number; ok tells whether there was one.
func (f *fields) integer(key string) (n int, ok bool, err error) {
	raw, err := f.get(key)
	if err != nil || raw == nil {
		return 0, false, err
	}
	n, err = strconv.Atoi(string(raw))
	if err != nil {
		return 0, false, fmt.Errorf("field %q: expected a whole number, got %.40s", key, raw)
	}
	return n, true, nil
}

// rest returns the members nobody asked for as one object, in their order, or
// nil if there are none.
func (f *fields) rest() json.RawMessage {
	var out []byte
	for _, m := range f.list {
		if m.known {
			continue
		}
		if out == nil {
			out = append(out, '{')
		} else {
			out = append(out, ',')
		}
		out = appendString(out, m.key)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	if out == nil {
		return nil
	}
	return append(out, '}')
}

func wrongType(key, want string, raw json.RawMessage) error {
	return fmt.Errorf("field %q: expected %s, got %s", key, want, typeOf(raw))
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string in its shortest form: escapes are
// \" \\ \b \f \n \r \t and \u00xx, everything else stands for itself.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
