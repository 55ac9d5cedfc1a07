package message

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Encode writes msgs to w as JSON Lines, one message a line, in the stored
// form (see the package comment). The same messages give the same bytes. A
// message that cannot be stored (nil, or one whose raw JSON is not JSON) is an
// error that names its index; the messages before it have been written.
func Encode(w io.Writer, msgs []Message) error {
	var line []byte
	for i, m := range msgs {
		e := encoder{b: line[:0]}
		e.message(m)
		if e.err != nil {
			return fmt.Errorf("message %d: %w", i, e.err)
		}
		line = append(e.b, '\n')
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

// Marshal returns the stored form of one message, without a line break.
func Marshal(m Message) ([]byte, error) {
	var e encoder
	e.message(m)
	if e.err != nil {
		return nil, e.err
	}
	return e.b, nil
}

// json.Marshal rewrites <, >, & and U+2028 in what MarshalJSON returns. Inside
// strings that is harmless, inside a call's input it would change bytes, so
// such an input travels as input_raw.
func marshalJSON(m Message) ([]byte, error) {
	e := encoder{htmlSafe: true}
	e.message(m)
	return e.b, e.err
}

func (m *System) MarshalJSON() ([]byte, error)            { return marshalJSON(m) }
func (m *User) MarshalJSON() ([]byte, error)              { return marshalJSON(m) }
func (m *Assistant) MarshalJSON() ([]byte, error)         { return marshalJSON(m) }
func (m *ToolResult) MarshalJSON() ([]byte, error)        { return marshalJSON(m) }
func (m *BashExecution) MarshalJSON() ([]byte, error)     { return marshalJSON(m) }
func (m *Custom) MarshalJSON() ([]byte, error)            { return marshalJSON(m) }
func (m *BranchSummary) MarshalJSON() ([]byte, error)     { return marshalJSON(m) }
func (m *CompactionSummary) MarshalJSON() ([]byte, error) { return marshalJSON(m) }
func (m *Unknown) MarshalJSON() ([]byte, error)           { return marshalJSON(m) }

// encoder appends the stored form to b. After an error it goes on, so that a
// fingerprint exists for everything; err is the first one.
type encoder struct {
	b        []byte
	htmlSafe bool // a call's input with <, >, & or U+2028 goes as input_raw
	content  bool // without id, time and turn
	err      error
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *encoder) message(m Message) {
	if isNil(m) {
		e.b = append(e.b, "null"...)
		e.fail("is nil")
		return
	}
	if u, ok := m.(*Unknown); ok {
		e.unknown(u)
		return
	}
	start := len(e.b)
	e.b = append(e.b, `{"kind":"`...)
	e.b = append(append(e.b, m.Kind()...), '"')
	e.meta(m.Head())
	switch m := m.(type) {
	case *System:
		e.blocks(m.Content)
	case *User:
		e.blocks(m.Content)
	case *Assistant:
		e.blocks(m.Content)
		e.optional("model", m.Model)
		e.optional("stop_reason", m.StopReason)
		e.optional("error_message", m.ErrorMessage)
		e.usage(m.Usage)
	case *ToolResult:
		e.str("tool_call_id", m.CallID)
		e.str("tool_name", m.ToolName)
		e.key("is_error")
		e.b = strconv.AppendBool(e.b, m.IsError)
		e.blocks(m.Content)
	case *BashExecution:
		e.str("command", m.Command)
		e.str("output", m.Output)
		if m.ExitCode != nil {
			e.integer("exit_code", *m.ExitCode)
		}
	case *Custom:
		e.str("custom_type", m.CustomType)
		e.blocks(m.Content)
	case *BranchSummary:
		e.str("summary", m.Summary)
		e.str("from_id", m.FromID)
	case *CompactionSummary:
		e.str("summary", m.Summary)
		e.integer("tokens_before", m.TokensBefore)
	}
	e.extra(start, m.Head().Extra)
	e.b = append(e.b, '}')
}

func (e *encoder) unknown(u *Unknown) {
	f, err := readFields(u.Raw)
	if err != nil {
		e.fail("raw: %v", err)
		e.b = appendString(e.b, string(u.Raw))
		return
	}
	if !e.content {
		e.b = appendLine(e.b, u.Raw)
		return
	}
	for _, key := range []string{"id", "time", "turn"} {
		_, _ = f.get(key)
	}
	e.b = append(e.b, f.rest()...)
}

func (e *encoder) meta(h *Meta) {
	if !e.content {
		e.optional("id", h.ID)
		if !h.Time.IsZero() {
			e.key("time")
			e.b = append(e.b, '"')
			e.b = h.Time.AppendFormat(e.b, time.RFC3339Nano)
			e.b = append(e.b, '"')
			if y := h.Time.Year(); y < 0 || y > 9999 {
				e.fail("time: year %d is outside 0 to 9999", y)
			}
		}
		if h.Turn > 0 {
			e.integer("turn", h.Turn-1)
		}
	}
	e.flag("internal", h.Internal)
	e.flag("pinned", h.Pinned)
	e.flag("atomic", h.Atomic)
	e.optional("origin", h.Origin)
}

func (e *encoder) key(k string) {
	if c := e.b[len(e.b)-1]; c != '{' {
		e.b = append(e.b, ',')
	}
	e.b = append(append(append(e.b, '"'), k...), '"', ':')
}

func (e *encoder) str(k, s string) {
	if !utf8.ValidString(s) {
		e.key(k + "_base64")
		e.b = append(e.b, '"')
		e.b = base64.StdEncoding.AppendEncode(e.b, []byte(s))
		e.b = append(e.b, '"')
		return
	}
	e.key(k)
	e.b = appendString(e.b, s)
}

func (e *encoder) optional(k, s string) {
	if s != "" {
		e.str(k, s)
	}
}

func (e *encoder) integer(k string, n int) {
	e.key(k)
	e.b = strconv.AppendInt(e.b, int64(n), 10)
}

func (e *encoder) flag(k string, on bool) {
	if on {
		e.key(k)
		e.b = append(e.b, "true"...)
	}
}

func (e *encoder) usage(u *Usage) {
	if u == nil {
		return
	}
	e.key("usage")
	start := len(e.b)
	e.b = append(e.b, '{')
	e.integer("input", u.Input)
	e.integer("output", u.Output)
	e.integer("cache_read", u.CacheRead)
	e.integer("cache_write", u.CacheWrite)
	e.extra(start, u.Extra)
	e.b = append(e.b, '}')
}

func (e *encoder) blocks(blocks []Block) {
	e.key("content")
	e.b = append(e.b, '[')
	for i, b := range blocks {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.block(i, b)
	}
	e.b = append(e.b, ']')
}

func (e *encoder) block(i int, b Block) {
	if isNilBlock(b) {
		e.b = append(e.b, "null"...)
		e.fail("block %d is nil", i)
		return
	}
	if o, ok := b.(*Opaque); ok {
		if !json.Valid(o.Raw) {
			e.fail("block %d (%s): raw is not JSON", i, o.Type)
			e.b = appendString(e.b, string(o.Raw))
			return
		}
		e.b = appendLine(e.b, o.Raw)
		return
	}
	start := len(e.b)
	e.b = append(e.b, '{')
	switch b := b.(type) {
	case Text:
		e.str("type", "text")
		e.str("text", string(b))
	case *Thinking:
		e.str("type", "thinking")
		e.str("text", b.Text)
		e.optional("signature", b.Signature)
		e.flag("redacted", b.Redacted)
		e.extra(start, b.Extra)
	case *Image:
		e.str("type", "image")
		e.str("mime", b.MIME)
		if b.Data != nil || b.URL == "" {
			e.key("data_base64")
			e.b = append(e.b, '"')
			e.b = base64.StdEncoding.AppendEncode(e.b, b.Data)
			e.b = append(e.b, '"')
		}
		e.optional("url", b.URL)
		e.extra(start, b.Extra)
	case *ToolCall:
		e.str("type", "tool_call")
		e.str("id", b.ID)
		e.str("name", b.Name)
		e.input(b.Input)
		e.optional("signature", b.Signature)
		e.extra(start, b.Extra)
	}
	e.b = append(e.b, '}')
}

// input writes a call's arguments so that they come back byte for byte.
func (e *encoder) input(raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	if isCompact(raw) && utf8.Valid(raw) && !(e.htmlSafe && changedByHTML(raw)) {
		e.key("input")
		e.b = append(e.b, raw...)
		return
	}
	e.str("input_raw", string(raw))
}

func isCompact(raw []byte) bool {
	if !json.Valid(raw) {
		return false
	}
	inString := false
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			inString = !inString
		case '\\':
			i++
		case ' ', '\t', '\n', '\r':
			if !inString {
				return false
			}
		}
	}
	return true
}

func changedByHTML(raw []byte) bool {
	return bytes.ContainsAny(raw, "<>&\u2028\u2029")
}

// extra appends the members of the object raw to the object that begins at
// start and is not closed yet.
func (e *encoder) extra(start int, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	f, err := readFields(raw)
	if err != nil {
		e.fail("extra fields: %v", err)
		e.key("extra")
		e.b = appendString(e.b, string(raw))
		return
	}
	own, _ := cutObject(append(bytes.Clone(e.b[start:]), '}')) // what stands there is valid
	for _, m := range f.list {
		if slices.ContainsFunc(own.list, func(o field) bool { return o.key == m.key }) {
			e.fail("extra fields: %q is a field of its own", m.key)
		}
		e.b = append(e.b, ',')
		e.b = append(appendString(e.b, m.key), ':')
		e.b = appendLine(e.b, m.value)
	}
}

// appendLine appends valid JSON without the line breaks it may hold between
// its values: a record is a line.
func appendLine(b, raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return append(b, raw...)
	}
	var buf bytes.Buffer
	_ = json.Compact(&buf, raw) // raw is valid
	return append(b, buf.Bytes()...)
}
