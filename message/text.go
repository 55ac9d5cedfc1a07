package message

import (
	"strings"
	"unicode"
)

// PlainText returns the visible text of m: its text blocks joined by line
// breaks, a summary, or a command with its output. Thinking, calls and images
// are not text.
func PlainText(m Message) string {
	if isNil(m) {
		return ""
	}
	switch m := m.(type) {
	case *BashExecution:
		if m.Output == "" {
			return m.Command
		}
		return m.Command + "\n" + m.Output
	case *BranchSummary:
		return m.Summary
	case *CompactionSummary:
		return m.Summary
	}
	return blocksText(Content(m))
}

func blocksText(blocks []Block) string {
	if len(blocks) == 1 {
		s, _ := TextOf(blocks[0])
		return s
	}
	var texts []string
	for _, b := range blocks {
		if s, ok := TextOf(b); ok {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}

// Shortened is the Origin of a message that is the host's own, with parts left
// out.
const Shortened = "shortened"

// Ask returns what the user asked for in m, if m is the user's own word: a
// *User that neither the host injected nor a pass made up, with visible text.
func Ask(m Message) (string, bool) {
	u, ok := m.(*User)
	if !ok || u == nil || u.Internal || u.Origin != "" && u.Origin != Shortened {
		return "", false
	}
	s := blocksText(u.Content)
	return s, strings.TrimSpace(s) != ""
}

// IsEmpty reports whether m would reach a model as nothing: no image, no call,
// no thinking, nothing opaque, and no text that is not blank.
func IsEmpty(m Message) bool {
	if IsNil(m) {
		return true
	}
	switch m := m.(type) {
	case *BashExecution:
		return strings.TrimSpace(m.Command) == "" && strings.TrimSpace(m.Output) == ""
	case *BranchSummary:
		return strings.TrimSpace(m.Summary) == ""
	case *CompactionSummary:
		return strings.TrimSpace(m.Summary) == ""
	case *Unknown:
		return false
	}
	for _, b := range Content(m) {
		if t, ok := b.(Text); !ok || strings.TrimSpace(string(t)) != "" {
			return false
		}
	}
	return true
}

// Line returns s on one line of at most runes runes, an ellipsis behind what
// was cut off: runs of blanks and control characters are one blank, and what is
// not UTF-8 is left out. It reads no more of s than it needs.
func Line(s string, runes int) string {
	var b strings.Builder
	n := 0
	blank := false
	for i, r := range s {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			blank = n > 0
			continue
		case r == unicode.ReplacementChar && !strings.HasPrefix(s[i:], "\uFFFD"):
			continue
		}
		if blank {
			n++
		}
		if n >= runes {
			b.WriteString("…")
			break
		}
		if blank {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		n++
		blank = false
	}
	return b.String()
}
