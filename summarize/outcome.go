package summarize

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/condenser-go/condenser/message"
)

// outcome is how a call ended.
type outcome struct {
	known  bool   // there is a result
	unsure bool   // but what it said is gone
	failed bool   // it says so, or ended with another exit code than 0
	code   string // the exit code, if one is told
	line   string // the line that says what went wrong
}

// outcomeOf reads how a result says its call ended. command is the command
// line that was run, "" if the call was none: its output may say so without a
// code.
func outcomeOf(r *message.ToolResult, command string) outcome {
	if r == nil {
		return outcome{}
	}
	o := outcome{known: true, failed: r.IsError}
	text := message.PlainText(r)
	if r.Origin == cleared || text == clearedText {
		o.unsure = !o.failed
		return o
	}
	return o.read(text, command)
}

// read looks into an output.
func (o outcome) read(text, command string) outcome {
	prints := printsOnly(command)
	if command != "" && o.code == "" {
		if code, ok := exitCode(text, prints); ok {
			o.code = strconv.Itoa(code)
			o.failed = code != 0
		}
	}
	if o.failed || command != "" && o.code == "" {
		o.line = errorLine(text, o.failed, prints)
		o.failed = o.failed || o.line != ""
	}
	if o.failed && o.line == "" {
		o.line = firstLine(text)
	}
	return o
}

// orRefused is o for a call that changes files: some hosts tell that it did not
// in its text alone.
func (o outcome) orRefused(r *message.ToolResult) outcome {
	if r == nil || o.failed {
		return o
	}
	if line := firstLine(message.PlainText(r)); refusal.MatchString(line) {
		o.failed, o.line = true, line
	}
	return o
}

var refusal = regexp.MustCompile(`^(?i)\W*(?:error|failed|failure|fatal|exception|cannot|could not|unable to|permission denied|access denied|no such file|old_string not found|no match)\b`)

// String is the outcome as the digest says it.
func (o outcome) String() string {
	switch {
	case !o.known:
		return "no result yet"
	case o.code != "" && o.failed:
		return "exit " + o.code
	case o.failed:
		return "failed"
	case o.unsure:
		return "ran"
	}
	return "ok"
}

// because is the line that says what went wrong, behind a colon.
func (o outcome) because() string {
	if o.line == "" {
		return ""
	}
	return ": " + message.Line(o.line, 120)
}

// An exit code counts where it stands as one: on a line that is about nothing
// else or begins by telling of the command, in brackets, in a tag, or as a
// member of JSON.
var exitLines = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^\W*(?:exit(?:ed)?(?: with)?|return)[ _]?(?:code|status|value)?\W{1,4}(-?\d{1,5})\b[^\pL]*$`),
	regexp.MustCompile(`(?i)^\W*(?:the )?(?:command|process|program|script|shell|task|bash|error:)\b[^\n]{0,60}?\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?[:= ]{0,3}(-?\d{1,5})\b`),
	regexp.MustCompile(`(?i)^<?[^\pL]*(?:exit|return)_?(?:code|status)>(-?\d{1,5})<`),
	regexp.MustCompile(`(?i)[\[(]exit(?:ed)?(?: with)?[ _]?(?:code|status)?[:= ]{1,3}(-?\d{1,5})[\])]`),
	regexp.MustCompile(`(?i)["'](?:exit|return)_?(?:code|status)["']\s*:\s*(-?\d{1,5})\b`),
}

// exitCode looks for an exit code in the first three lines of an output, then in
// the last three; of a command that only prints, in the first and the last.
func exitCode(text string, prints bool) (int, bool) {
	const near = 600 // bytes
	text = strings.TrimSpace(text)
	head, tail := text[:min(near, len(text))], text[max(0, len(text)-near):]
	if !saysAny(tail, exitWords) && !saysAny(head, exitWords) {
		return 0, false
	}
	n := 3
	if prints {
		n = 1
	}
	first := strings.SplitN(head, "\n", n+1)
	last := strings.Split(tail, "\n")
	lines := first[:min(n, len(first))]
	for i := 1; i <= min(n, len(last)); i++ {
		lines = append(lines, last[len(last)-i])
	}
	for _, line := range lines {
		for _, p := range exitLines {
			if m := p.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				code, err := strconv.Atoi(m[1])
				return code, err == nil
			}
		}
	}
	return 0, false
}

