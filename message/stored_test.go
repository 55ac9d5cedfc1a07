package message_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

func encode(t require.TestingT, msgs ...message.Message) string {
	var b bytes.Buffer
	require.NoError(t, message.Encode(&b, msgs))
	return b.String()
}

func decode(t require.TestingT, s string) []message.Message {
	msgs, err := message.Decode(strings.NewReader(s))
	require.NoError(t, err)
	return msgs
}

func requireEqual(t require.TestingT, want, got []message.Message) {
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, message.Equal(want[i], got[i]), "message %d: want %s, got %s", i, encode(t, want[i]), encode(t, got[i]))
	}
}

func TestRoundTripOfGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		msgs := condensertest.Generator{}.Transcript(src)
		stored := encode(t, msgs...)
		back := decode(t, stored)
		requireEqual(t, msgs, back)
		require.Equal(t, stored, encode(t, back...))
		for i, m := range msgs {
			require.Equal(t, message.Fingerprint(m), message.Fingerprint(back[i]))
			data, err := json.Marshal(m)
			require.NoError(t, err)
			again, err := message.Unmarshal(data)
			require.NoError(t, err)
			require.True(t, message.Equal(m, again), "json.Marshal: %s", data)
		}
	})
}

// every field of every kind, and content that JSON text does not like
func everything() []message.Message {
	code := 3
	meta := message.Meta{ID: "m1", Time: time.Date(2026, 1, 2, 3, 4, 5, 600, time.FixedZone("", 7200)), Turn: 4,
		Internal: true, Pinned: true, Atomic: true, Origin: "trim", Extra: json.RawMessage(`{"z":1,"a":{"b":[1e400]}}`)}
	torn := "\xff\xfe torn"
	return []message.Message{
		&message.System{Meta: meta, Content: []message.Block{message.Text(torn), message.Text("<b>&\u2028\x00\x1f\"\\")}},
		&message.User{Content: []message.Block{
			&message.Image{MIME: "image/png", Data: []byte{1, 2, 3}}, &message.Image{MIME: "image/png", URL: "https://example.com/a.png"},
			&message.Opaque{Type: "text", Raw: json.RawMessage(`{"type":"text","text":"cached","cache_control":{"type":"ephemeral"}}`)},
			&message.Opaque{Type: "audio", Raw: json.RawMessage(`{"type":"audio","n":12345678901234567890}`)}}},
		&message.Assistant{Content: []message.Block{
			&message.Thinking{Text: torn, Signature: torn, Redacted: true, Extra: json.RawMessage(`{"k":null}`)},
			&message.ToolCall{ID: torn, Name: "read", Input: json.RawMessage(`{"path":"a<b>"}`), Signature: "s", Extra: json.RawMessage(`{"index":0}`)},
			message.NewToolCall("2", "read", `{ "spaced" : 1 }`), message.NewToolCall("3", "read", `{"cut": "o`),
			message.NewToolCall("4", "read", "null"), message.NewToolCall("5", "read", ""), message.NewToolCall("6", "read", "{\"\xff\":1}"),
			message.NewToolCall("7", "read", strings.Repeat("[", 100_000))},
			Model: "m", StopReason: "tool_use", ErrorMessage: torn,
			Usage: &message.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Extra: json.RawMessage(`{"reasoning":7}`)}},
		&message.ToolResult{CallID: "2", ToolName: "read", IsError: true, Content: []message.Block{message.Text("")}},
		&message.BashExecution{Command: torn, Output: torn, ExitCode: &code},
		&message.BashExecution{Command: "ls"},
		&message.Custom{CustomType: torn, Content: []message.Block{message.Text("x")}},
		&message.BranchSummary{Summary: torn, FromID: torn},
		&message.CompactionSummary{Summary: torn, TokensBefore: 1 << 30},
		&message.Unknown{Raw: json.RawMessage(`{"kind":"checkpoint","id":7,"turn":"x", "deep":{"a" : []}}`)},
	}
}

