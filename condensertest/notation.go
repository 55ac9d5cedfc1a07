package condensertest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/condenser-go/condenser/message"
)

// Parse reads a transcript in notation: items separated by blanks, each a
// letter, its arguments and its marks.
//
//	s         system               b   bash           D   digest   (a user message of Origin "summarize")
//	u         user                 c   custom         F   restored (a user message of Origin "rehydrate")
//	a         assistant            B   branch summary M   marker   (a user message of Origin "trim")
//	a(1,2)    … that calls 1, 2    C   compaction summary
//	a(1=bash) … of tool bash       ?   unknown
//	r1        the result of call 1
//
//	:4k "text"  of 4,096 bytes (also :17, :2M), or with this text
//	* pinned   ^ atomic   % internal   $ signed   ! error   ~ made by a pass (Origin "test")
//
// A call is of tool read unless it says otherwise, and reads a file named
// after its id; a result has its call's tool. So "u a(1,2) r1 r2:4k a u*" is a
// user message, two parallel reads, their results and so on. An item that
// cannot be read is an error that names it.
func Parse(notation string) ([]message.Message, error) {
	var msgs []message.Message
	tools := map[string]string{}
	for n, item := range split(notation) {
		m, err := parseItem(item, n, tools)
		if err != nil {
			return nil, fmt.Errorf("condensertest: item %d, %q: %w", n, item, err)
		}
		msgs = append(msgs, m)
	}
	return msgs, nil
}

// MustParse is Parse for literals; it panics on an error.
func MustParse(notation string) []message.Message {
	msgs, err := Parse(notation)
	if err != nil {
		panic(err)
	}
	return msgs
}

// split cuts at blanks that are not inside quotes.
func split(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return unicode.IsSpace(r) && !quoted
	})
}

type itemArgs struct {
	calls []message.Block
	id    string // of a result
	text  string
	marks string
}

func parseItem(item string, n int, tools map[string]string) (message.Message, error) {
	args, err := parseArgs(item, n, tools)
	if err != nil {
		return nil, err
	}
	text := []message.Block{message.Text(args.text)}
	var m message.Message
	switch item[0] {
	case 's':
		m = &message.System{Content: text}
	case 'u':
		m = &message.User{Content: text}
	case 'a':
		a := &message.Assistant{Content: append(text, args.calls...)}
		if strings.Contains(args.marks, "$") {
			t := &message.Thinking{Text: "thought", Signature: fmt.Sprint("signature ", n)}
			a.Content = append([]message.Block{t}, a.Content...)
		}
		m = a
	case 'r':
		m = &message.ToolResult{CallID: args.id, ToolName: tools[args.id], Content: text, IsError: strings.Contains(args.marks, "!")}
	case 'b':
		m = &message.BashExecution{Command: "make", Output: args.text}
	case 'c':
		m = &message.Custom{CustomType: "note", Content: text}
	case 'B':
		m = &message.BranchSummary{Summary: args.text, FromID: "m0"}
	case 'C':
		m = &message.CompactionSummary{Summary: args.text, TokensBefore: 1000}
	case '?':
		m = &message.Unknown{Raw: []byte(`{"kind":"checkpoint","n":` + strconv.Itoa(n) + `}`)}
	case 'D', 'F', 'M':
		m = &message.User{Meta: message.Meta{Origin: origins[item[0]]}, Content: text}
	default:
		return nil, fmt.Errorf("no kind of message")
	}
	h := m.Head()
	h.Pinned = strings.Contains(args.marks, "*")
	h.Atomic = strings.Contains(args.marks, "^")
	h.Internal = strings.Contains(args.marks, "%")
	if strings.Contains(args.marks, "~") {
		h.Origin = "test"
	}
	return m, nil
}

var origins = map[byte]string{'D': "summarize", 'F': "rehydrate", 'M': "trim"}

