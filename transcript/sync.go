package transcript

import (
	"fmt"
	"slices"

	"github.com/condenser-go/condenser/message"
)

// Synced says what Sync made of a host's slice.
type Synced struct {
	View     bool // it continued the log's view, else its messages
	Matched  int  // so many of its first messages were known
	Rewound  bool // the log was longer there and was rewound
	Appended int  // so many were new
}

// Sync brings the log to where a host that owns a slice of messages has got:
// msgs continues the log's messages (a host that keeps the full history) or
// its view (a host that keeps what it was given back), and what is new is
// appended. A slice that leaves the known way earlier rewinds the log to there
// first, keeping the edits before. Messages are known by pointer, else by
// message.Equal.
//
// A slice whose first message is unknown is ErrDiverged, and so is one of which
// only system messages are known, one with messages of the view behind unknown
// ones, and an empty one: a host that lost its slice must not lose its log, too
// (Rewind does empty one). A nil message is an error, and a rewind may be refused
// as by Rewind. Then nothing changes.
func (l *Log) Sync(msgs []message.Message) (Synced, error) {
	if err := message.CheckNil(msgs); err != nil {
		return Synced{}, fmt.Errorf("transcript: sync: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Synced{Matched: common(l.msgs, msgs)}
	keep := s.Matched
	if k, end := l.view.firstItems(common(l.view.msgs, msgs)); end > keep {
		s.View, s.Matched, keep = true, k, end
	}
	if keep < len(l.msgs) && !l.isEvidence(msgs, s.Matched) {
		return Synced{}, fmt.Errorf("transcript: sync: %w", ErrDiverged)
	}
	if keep < len(l.msgs) {
		if err := l.rewind(keep); err != nil {
			return Synced{}, fmt.Errorf("transcript: sync: %w", err)
		}
		s.Rewound = true
	}
	s.Appended = len(msgs) - s.Matched
	if s.Appended > 0 {
		l.append(msgs[s.Matched:])
	}
	return s, nil
}

// isEvidence reports whether what is known of msgs, the first of them, shows that
// they are of this log. System messages do not: every session begins with them.
// And what a pass made, but is not where it stands in the view, was taken from it.
func (l *Log) isEvidence(msgs []message.Message, known int) bool {
	own := slices.ContainsFunc(msgs[:known], func(m message.Message) bool { return m.Kind() != message.KindSystem })
	made := map[message.Message]bool{}
	for _, m := range l.view.msgs {
		if m.Head().Origin != "" {
			made[m] = true
		}
	}
	return own && !slices.ContainsFunc(msgs[known:], func(m message.Message) bool { return made[m] })
}

// common returns how many messages a and b begin with alike.
func common(a, b []message.Message) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] && !message.Equal(a[i], b[i]) {
			return i
		}
	}
	return n
}

// firstItems returns how many of the first k items end at a border of log
// positions, and that position: messages of one edit stand or fall together.
func (v *View) firstItems(k int) (items, end int) {
	if k == len(v.msgs) {
		return k, len(v.log)
	}
	it := v.At(k)
	if it.Edit >= 0 {
		k = v.spanOf(it).index
	}
	return k, it.From
}
