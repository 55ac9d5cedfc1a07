package summarize

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/condenser-go/condenser/message"
)

// carried is what an earlier digest of this package says.
type carried struct {
	asks  requests
	lines []placed
	lost  map[string]int // by label: lines that were left out
}

// placed is one line of a digest and where it stood.
type placed struct {
	section int
	label   string // "" if none of ours stood above it
	text    string // without a bullet
}

// readDigest takes the body of a digest apart: of a local one, or of a model's
// that keeps to the headings. What stands under no known heading is carryover.
func readDigest(body string) carried {
	c := carried{lost: map[string]int{}}
	lines := strings.Split(body, "\n")
	section, label := carryover, ""
	under := part("")
	for i := 0; i < len(lines); {
		if lines[i] == lastLabel || lines[i] == earlierLabel {
			r, next := readAsks(lines, i)
			if lines[i] == lastLabel {
				c.asks.list = append(c.asks.list, r.list...) // the earlier ones come before it
			} else {
				c.asks.list = append(r.list, c.asks.list...)
				c.asks.lost += r.lost
			}
			i = next
			continue
		}
		line := strings.TrimSpace(lines[i])
		i++
		if s, ok := headingOf(line); ok {
			section, label, under = s, "", ""
			continue
		}
		if l, ok := labelOf(line, section); ok {
			label = l
			continue
		}
		if n, ok := leftOut(strings.TrimPrefix(line, "- ")); ok {
			c.lost[label] += n
			continue
		}
		if part, ok := statusPart(line, section); ok {
			under = part
			continue
		}
		if text := unbullet(line); text != "" {
			c.lines = append(c.lines, placed{section, label, under.prefix(text, label)})
		}
	}
	return c
}

// readText is readDigest for a digest that is not ours: no label in it counts.
func readText(text string) []placed {
	section := carryover
	under := part("")
	var lines []placed
	for line := range strings.Lines(clean(text)) {
		line = strings.TrimSpace(line)
		if s, ok := headingOf(line); ok {
			section, under = s, ""
		} else if p, ok := statusPart(line, section); ok {
			under = p
		} else if text := unbullet(line); text != "" && !strings.HasSuffix(text, ":") {
			lines = append(lines, placed{section, "", under.prefix(text, "")})
		}
	}
	return lines
}

// part is one of the three parts a model may divide the status into.
type part string

// statusPart reads a heading of a part of the status.
func statusPart(line string, section int) (part, bool) {
	word, marked := marked(line)
	if section != status || !marked {
		return "", false
	}
	for _, p := range []part{"Shipped", "Active", "Stuck"} {
		if strings.EqualFold(word, string(p)) {
			return p, true
		}
	}
	return "", false
}

// prefix is a line of that part.
func (p part) prefix(text, label string) string {
	if p == "" || label != "" || strings.HasPrefix(text, string(p)+": ") {
		return text
	}
	return string(p) + ": " + text
}

// marked returns the words of a Markdown heading or of a line all in bold. "#12
// is fixed" is neither.
func marked(line string) (words string, ok bool) {
	if rest := strings.TrimLeft(line, "#"); len(rest) < len(line) {
		return strings.Trim(rest, "#*: "), strings.HasPrefix(rest, " ")
	}
	words, bold := strings.CutPrefix(strings.TrimRight(line, ": "), "**")
	words, closed := strings.CutSuffix(words, "**")
	return strings.Trim(words, ": "), bold && closed && !strings.Contains(words, "**")
}

// headingOf returns the section that a heading begins: a Markdown heading, or a
// bold line, of one of the six names. The heading of copied requests begins the
// carryover; any other is a line of text.
func headingOf(line string) (section int, ok bool) {
	words, ok := marked(line)
	if !ok {
		return 0, false
	}
	if line == asksHeading {
		return carryover, true
	}
	words = strings.ToLower(words)
	for i, h := range headings {
		first, _, _ := strings.Cut(strings.ToLower(h[2:]), " ")
		rest, has := strings.CutPrefix(words, first)
		if has && (rest == "" || strings.HasPrefix(line, "#") && !unicode.IsLetter(rune(rest[0])) || strings.HasPrefix(rest, " (")) {
			return i, true
		}
	}
	return 0, false
}

// structured reports whether a reply has the form it was asked for: at least
// half of the headings, with something said under each.
func structured(text string) bool {
	said := map[int]bool{}
	section := -1
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if s, ok := headingOf(line); ok {
			if section = s; line == asksHeading {
				section = -1
			}
		} else if _, title := marked(line); !title && section >= 0 && unbullet(line) != "" {
			said[section] = true
		}
	}
	return len(said) >= len(headings)/2
}

var sectionOf = map[string]int{filesLabel: status, ranLabel: status, doingLabel: status, stuckLabel: status,
	priorLabel: carryover, readLabel: carryover, notesLabel: carryover}