func TestRoundTripOfEverything(t *testing.T) {
	msgs := everything()
	stored := encode(t, msgs...)
	require.Equal(t, len(msgs), strings.Count(stored, "\n"))
	back := decode(t, stored)
	requireEqual(t, msgs, back)
	require.Equal(t, stored, encode(t, back...))
	require.True(t, msgs[0].Head().Time.Equal(back[0].Head().Time))
	calls, again := message.Calls(msgs[2]), message.Calls(back[2])
	for i := range calls {
		require.Equal(t, string(calls[i].Input), string(again[i].Input), "input of call %d is kept byte for byte", i)
	}
	for _, m := range msgs {
		data, err := json.Marshal(m)
		require.NoError(t, err)
		back, err := message.Unmarshal(data)
		require.NoError(t, err, "%s", data)
		for i, c := range message.Calls(m) {
			require.Equal(t, string(c.Input), string(message.Calls(back)[i].Input))
		}
	}
}

func TestUnmarshalIntoConcreteTypes(t *testing.T) {
	for _, m := range everything() {
		data, err := json.Marshal(m)
		require.NoError(t, err)
		var got message.Message
		switch m.(type) {
		case *message.System:
			got = new(message.System)
		case *message.User:
			got = new(message.User)
		case *message.Assistant:
			got = new(message.Assistant)
		case *message.ToolResult:
			got = new(message.ToolResult)
		case *message.BashExecution:
			got = new(message.BashExecution)
		case *message.Custom:
			got = new(message.Custom)
		case *message.BranchSummary:
			got = new(message.BranchSummary)
		case *message.CompactionSummary:
			got = new(message.CompactionSummary)
		case *message.Unknown:
			got = new(message.Unknown)
		}
		require.NoError(t, json.Unmarshal(data, got))
		assert.Equal(t, m.Kind(), got.Kind())
	}
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"kind":"user"}`), new(message.System)), "user")
	assert.Error(t, new(message.User).UnmarshalJSON([]byte(`{`)))
}

// A lone surrogate cannot be said in UTF-8. It comes back as bytes that are not
// UTF-8, which Validate reports, instead of as U+FFFD, which nobody would notice.
func TestSurrogates(t *testing.T) {
	m, err := message.Unmarshal([]byte(`{"kind":"user","content":[{"type":"text","text":"a\ud83d\ude00b\ud83dc\ude00\ud800\u0041"}]}`))
	require.NoError(t, err)
	assert.Equal(t, "a😀b\xed\xa0\xbdc\xed\xb8\x80\xed\xa0\x80A", message.PlainText(m))
	requireEqual(t, []message.Message{m}, decode(t, encode(t, m)))
	assert.Contains(t, fmt.Sprint(message.Validate([]message.Message{m}, message.Portable)), "not UTF-8")
}

func TestEscapes(t *testing.T) {
	m, err := message.Unmarshal([]byte("\n{ \"kind\" : \"user\" , \"content\" : [ {\"type\":\"text\",\"text\":\"\\b\\f\\n\\r\\t\\\"\\\\\\/\\u0000 \\u00e9\"} ] }\n"))
	require.NoError(t, err)
	assert.Equal(t, "\b\f\n\r\t\"\\/\x00 é", message.PlainText(m))
	assert.Equal(t, `{"kind":"user","content":[{"type":"text","text":"\b\f\n\r\t\"\\/\u0000 é"}]}`+"\n", encode(t, m))
}

func TestBadLines(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for line, want := range map[string]string{
		`{`:                                 "not JSON",
		`[1]`:                               "expected an object, got an array",
		`"x"`:                               "got a string",
		`{"id":"x"}`:                        `"kind" is missing`,
		`{"kind":7}`:                        `field "kind": expected a string, got a number`,
		`{"kind":"user","id":true}`:         `user: field "id": expected a string, got a boolean`,
		`{"kind":"user","id":"a","id":"b"}`: `"id" occurs twice`,
		`{"kind":"user","id":"a","id_base64":"YQ=="}`:                                "exclude each other",
		`{"kind":"user","id_base64":"%%"}`:                                           "illegal base64",
		`{"kind":"user","id_base64":7}`:                                              "expected a string",
		`{"kind":"user","id_base64":"","id_base64":""}`:                              "occurs twice",
		`{"kind":"user","pinned":"yes"}`:                                             `"pinned": expected a boolean`,
		`{"kind":"user","pinned":true,"pinned":true}`:                                "occurs twice",
		`{"kind":"user","turn":-1}`:                                                  "no turn",
		`{"kind":"user","turn":9223372036854775807}`:                                 "turn",
		`{"kind":"user","turn":1.5}`:                                                 "whole number",
		`{"kind":"user","time":"yesterday"}`:                                         "RFC 3339",
		`{"kind":"user","content":"x"}`:                                              `"content": expected an array, got a string`,
		`{"kind":"user","content":[],"content":[]}`:                                  "occurs twice",
		`{"kind":"user","content":[7]}`:                                              "content[0]: expected an object, got a number",
		`{"kind":"user","content":[{"text":"x"}]}`:                                   `content[0]: field "type" is missing`,
		`{"kind":"user","content":[null]}`:                                           "content[0]: expected an object, got null",
		`{"kind":"user","content":[{"type":"image","data_base64":"?"}]}`:             "content[0]",
		`{"kind":"user","content":[{"type":"tool_call","input":1,"input_raw":"x"}]}`: "exclude each other",
		`{"kind":"user","content":[{"type":"tool_call","input":1,"input":1}]}`:       "occurs twice",
		`{"kind":"assistant","usage":7}`:                                             `"usage": expected an object`,
		`{"kind":"assistant","usage":{"input":"x"}}`:                                 `"usage": field "input"`,
		`{"kind":"bash","exit_code":"x"}`:                                            "exit_code",
		`{"kind":"user","x":` + deep + `}`:                                           "depth",
		"{\"kind\":\"user\"\x00}":                                                    "not JSON",
	} {
		good := `{"kind":"user","content":[]}`
		msgs, err := message.Decode(strings.NewReader(good + "\n\n" + line + "\n" + good))
		var le *message.LineError
		require.ErrorAs(t, err, &le, "%.80s", line)
		assert.Equal(t, 3, le.Line)
		assert.Error(t, errors.Unwrap(le))
		assert.ErrorContains(t, err, want, "%.80s", line)
		assert.Len(t, msgs, 1)

		msgs, bad, err := message.DecodeLenient(strings.NewReader(good + "\n\n" + line + "\n" + good))
		require.NoError(t, err)
		assert.Len(t, msgs, 2)
		require.Len(t, bad, 1)
		assert.Equal(t, 3, bad[0].Line)
	}
}

func TestNullCountsAsAbsent(t *testing.T) {
	m, err := message.Unmarshal([]byte(`{"kind":"bash","id":null,"command":"ls","output":null,"exit_code":null,"turn":null,"pinned":null}`))
	require.NoError(t, err)
	assert.True(t, message.Equal(m, &message.BashExecution{Command: "ls"}))
}

func TestHugeLine(t *testing.T) {
	text := strings.Repeat("0123456789", 5<<20) // 50 MiB
	stored := encode(t, message.NewUser(text), message.NewUser("after"))
	msgs := decode(t, stored)
	require.Len(t, msgs, 2)
	assert.True(t, message.PlainText(msgs[0]) == text)
}

// endless yields one line of n bytes without keeping it anywhere.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	if e.n <= 0 {
		return 0, io.EOF
	}
	k := min(len(p), e.n)
	for i := range p[:k] {
		p[i] = 'x'
	}
	e.n -= k
	return k, nil
}

func TestLineBeyondTheLimit(t *testing.T) {
	r := io.MultiReader(&endless{message.MaxLine + 1}, strings.NewReader("\n{\"kind\":\"user\"}"))
	msgs, bad, err := message.DecodeLenient(r)
	require.NoError(t, err)
	assert.Len(t, msgs, 1)
	require.Len(t, bad, 1)
	assert.ErrorContains(t, bad[0], "line 1: longer than")
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errors.New("disk gone") }
func (failing) Write([]byte) (int, error) { return 0, errors.New("disk gone") }

func TestReaderAndWriterErrors(t *testing.T) {
	_, err := message.Decode(failing{})
	assert.ErrorContains(t, err, "disk gone")
	_, _, err = message.DecodeLenient(failing{})
	assert.ErrorContains(t, err, "disk gone")
	assert.ErrorContains(t, message.Encode(failing{}, []message.Message{message.NewUser("x")}), "message 0: disk gone")
}

func TestWhatCannotBeStored(t *testing.T) {
	bad := json.RawMessage(`{"broken`)
	for want, m := range map[string]message.Message{
		"is nil":                     (*message.User)(nil),
		"block 1 is nil":             &message.User{Content: []message.Block{message.Text("x"), (*message.Image)(nil)}},
		"raw: not JSON":              &message.Unknown{Raw: bad},
		"raw is not JSON":            &message.User{Content: []message.Block{&message.Opaque{Type: "x", Raw: bad}}},
		"extra fields: not JSON":     &message.User{Meta: message.Meta{Extra: bad}},
		"extra fields: expected":     &message.User{Meta: message.Meta{Extra: json.RawMessage(`[]`)}},
		`"id" is a field of its own`: &message.User{Meta: message.Meta{ID: "a", Extra: json.RawMessage(`{"id":"b"}`)}},
		"year":                       &message.User{Meta: message.Meta{Time: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		err := message.Encode(io.Discard, []message.Message{message.NewUser("x"), m})
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "message 1: ")
		_, err = message.Marshal(m)
		assert.Error(t, err)
		assert.NotPanics(t, func() { message.Fingerprint(m) })
	}
	assert.NotEqual(t, message.Fingerprint(&message.Unknown{Raw: bad}), message.Fingerprint(&message.Unknown{Raw: json.RawMessage(`{`)}))
}

func TestRawLineBreaksAreDropped(t *testing.T) {
	u := &message.User{Content: []message.Block{&message.Opaque{Type: "x", Raw: json.RawMessage("{\"type\":\"x\",\r\n\"a\":1}")}}}
	stored := encode(t, u)
	assert.Equal(t, 1, strings.Count(stored, "\n"))
	requireEqual(t, []message.Message{u}, decode(t, stored))
}

func TestFingerprintIgnoresIdentity(t *testing.T) {
	a := message.NewUser("x")
	b := message.Derive(a, func(u *message.User) { u.ID, u.Time, u.Turn = "id", time.Now(), 7 })
	assert.Equal(t, message.Fingerprint(a), message.Fingerprint(b))
	assert.NotEqual(t, message.Fingerprint(a), message.Fingerprint(message.Derive(a, func(u *message.User) { u.Pinned = true })))
	assert.Equal(t, message.Fingerprint(&message.Unknown{Raw: json.RawMessage(`{"kind":"x","id":"1","a":2}`)}),
		message.Fingerprint(&message.Unknown{Raw: json.RawMessage(`{"kind":"x","a":2,"turn":9}`)}))
}

// The 183 recorded sessions are in the stored form: reading and writing them
// changes nothing.
func TestRoundTripOfRecordedSessions(t *testing.T) {
	files, _ := filepath.Glob("../../shared/transcripts/neutral/*.jsonl")
	if len(files) == 0 {
		t.Skip("../shared/transcripts is not here: the recorded sessions were not read")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		msgs := decode(t, string(data))
		back := decode(t, encode(t, msgs...))
		requireEqual(t, msgs, back)
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var want, got any
			require.NoError(t, json.Unmarshal(line, &want))
			again, err := message.Marshal(msgs[i])
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(again, &got))
			require.Equal(t, want, withoutDefaults(want, got), "%s:%d", filepath.Base(f), i+1)
		}
	}
}

// withoutDefaults drops from got what the stored form always writes and want
// left out, and takes over want's spelling of the same time.
func withoutDefaults(want, got any) any {
	w, g := want.(map[string]any), got.(map[string]any)
	if s, ok := w["time"].(string); ok {
		a, _ := time.Parse(time.RFC3339Nano, s)
		if b, _ := time.Parse(time.RFC3339Nano, g["time"].(string)); a.Equal(b) {
			g["time"] = s
		}
	}
	for k, v := range g {
		if _, there := w[k]; !there && (v == "" || v == false || v == 0.0) {
			delete(g, k)
		}
	}
	if u, ok := w["usage"]; ok {
		withoutDefaults(u, g["usage"])
	}
	return g
}

func FuzzUnmarshal(f *testing.F) {
	for _, m := range everything() {
		data, err := message.Marshal(m)
		require.NoError(f, err)
		if len(data) < 4096 { // a large seed starves the fuzzer
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := message.Unmarshal(data)
		if err != nil {
			return
		}
		stored, err := message.Marshal(m)
		require.NoError(t, err)
		back, err := message.Unmarshal(stored)
		require.NoError(t, err, "%s", stored)
		require.True(t, message.Equal(m, back))
		require.Equal(t, message.Fingerprint(m), message.Fingerprint(back))
	})
}
