package message_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/message"
)

// Changing any one field of any kind makes a message unequal, but for Time.
func TestEqualLooksAtEveryField(t *testing.T) {
	a, b := everything(), everything()
	for i := range a {
		require.True(t, message.Equal(a[i], b[i]))
		require.False(t, message.Equal(a[i], a[(i+1)%len(a)]))
		eachField(reflect.ValueOf(b[i]).Elem(), func(name string, f reflect.Value) {
			old := reflect.New(f.Type()).Elem()
			old.Set(f)
			change(f)
			if name == "Time" {
				assert.True(t, message.Equal(a[i], b[i]))
			} else {
				assert.False(t, message.Equal(a[i], b[i]), "%T.%s", b[i], name)
				assert.False(t, message.Equal(b[i], a[i]), "%T.%s", b[i], name)
			}
			f.Set(old)
		})
		require.True(t, message.Equal(a[i], b[i]), "the test put everything back")
	}
}

// eachField visits the fields of v, of its embedded Meta, of its usage and of its blocks.
func eachField(v reflect.Value, visit func(string, reflect.Value)) {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case name == "Meta":
			eachField(f, visit)
		case name == "Usage" && !f.IsNil():
			eachField(f.Elem(), visit)
			visit(name, f)
		case name == "Content":
			for k := range f.Len() {
				b := f.Index(k).Elem()
				if b.Kind() == reflect.Pointer {
					eachField(b.Elem(), visit)
				}
				visit("Content element", f.Index(k))
			}
			visit(name, f)
		default:
			visit(name, f)
		}
	}
}

func change(f reflect.Value) {
	switch v := f.Interface().(type) {
	case string:
		f.SetString(v + "!")
	case bool:
		f.SetBool(!v)
	case int:
		f.SetInt(int64(v) + 1)
	case json.RawMessage:
		f.Set(reflect.ValueOf(json.RawMessage(`{"changed":true}`)))
	case []byte:
		f.SetBytes(append(slices.Clone(v), 'x'))
	case []message.Block:
		f.Set(reflect.ValueOf(append(slices.Clone(v), message.Text("more"))))
	default:
		if f.Kind() == reflect.Interface {
			f.Set(reflect.ValueOf(message.Text("another")))
			return
		}
		if f.Kind() == reflect.Pointer && f.IsNil() {
			f.Set(reflect.New(f.Type().Elem()))
			return
		}
		f.SetZero()
	}
}

func TestEqualIgnoresSpaceInRawJSON(t *testing.T) {
	a := &message.Unknown{Raw: json.RawMessage(`{"kind":"x"}`)}
	b := &message.Unknown{Raw: json.RawMessage(`{ "kind": "x" }`)}
	assert.True(t, message.Equal(a, b))
	assert.False(t, message.Equal(a, &message.Unknown{Raw: json.RawMessage(`{`)}))
	c := message.NewAssistant(message.NewToolCall("1", "read", `{}`))
	d := message.NewAssistant(message.NewToolCall("1", "read", `{ }`))
	assert.False(t, message.Equal(c, d), "a call's input is bytes, not JSON")
}

func TestEqualDoesNotAllocate(t *testing.T) {
	a := message.NewAssistant(message.Text("x"), message.NewToolCall("1", "read", `{}`))
	b := message.Derive(a, func(*message.Assistant) {})
	assert.Zero(t, testing.AllocsPerRun(100, func() { message.Equal(a, b) }))
}

func TestNilIsNeverAPanic(t *testing.T) {
	nils := []message.Message{nil, (*message.System)(nil), (*message.User)(nil), (*message.Assistant)(nil), (*message.ToolResult)(nil),
		(*message.BashExecution)(nil), (*message.Custom)(nil), (*message.BranchSummary)(nil), (*message.CompactionSummary)(nil), (*message.Unknown)(nil)}
	for _, m := range nils {
		assert.ErrorContains(t, message.CheckNil([]message.Message{message.NewUser("x"), m}), "message 1 is nil")
		assert.False(t, message.Equal(m, message.NewUser("x")))
		assert.Equal(t, "nil", message.Validate([]message.Message{m}, message.Portable)[0].Rule)
		if m != nil {
			assert.Equal(t, m, message.Derive(m, func(message.Message) { t.Error("called") }))
		}
	}
	for _, b := range []message.Block{nil, (*message.Thinking)(nil), (*message.Image)(nil), (*message.ToolCall)(nil), (*message.Opaque)(nil)} {
		m := message.NewAssistant(message.Text("x"), b)
		assert.ErrorContains(t, message.CheckNil([]message.Message{m}), "message 0 (assistant): block 1 is nil")
		assert.False(t, message.Equal(m, message.NewAssistant(message.Text("x"), &message.Image{URL: "u"})))
	}
	assert.NoError(t, message.CheckNil(everything()))
}

