package message

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Equal reports whether a and b are the same message in everything but time.
// Raw JSON is compared without insignificant space, a call's Input byte for
// byte. It allocates nothing for messages without unknown fields, and equal
// strings that share their memory cost no comparison.
func Equal(a, b Message) bool {
	if a == b {
		return true
	}
	if isNil(a) || isNil(b) || a.Kind() != b.Kind() || !equalMeta(a.Head(), b.Head()) {
		return false
	}
	switch a := a.(type) {
	case *Assistant:
		b := b.(*Assistant)
		return a.Model == b.Model && a.StopReason == b.StopReason && a.ErrorMessage == b.ErrorMessage &&
			equalUsage(a.Usage, b.Usage) && equalBlocks(a.Content, b.Content)
	case *ToolResult:
		b := b.(*ToolResult)
		return a.CallID == b.CallID && a.ToolName == b.ToolName && a.IsError == b.IsError && equalBlocks(a.Content, b.Content)
	case *BashExecution:
		b := b.(*BashExecution)
		return a.Command == b.Command && a.Output == b.Output && equalInt(a.ExitCode, b.ExitCode)
	case *Custom:
		b := b.(*Custom)
		return a.CustomType == b.CustomType && equalBlocks(a.Content, b.Content)
	case *BranchSummary:
		b := b.(*BranchSummary)
		return a.Summary == b.Summary && a.FromID == b.FromID
	case *CompactionSummary:
		b := b.(*CompactionSummary)
		return a.Summary == b.Summary && a.TokensBefore == b.TokensBefore
	case *Unknown:
		return equalJSON(a.Raw, b.(*Unknown).Raw)
	}
	return equalBlocks(Content(a), Content(b)) // *System, *User
}

func equalMeta(a, b *Meta) bool {
	return a.ID == b.ID && a.Turn == b.Turn && a.Internal == b.Internal && a.Pinned == b.Pinned &&
		a.Atomic == b.Atomic && a.Origin == b.Origin && equalJSON(a.Extra, b.Extra)
}

func equalUsage(a, b *Usage) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Input == b.Input && a.Output == b.Output && a.CacheRead == b.CacheRead &&
		a.CacheWrite == b.CacheWrite && equalJSON(a.Extra, b.Extra)
}

func equalInt(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func equalBlocks(a, b []Block) bool { return slices.EqualFunc(a, b, equalBlock) }

func equalBlock(a, b Block) bool {
	switch a := a.(type) {
	case Text:
		b, ok := b.(Text)
		return ok && a == b
	case *Thinking:
		b, ok := b.(*Thinking)
		return ok && (a == b || a != nil && b != nil && a.Text == b.Text && a.Signature == b.Signature &&
			a.Redacted == b.Redacted && equalJSON(a.Extra, b.Extra))
	case *Image:
		b, ok := b.(*Image)
		return ok && (a == b || a != nil && b != nil && a.MIME == b.MIME && a.URL == b.URL &&
			bytes.Equal(a.Data, b.Data) && equalJSON(a.Extra, b.Extra))
	case *ToolCall:
		b, ok := b.(*ToolCall)
		return ok && (a == b || a != nil && b != nil && a.ID == b.ID && a.Name == b.Name &&
			a.Signature == b.Signature && bytes.Equal(a.Input, b.Input) && equalJSON(a.Extra, b.Extra))
	case *Opaque:
		b, ok := b.(*Opaque)
		return ok && (a == b || a != nil && b != nil && a.Type == b.Type && equalJSON(a.Raw, b.Raw))
	}
	return a == b
}

func equalJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
