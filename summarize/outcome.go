package summarize

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/condenser-go/condenser/message"
)

// outcome is how a call ended.
type outcome struct {
	known  bool   // there is a result
	failed bool   // it says so, or ended with another exit code than 0
	code   string // the exit code, if one is told
	line   string // the line that says what went wrong
}

var exitCodes = regexp.MustCompile(`(?i)(?:\bexit(?:ed)?(?: with)?[ _]?(?:code|status)"?[:=]? {0,3}|\[exit |return_?code"?[>:= ]{1,3})(-?\d{1,5})\b`)

// outcomeOf reads how a result says its call ended; command tells whether it
// is a command's, whose output may say so without a code.
func outcomeOf(r *message.ToolResult, command bool) outcome {
	if r == nil {
		return outcome{}
	}
	text := message.PlainText(r)
	if r.Origin == cleared {
		text = ""
	}
	o := outcome{known: true, failed: r.IsError}
	if command {
		if code, ok := exitCode(text); ok {
			o.code = strconv.Itoa(code)
			o.failed = code != 0
		}
	}
	if o.failed || command && o.code == "" {
		o.line = errorLine(text, o.failed)
		o.failed = o.failed || o.line != ""
	}
	if o.failed && o.line == "" {
		o.line = firstLine(text)
	}
	return o
}

// String is the outcome as the digest says it.
func (o outcome) String() string {
	switch {
	case !o.known:
		return "no result yet"
	case o.code != "" && o.failed:
		return "exit " + o.code
	case o.failed:
		return "failed"
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

// exitCode looks for an exit code in the last lines of an output, then in the
// first ones.
func exitCode(text string) (int, bool) {
	const near = 300 // bytes
	tail := text[max(0, len(text)-near):]
	head := text[:min(near, len(text))]
	if !saysAny(tail, exitWords) && !saysAny(head, exitWords) {
		return 0, false
	}
	if m := exitCodes.FindAllStringSubmatch(tail, -1); m != nil {
		n, err := strconv.Atoi(m[len(m)-1][1])
		return n, err == nil
	}
	if m := exitCodes.FindStringSubmatch(head); m != nil {
		n, err := strconv.Atoi(m[1])
		return n, err == nil
	}
	return 0, false
}

var (
	errorStart = regexp.MustCompile(`^(?:\S+[:(][\d:,)]+:? )?(?i:error|fatal|panic|fail|failed|failure|exception)\b(?:\[\w+\])?[: ]|^--- FAIL|^FAIL\b|^E {2,}\S|command not found|No such file or directory|[Pp]ermission denied`)
	errorName  = regexp.MustCompile(`^(?:\S+\.)?[A-Z]\w*(?:Error|Exception)\b`)
	goError    = regexp.MustCompile(`^\S+\.\w{1,4}:\d+:\d+: \S`)
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
// line does. After a stack trace it is the last one, else the first. Lines like
// FILE:LINE:COLUMN: TEXT count only if the call is known to have failed: a search
// prints them too.
func errorLine(text string, failed bool) string {
	if !failed && !saysAny(text, errorWords) {
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
			if failed && first == "" && goError.MatchString(line) {
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
		case first == "" && (errorStart.MatchString(line) || failed && goError.MatchString(line)):
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
