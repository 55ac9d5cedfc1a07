package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/condenser-go/condenser/message"
)

// logVersion is the version of the stored log, on its first line. A reader
// refuses a newer one.
const logVersion = 1

// record is one line of a stored log: exactly one field is set.
type record struct {
	Version int             `json:"condenser_log,omitempty"`
	Message json.RawMessage `json:"message,omitempty"`
	Commit  *storedCommit   `json:"commit,omitempty"`
	Revert  string          `json:"revert,omitempty"`
	Rewind  *int            `json:"rewind,omitempty"`
}

type storedCommit struct {
	ID    string       `json:"id"`
	Seen  int          `json:"seen"`
	Edits []storedEdit `json:"edits"`
}

type storedEdit struct {
	From  int             `json:"from"`
	To    int             `json:"to"`
	Needs int             `json:"needs,omitempty"`
	Pass  string          `json:"pass,omitempty"`
	Why   string          `json:"why,omitempty"`
	With  []storedMessage `json:"with"`
}

// storedMessage is a message of an edit: one of the log's, or a new one.
type storedMessage struct {
	Original *int            `json:"original,omitempty"` // log position
	Message  json.RawMessage `json:"message,omitempty"`
}

// WriteLog writes l to w as JSON Lines: a version, then messages and the
// commits in force, each behind the messages it had seen. Reading it back
// gives the same view.
func WriteLog(w io.Writer, l *Log) error {
	l.mu.Lock()
	msgs, commits := l.msgs, l.commits
	l.mu.Unlock()
	out := recordWriter{enc: json.NewEncoder(w)}
	out.enc.SetEscapeHTML(false)
	out.write(record{Version: logVersion})
	next := 0
	for _, c := range commits {
		need := c.Seen
		for _, e := range c.Edits {
			need = max(need, e.needs())
		}
		out.messages(msgs, next, need)
		next = max(next, need)
		out.commit(c, msgs)
	}
	out.messages(msgs, next, len(msgs))
	return out.err
}

type recordWriter struct {
	enc *json.Encoder
	err error
}

func (w *recordWriter) write(r record) {
	if w.err == nil {
		w.err = w.enc.Encode(r)
	}
}

func (w *recordWriter) messages(msgs []message.Message, from, to int) {
	for p := from; p < to; p++ {
		w.write(record{Message: w.marshal(p, msgs[p])})
	}
}

func (w *recordWriter) marshal(p int, m message.Message) json.RawMessage {
	data, err := message.Marshal(m)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("transcript: message of log position %d: %w", p, err)
	}
	return data
}

func (w *recordWriter) commit(c Commit, msgs []message.Message) {
	s := &storedCommit{ID: c.ID, Seen: c.Seen, Edits: []storedEdit{}}
	for _, e := range c.Edits {
		se := storedEdit{From: e.From, To: e.To, Needs: e.Needs, Pass: e.Pass, Why: e.Why, With: []storedMessage{}}
		hint := e.From
		for _, m := range e.With {
			if p := findOriginal(msgs, e, hint, m); p >= 0 {
				hint = p + 1
				se.With = append(se.With, storedMessage{Original: &p})
			} else {
				se.With = append(se.With, storedMessage{Message: w.marshal(e.From, m)})
			}
		}
		s.Edits = append(s.Edits, se)
	}
	w.write(record{Commit: s})
}

// findOriginal returns the position of m, by pointer, in e's span, -1 if it is
// not there. Originals mostly come in their order, so it begins at hint.
func findOriginal(msgs []message.Message, e Edit, hint int, m message.Message) int {
	n := e.To - e.From
	for k := range n {
		if p := e.From + (hint-e.From+k)%n; msgs[p] == m {
			return p
		}
	}
	return -1
}

// ReadLog reads what WriteLog wrote, into a log with the given rules (none:
// the structural rules). It trusts the commits: they were judged when they were
// made, and are folded but not judged again. A line that is no record, a
// commit that does not fold, or a newer version is an error that names the
// line; the log that the lines before make comes with it.
func ReadLog(r io.Reader, rules ...Rule) (*Log, error) {
	l := NewLog(rules...)
	br := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return l, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if e := l.apply(n, line); e != nil {
				return l, &message.LineError{Line: n, Err: e}
			}
		}
		if err == io.EOF {
			return l, nil
		}
	}
}

func (l *Log) apply(n int, line []byte) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("no record: %w", err)
	}
	if n == 1 && r.Version == 0 {
		return errors.New("no stored log: its first line has no version (is it a list of messages, as message.Encode writes them?)")
	}
	if n == 1 && (r.Version < 1 || r.Version > logVersion) {
		return fmt.Errorf("a log of version %d, and this reads versions 1 to %d", r.Version, logVersion)
	}
	switch {
	case r.Version != 0:
		return nil
	case r.Message != nil:
		m, err := message.Unmarshal(r.Message)
		if err != nil {
			return err
		}
		l.append([]message.Message{m})
		return nil
	case r.Commit != nil:
		return l.restore(r.Commit)
	case r.Revert != "":
		return l.Revert(r.Revert)
	case r.Rewind != nil:
		return l.Rewind(*r.Rewind)
	}
	return errors.New("a record of no known kind")
}

// restore commits without judging.
func (l *Log) restore(s *storedCommit) error {
	c := Commit{ID: s.ID, Seen: s.Seen}
	for _, se := range s.Edits {
		e := Edit{From: se.From, To: se.To, Needs: se.Needs, Pass: se.Pass, Why: se.Why}
		if e.needs() > len(l.msgs) {
			return fmt.Errorf("commit %s: edit [%d, %d): %w", c.ID, e.From, e.To, ErrRange)
		}
		for _, sm := range se.With {
			m, err := l.restoreMessage(e, sm)
			if err != nil {
				return fmt.Errorf("commit %s: edit [%d, %d): %w", c.ID, e.From, e.To, err)
			}
			e.With = append(e.With, m)
		}
		c.Edits = append(c.Edits, e)
	}
	after, err := l.view.With(c.Edits...)
	if err != nil {
		return fmt.Errorf("commit %s: %w", c.ID, err)
	}
	l.commits = append(l.commits, c)
	l.view = after
	return nil
}

func (l *Log) restoreMessage(e Edit, s storedMessage) (message.Message, error) {
	if s.Original == nil {
		return message.Unmarshal(s.Message)
	}
	if p := *s.Original; p >= max(0, e.From) && p < e.To {
		return l.msgs[p], nil
	}
	return nil, fmt.Errorf("original %d: %w", *s.Original, ErrRange)
}
