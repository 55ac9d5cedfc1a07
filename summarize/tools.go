package summarize

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/condenser-go/condenser/message"
)

// What tools are called, and how their arguments are named, differs from agent
// to agent. These lists hold the spellings of the common ones; a call is
// judged by the words of its tool's name and by its arguments, never by prose.
var (
	pathKeys    = []string{"path", "filepath", "file", "filename", "targetfile", "notebookpath", "absolutepath", "oldpath", "newpath", "destination", "uri", "paths", "files"}
	commandKeys = []string{"command", "cmd", "script", "commands"}
	codeWords   = []string{"python", "ipython", "execute", "eval", "node"}
	shellWords  = []string{"bash", "shell", "exec", "execute", "terminal", "run", "command", "cmd", "sh", "zsh", "powershell", "console"}
	todoWords   = []string{"todo", "todos", "task", "tasks", "plan"}
	verbWords   = []struct {
		verb  string
		words []string
	}{
		{"deleted", []string{"delete", "remove", "rm", "unlink"}},
		{"moved", []string{"move", "rename", "mv"}},
		{"created", []string{"create"}},
		{"edited", []string{"edit", "edits", "multiedit", "editor", "replace", "patch", "diff", "insert", "rewrite", "update", "modify", "append", "apply"}},
		{"written", []string{"write", "save"}},
		{"read", []string{"read", "view", "open", "cat"}},
	}
	editorCommands = map[string]string{"view": "read", "create": "created", "str_replace": "edited", "insert": "edited", "undo_edit": "edited"}
)

// act is what a call does to one file.
type act struct{ verb, path string }

// callFacts is what the arguments of a call say.
type callFacts struct {
	acts     []act
	commands []string
	todos    []todo // nil: the call is about no list
}

type todo struct {
	text string
	done bool
}

// leaf is one string in a call's arguments; key is its member's name, or the
// name of the array it stands in, without case, dashes and underscores.
type leaf struct{ key, value string }

func factsOf(c *message.ToolCall) callFacts {
	leaves := leavesOf(c.Input)
	words := nameWords(c.Name)
	var f callFacts
	if f.todos = todosOf(c, words); f.todos != nil {
		return f
	}
	verb := verbOf(words)
	command, hasCommand := find(leaves, "command")
	if v, ok := editorCommands[command]; ok && hasCommand && verb != "" {
		verb = v
	} else if verb == "" || hasAny(words, shellWords) {
		f.commands = commandsOf(leaves, words)
	}
	f.acts = actsOf(leaves, verb)
	for _, l := range leaves {
		if strings.Contains(l.value, "*** Begin Patch") && verb == "" { // a patch by way of a shell
			f.acts, f.commands = actsOf(leaves, "edited"), nil
		}
	}
	return f
}

// nameWords cuts a tool's name at whatever is no letter and at humps.
func nameWords(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	lower := false
	for _, r := range name {
		if !unicode.IsLetter(r) || unicode.IsUpper(r) && lower {
			flush()
		}
		if unicode.IsLetter(r) {
			word = append(word, r)
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return words
}

func hasAny(words, of []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
}

func verbOf(words []string) string {
	for _, v := range verbWords {
		if hasAny(words, v.words) {
			return v.verb
		}
	}
	return ""
}

const maxLeaves = 4096

// leavesOf returns the strings of raw in their order. Of arguments that are cut
// off it returns those before the cut; what is no JSON is one leaf.
func leavesOf(raw json.RawMessage) []leaf {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var leaves []leaf
	type level struct {
		key     string // of the object or array itself
		object  bool
		member  string // the name read last
		expects bool   // a member's name comes next
	}
	var stack []level
	for len(leaves) < maxLeaves {
		tok, err := dec.Token()
		if err != nil {
			break
		}
		var top *level
		key := ""
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
			key = top.key
			if top.object {
				key = top.member
			}
		}
		if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
			stack = stack[:len(stack)-1]
			continue
		}
		if top != nil && top.object && top.expects {
			name, _ := tok.(string)
			top.member, top.expects = plainKey(name), false
			continue
		}
		if top != nil && top.object {
			top.expects = true
		}
		switch t := tok.(type) {
		case json.Delim:
			stack = append(stack, level{key: key, object: t == '{', expects: t == '{'})
		case string:
			leaves = append(leaves, leaf{key, t})
		}
	}
	if len(leaves) == 0 && len(raw) > 0 && !json.Valid(raw) {
		leaves = append(leaves, leaf{"", string(raw)})
	}
	return leaves
}

