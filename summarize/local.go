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
// with their last state, the last failing command, open work, lines of earlier
// digests, commands with their outcome, bounds the user set, errors, the
// agent's last words and reasons, files read, notes.
//
// The zero value is ready.
type Local struct {
	Scope     Scope
	MaxTokens int            // of the digest message; 0 means DefaultMaxTokens
	AskTokens int            // what the message may have if the user's requests need it; 0 means MaxTokens
	Counter   budget.Counter // nil means budget.WindowBudget

	newer bool // a later request stays visible: the last one here is one of the earlier
}

// DefaultMaxTokens is the cap of a digest, in tokens.
const DefaultMaxTokens = 2048

// Digest returns the digest of msgs: a *User of the scope's header and at
// least the last heading. It holds to MaxTokens, and to AskTokens if the
// requests need more, whenever header and headings alone do.
func (l Local) Digest(msgs []message.Message) *message.User {
	if l.MaxTokens == 0 {
		l.MaxTokens = DefaultMaxTokens
	}
	l.AskTokens = max(l.AskTokens, l.MaxTokens)
	if l.Counter == nil {
		l.Counter = budget.WindowBudget{}
	}
	d := &draft{local: l}
	d.used = l.Counter.Tokens(newDigest(l.Scope, strings.Join(headings[:], "\n\n")+"\n\n"))
	f := gather(msgs)
	d.asks(f.asks)
	d.facts(f)
	return d.fitted()
}

// The headings of the window-budget document, and the labels under them.
const (
	objective = iota
	guardrails
	status
	rationale
	plan
	carryover
)

var headings = [...]string{"# Objective", "# Guardrails", "# Status (Shipped / Active / Stuck)", "# Rationale", "# Plan", "# Carryover"}

const (
	countLabel = "Condensed here:"
	priorLabel = "From the digest before:"
	filesLabel = "Shipped, by file:"
	ranLabel   = "Commands:"
	doingLabel = "Active:"
	stuckLabel = "Stuck:"
	readLabel  = "Files read:"
	notesLabel = "Notes:"
)

// labels in the order in which they stand under their heading.
var labels = []string{lastLabel, earlierLabel, filesLabel, ranLabel, doingLabel, stuckLabel, "", priorLabel, readLabel, notesLabel}

func isLabel(line string) bool {
	return slices.Contains(labels, line) || strings.HasPrefix(line, countLabel)
}

// line is one line of a draft.
type line struct {
	section int
	label   string // "" if it stands under the heading itself
	order   int    // among the lines of its label
	text    string
	cost    int // tokens, the label's included if it is the first there
	most    int // tokens the message could have when it was taken
}

// draft takes lines as long as they fit, in order of precedence.
type draft struct {
	local Local
	lines []line
	used  int // tokens, of the frame and the lines
}

func (d *draft) cost(text string) int { return d.local.Counter.TextTokens(text + "\n") }

// add takes text if the message then has at most most tokens.
func (d *draft) add(most, section int, label string, order int, text string) bool {
	cost := d.cost(text)
	if label != "" && !slices.ContainsFunc(d.lines, func(l line) bool { return l.section == section && l.label == label }) {
		cost += d.cost(label)
	}
	if d.used+cost > most {
		return false
	}
	d.used += cost
	d.lines = append(d.lines, line{section, label, order, text, cost, most})
	return true
}

// newest takes what fits from the last line to the first, and sets it down in
// the given order, behind a line that counts what was left out.
func (d *draft) newest(most, section int, label string, list []string) {
	left := 0
	for k := len(list) - 1; k >= 0; k-- {
		if !d.add(most, section, label, k, list[k]) {
			left++
		}
	}
	if left > 0 && left < len(list) {
		d.add(most, section, label, -1, fmt.Sprintf("- (%d left out)", left))
	}
}

// asks takes the requests; they may use up to AskTokens. The first words of
// all go before the whole of the last one.
func (d *draft) asks(asks []string) {
	if len(asks) == 0 {
		return
	}
	most := d.local.AskTokens
	earlier := asks
	if !d.local.newer {
		last := asks[len(asks)-1]
		earlier = asks[:len(asks)-1]
		fence := fenceOf(last)
		room := most - d.used - d.cost(lastLabel) - d.cost(fence+"\n"+fence) - 1
		room = max(room-d.listed(earlier, askRunes), room/2)
		d.add(most, objective, lastLabel, 0, writeAsk(budget.CutMiddle(last, room, d.local.Counter, omitted), ""))
	}
	width := d.width(earlier)
	short := make([]string, len(earlier))
	for i, s := range earlier {
		short[i] = writeAsk(shorten(s, width), "- ")
	}
	d.newest(most, objective, earlierLabel, short)
}

