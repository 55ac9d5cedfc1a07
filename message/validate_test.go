package message_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

func TestGeneratedValidIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := condensertest.Generator{Valid: true}.Transcript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		require.Empty(t, message.Validate(msgs, message.Portable))
	})
}

func picture(t *testing.T, w, h int) *message.Image {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
	return &message.Image{MIME: "image/png", Data: b.Bytes()}
}

func TestValidate(t *testing.T) {
	s, u := message.NewSystem("s"), message.NewUser("u")
	a := message.NewAssistant(message.Text("a"))
	call := func(input string) message.Message {
		return message.NewAssistant(message.NewToolCall("1", "read", input))
	}
	pics := func(img *message.Image, n int) message.Message {
		m := &message.User{}
		for range n {
			m.Content = append(m.Content, img)
		}
		return m
	}
	for name, c := range map[string]struct {
		msgs []message.Message
		want string // "index rule" of each violation
	}{
		"empty":                    {nil, ""},
		"only system":              {[]message.Message{s}, "0 V1"},
		"valid":                    {[]message.Message{s, u, calls("1", "2"), result("2"), result("1")}, ""},
		"assistant messages merge": {[]message.Message{u, calls("1"), calls("2"), result("1"), result("2")}, ""},
		"unknown is not sent":      {[]message.Message{&message.Unknown{Raw: []byte(`{"kind":"x"}`)}, u, calls("1"), &message.Unknown{Raw: []byte(`{"kind":"x"}`)}, result("1")}, ""},
		"bash counts as user":      {[]message.Message{message.NewBashExecution("ls", "", 0), a, message.NewCustom("n", "x")}, ""},
		"begins with assistant":    {[]message.Message{s, a, u}, "1 V1"},
		"begins with result":       {[]message.Message{result("1"), u}, "0 V1 0 V4"},
		"ends with assistant":      {[]message.Message{u, a}, "1 V1"},
		"unanswered":               {[]message.Message{u, calls("1", "2"), result("1"), u}, "1 V3"},
		"answered late":            {[]message.Message{u, calls("1"), u, result("1")}, "1 V3 3 V4"},
		"system in between":        {[]message.Message{u, calls("1"), s, result("1")}, "1 V3 3 V4"},
		"text between results":     {[]message.Message{u, calls("1", "2"), result("1"), u, result("2")}, "1 V3 4 V4"},
		"answered twice":           {[]message.Message{u, calls("1"), result("1"), result("1")}, "3 V3"},
		"orphan":                   {[]message.Message{u, calls("1"), result("1"), result("9")}, "3 V4"},
		"ids may recur":            {[]message.Message{u, calls("1"), result("1"), calls("1"), result("1")}, ""},
		"ids twice in a message":   {[]message.Message{u, calls("1", "1"), result("1"), result("1")}, "1 V5"},
		"no id":                    {[]message.Message{u, calls(""), result("")}, "1 V5"},
		"blank text":               {[]message.Message{message.NewUser(" \n")}, "0 V6"},
		"no content":               {[]message.Message{&message.User{}}, "0 V6"},
		"blank summaries":          {[]message.Message{&message.BranchSummary{}, &message.CompactionSummary{Summary: " "}}, "0 V6 1 V6"},
		"no input":                 {[]message.Message{u, call(""), result("1")}, "1 V8"},
		"input cut off":            {[]message.Message{u, call(`{"a":`), result("1")}, "1 V8"},
		"input no object":          {[]message.Message{u, call(`null`), result("1")}, "1 V8"},
		"input not UTF-8":          {[]message.Message{u, call("{\"a\":\"\xff\"}"), result("1")}, "1 V8"},
		"input with NUL":           {[]message.Message{u, call(`{"a":"\u0000"}`), result("1")}, "1 V8"},
		"input, half a pair":       {[]message.Message{u, call(`{"a":"\ud83d"}`), result("1")}, "1 V8"},
		"input, a pair":            {[]message.Message{u, call(`{"a":"\ud83d\ude00 \\ud83d \n \u0041"}`), result("1")}, ""},
		"not UTF-8":                {[]message.Message{message.NewUser("\xff")}, "0 V8"},
		"NUL":                      {[]message.Message{message.NewUser("a\x00")}, "0 V8"},
		"a signature not UTF-8":    {[]message.Message{u, message.NewAssistant(&message.Thinking{Text: "x", Signature: "\xff"}), u}, "1 V8"},
		"an image's URL":           {[]message.Message{&message.User{Content: []message.Block{&message.Image{URL: "http://\xff"}}}}, "0 V8"},
		"opaque with NUL":          {[]message.Message{&message.User{Content: []message.Block{&message.Opaque{Type: "audio", Raw: []byte(`{"type":"audio","x":"\u0000"}`)}}}}, "0 V8"},
		"opaque, not UTF-8":        {[]message.Message{&message.User{Content: []message.Block{&message.Opaque{Type: "audio", Raw: []byte("{\"type\":\"audio\",\"x\":\"\xff\"}")}}}}, "0 V8"},
		"an error not UTF-8":       {[]message.Message{u, &message.Assistant{ErrorMessage: "\xff", Content: []message.Block{message.Text("x")}}, u}, "1 V8"},
		"thinking not UTF-8":       {[]message.Message{u, message.NewAssistant(&message.Thinking{Text: "\xff"}), u}, "1 V8"},
		"image too large":          {[]message.Message{&message.User{Content: []message.Block{&message.Image{Data: make([]byte, 5<<20+1)}}}}, "0 V10"},
		"request too large":        {[]message.Message{message.NewUser(strings.Repeat("x", 15<<20)), message.NewBashExecution(strings.Repeat("x", 6<<20), "", 0), u}, "1 V10"},
		"20 large images":          {[]message.Message{pics(picture(t, 2001, 1), 20)}, ""},
		"21 large images":          {[]message.Message{pics(picture(t, 2001, 1), 21)}, strings.TrimSpace(strings.Repeat("0 V10 ", 21))},
		"21 small images":          {[]message.Message{pics(picture(t, 9, 9), 21)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, v := range message.Validate(c.msgs, message.Portable) {
				assert.NotEmpty(t, v.Problem)
				got = append(got, strings.TrimPrefix(strings.Join(strings.SplitN(v.String(), ": ", 3)[:2], " "), "message "))
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
	assert.Equal(t, "profile", message.Validate([]message.Message{u}, "nobody")[0].Rule)
}

func TestSentBytes(t *testing.T) {
	for i, m := range everything() {
		assert.Positive(t, message.SentBytes(m)+i) // no kind panics
	}
	assert.Equal(t, 4, message.SentBytes(&message.User{Content: []message.Block{&message.Image{Data: []byte{1, 2, 3}}}}))
}
