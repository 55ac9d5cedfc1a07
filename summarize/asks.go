package summarize

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// The user's requests are copied into every digest, by hand and never by a
// model. They stand under two labels, so that the next digest finds them again
// in this one:
//
//	Last request, word for word:
//	fix the build
//	Earlier requests, oldest first:
//	- look at src/a.go
//	- (3 left out)
//
// A request of several lines stands between fences of backticks. Behind a
// model's digest they have a heading of their own.
const (
	lastLabel    = "Last request, word for word:"
	earlierLabel = "Earlier requests, oldest first:"
	asksHeading  = "# Requests (copied)"
)

// markerAsk begins a line of a marker that stands for a request (package trim).
const markerAsk = "- the user asked: "

// askRunes is how much of an earlier request a digest keeps at least.
const askRunes = 60

// requests are what the user asked for, oldest first, and how many more there
// were that earlier digests had no room for.
type requests struct {
	list []string
	lost int
}

// asksOf returns the user's requests in msgs, those that markers and earlier
// digests among them carry included, but for digests that expanded names: the
// messages they were made from follow and are read themselves.
func asksOf(msgs []message.Message, expanded map[message.Message]bool) requests {
	var r requests
	for _, m := range msgs {
		switch m.Head().Origin {
		case Origin:
			if expanded[m] {
				continue
			}
			carried := readDigest(digestBody(m)).asks
			r.list = append(r.list, carried.list...)
			r.lost += carried.lost
		case marker:
			for line := range strings.Lines(message.PlainText(m)) {
				if s, ok := strings.CutPrefix(strings.TrimSpace(line), markerAsk); ok {
					r.list = append(r.list, s)
				}
			}
		default:
			if s, ok := message.Ask(m); ok {
				r.list = append(r.list, clean(s))
			}
		}
	}
	r.lastOfEach()
	return r
}

// lastOfEach keeps the last of equal requests, in order. Of those that only
// read the same because they were shortened the others count as lost.
func (r *requests) lastOfEach() {
	seen := map[string]bool{}
	var out []string
	for _, s := range slices.Backward(r.list) {
		switch {
		case s == "":
		case !seen[s]:
			out = append(out, s)
			seen[s] = true
		case strings.Contains(s, "…"):
			r.lost++
		}
	}
	slices.Reverse(out)
	r.list = out
}

// writeAsk writes one request as it stands in a digest.
func writeAsk(s, bullet string) string {
	if _, counts := leftOut(s); !counts && !strings.ContainsAny(s, "\n\r") && !strings.HasPrefix(s, "```") {
		return bullet + s
	}
	fence := fenceOf(s)
	return fence + "\n" + s + "\n" + fence
}

// fenceOf returns a run of backticks that s does not hold.
func fenceOf(s string) string { return strings.Repeat("`", max(3, longestRun(s)+1)) }

// longestRun returns the length of the longest run of backticks in s.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// readAsks reads the requests that stand below line i, under the label there,
// and returns the line after them.
func readAsks(lines []string, i int) (r requests, next int) {
	if lines[i] == lastLabel {
		s, next := readAsk(lines, i+1, "")
		if next == i+1 {
			return r, next
		}
		return requests{list: []string{s}}, next
	}
	for i++; i < len(lines); {
		s, next := readAsk(lines, i, "- ")
		if next == i {
			break
		}
		if n, ok := leftOut(s); ok && lines[i] == "- "+s {
			r.lost += n
		} else {
			r.list = append(r.list, s)
		}
		i = next
	}
	return r, i
}

// readAsk reads the request at line i; next is i if none stands there.
func readAsk(lines []string, i int, bullet string) (ask string, next int) {
	if i >= len(lines) {
		return "", i
	}
	fence := lines[i]
	if strings.Trim(fence, "`") == "" && len(fence) >= 3 {
		if n := slices.Index(lines[i+1:], fence); n >= 0 {
			return strings.Join(lines[i+1:i+1+n], "\n"), i + n + 2
		}
	}
	if s, ok := strings.CutPrefix(lines[i], bullet); ok {
		return s, i + 1
	}
	return "", i
}

// shorten returns s, or its first n runes and an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	k := 0
	for i := range s {
		if k == n {
			return s[:i] + "…"
		}
		k++
	}
	return s
}

// lastTokens is what the last request has at least while all of them can be kept.
const lastTokens = 100