// listed returns what the requests cost as a list, n runes of each.
func (d *draft) listed(asks []string, n int) int {
	if len(asks) == 0 {
		return 0
	}
	total := d.cost(earlierLabel)
	for _, s := range asks {
		total += d.cost(writeAsk(shorten(s, n), "- "))
	}
	return total
}

func omitted(n int) string { return fmt.Sprintf(" […%d bytes left out…] ", n) }

// width returns how many runes of each earlier request to keep: more than 60
// while they stay under half of what is left of MaxTokens, and less than 60
// before requests have to be left out.
func (d *draft) width(earlier []string) int {
	for _, n := range []int{400, 200, 120, askRunes, 40, 24} {
		room := (d.local.MaxTokens - d.used) / 2
		if n <= askRunes {
			room = d.local.AskTokens - d.used
		}
		if d.listed(earlier, n) <= room {
			return n
		}
	}
	return 12
}

// facts takes the rest. If the requests have used more than their share, it
// may still have half of MaxTokens, as long as AskTokens allows.
func (d *draft) facts(f *facts) {
	most := max(d.local.MaxTokens, min(d.local.AskTokens, d.used+d.local.MaxTokens/2))
	d.add(most, carryover, "", 0, f.count())
	d.newest(most, status, filesLabel, bullets(strs(f.files.values())))
	if c, ok := f.lastFailing(); ok {
		s := "- " + c.String()
		if c.out.line != "" {
			s += ": " + message.Line(c.out.line, 200)
		}
		d.add(most, status, stuckLabel, 1<<20, s)
	}
	for i, s := range bullets(f.open()) {
		d.add(most, plan, "", i, s)
	}
	prior := d.used + (most-d.used)*2/3
	for i, s := range f.carried() {
		d.add(prior, carryover, priorLabel, i, s)
	}
	d.newest(most, status, ranLabel, bullets(strs(f.commands.values())))
	d.newest(most, guardrails, "", bullets(f.rules.values()))
	d.newest(most, status, stuckLabel, bullets(f.failures.values()))
	if f.doing != "" {
		d.add(most, status, doingLabel, 0, "- "+message.Line(f.doing, 300))
	}
	d.newest(most, rationale, "", bullets(f.decided.values()))
	d.newest(most, carryover, readLabel, bullets(f.read.values()))
	d.newest(most, carryover, notesLabel, bullets(f.notes.values()))
}

// fitted returns the message. Where a counter charges more for the whole than
// for its lines, the lines taken last go again.
func (d *draft) fitted() *message.User {
	for {
		m := d.message()
		n := len(d.lines) - 1
		if n < 0 || d.local.Counter.Tokens(m) <= d.lines[n].most {
			return m
		}
		d.lines = d.lines[:n]
	}
}

// message sets the lines down under their headings.
func (d *draft) message() *message.User {
	var parts []string
	for section, heading := range headings {
		if body := d.section(section); len(body) > 0 || section == carryover {
			parts = append(parts, strings.Join(append([]string{heading}, body...), "\n"))
		}
	}
	return newDigest(d.local.Scope, strings.Join(parts, "\n\n"))
}

// section returns the lines of one section, labels included.
func (d *draft) section(section int) []string {
	var body []string
	for _, label := range labels {
		var under []line
		for _, l := range d.lines {
			if l.section == section && l.label == label {
				under = append(under, l)
			}
		}
		slices.SortStableFunc(under, func(a, b line) int { return a.order - b.order })
		if len(under) > 0 && label != "" {
			body = append(body, label)
		}
		for _, l := range under {
			body = append(body, l.text)
		}
	}
	return body
}

// carried returns the lines of earlier digests that the facts do not replace: a
// line is about what stands before its first ": " or " → ".
func (f *facts) carried() []string {
	known := map[string]bool{}
	for _, s := range bullets(slices.Concat(strs(f.files.values()), strs(f.commands.values()), f.open(), f.rules.values(),
		f.failures.values(), f.decided.values(), f.read.values(), f.notes.values())) {
		known[subject(s)] = true
	}
	return slices.DeleteFunc(f.prior.values(), func(s string) bool { return known[subject(s)] })
}

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
