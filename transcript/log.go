package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/condenser-go/condenser/message"
)

// Log is a transcript that only grows, with the edits committed on it. Within
// one generation a position in it is an identity; Rewind and Revert begin a
// new one.
//
// It is safe for concurrent use. No call holds its lock for longer than its
// own computing, and what it returns (views, messages, commits) is immutable.
type Log struct {
	mu      sync.Mutex
	rules   []Rule
	msgs    []message.Message
	commits []Commit
	view    *View // of msgs and commits
	gen     *generation
	base    base // zero unless a snapshot
}

// generation is compared by pointer; it has a size so that no two share one.
type generation struct{ _ byte }

// base is what a snapshot was made of.
type base struct {
	of            *Log
	msgs, commits int
}

// NewLog returns an empty log that keeps the given rules, or, when there are
// none, the structural rules.
func NewLog(rules ...Rule) *Log {
	l := &Log{gen: new(generation)}
	if len(rules) > 0 {
		l.rules = slices.Clone(rules)
	}
	l.view = &View{rules: l.rules}
	return l
}

// Append adds messages at the end. A nil among them is an error and nothing is
// appended. It does not judge: a log at rest may hold any transcript.
func (l *Log) Append(m ...message.Message) error {
	if err := message.CheckNil(m); err != nil {
		return fmt.Errorf("transcript: append: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(m)
	return nil
}

// append extends the view instead of folding anew. Older views share the
// memory up to their own length and never look beyond it.
func (l *Log) append(m []message.Message) {
	v := *l.view
	folded := len(v.spans) > 0
	l.msgs = append(l.msgs, m...)
	v.log = l.msgs
	if folded {
		v.msgs = append(v.msgs, m...)
	} else {
		v.msgs = l.msgs
	}
	l.view = &v
}

// Commit folds c's edits in, all or none. It refuses with ErrRange, ErrConflict,
// ErrDuplicate or a *RuleError, and then changes nothing. A rule refuses what
// the view after breaks and neither the view before nor the bare log does.
func (l *Log) Commit(c Commit) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.Seen == 0 {
		c.Seen = len(l.msgs)
	}
	if c.ID == "" {
		c = NewCommit(c.Seen, c.Edits...)
	}
	if err := l.commit(c); err != nil {
		return fmt.Errorf("transcript: commit %s: %w", c.ID, err)
	}
	return nil
}

func (l *Log) commit(commits ...Commit) error {
	var edits []Edit
	for k, c := range commits {
		same := func(o Commit) bool { return o.ID == c.ID }
		if slices.ContainsFunc(l.commits, same) || slices.ContainsFunc(commits[:k], same) {
			return ErrDuplicate
		}
		if c.Seen > len(l.msgs) {
			return fmt.Errorf("planned on %d messages of %d: %w", c.Seen, len(l.msgs), ErrRange)
		}
		for _, e := range c.Edits {
			if n := e.needs(); n > len(l.msgs) {
				return fmt.Errorf("edit [%d, %d) of %q needs %d messages of %d: %w", e.From, e.To, e.Pass, n, len(l.msgs), ErrRange)
			}
		}
		edits = append(edits, c.Edits...)
	}
	after, err := l.view.With(edits...)
	if err != nil {
		return err
	}
	if err := l.allow(after); err != nil {
		return err
	}
	l.commits = append(l.commits[:len(l.commits):len(l.commits)], commits...)
	l.view = after
	return nil
}

// allow refuses what breaks a rule that neither the current view nor the bare
// log breaks.
func (l *Log) allow(after *View) error {
	found := after.Check(l.view)
	if len(found) == 0 {
		return nil
	}
	bare := &View{log: l.msgs, msgs: l.msgs, rules: l.rules}
	worse := after.Check(bare)
	return ruleError(slices.DeleteFunc(found, func(v message.Violation) bool { return !slices.Contains(worse, v) }))
}

func ruleError(found []message.Violation) error {
	if len(found) == 0 {
		return nil
	}
	return &RuleError{Violations: found}
}

// NewCommit returns a commit of edits planned on seen messages, with an ID made
// of what it does.
func NewCommit(seen int, edits ...Edit) Commit {
	h := sha256.New()
	fmt.Fprintln(h, seen)
	for _, e := range edits {
		fmt.Fprintf(h, "%d %d %d %q\n", e.From, e.To, e.Needs, e.Pass)
		for _, m := range e.With {
			if message.CheckNil([]message.Message{m}) != nil {
				continue // the commit will be refused
			}
			sum := message.Fingerprint(m)
			h.Write(sum[:])
		}
	}
	return Commit{ID: "c-" + hex.EncodeToString(h.Sum(nil)[:8]), Seen: seen, Edits: edits}
}

// View returns what the model sees now. It is cached, and extended on append.
func (l *Log) View() *View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view
}

