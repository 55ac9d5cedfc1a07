package summarize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/condenser-go/condenser/message"
)

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
var labels = []string{"", lastLabel, earlierLabel, filesLabel, ranLabel, doingLabel, stuckLabel, priorLabel, readLabel, notesLabel}

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
	local   Local
	before  string // what the message begins with
	lines   []line
	labeled map[labelAt]bool
	used    int  // tokens, of the frame and the lines
	short   bool // there was no room for the first words of each request, or for every changed file
}

type labelAt struct {
	section int
	label   string
}

func (d *draft) cost(text string) int { return d.local.Counter.TextTokens(text + "\n") }

// add takes text if the message then has at most most tokens.
func (d *draft) add(most, section int, label string, order int, text string) bool {
	cost := d.cost(text)
	at := labelAt{section, label}
	if label != "" && !d.labeled[at] {
		cost += d.cost(label)
	}
	if d.used+cost > most {
		return false
	}
	if d.labeled == nil {
		d.labeled = map[labelAt]bool{}
	}
	d.labeled[at] = true
	d.used += cost
	d.lines = append(d.lines, line{section, label, order, text, cost, most})
	return true
}

// newest takes what fits of list[from:], the last line first, and sets it down
// in the given order, in front of a line that counts what was left out, lost
// included.
func (d *draft) newest(most, section int, label string, list []string, from, lost int) {
	total := 0
	if label != "" && !d.labeled[labelAt{section, label}] {
		total = d.cost(label)
	}
	for _, s := range list[from:] {
		total += d.cost(s)
	}
	note := func(n int) string { return fmt.Sprintf("- (%d left out)", n) }
	if lost > 0 || d.used+total > most {
		most -= d.cost(note(lost + len(list)))
	}
	left := lost
	for k := len(list) - 1; k >= from; k-- {
		if !d.add(most, section, label, 2*k, list[k]) {
			left++
		}
	}
	if left > lost && (label == earlierLabel || label == filesLabel) {
		d.short = true
	}
	if left > 0 && (lost > 0 || left < len(list)) {
		most += d.cost(note(lost + len(list)))
		if label == earlierLabel {
			most = max(most, d.local.room) // that there were requests is always said
		}
		d.add(most, section, label, 2*from-1, note(left))
	}
}

// leftOut reads the line that counts what was left out, without its bullet.
func leftOut(s string) (n int, ok bool) {
	number, ok := strings.CutSuffix(s, " left out)")
	number, ok2 := strings.CutPrefix(number, "(")
	n, err := strconv.Atoi(number)
	return n, ok && ok2 && err == nil
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
	if d.before != "" {
		parts = append(parts, d.before)
	}
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
