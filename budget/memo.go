package budget

import "github.com/condenser-go/condenser/message"

// Memo remembers what the messages of one history cost, by position, so that a
// gate over a history that grew by one message prices one message. An entry
// counts if the message at its position is the same pointer, or equal; it is
// never trusted on anything less, so sessions that share a memo cost each
// other time and nothing else.
//
// It holds one history's worth of pointers and numbers. It is not safe for
// concurrent use: its owner is.
type Memo struct {
	counter Counter
	entries []memoEntry
	nils    int // entries that are nil
}

type memoEntry struct {
	msg  message.Message
	cost int
}

// NewMemo returns an empty memo of counter's prices.
func NewMemo(counter Counter) *Memo { return &Memo{counter: counter} }

// Sum returns what msgs cost together, as the counter says, and remembers it
// in the place of what it knew. It does not allocate unless msgs are longer
// than any before.
func (m *Memo) Sum(msgs []message.Message) int {
	total := 0
	if n := len(msgs); n < len(m.entries) {
		for _, e := range m.entries[n:] {
			m.nils -= nilEntry(e)
		}
		clear(m.entries[n:])
		m.entries = m.entries[:n]
	}
	known := len(m.entries)
	for i := range m.entries {
		e := &m.entries[i]
		if e.msg != msgs[i] {
			m.nils -= nilEntry(*e)
			if !message.Equal(e.msg, msgs[i]) {
				e.cost = m.cost(msgs[i : i+1])
			}
			e.msg = msgs[i]
			m.nils += nilEntry(*e)
		}
		total += e.cost
	}
	for i := known; i < len(msgs); i++ {
		cost := m.cost(msgs[i : i+1])
		m.entries = append(m.entries, memoEntry{msgs[i], cost})
		m.nils += nilEntry(m.entries[i])
		total += cost
	}
	return total + listTokens(m.counter, len(msgs))
}

// cost prices the one message in one; nil, which no transcript takes, is free.
func (m *Memo) cost(one []message.Message) int {
	if message.CheckNil(one) != nil {
		return 0
	}
	return m.counter.Tokens(one[0])
}

// nilEntry is 1 for an entry without a message.
func nilEntry(e memoEntry) int {
	if e.cost == 0 && message.CheckNil([]message.Message{e.msg}) != nil {
		return 1
	}
	return 0
}

// HasNil reports whether a message of the last Sum was nil.
func (m *Memo) HasNil() bool { return m.nils > 0 }

// First returns the first message of the last Sum, nil if it had none: a
// history that begins with it is likely the one this memo knows.
func (m *Memo) First() message.Message {
	if len(m.entries) == 0 {
		return nil
	}
	return m.entries[0].msg
}

// prefix returns the running sums over the messages of the last Sum.
func (m *Memo) prefix() []int {
	prefix := make([]int, len(m.entries)+1)
	for i, e := range m.entries {
		prefix[i+1] = prefix[i] + e.cost
	}
	return prefix
}

func listTokens(c Counter, n int) int {
	if l, ok := c.(ListCounter); ok {
		return l.ListTokens(n)
	}
	return 0
}