// Len returns the number of messages.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.msgs)
}

// Messages returns all messages, as appended. The slice is for reading.
func (l *Log) Messages() []message.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.msgs[:len(l.msgs):len(l.msgs)]
}

// Commits returns the commits in force, in their order. The slice is for reading.
func (l *Log) Commits() []Commit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.commits[:len(l.commits):len(l.commits)]
}

// Snapshot returns a log with the same content that goes its own way: plan and
// commit on it while l goes on, then Merge it into l. It takes O(1).
func (l *Log) Snapshot() *Log {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, k := len(l.msgs), len(l.commits)
	v := *l.view
	v.msgs = v.msgs[:len(v.msgs):len(v.msgs)]
	v.log = l.msgs[:n:n]
	return &Log{rules: l.rules, msgs: l.msgs[:n:n], commits: l.commits[:k:k], view: &v, gen: l.gen, base: base{of: l, msgs: n, commits: k}}
}

// Merge takes over the commits that snapshot, made from l, has gained, all or
// none; commits made on l since have won. A snapshot of another log, or of an
// older generation, or whose commits touch messages only it has, is ErrStale;
// else it refuses as Commit does. A refused call changes nothing.
func (l *Log) Merge(snapshot *Log) error {
	if snapshot == nil {
		return fmt.Errorf("transcript: merge: there is no snapshot: %w", ErrStale)
	}
	snapshot.mu.Lock()
	gen, b := snapshot.gen, snapshot.base
	gained := slices.Clone(snapshot.commits[min(b.commits, len(snapshot.commits)):])
	snapshot.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.of != l || gen != l.gen {
		return fmt.Errorf("transcript: merge: %w", ErrStale)
	}
	for k, c := range gained {
		for _, e := range c.Edits {
			if e.needs() > b.msgs {
				return fmt.Errorf("transcript: merge: commit %s is about messages the snapshot added: %w", c.ID, ErrStale)
			}
		}
		gained[k].Seen = min(c.Seen, b.msgs)
	}
	if len(gained) == 0 {
		return nil
	}
	if err := l.commit(gained...); err != nil {
		return fmt.Errorf("transcript: merge: %w", err)
	}
	return nil
}

// Revert takes the commit back and begins a new generation: the view is the
// fold of the others. It refuses with ErrNoCommit, or with a *RuleError as
// Commit does, and then changes nothing.
func (l *Log) Revert(commitID string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := slices.IndexFunc(l.commits, func(c Commit) bool { return c.ID == commitID })
	if k < 0 {
		return fmt.Errorf("transcript: revert %s: %w", commitID, ErrNoCommit)
	}
	rest := slices.Concat(l.commits[:k], l.commits[k+1:])
	after, err := fold(l.msgs, l.rules, editsOf(rest))
	if err == nil {
		err = l.allow(after)
	}
	if err != nil {
		return fmt.Errorf("transcript: revert %s: %w", commitID, err)
	}
	l.commits, l.view, l.gen = rest, after, new(generation)
	return nil
}

// Rewind keeps the first n messages, and the edits that need no more, and
// begins a new generation. It refuses an n outside the log with ErrRange, and
// with a *RuleError if the edits left break a rule the bare messages keep;
// then it changes nothing. Rewinding to the end is no change.
func (l *Log) Rewind(n int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < 0 || n > len(l.msgs) {
		return fmt.Errorf("transcript: rewind to %d of %d messages: %w", n, len(l.msgs), ErrRange)
	}
	if n < len(l.msgs) {
		if err := l.rewind(n); err != nil {
			return fmt.Errorf("transcript: rewind to %d: %w", n, err)
		}
	}
	return nil
}

func (l *Log) rewind(n int) error {
	var rest []Commit
	for _, c := range l.commits {
		c.Edits = slices.DeleteFunc(slices.Clone(c.Edits), func(e Edit) bool { return e.needs() > n })
		c.Seen = min(c.Seen, n)
		if len(c.Edits) > 0 {
			rest = append(rest, c)
		}
	}
	msgs := l.msgs[:n:n]
	after, err := fold(msgs, l.rules, editsOf(rest))
	if err == nil {
		bare := &View{log: msgs, msgs: msgs, rules: l.rules}
		err = ruleError(after.Check(bare))
	}
	if err == nil {
		l.msgs, l.commits, l.view, l.gen = msgs, rest, after, new(generation)
	}
	return err
}

func editsOf(commits []Commit) []Edit {
	var edits []Edit
	for _, c := range commits {
		edits = append(edits, c.Edits...)
	}
	return edits
}