var dashes = strings.NewReplacer("_", "", "-", "")

func plainKey(s string) string { return strings.ToLower(dashes.Replace(s)) }

func find(leaves []leaf, key string) (string, bool) {
	for _, l := range leaves {
		if l.key == key {
			return l.value, true
		}
	}
	return "", false
}

func commandsOf(leaves []leaf, words []string) []string {
	var commands, argv []string
	for _, l := range leaves {
		switch {
		case l.key == "command" || l.key == "cmd":
			argv = append(argv, l.value) // an array is one command's words
		case slices.Contains(commandKeys, l.key):
			commands = append(commands, l.value)
		case l.key == "" && hasAny(words, shellWords), l.key == "code" && hasAny(words, codeWords):
			commands = append(commands, l.value)
		}
	}
	if len(argv) > 0 {
		commands = append([]string{strings.Join(argv, " ")}, commands...)
	}
	return commands
}

var (
	patchFile = regexp.MustCompile(`(?m)^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* (Move) to: (.+)$|^(\+\+\+) (?:b/)?(\S+)`)
	xmlPath   = regexp.MustCompile(`<(?:file_)?path>([^<\n]+)</`)
)

// actsOf returns the files that leaves name. Only a verb that changes files
// makes a patch be looked into.
func actsOf(leaves []leaf, verb string) []act {
	if verb == "" {
		return nil
	}
	var acts []act
	add := func(verb, path string) {
		path = message.Line(path, 1000)
		if path != "" && path != "/dev/null" && !strings.Contains(path, "://") && !slices.Contains(acts, act{verb, path}) {
			acts = append(acts, act{verb, path})
		}
	}
	for _, l := range leaves {
		if slices.Contains(pathKeys, l.key) {
			add(verb, l.value)
			continue
		}
		if l.key == "" {
			for _, m := range xmlPath.FindAllStringSubmatch(l.value, -1) {
				add(verb, m[1])
			}
		}
		if verb != "edited" {
			continue
		}
		for _, m := range patchFile.FindAllStringSubmatch(l.value, -1) {
			switch m[1] + m[3] + m[5] {
			case "Add":
				add("created", m[2])
			case "Delete":
				add("deleted", m[2])
			case "Move":
				add("moved", m[4])
			case "+++":
				add("edited", m[6])
			default:
				add("edited", m[2])
			}
		}
	}
	return acts
}

var checkItem = regexp.MustCompile(`(?m)^\s*(?:[-*]\s+)?\[([ xX~-])\]\s+(.+)$`)

type todoItem struct{ Content, Step, Title, Text, Task, Description, Status string }

// todosOf reads the list that a todo or plan tool sets, nil if c sets none.
func todosOf(c *message.ToolCall, words []string) []todo {
	if !hasAny(words, todoWords) {
		return nil
	}
	var in struct{ Todos, Plan, Tasks, Items []todoItem }
	var todos []todo
	if json.Unmarshal(c.Input, &in) == nil {
		for _, list := range [][]todoItem{in.Todos, in.Plan, in.Tasks, in.Items} {
			if list != nil {
				todos = []todo{} // an empty list is one, too
			}
		}
		for _, t := range slices.Concat(in.Todos, in.Plan, in.Tasks, in.Items) {
			for _, text := range []string{t.Content, t.Step, t.Title, t.Text, t.Task, t.Description} {
				if text = message.Line(text, 400); text != "" {
					todos = append(todos, todo{text, isDone(t.Status)})
					break
				}
			}
		}
	}
	if todos != nil {
		return todos
	}
	for _, l := range leavesOf(c.Input) {
		todos = append(todos, checklist(l.value)...)
	}
	return todos
}

func checklist(s string) []todo {
	var todos []todo
	for _, m := range checkItem.FindAllStringSubmatch(s, -1) {
		todos = append(todos, todo{message.Line(m[2], 400), m[1] == "x" || m[1] == "X"})
	}
	return todos
}

func isDone(status string) bool {
	switch strings.ToLower(status) {
	case "done", "completed", "complete", "cancelled", "canceled", "closed":
		return true
	}
	return false
}
