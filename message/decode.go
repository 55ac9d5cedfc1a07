package message

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// MaxLine is the longest line Decode reads, in bytes. A longer one is a fault
// like any other: it names the line, and DecodeLenient goes on behind it.
const MaxLine = 256 << 20

// LineError is a line that is no message.
type LineError struct {
	Line int // 1-based
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Decode reads messages in the stored form until r ends. Blank lines are
// passed over. The first bad line ends it with a *LineError, beside the
// messages before it.
func Decode(r io.Reader) ([]Message, error) {
	var msgs []Message
	err := readLines(r, func(n int, line []byte, err error) error {
		if err == nil {
			var m Message
			if m, err = Unmarshal(line); err == nil {
				msgs = append(msgs, m)
				return nil
			}
		}
		return &LineError{Line: n, Err: err}
	})
	return msgs, err
}

// DecodeLenient reads like Decode but passes over bad lines: it returns the
// messages of all the others, and what was wrong with the bad ones. err is
// r's own.
func DecodeLenient(r io.Reader) (msgs []Message, bad []*LineError, err error) {
	err = readLines(r, func(n int, line []byte, err error) error {
		var m Message
		if err == nil {
			m, err = Unmarshal(line)
		}
		if err != nil {
			bad = append(bad, &LineError{Line: n, Err: err})
			return nil
		}
		msgs = append(msgs, m)
		return nil
	})
	return msgs, bad, err
}

var errLongLine = fmt.Errorf("longer than %d bytes", MaxLine)

// readLines calls each for every line that is not blank. A line over MaxLine
// comes as an error and is not kept in memory. The line is the callee's only
// during the call.
func readLines(r io.Reader, each func(n int, line []byte, err error) error) error {
	br := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for n := 1; ; n++ {
		line = line[:0]
		long := false
		var part []byte
		var err error
		for {
			part, err = br.ReadSlice('\n')
			if len(line)+len(part) > MaxLine {
				long = true
			} else {
				line = append(line, part...)
			}
			if err != bufio.ErrBufferFull {
				break
			}
		}
		if err != nil && err != io.EOF {
			return err
		}
		var bad error
		if long {
			bad = errLongLine
		} else {
			line = bytes.TrimSpace(line)
		}
		if len(line) > 0 || long {
			if e := each(n, line, bad); e != nil {
				return e
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// Unmarshal reads one message in the stored form.
func Unmarshal(data []byte) (Message, error) {
	f, err := readFields(data)
	if err != nil {
		return nil, err
	}
	kind, err := f.str("kind")
	if err != nil {
		return nil, err
	}
	if kind == "" {
		return nil, errors.New(`field "kind" is missing`)
	}
	d := decoder{f: f}
	m := d.message(Kind(kind), data)
	if d.err != nil {
		return nil, fmt.Errorf("%s: %w", kind, d.err)
	}
	return m, nil
}

// decoder reads the fields of one object; err is the first fault.
type decoder struct {
	f   *fields
	err error
}

func (d *decoder) message(kind Kind, data []byte) Message {
	meta := d.meta()
	var m Message
	switch kind {
	case KindSystem:
		m = &System{Meta: meta, Content: d.blocks()}
	case KindUser:
		m = &User{Meta: meta, Content: d.blocks()}
	case KindAssistant:
		m = &Assistant{Meta: meta, Content: d.blocks(), Model: d.str("model"), StopReason: d.str("stop_reason"),
			ErrorMessage: d.str("error_message"), Usage: d.usage()}
	case KindToolResult:
		m = &ToolResult{Meta: meta, CallID: d.str("tool_call_id"), ToolName: d.str("tool_name"),
			IsError: d.boolean("is_error"), Content: d.blocks()}
	case KindBashExecution:
		b := &BashExecution{Meta: meta, Command: d.str("command"), Output: d.str("output")}
		if n, ok := d.integer("exit_code"); ok {
			b.ExitCode = &n
		}
		m = b
	case KindCustom:
		m = &Custom{Meta: meta, CustomType: d.str("custom_type"), Content: d.blocks()}
	case KindBranchSummary:
		m = &BranchSummary{Meta: meta, Summary: d.str("summary"), FromID: d.str("from_id")}
	case KindCompactionSummary:
		n, _ := d.integer("tokens_before")
		m = &CompactionSummary{Meta: meta, Summary: d.str("summary"), TokensBefore: n}
	default:
		d.err = nil // what its fields mean is not ours to judge
		return &Unknown{Meta: meta, Raw: bytes.Clone(bytes.TrimSpace(data))}
	}
	m.Head().Extra = d.f.rest()
	return m
}

func (d *decoder) meta() Meta {
	h := Meta{ID: d.str("id"), Internal: d.boolean("internal"), Pinned: d.boolean("pinned"),
		Atomic: d.boolean("atomic"), Origin: d.str("origin")}
	if n, ok := d.integer("turn"); ok {
		if n < 0 || n == math.MaxInt {
			d.fail(fmt.Errorf(`field "turn": %d is no turn`, n))
		}
		h.Turn = n + 1
	}
	if s := d.str("time"); s != "" {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			d.fail(fmt.Errorf(`field "time": expected RFC 3339, got %.40q`, s))
		}
		h.Time = t
	}
	return h
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *decoder) str(key string) string {
	s, err := d.f.str(key)
	if err != nil {
		d.fail(err)
	}
	return s
}

func (d *decoder) boolean(key string) bool {
	v, err := d.f.boolean(key)
	if err != nil {
		d.fail(err)
	}
	return v
}

func (d *decoder) integer(key string) (int, bool) {
	n, ok, err := d.f.integer(key)
	if err != nil {
		d.fail(err)
	}
	return n, ok
}

func (d *decoder) raw(key string) json.RawMessage {
	v, err := d.f.get(key)
	if err != nil {
		d.fail(err)
	}
	return v
}

func (d *decoder) usage() *Usage {
	raw := d.raw("usage")
	if raw == nil {
		return nil
	}
	f, err := cutObject(raw)
	if err != nil {
		d.fail(fmt.Errorf(`field "usage": %w`, err))
		return nil
	}
	in := decoder{f: f}
	u := &Usage{}
	u.Input, _ = in.integer("input")
	u.Output, _ = in.integer("output")
	u.CacheRead, _ = in.integer("cache_read")
	u.CacheWrite, _ = in.integer("cache_write")
	u.Extra = f.rest()
	if in.err != nil {
		d.fail(fmt.Errorf(`field "usage": %w`, in.err))
	}
	return u
}

func (d *decoder) blocks() []Block {
	raw := d.raw("content")
	if raw == nil {
		return nil
	}
	list, err := cutArray(raw)
	if err != nil {
		d.fail(fmt.Errorf(`field "content": %w`, err))
		return nil
	}
	blocks := make([]Block, 0, len(list))
	for i, raw := range list {
		b, err := readBlock(raw)
		if err != nil {
			d.fail(fmt.Errorf("content[%d]: %w", i, err))
			return nil
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func readBlock(raw json.RawMessage) (Block, error) {
	f, err := cutObject(raw)
	if err != nil {
		return nil, err
	}
	d := decoder{f: f}
	var b Block
	typ := d.str("type")
	switch typ {
	case "":
		d.fail(errors.New(`field "type" is missing`))
	case "text":
		b = Text(d.str("text"))
		if f.rest() != nil {
			b = &Opaque{Type: typ, Raw: bytes.Clone(raw)}
		}
	case "thinking":
		t := &Thinking{Text: d.str("text"), Signature: d.str("signature"), Redacted: d.boolean("redacted")}
		t.Extra = f.rest()
		b = t
	case "image":
		m := &Image{MIME: d.str("mime"), URL: d.str("url")}
		if data := d.raw("data_base64"); data != nil {
			if m.Data, err = decodeBase64("data_base64", data); err != nil {
				d.fail(err)
			}
		}
		m.Extra = f.rest()
		b = m
	case "tool_call":
		c := &ToolCall{ID: d.str("id"), Name: d.str("name"), Signature: d.str("signature")}
		c.Input = d.input()
		c.Extra = f.rest()
		b = c
	default:
		b = &Opaque{Type: typ, Raw: bytes.Clone(raw)}
	}
	if d.err != nil {
		return nil, d.err
	}
	return b, nil
}

func (d *decoder) input() json.RawMessage {
	raw, err := d.f.take("input") // null is an input too
	if err != nil {
		d.fail(err)
	}
	text := d.str("input_raw")
	if raw != nil && text != "" {
		d.fail(errors.New(`fields "input" and "input_raw" exclude each other`))
	}
	if raw != nil {
		return bytes.Clone(raw)
	}
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func unmarshalJSON[T any](dst *T, data []byte) error {
	m, err := Unmarshal(data)
	if err != nil {
		return err
	}
	t, ok := any(m).(*T)
	if !ok {
		return fmt.Errorf("a %s, not a %T", m.Kind(), *dst)
	}
	*dst = *t
	return nil
}

func (m *System) UnmarshalJSON(b []byte) error            { return unmarshalJSON(m, b) }
func (m *User) UnmarshalJSON(b []byte) error              { return unmarshalJSON(m, b) }
func (m *Assistant) UnmarshalJSON(b []byte) error         { return unmarshalJSON(m, b) }
func (m *ToolResult) UnmarshalJSON(b []byte) error        { return unmarshalJSON(m, b) }
func (m *BashExecution) UnmarshalJSON(b []byte) error     { return unmarshalJSON(m, b) }
func (m *Custom) UnmarshalJSON(b []byte) error            { return unmarshalJSON(m, b) }
func (m *BranchSummary) UnmarshalJSON(b []byte) error     { return unmarshalJSON(m, b) }
func (m *CompactionSummary) UnmarshalJSON(b []byte) error { return unmarshalJSON(m, b) }
func (m *Unknown) UnmarshalJSON(b []byte) error           { return unmarshalJSON(m, b) }
