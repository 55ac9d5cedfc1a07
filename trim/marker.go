package trim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// Origin is the Origin of markers, and the name of the passes.
const Origin = "trim"

const (
	askBullet = "- the user asked: "
	askRunes  = 60 // what is kept of a request
)

// The forms of a marker's first line: markerOne, or a number before markerMany.
const (
	markerOne  = "[1 earlier message was left out to fit the window]"
	markerMany = " earlier messages were left out to fit the window]"
)

// marker says how much was left out and what the user asked for in it.
type marker struct {
	count int
	asks  []string
}

// take counts m, or what m counts if it is a marker itself.
func (k *marker) take(m message.Message) {
	if s, ok := message.Ask(m); ok {
		k.asks = append(k.asks, message.Line(s, askRunes))
	}
	if m.Head().Origin == Origin && m.Kind() == message.KindUser {
		if n, asks, ok := readMarker(message.PlainText(m)); ok {
			k.count += n
			k.asks = append(k.asks, asks...)
			return
		}
	}
	k.count++
}

func readMarker(text string) (count int, asks []string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if first == markerOne {
		first = "[1" + markerMany
	}
	number, ok := strings.CutSuffix(first, markerMany)
	number, ok2 := strings.CutPrefix(number, "[")
	count, err := strconv.Atoi(number)
	if !ok || !ok2 || err != nil || count < 0 {
		return 0, nil, false
	}
	for line := range strings.Lines(rest) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), askBullet); ok {
			asks = append(asks, s)
		}
	}
	return count, asks, true
}

// message returns the marker, with as many requests as fit into tokens, the
// newest first to be taken.
func (k *marker) message(tokens int, c budget.Counter) message.Message {
	head := markerOne
	if k.count != 1 {
		head = fmt.Sprintf("[%d%s", k.count, markerMany)
	}
	lines := ""
	for i := len(k.asks) - 1; i >= 0; i-- {
		next := "\n" + askBullet + k.asks[i] + lines
		if c.Tokens(message.NewUser(head+next)) > tokens {
			break
		}
		lines = next
	}
	m := message.NewUser(head + lines)
	m.Origin = Origin
	return m
}
