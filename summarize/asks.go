package summarize

import (
	"slices"
	"strings"
	"unicode/utf8"

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
//
// A request of several lines stands between fences of backticks.
const (
	lastLabel    = "Last request, word for word:"
	earlierLabel = "Earlier requests, oldest first:"
)

// askRunes is how much of an earlier request a digest keeps at least.
const askRunes = 60

// asksOf returns the user's requests in msgs, oldest first and each once,
// those that earlier digests among them carry included.
func asksOf(msgs []message.Message) []string {
	var asks []string
	for _, m := range msgs {
		if isDigest(m) {
			carried, _ := readAsks(digestBody(m))
			asks = append(asks, carried...)
		} else if s, ok := message.Ask(m); ok {
			asks = append(asks, clean(s))
		}
	}
	return lastOfEach(asks)
}

// lastOfEach keeps the last of equal requests, in order. A shortened one is
// equal to one that goes on where it breaks off.
func lastOfEach(asks []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range slices.Backward(asks) {
		if s == "" || seen[s] {
			continue
		}
		seen[s] = true
		head, short := strings.CutSuffix(s, "…")
		if short && slices.ContainsFunc(asks, func(o string) bool { return o != s && strings.HasPrefix(o, head) }) {
			continue
		}
		out = append(out, s)
	}
	slices.Reverse(out)
	return out
}

// writeAsk writes one request as it stands in a digest.
func writeAsk(s, bullet string) string {
	if !strings.ContainsAny(s, "\n\r") && !strings.HasPrefix(s, "```") {
		return bullet + s
	}
	fence := fenceOf(s)
	return fence + "\n" + s + "\n" + fence
}

// fenceOf returns a run of backticks that s does not hold.
func fenceOf(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence
}

// readAsks finds the requests in the body of a digest and returns the lines
// that are none.
func readAsks(body string) (asks, rest []string) {
	lines := strings.Split(body, "\n")
	var last string
	for i := 0; i < len(lines); {
		switch line := lines[i]; line {
		case lastLabel:
			last, i = readAsk(lines, i+1, "")
		case earlierLabel:
			for i++; i < len(lines); {
				s, next := readAsk(lines, i, "- ")
				if next == i {
					break
				}
				asks, i = append(asks, s), next
			}
		default:
			rest = append(rest, line)
			i++
		}
	}
	if last != "" {
		asks = append(asks, last)
	}
	return asks, rest
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