func parseArgs(item string, n int, tools map[string]string) (itemArgs, error) {
	args := itemArgs{text: fmt.Sprintf("text %d of %c", n, item[0])}
	rest := item[1:]
	if item[0] == 'r' {
		end := strings.IndexAny(rest+" ", `:"*^%$!~ `)
		args.id, rest = rest[:end], rest[end:]
		if args.id == "" {
			return args, fmt.Errorf("a result needs the id of its call")
		}
	}
	for rest != "" {
		switch rest[0] {
		case '(':
			list, tail, ok := strings.Cut(rest[1:], ")")
			if !ok || item[0] != 'a' {
				return args, fmt.Errorf("calls are written a(1,2)")
			}
			for _, c := range strings.Split(list, ",") {
				id, tool, named := strings.Cut(c, "=")
				if !named {
					tool = "read"
				}
				tools[id] = tool
				args.calls = append(args.calls, message.NewToolCall(id, tool, `{"path":"f`+id+`.go"}`))
			}
			rest = tail
		case '"':
			text, tail, ok := strings.Cut(rest[1:], `"`)
			if !ok {
				return args, fmt.Errorf("a quote is open")
			}
			args.text, rest = text, tail
		case ':':
			end := strings.IndexAny(rest[1:]+" ", `"*^%$!~ `) + 1
			size, err := parseSize(rest[1:end])
			if err != nil {
				return args, err
			}
			args.text, rest = filler(n, size), rest[end:]
		case '*', '^', '%', '$', '!', '~':
			args.marks += rest[:1]
			rest = rest[1:]
		default:
			return args, fmt.Errorf("no mark %q", rest[:1])
		}
	}
	return args, nil
}

func parseSize(s string) (int, error) {
	unit := 1
	if digits, ok := strings.CutSuffix(s, "k"); ok {
		s, unit = digits, 1<<10
	} else if digits, ok := strings.CutSuffix(s, "M"); ok {
		s, unit = digits, 1<<20
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("no size %q", s)
	}
	return n * unit, nil
}

// filler returns size bytes of lines that differ from item to item.
func filler(n, size int) string {
	line := fmt.Sprintf("line of item %d\n", n)
	return strings.Repeat(line, size/len(line)+1)[:size]
}

// Show writes msgs in the notation, without texts and sizes. What a pass made
// is marked ~, unless its letter says so.
func Show(msgs []message.Message) string {
	items := make([]string, len(msgs))
	for i, m := range msgs {
		items[i] = show(m)
	}
	return strings.Join(items, " ")
}

var letters = map[message.Kind]string{message.KindSystem: "s", message.KindUser: "u", message.KindAssistant: "a",
	message.KindBashExecution: "b", message.KindCustom: "c", message.KindBranchSummary: "B",
	message.KindCompactionSummary: "C", message.KindUnknown: "?"}

func show(m message.Message) string {
	if message.IsNil(m) {
		return "nil"
	}
	h := m.Head()
	s := letters[m.Kind()]
	made := h.Origin != ""
	switch m := m.(type) {
	case *message.User:
		for letter, origin := range origins {
			if h.Origin == origin {
				s, made = string(letter), false
			}
		}
	case *message.ToolResult:
		s = "r" + m.CallID
		if m.IsError {
			s += "!"
		}
	case *message.Assistant:
		var calls []string
		for _, c := range message.Calls(m) {
			if c.Name == "read" {
				calls = append(calls, c.ID)
			} else {
				calls = append(calls, c.ID+"="+c.Name)
			}
		}
		if len(calls) > 0 {
			s += "(" + strings.Join(calls, ",") + ")"
		}
		if message.Signed(m) {
			s += "$"
		}
	}
	for _, mark := range []struct {
		on   bool
		mark string
	}{{h.Pinned, "*"}, {h.Atomic, "^"}, {h.Internal, "%"}, {made, "~"}} {
		if mark.on {
			s += mark.mark
		}
	}
	return s
}
