package summarize

import (
	"fmt"
	"slices"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// Local makes digests without a model: under the six headings of the
// window-budget document, from what the messages hold and nothing else, the
// same for the same messages. It keeps, in this order of precedence and as far
// as its budget allows: the user's last request word for word, the other
// requests (at least their first 60 characters), the files that calls changed
// with their last state, the last failing command, open work, bounds the user
// set, lines of earlier digests, commands with their outcome, errors, the
// agent's last words and reasons, files read, notes.
//
// The zero value is ready.
type Local struct {
	Scope     Scope
	MaxTokens int            // of the digest message; 0 means DefaultMaxTokens
	AskTokens int            // what the message may have if the user's requests need it; 0 means MaxTokens
	Counter   budget.Counter // nil means budget.WindowBudget

	room  int  // what the message may have if only so every request can be named; 0 means AskTokens
	newer bool // a later request stays visible: the last one here is one of the earlier
}

// DefaultMaxTokens is the cap of a digest, in tokens.
const DefaultMaxTokens = 2048

// Digest returns the digest of msgs: a *User of the scope's header and at
// least the last heading. It holds to MaxTokens, and to AskTokens if the
// requests need more, whenever header and headings alone do. Earlier digests of
// this package among msgs are taken apart and carried on.
func (l Local) Digest(msgs []message.Message) *message.User {
	return l.digest(message.Present(msgs), nil)
}

// digest is Digest; behind the digests that expanded names stand the messages
// they were made from.
func (l Local) digest(msgs []message.Message, expanded map[message.Message]bool) *message.User {
	return l.behind("", msgs, expanded).fitted()
}

// behind returns a digest that begins with text.
func (l Local) behind(text string, msgs []message.Message, expanded map[message.Message]bool) *draft {
	d := l.draft(text + strings.Join(headings[:], "\n\n") + "\n\n")
	d.before = text
	f := gather(msgs, expanded)
	asks := d.local.AskTokens
	d.local.AskTokens -= d.cost(f.count()) // unless the requests need that room too
	d.asks(f.asks)
	d.local.AskTokens = asks
	d.add(d.local.room, carryover, "", 0, f.count())
	d.facts(f)
	return d
}

// draft begins a digest whose frame is the text.
func (l Local) draft(frame string) *draft {
	if l.MaxTokens == 0 {
		l.MaxTokens = DefaultMaxTokens
	}
	l.AskTokens = max(l.AskTokens, l.MaxTokens)
	l.room = max(l.room, l.AskTokens)
	if l.Counter == nil {
		l.Counter = budget.WindowBudget{}
	}
	return &draft{local: l, used: l.Counter.Tokens(newDigest(l.Scope, frame))}
}

// facts takes the rest. If the requests have used more than their share, it
// may still have half of MaxTokens, as long as AskTokens allows.
func (d *draft) facts(f *facts) {
	most := max(d.local.MaxTokens, min(d.local.AskTokens, d.used+d.local.MaxTokens/2))
	d.newest(most, status, filesLabel, bullets(strs(f.files.values())), 0, f.lost[filesLabel])
	commands := f.commands.values()
	if k := lastFailing(commands); k >= 0 && d.add(most, status, stuckLabel, 1<<20, "- "+commands[k].stuck()) {
		commands = slices.Delete(commands, k, k+1)
	}
	for i, s := range bullets(f.open()) {
		d.add(most, plan, "", i, s)
	}
	d.newest(d.used+(most-d.used)/4, guardrails, "", bullets(f.rules.values()), 0, 0)
	d.carried(d.used+(most-d.used)*2/3, f)
	d.newest(most, status, ranLabel, bullets(strs(commands)), 0, f.lost[ranLabel])
	d.newest(most, status, stuckLabel, bullets(f.failures.values()), 0, 0)
	if f.doing != "" {
		d.add(most, status, doingLabel, 0, "- "+message.Line(f.doing, maxDoing))
	}
	d.newest(most, rationale, "", bullets(f.reasons()), 0, 0)
	d.newest(most, carryover, readLabel, bullets(f.read.values()), 0, f.lost[readLabel])
	d.newest(most, carryover, notesLabel, bullets(f.notes.values()), 0, 0)
}

// carried takes the lines of earlier digests that nothing newer replaces, each
// where it stood: of a file or a command the state it is in now, of anything else
// the same words.
func (d *draft) carried(most int, f *facts) {
	known := map[string]bool{}
	for _, s := range slices.Concat(strs(f.files.values()), strs(f.commands.values())) {
		known[subject(s)] = true
	}
	for _, s := range slices.Concat(f.open(), f.rules.values(), f.failures.values(), f.decided.values(), f.read.values(), f.notes.values()) {
		known[s] = true
	}
	for i, p := range f.prior.values() {
		about := p.text
		if fileState.MatchString(about) || commandState.MatchString(about) {
			about = subject(about)
		}
		if known[about] || p.label == doingLabel && f.doing != "" {
			continue
		}
		if p.section == carryover && p.label == "" {
			p.label = priorLabel
		}
		d.add(most, p.section, p.label, i-len(f.prior.list), "- "+p.text)
	}
}

// subject is what a line about a file or a command is about: what stands before
// its outcome or its state.
func subject(s string) string {
	if before, _, ok := strings.Cut(s, " → "); ok {
		return before
	}
	before, _, _ := strings.Cut(s, ": ")
	return before
}

func strs[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = x.String()
	}
	return out
}

func bullets(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "- " + s
	}
	return out
}