func TestDeriveLeavesTheOriginalAlone(t *testing.T) {
	for _, m := range everything() {
		before := encode(t, m)
		d := message.Derive(m, func(m message.Message) {
			m.Head().ID = "derived"
			if c := message.Content(m); len(c) > 0 {
				c[0] = message.Text("changed")
			}
		})
		assert.NotSame(t, m, d)
		assert.Equal(t, "derived", d.Head().ID)
		assert.Equal(t, before, encode(t, m))
	}
}

func TestWithContent(t *testing.T) {
	for _, m := range everything() {
		d := message.WithContent(m, "pass", message.Text("new"))
		assert.Equal(t, m.Kind(), d.Kind())
		switch m.(type) {
		case *message.BashExecution, *message.BranchSummary, *message.CompactionSummary, *message.Unknown:
			assert.True(t, message.Equal(m, d))
		default:
			assert.Equal(t, "new", message.PlainText(d))
			assert.Equal(t, "pass", d.Head().Origin)
		}
	}
}

func TestPlainText(t *testing.T) {
	assert.Equal(t, "a\nb", message.PlainText(message.NewAssistant(message.Text("a"), &message.Thinking{Text: "no"}, message.Text("b"))))
	assert.Equal(t, "ls\nout", message.PlainText(message.NewBashExecution("ls", "out", 0)))
	assert.Equal(t, "ls", message.PlainText(&message.BashExecution{Command: "ls"}))
	assert.Equal(t, "s", message.PlainText(&message.BranchSummary{Summary: "s"}))
	assert.Equal(t, "s", message.PlainText(&message.CompactionSummary{Summary: "s"}))
	assert.Equal(t, "c", message.PlainText(message.NewCustom("note", "c")))
	assert.Equal(t, "", message.PlainText(&message.Unknown{}))
	_, ok := message.TextOf(&message.Opaque{Type: "text", Raw: json.RawMessage(`{`)})
	assert.False(t, ok)
}

func TestAsk(t *testing.T) {
	for _, m := range []message.Message{
		&message.User{Meta: message.Meta{Internal: true}, Content: []message.Block{message.Text("x")}},
		&message.User{Meta: message.Meta{Origin: "summarize"}, Content: []message.Block{message.Text("x")}},
		message.NewUser(" \n"), message.NewAssistant(message.Text("x")), message.NewSystem("x"),
	} {
		_, ok := message.Ask(m)
		assert.False(t, ok)
	}
	s, ok := message.Ask(everything()[1])
	assert.True(t, ok)
	assert.Equal(t, "cached", s, "a text block with fields of its own is still text")
}

func TestIsEmpty(t *testing.T) {
	for _, m := range []message.Message{&message.User{}, message.NewUser(" \n"), message.NewAssistant(), message.NewToolResult(nil, ""),
		&message.BashExecution{}, &message.BranchSummary{Summary: " "}, &message.CompactionSummary{}} {
		assert.True(t, message.IsEmpty(m), "%s", encode(t, m))
	}
	for _, m := range append(everything()[:3], message.NewBashExecution("ls", "", 0), &message.Unknown{},
		message.NewAssistant(message.NewToolCall("1", "t", "{}")), &message.BranchSummary{Summary: "x"}) {
		assert.False(t, message.IsEmpty(m))
	}
}

func TestSigned(t *testing.T) {
	assert.True(t, message.Signed(message.NewAssistant(&message.Thinking{Signature: "s"})))
	assert.True(t, message.Signed(message.NewAssistant(&message.Thinking{Redacted: true})))
	assert.True(t, message.Signed(message.NewAssistant(&message.ToolCall{Signature: "s"})))
	assert.False(t, message.Signed(message.NewAssistant(&message.Thinking{Text: "t"}, message.NewToolCall("1", "t", "{}"))))
}

func TestUnknownKind(t *testing.T) {
	u := decode(t, `{"kind":"checkpoint","id":"a","pinned":true}`)[0]
	assert.Equal(t, message.KindUnknown, u.Kind())
	assert.True(t, u.Head().Pinned)
	assert.Equal(t, "a", u.Head().ID)
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{"": "", " a \n\tb\x00c ": "a b c", "abcdef": "abcde…", "abcde": "abcde", "ab  cd": "ab cd", "ab cde": "ab cd…",
		"a\xffb\ufffdc": "ab\ufffdc", "日本語です！": "日本語です…", "abcde \n": "abcde"} {
		assert.Equal(t, want, message.Line(in, 5), "%q", in)
	}
	huge := strings.Repeat("x", 10<<20)
	assert.Equal(t, "xxx…", message.Line(huge, 3))
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { message.Line(huge, 3) }), 2.0)
}