var printers = []string{"cat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "find", "ls", "tree", "sed", "awk", "cut", "sort", "uniq",
	"wc", "nl", "tr", "echo", "printf", "jq", "diff", "git", "cd", "pwd", "export", "source", "true", "xargs", "column", "strings", "file", "stat", "env", "which"}

var between = regexp.MustCompile(`&&|\|\||[|;\n&]`)

// printsOnly reports whether every part of a command line is a program that
// shows text: what it shows is no word of its own.
func printsOnly(command string) bool {
	if command == "" {
		return false
	}
	for _, part := range between.Split(command, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "sudo" || words[0] == "$") {
			words = words[1:]
		}
		if len(words) > 0 && !slices.Contains(printers, words[0][strings.LastIndexByte(words[0], '/')+1:]) {
			return false
		}
	}
	return true
}

var (
	errorStart = regexp.MustCompile(`^(?:\S+[:(][\d:,)]+:? )?(?i:error|fatal|panic|fail|failed|failure|exception)\b(?:\[\w+\])?[: ]|^--- FAIL|^FAIL\b|^E {2,}\S|command not found|No such file or directory|[Pp]ermission denied`)
	errorName  = regexp.MustCompile(`^(?:\S+\.)?[A-Z]\w*(?:Error|Exception)\b`)
	goError    = regexp.MustCompile(`^\S+\.\w{1,4}:\d+:\d+: \S`)
	tally      = regexp.MustCompile(`(?i)^(?:=+ .*\b[1-9]\d* (?:failed|errors?)\b|tests?(?: suites)?: .*\b[1-9]\d* failed\b|test result: failed|failed \((?:failures|errors)=|[1-9]\d* (?:failing|failed)\b)`)
	// complaint is how a program that shows text says that it could not.
	complaint = regexp.MustCompile(`^(?:\S*/)?(?:\w+): (?:.*: )?(?:No such file|[Pp]ermission denied|Is a directory|cannot |invalid |unrecognized |command not found)|^(?:fatal|error): |command not found`)
)

// What a text must hold for the patterns to be worth trying: they are slow and
// most outputs are long and fine.
var (
	exitWords  = []string{"xit", "XIT", "eturn", "RETURN"}
	errorWords = []string{"rror", "RROR", "atal", "ATAL", "anic", "ail", "AIL", "xception", "not found", "No such file", "denied", "E  "}
)

func saysAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// errorLine returns the line of an output that says what went wrong, "" if no
// line does. After a stack trace it is the last one, else the first. Of a command
// that only prints, none but its own complaint in the first line counts, unless
// the call is known to have failed.
func errorLine(text string, failed, prints bool) string {
	if prints && !failed {
		if line := firstLine(text); complaint.MatchString(line) {
			return line
		}
		return ""
	}
	if !saysAny(text, errorWords) && !strings.Contains(text, ": ") {
		return ""
	}
	first, last := "", ""
	trace := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line[:min(len(line), 2000)])
		if strings.HasPrefix(line, "Traceback") {
			trace = true
		}
		if !saysAny(line, errorWords) {
			if first == "" && strings.Contains(line, ": ") && goError.MatchString(line) {
				first = line
			}
			continue
		}
		switch {
		case errorName.MatchString(line):
			last = line
			if first == "" {
				first = line
			}
		case first == "" && (errorStart.MatchString(line) || goError.MatchString(line) || tally.MatchString(line)):
			first = line
		}
	}
	if trace && last != "" {
		return message.Line(last, maxLine)
	}
	return message.Line(first, maxLine)
}

// maxLine is how much of a line is looked at, in runes.
const maxLine = 500

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return message.Line(line, maxLine)
}
