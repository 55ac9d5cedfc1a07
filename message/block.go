package message

import "encoding/json"

// Block is one piece of a message's content: Text, *Thinking, *Image,
// *ToolCall or *Opaque. No other type implements it.
type Block interface{ sealedBlock() }

// Text is plain text. It need not be valid UTF-8 at rest; [Validate] says so
// before it is sent.
type Text string

// Thinking is the model's reasoning. With a Signature or Redacted it is bound
// to its message: see [Signed].
type Thinking struct {
	Text      string
	Signature string
	Redacted  bool            // Text is the provider's opaque form, or empty
	Extra     json.RawMessage // unknown fields, as in Meta
}

// Image is a picture, inline (Data, the decoded bytes) or by URL.
type Image struct {
	MIME  string
	Data  []byte
	URL   string
	Extra json.RawMessage // unknown fields, as in Meta
}

// ToolCall asks for a tool. Input holds the arguments as received, byte for
// byte: usually a JSON object, but it may be cut off or no JSON at all.
type ToolCall struct {
	ID        string
	Name      string
	Input     json.RawMessage
	Signature string
	Extra     json.RawMessage // unknown fields, as in Meta
}

// Opaque is a block the library does not look into: a type it does not know,
// or a text block with fields of its own. Raw is the whole JSON object.
type Opaque struct {
	Type string
	Raw  json.RawMessage
}

func (Text) sealedBlock()      {}
func (*Thinking) sealedBlock() {}
func (*Image) sealedBlock()    {}
func (*ToolCall) sealedBlock() {}
func (*Opaque) sealedBlock()   {}

func isNilBlock(b Block) bool {
	switch b := b.(type) {
	case Text:
		return false
	case *Thinking:
		return b == nil
	case *Image:
		return b == nil
	case *ToolCall:
		return b == nil
	case *Opaque:
		return b == nil
	}
	return true
}

// TextOf returns the text of b if it is visible text: a Text, or an *Opaque of
// type "text".
func TextOf(b Block) (string, bool) {
	if isNilBlock(b) {
		return "", false
	}
	switch b := b.(type) {
	case Text:
		return string(b), true
	case *Opaque:
		if b.Type != "text" {
			return "", false
		}
		f, err := readFields(b.Raw)
		if err != nil {
			return "", false
		}
		s, err := f.str("text")
		return s, err == nil
	}
	return "", false
}

// Calls returns the tool calls of m in order, nil unless m is an *Assistant
// that calls tools.
func Calls(m Message) []*ToolCall {
	a, ok := m.(*Assistant)
	if !ok || IsNil(m) {
		return nil
	}
	var calls []*ToolCall
	for _, b := range a.Content {
		if c, ok := b.(*ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// Signed reports whether m holds content that a provider verifies: signed or
// redacted thinking, or a signed tool call. Such a message stays byte for
// byte, or goes with its group.
func Signed(m Message) bool {
	if IsNil(m) {
		return false
	}
	for _, b := range Content(m) {
		switch b := b.(type) {
		case *Thinking:
			if b.Signature != "" || b.Redacted {
				return true
			}
		case *ToolCall:
			if b.Signature != "" {
				return true
			}
		}
	}
	return false
}
