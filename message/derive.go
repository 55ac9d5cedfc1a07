package message

import "slices"

// Derive returns a copy of m, changed by change, and leaves m as it is. The
// copy has a content slice of its own, so change may assign to its elements;
// blocks, bytes and usage are shared with m and must be replaced, not written
// to. A nil m gives m.
func Derive[M Message](m M, change func(M)) M {
	if isNil(m) {
		return m
	}
	c := clone(m).(M)
	change(c)
	return c
}

// WithContent returns a copy of m with other blocks, made by the pass origin.
// Kinds without content are returned as they are.
func WithContent(m Message, origin string, blocks ...Block) Message {
	return Derive(m, func(m Message) {
		switch m := m.(type) {
		case *System:
			m.Content = blocks
		case *User:
			m.Content = blocks
		case *Assistant:
			m.Content = blocks
		case *ToolResult:
			m.Content = blocks
		case *Custom:
			m.Content = blocks
		default:
			return
		}
		m.Head().Origin = origin
	})
}

func clone(m Message) Message {
	switch m := m.(type) {
	case *System:
		c := *m
		c.Content = slices.Clone(m.Content)
		return &c
	case *User:
		c := *m
		c.Content = slices.Clone(m.Content)
		return &c
	case *Assistant:
		c := *m
		c.Content = slices.Clone(m.Content)
		return &c
	case *ToolResult:
		c := *m
		c.Content = slices.Clone(m.Content)
		return &c
	case *BashExecution:
		c := *m
		return &c
	case *Custom:
		c := *m
		c.Content = slices.Clone(m.Content)
		return &c
	case *BranchSummary:
		c := *m
		return &c
	case *CompactionSummary:
		c := *m
		return &c
	case *Unknown:
		c := *m
		return &c
	}
	return m
}
