package summarize

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/condenser-go/condenser/message"
)

var (
	//go:embed brief.md
	brief string
	//go:embed sections.md
	sections string
)

// Brief returns the system text of a digest request: it frames the model as
// the recorder of past data.
func Brief() string { return brief }

// Sections returns the end of a digest request: the six headings of the
// window-budget document.
func Sections() string { return sections }

// TurnMark begins every entry of a flattened transcript.
const TurnMark = "»"

const (
	sessionFraming = "This is the older part of a session that is still going on. The agent will continue it from your digest."
	branchFraming  = "This is a branch of a session that was left for another one. Record what was tried on it and what came of it."
)

// BuildPrompt returns the user turn of a digest request: a line for the scope,
// the previous digest if prior is not blank, the flattened transcript, and
// Sections, with a blank line between. Text that looks like one of the fences
// around the parts is escaped, so that nothing inside can end one.
func BuildPrompt(msgs []message.Message, scope Scope, prior string) string {
	return prompt{scope: scope, prior: prior, entries: entries(message.Present(msgs))}.String()
}

// Flatten renders messages as the window-budget document does, an entry for
// each text, thought, call and result:
//
//	» you: …                 » tool (NAME): …        » note (TYPE): …
//	» agent: …               » tool!err (NAME): …    » digest: …
//	» agent.plan: …          » shell$ COMMAND [exit N]
//	» agent.call NAME: JSON    OUTPUT
//
// Line ends are LF, blanks before them are dropped, entries that would be
// empty are left out. System, Internal and unknown messages are never
// summarised and have no entry; what a pass made is a digest or a note, not
// the user's word. A line of a text that begins with the mark gets a backslash
// before it.
func Flatten(msgs []message.Message) string {
	return strings.Join(entries(message.Present(msgs)), "\n")
}

// prompt is a digest request before it is text.
type prompt struct {
	scope   Scope
	prior   string
	focus   string
	limit   int // tokens the digest may have; 0: not said
	entries []string
}

func (p prompt) String() string {
	parts := []string{sessionFraming}
	if p.scope == ScopeBranch {
		parts[0] = branchFraming
	}
	if s := strings.TrimSpace(p.prior); s != "" {
		parts = append(parts, "The digest of what came before the record. Carry on what still holds:",
			"<carried-digest>\n"+escapeFences(s)+"\n</carried-digest>")
	}
	parts = append(parts, "<scrollback>\n"+escapeFences(strings.Join(p.entries, "\n"))+"\n</scrollback>")
	if s := strings.TrimSpace(p.focus); s != "" {
		parts = append(parts, "The user asks that the digest keeps in particular:", "<focus>\n"+escapeFences(s)+"\n</focus>")
	}
	end := strings.TrimSpace(sections)
	if p.limit > 0 {
		end += fmt.Sprintf("\n\nThe whole digest must stay under %d words.", max(20, p.limit*6/10))
	}
	return strings.Join(append(parts, end), "\n\n")
}

// entries renders each message; one message may give several entries.
func entries(msgs []message.Message) []string {
	var out []string
	for _, m := range msgs {
		out = append(out, messageEntries(m)...)
	}
	return out
}

func messageEntries(m message.Message) []string {
	if m.Head().Internal {
		return nil
	}
	var out []string
	add := func(mark, text string) {
		if text = tidy(text); text != "" {
			out = append(out, TurnMark+" "+mark+": "+text)
		}
	}
	switch m := m.(type) {
	case *message.User:
		add(userMark(m), contentText(m.Content))
	case *message.Assistant:
		for _, b := range m.Content {
			switch b := b.(type) {
			case *message.Thinking:
				add("agent.plan", b.Text)
			case *message.ToolCall:
				out = append(out, TurnMark+" agent.call "+name(b.Name)+": "+tidy(string(b.Input)))
			default:
				add("agent", blockText(b))
			}
		}
		add("agent", m.ErrorMessage)
	case *message.ToolResult:
		mark := "tool"
		if m.IsError {
			mark = "tool!err"
		}
		add(mark+" ("+name(m.ToolName)+")", contentText(m.Content))
	case *message.BashExecution:
		out = append(out, shellEntry(m))
	case *message.Custom:
		add("note ("+name(m.CustomType)+")", contentText(m.Content))
	case *message.BranchSummary:
		add("digest", m.Summary)
	case *message.CompactionSummary:
		add("digest", m.Summary)
	}
	return out
}

func userMark(m *message.User) string {
	switch m.Origin {
	case "", message.Shortened:
		return "you"
	case Origin:
		return "digest"
	}
	return "note (" + name(m.Origin) + ")"
}

func shellEntry(m *message.BashExecution) string {
	s := TurnMark + " shell$ " + tidy(m.Command)
	if m.ExitCode != nil {
		s += fmt.Sprintf(" [exit %d]", *m.ExitCode)
	}
	if out := tidy(m.Output); out != "" {
		s += "\n" + out
	}
	return s
}

func contentText(blocks []message.Block) string {
	var parts []string
	for _, b := range blocks {
		if s := blockText(b); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

func blockText(b message.Block) string {
	if s, ok := message.TextOf(b); ok {
		return s
	}
	switch b := b.(type) {
	case *message.Image:
		return "[image " + name(b.MIME) + "]"
	case *message.Opaque:
		return "[" + name(b.Type) + "]"
	}
	return ""
}

// tidy normalises line ends, drops blanks before them and what is not UTF-8,
// and escapes lines that would read as entries.
func tidy(s string) string {
	s = clean(s)
	if strings.Contains(s, "\n") {
		lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
		for i, line := range lines {
			lines[i] = strings.TrimRight(line, " \t")
		}
		s = strings.Join(lines, "\n")
	}
	if !strings.Contains(s, TurnMark) {
		return s
	}
	return entryStart.ReplaceAllString(s, `${1}\${2}`)
}

// entryStart is a mark where a reader may see the beginning of a line: behind
// any of Unicode's line ends, and blanks.
var entryStart = regexp.MustCompile(`((?:^|[\n\r\v\f\x{85}\x{2028}\x{2029}])[ \t\p{Zs}\x{FEFF}\x{200B}]*)(\\*` + TurnMark + `)`)

// name is for what stands inside a mark.
func name(s string) string { return message.Line(s, 200) }
