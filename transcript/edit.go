package transcript

import (
	"errors"
	"fmt"

	"github.com/condenser-go/condenser/message"
)

// Edit says: what stands at the log positions [From, To) is now With.
type Edit struct {
	From, To int               // log positions, half-open, From < To
	With     []message.Message // what stands there instead; empty hides; may hold originals again, same pointer
	Needs    int               // void unless the log has this many messages; 0 means To (a read superseded at 60: 61)
	Pass     string            // who proposed it
	Why      string            // one line, for the report
}

// Commit is the unit of commit, merge and revert.
type Commit struct {
	ID    string // unique in its log; "" gets one made from the content
	Seen  int    // log length when planned; 0 means when committed
	Edits []Edit
}

// What a log or a fold refuses. The errors returned say more and wrap these.
var (
	ErrRange     = errors.New("edit outside the log")
	ErrConflict  = errors.New("edit conflicts with another")
	ErrStale     = errors.New("planned on history that is gone")
	ErrDuplicate = errors.New("commit is already there")
	ErrNoCommit  = errors.New("no such commit")
	ErrDiverged  = errors.New("messages neither continue the log nor its view")
)

// RuleError is a call refused because its result would break a rule that
// neither the view before nor the bare log breaks.
type RuleError struct {
	Violations []message.Violation // indices of the view that was refused
}

func (e *RuleError) Error() string {
	if len(e.Violations) == 0 {
		return "refused"
	}
	s := "refused: " + e.Violations[0].String()
	if n := len(e.Violations) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// needs returns how long the log must be for e to count.
func (e Edit) needs() int { return max(e.To, e.Needs) }

func (e Edit) check() error {
	if e.From < 0 || e.From >= e.To {
		return fmt.Errorf("edit [%d, %d) of %q: %w", e.From, e.To, e.Pass, ErrRange)
	}
	if err := message.CheckNil(e.With); err != nil {
		return fmt.Errorf("edit [%d, %d) of %q: %w", e.From, e.To, e.Pass, err)
	}
	return nil
}
