package message

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxImage      = 5 << 20  // bytes: Anthropic refuses a larger image
	maxRequest    = 20 << 20 // bytes: Gemini's inline payload, the smallest of the published ones
	manyImages    = 20       // Anthropic: beyond so many images,
	maxManyPixels = 2000     // none may be larger a side
)

// content checks V6 and V8 for one message.
func (v *validator) content(i int, m Message) {
	v.text(i, "id", m.Head().ID)
	blocks := Content(m)
	switch m := m.(type) {
	case *Assistant:
		v.text(i, "error_message", m.ErrorMessage)
	case *ToolResult:
		v.text(i, "tool_call_id", m.CallID)
		v.text(i, "tool_name", m.ToolName)
	case *BashExecution:
		v.text(i, "command", m.Command)
		v.text(i, "output", m.Output)
	case *Custom:
		v.text(i, "custom_type", m.CustomType)
	case *BranchSummary:
		v.summary(i, m.Summary)
	case *CompactionSummary:
		v.summary(i, m.Summary)
	}
	switch m.(type) {
	case *BashExecution, *BranchSummary, *CompactionSummary, *Unknown:
		return
	}
	if len(blocks) == 0 {
		v.add(i, "V6", "the content is empty")
	}
	for k, b := range blocks {
		v.block(i, k, b)
	}
}

func (v *validator) summary(i int, s string) {
	if strings.TrimSpace(s) == "" {
		v.add(i, "V6", "the summary is blank")
	}
	v.text(i, "summary", s)
}

func (v *validator) block(i, k int, b Block) {
	where := fmt.Sprintf("content[%d]", k)
	if s, ok := TextOf(b); ok {
		if strings.TrimSpace(s) == "" {
			v.add(i, "V6", "%s: the text is blank", where)
		}
		v.text(i, where, s)
		return
	}
	switch b := b.(type) {
	case *Thinking:
		v.text(i, where, b.Text)
		v.text(i, where+" signature", b.Signature)
	case *Image:
		v.text(i, where+" mime", b.MIME)
		v.text(i, where+" url", b.URL)
	case *Opaque:
		if problem := escapeProblem(b.Raw); problem != "" {
			v.add(i, "V8", "%s %s", where, problem)
		} else if !utf8.Valid(b.Raw) {
			v.add(i, "V8", "%s is not UTF-8", where)
		}
	case *ToolCall:
		v.text(i, where+" id", b.ID)
		v.text(i, where+" name", b.Name)
		v.text(i, where+" signature", b.Signature)
		if problem := inputProblem(b.Input); problem != "" {
			v.add(i, "V8", "%s: the input of call %q %s", where, b.ID, problem)
		}
	}
}

func (v *validator) text(i int, where, s string) {
	if !utf8.ValidString(s) {
		v.add(i, "V8", "%s is not UTF-8", where)
	}
	if strings.IndexByte(s, 0) >= 0 {
		v.add(i, "V8", "%s holds a NUL", where)
	}
}

func inputProblem(raw json.RawMessage) string {
	switch {
	case len(raw) == 0:
		return "is missing"
	case !json.Valid(raw):
		return "is not JSON"
	case raw[skipSpace(raw, 0)] != '{':
		return "is not a JSON object"
	case !utf8.Valid(raw):
		return "is not UTF-8"
	}
	return escapeProblem(raw)
}

// escapeProblem looks at the \u escapes of valid JSON.
func escapeProblem(raw []byte) string {
	for i := 0; i+5 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		r := hex4(raw[i+1:])
		i += 4
		if r == 0 {
			return "holds a NUL"
		}
		if !utf16.IsSurrogate(r) {
			continue
		}
		if i+6 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' && utf16.DecodeRune(r, hex4(raw[i+3:])) != utf8.RuneError {
			i += 6
			continue
		}
		return "holds half a surrogate pair"
	}
	return ""
}

// sizes checks V10.
func (v *validator) sizes() {
	images, total, over := 0, 0, false
	for _, m := range v.msgs {
		for _, b := range Content(m) {
			if _, ok := b.(*Image); ok {
				images++
			}
		}
	}
	for i, m := range v.msgs {
		for k, b := range Content(m) {
			img, ok := b.(*Image)
			if !ok {
				continue
			}
			if len(img.Data) > maxImage {
				v.add(i, "V10", "content[%d]: the image has %d bytes, more than %d", k, len(img.Data), maxImage)
			}
			if images <= manyImages {
				continue
			}
			if w, h, ok := img.Size(); ok && max(w, h) > maxManyPixels {
				v.add(i, "V10", "content[%d]: the image is %d by %d pixels, and there are %d images", k, w, h, images)
			}
		}
		total += SentBytes(m)
		if total > maxRequest && !over {
			over = true
			v.add(i, "V10", "the request passes %d bytes here", maxRequest)
		}
	}
}

// SentBytes returns about how many bytes m adds to a request: its texts,
// arguments and images (inline ones as base64), without the envelope.
func SentBytes(m Message) int {
	if IsNil(m) {
		return 0
	}
	switch m := m.(type) {
	case *BashExecution:
		return len(m.Command) + len(m.Output)
	case *BranchSummary:
		return len(m.Summary)
	case *CompactionSummary:
		return len(m.Summary)
	case *Unknown:
		return len(m.Raw)
	}
	n := 0
	for _, b := range Content(m) {
		switch b := b.(type) {
		case Text:
			n += len(b)
		case *Thinking:
			n += len(b.Text) + len(b.Signature)
		case *Image:
			n += base64.StdEncoding.EncodedLen(len(b.Data)) + len(b.URL)
		case *ToolCall:
			n += len(b.ID) + len(b.Name) + len(b.Input) + len(b.Signature)
		case *Opaque:
			n += len(b.Raw)
		}
	}
	return n
}
