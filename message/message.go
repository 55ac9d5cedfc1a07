package message

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Kind names what a message is. It is the "kind" of the stored form.
type Kind string

const (
	KindSystem            Kind = "system"
	KindUser              Kind = "user"
	KindAssistant         Kind = "assistant"
	KindToolResult        Kind = "tool_result"
	KindBashExecution     Kind = "bash"
	KindCustom            Kind = "custom"
	KindBranchSummary     Kind = "branch_summary"
	KindCompactionSummary Kind = "compaction_summary"
	KindUnknown           Kind = "unknown" // of every *Unknown, whatever its stored kind
)

// Message is one entry of a transcript: *System, *User, *Assistant,
// *ToolResult, *BashExecution, *Custom, *BranchSummary, *CompactionSummary or
// *Unknown. No other type implements it.
//
// A message is immutable once handed over: the library keeps pointers to it,
// compares by pointer first, and shares it between goroutines. Whoever needs
// another makes one with [Derive].
type Message interface {
	Kind() Kind
	// Head returns the fields all kinds share. It points into the message and
	// is for reading.
	Head() *Meta

	sealed()
}

// Meta is what all messages share.
type Meta struct {
	ID       string          // stable across processes, or ""
	Time     time.Time       // zero if unknown
	Turn     int             // 1-based turn, 0 if unknown; stored 0-based
	Internal bool            // injected by the host and re-made every turn; never summarised
	Pinned   bool            // never removed or rewritten
	Atomic   bool            // signed or owner-bound: stays byte for byte, or goes with its group
	Origin   string          // "" for the host's own, else the pass that made it
	Extra    json.RawMessage // the stored form's unknown fields: a JSON object in their order, or empty
}

// System is an instruction of the host to the model.
type System struct {
	Meta
	Content []Block
}

// User is what the person, or a pass in their place, says to the model.
type User struct {
	Meta
	Content []Block
}

// Assistant is one reply of the model. Its tool calls are blocks.
type Assistant struct {
	Meta
	Content      []Block
	Model        string
	StopReason   string
	ErrorMessage string
	Usage        *Usage // nil if the provider reported none
}

// ToolResult answers one tool call. Which one is a matter of position: see [Pair].
type ToolResult struct {
	Meta
	CallID   string
	ToolName string
	Content  []Block
	IsError  bool
}

// BashExecution is a command the user ran beside the model.
type BashExecution struct {
	Meta
	Command  string
	Output   string
	ExitCode *int // nil if unknown
}

// Custom is an entry of the host's own kind.
type Custom struct {
	Meta
	CustomType string
	Content    []Block
}

// BranchSummary is a host's digest of an abandoned branch.
type BranchSummary struct {
	Meta
	Summary string
	FromID  string
}

// CompactionSummary is a host's digest of older history. The library reads
// it and never makes one: its own digests are *User messages.
type CompactionSummary struct {
	Meta
	Summary      string
	TokensBefore int
}

// Unknown is an entry of a kind this version does not know. Raw is its stored
// line and is written back as it is; Meta is what could be read from it.
type Unknown struct {
	Meta
	Raw json.RawMessage
}

// Usage is what a provider reported for one reply, in tokens.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int
	Extra                                json.RawMessage // unknown fields, as in Meta
}

func (*System) Kind() Kind            { return KindSystem }
func (*User) Kind() Kind              { return KindUser }
func (*Assistant) Kind() Kind         { return KindAssistant }
func (*ToolResult) Kind() Kind        { return KindToolResult }
func (*BashExecution) Kind() Kind     { return KindBashExecution }
func (*Custom) Kind() Kind            { return KindCustom }
func (*BranchSummary) Kind() Kind     { return KindBranchSummary }
func (*CompactionSummary) Kind() Kind { return KindCompactionSummary }
func (*Unknown) Kind() Kind           { return KindUnknown }

func (m *System) Head() *Meta            { return &m.Meta }
func (m *User) Head() *Meta              { return &m.Meta }
func (m *Assistant) Head() *Meta         { return &m.Meta }
func (m *ToolResult) Head() *Meta        { return &m.Meta }
func (m *BashExecution) Head() *Meta     { return &m.Meta }
func (m *Custom) Head() *Meta            { return &m.Meta }
func (m *BranchSummary) Head() *Meta     { return &m.Meta }
func (m *CompactionSummary) Head() *Meta { return &m.Meta }
func (m *Unknown) Head() *Meta           { return &m.Meta }

func (*System) sealed()            {}
func (*User) sealed()              {}
func (*Assistant) sealed()         {}
func (*ToolResult) sealed()        {}
func (*BashExecution) sealed()     {}
func (*Custom) sealed()            {}
func (*BranchSummary) sealed()     {}
func (*CompactionSummary) sealed() {}
func (*Unknown) sealed()           {}

// Content returns the blocks of m, nil for kinds that have none. The slice is
// the message's own and is for reading.
func Content(m Message) []Block {
	if isNil(m) {
		return nil
	}
	switch m := m.(type) {
	case *System:
		return m.Content
	case *User:
		return m.Content
	case *Assistant:
		return m.Content
	case *ToolResult:
		return m.Content
	case *Custom:
		return m.Content
	}
	return nil
}

// CheckNil returns an error that names the first message, or block of a
// message, that is nil or a nil pointer. Everything that takes messages over
// for keeps calls it first, so that nothing later has to.
func CheckNil(msgs []Message) error {
	for i, m := range msgs {
		if isNil(m) {
			return fmt.Errorf("message %d is nil", i)
		}
		for k, b := range Content(m) {
			if isNilBlock(b) {
				return fmt.Errorf("message %d (%s): block %d is nil", i, m.Kind(), k)
			}
		}
	}
	return nil
}

// IsNil reports whether m is nil, a nil pointer, or holds a block that is. The
// functions of this package that look at one message take such a message for an
// empty one.
func IsNil(m Message) bool { return isNil(m) || slices.ContainsFunc(Content(m), isNilBlock) }

// Present returns msgs without those that are nil; msgs itself if none is.
func Present(msgs []Message) []Message {
	if !slices.ContainsFunc(msgs, IsNil) {
		return msgs
	}
	return slices.DeleteFunc(slices.Clone(msgs), IsNil)
}

func isNil(m Message) bool {
	switch m := m.(type) {
	case *System:
		return m == nil
	case *User:
		return m == nil
	case *Assistant:
		return m == nil
	case *ToolResult:
		return m == nil
	case *BashExecution:
		return m == nil
	case *Custom:
		return m == nil
	case *BranchSummary:
		return m == nil
	case *CompactionSummary:
		return m == nil
	case *Unknown:
		return m == nil
	}
	return true
}