// asks takes the requests. They may use up to AskTokens, and all the room there
// is if only so the first words of each can be kept: those go before the whole
// of the last one.
func (d *draft) asks(r requests) {
	n := len(r.list)
	if n == 0 || d.local.newer {
		d.list(d.most(d.used+d.listed(r.list, askRunes)), r.list, r.lost)
		return
	}
	last, earlier := r.list[n-1], r.list[:n-1]
	frame := d.used + d.cost(lastLabel) + d.cost("```\n```") + 1
	least, listed := min(d.cost(last), lastTokens), d.listed(earlier, askRunes)
	most := d.most(frame + least + listed)
	room := most - frame - listed
	if room < least {
		room = (most - frame) / 2
	}
	text := budget.CutMiddle(last, room, d.local.Counter, omitted)
	if longestRun(text) > 16 { // its fence is as long as the run
		text = budget.CutMiddle(last, room/3, d.local.Counter, omitted)
	}
	if !d.add(most, objective, lastLabel, 0, writeAsk(text, "")) {
		d.short = true
	}
	d.list(most, earlier, r.lost)
}

// most returns what the message may have with requests that make it need so
// many tokens.
func (d *draft) most(need int) int {
	if need <= d.local.room {
		return max(d.local.AskTokens, need)
	}
	return d.local.AskTokens
}

// list takes the earlier requests: the newest by more than their first 60 runes
// while the list stays under half of what is left of MaxTokens, all by less
// than that before any is left out, and then the first and the newest.
func (d *draft) list(most int, earlier []string, lost int) {
	widths := d.widths(most-d.used, earlier)
	if widths == nil {
		most -= d.local.MaxTokens / 4 // there must be more to a digest than requests
		widths = slices.Repeat([]int{tightRunes}, len(earlier))
	}
	lines := askLines(earlier, widths)
	if len(lines) > 0 {
		if !d.add(most, objective, earlierLabel, 0, lines[0]) {
			d.short = true
			lost++
		}
		d.newest(most, objective, earlierLabel, lines, 1, lost)
	} else if lost > 0 {
		d.newest(most, objective, earlierLabel, nil, 0, lost)
	}
}

// tightRunes is what is kept of each request when not all can be kept.
const tightRunes = 40

// widths returns how many runes of each request to keep within room, nil if
// they do not fit even when all are short.
func (d *draft) widths(room int, asks []string) []int {
	for _, n := range []int{askRunes, tightRunes, 24} {
		least := d.listed(asks, n)
		if least > room {
			d.short = true
			continue
		}
		widths := slices.Repeat([]int{n}, len(asks))
		if n == askRunes {
			if wide := d.widened(asks, (d.local.MaxTokens-d.used)/2-least); d.costOf(askLines(asks, wide)) <= room {
				return wide
			}
		}
		return widths
	}
	return nil
}

// widened lets the newest requests keep more than their first words, as far as
// spare goes.
func (d *draft) widened(asks []string, spare int) []int {
	widths := slices.Repeat([]int{askRunes}, len(asks))
	for i := len(asks) - 1; i >= 0 && spare > 0; i-- {
		least := d.cost(writeAsk(shorten(asks[i], askRunes), "- "))
		for _, n := range []int{400, 200, 120} {
			if more := d.cost(writeAsk(shorten(asks[i], n), "- ")) - least; more <= spare {
				widths[i], spare = n, spare-more
				break
			}
		}
	}
	return widths
}

// listed returns what the requests cost as a list, n runes of each.
func (d *draft) listed(asks []string, n int) int {
	return d.costOf(askLines(asks, slices.Repeat([]int{n}, len(asks))))
}

// costOf returns what lines of earlier requests cost, the label included.
func (d *draft) costOf(lines []string) int {
	if len(lines) == 0 {
		return 0
	}
	total := d.cost(earlierLabel)
	for _, s := range lines {
		total += d.cost(s)
	}
	return total
}

// tailRunes is what is shown of the end of requests that begin alike.
const tailRunes = 24

// askLines returns the lines of a list of requests, so many runes of each.
// Those that would read the same get their last words too.
func askLines(asks []string, widths []int) []string {
	lines := make([]string, len(asks))
	times := make(map[string]int, len(asks))
	for i, s := range asks {
		lines[i] = shorten(s, widths[i])
		times[lines[i]]++
	}
	for i, s := range lines {
		if times[s] > 1 && s != asks[i] {
			s += lastRunes(asks[i], tailRunes)
		}
		lines[i] = writeAsk(s, "- ")
	}
	return lines
}

// lastRunes returns the last n runes of s.
func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

func omitted(n int) string { return fmt.Sprintf(" […%d bytes left out…] ", n) }