// labelOf returns the label that a line is, if it is one of the section's.
func labelOf(line string, section int) (label string, ok bool) {
	s, ok := sectionOf[line]
	return line, ok && s == section
}

// unbullet returns a line's text, "" if it says nothing.
func unbullet(line string) string {
	s := strings.TrimSpace(line)
	if words, ok := marked(s); ok {
		s = words
	}
	for _, bullet := range []string{"- ", "* ", "• "} {
		if rest, ok := strings.CutPrefix(s, bullet); ok {
			s = strings.TrimSpace(rest)
			break
		}
	}
	says := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	if _, ok := leftOut(s); ok || !strings.ContainsFunc(s, says) {
		return ""
	}
	switch strings.ToLower(strings.Trim(s, "().*_ ")) {
	case "none", "n/a":
		return ""
	}
	return s
}

// unlabel drops the lines of a model's reply that this package writes behind
// it, so that nothing in it passes for the user's word: a section of copied
// requests, and the labels of requests anywhere.
func unlabel(reply string) string {
	if !strings.Contains(reply, asksHeading) && !strings.Contains(reply, lastLabel) && !strings.Contains(reply, earlierLabel) {
		return reply
	}
	var kept []string
	copied := false
	for _, line := range strings.Split(reply, "\n") {
		switch s := strings.TrimSpace(line); {
		case s == asksHeading:
			copied = true
		case copied && strings.HasPrefix(s, "# "):
			copied = false
		}
		if s := strings.TrimSpace(line); !copied && s != lastLabel && s != earlierLabel {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

var (
	fileState    = regexp.MustCompile(`^(.+): ((?:created|edited|written|deleted|moved)(?: and edited)?)(?: \((\d+) calls\))?(?:; the last call (?:(failed)(?:: (.*))?|has no result yet))?$`)
	commandState = regexp.MustCompile(`^\$ (.+) → (ok|ran|found nothing|failed|no result yet|exit -?\d+)(?:, run (\d+) times)?(?:, (\d+) failed)?(?:: (.*))?$`)
	counted      = regexp.MustCompile(`^` + countLabel + ` (\d+) messages? \((\d+) of the user, (\d+) of the agent, (\d+) tool results?\)\.$`)
)

// digest takes over what an earlier digest of ours says, at the place where it
// stood. expanded says that the messages it stands for are told again after it.
func (f *facts) digest(c carried, expanded bool) {
	if !expanded {
		for label, n := range c.lost {
			f.lost[label] += n
		}
	}
	for _, p := range c.lines {
		switch {
		case p.label == filesLabel && f.carryFile(p.text, expanded),
			(p.label == ranLabel || p.label == stuckLabel) && f.carryCommand(p.text, expanded),
			p.section == carryover && f.carryCount(p.text, expanded):
		case p.label == stuckLabel:
			f.failures.add(p.text)
		case p.label == readLabel:
			f.read.add(p.text)
		case p.label == notesLabel:
			f.notes.add(p.text)
		case p.section == guardrails:
			f.rules.add(p.text)
		case p.section == rationale:
			f.decided.add(p.text)
		case p.section == plan && strings.HasPrefix(p.text, "[ ] "):
			f.todos = append(f.todos, todo{text: p.text[len("[ ] "):]})
		default:
			f.prior.put(p.text, func(x *placed) { *x = p })
		}
	}
}

func (f *facts) carryFile(s string, expanded bool) bool {
	m := fileState.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	f.files.put(m[1], func(x *file) {
		*x = file{path: m[1], verb: m[2], times: max(1, number(m[3])), out: outcome{known: true, failed: m[4] != "", line: m[5]}, again: expanded}
	})
	return true
}

func (f *facts) carryCommand(s string, expanded bool) bool {
	m := commandState.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	out := outcome{known: m[2] != "no result yet", unsure: m[2] == "ran", none: m[2] == "found nothing", line: m[5]}
	out.code, out.failed = strings.CutPrefix(m[2], "exit ")
	if !out.failed {
		out.code, out.failed = "", m[2] == "failed"
	}
	f.commands.put(m[1], func(c *command) {
		*c = command{line: m[1], times: max(1, number(m[3])), failures: number(m[4]), out: out, again: expanded}
		if out.failed {
			c.failures = max(1, c.failures)
		}
	})
	return true
}

func (f *facts) carryCount(s string, expanded bool) bool {
	m := counted.FindStringSubmatch(s)
	if m != nil && !expanded {
		f.users += number(m[2])
		f.agents += number(m[3])
		f.results += number(m[4])
		f.others += number(m[1]) - number(m[2]) - number(m[3]) - number(m[4])
	}
	return m != nil
}

// number reads what a pattern matched, at most a billion.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil && s != "" {
		n = 1e9
	}
	return min(n, 1e9)
}

// text takes over the lines of a digest that is not ours.
func (f *facts) text(m message.Message) {
	for _, p := range readText(message.PlainText(m)) {
		f.prior.put(p.text, func(x *placed) { *x = p })
	}
}
