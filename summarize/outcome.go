package summarize

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/condenser-go/condenser/message"
)

// outcome is how a call ended.
type outcome struct {
	known  bool   // there is a result
	unsure bool   // but what it said is gone
	none   bool   // a search found nothing
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
			if code != 0 || !o.failed { // a result that says it failed did
				o.code = strconv.Itoa(code)
			}
			o.failed = o.failed || code != 0
		}
	}
	if o.code == "1" && findsNothing(command) {
		o.failed, o.none = false, true
		return o
	}
	if o.failed || command != "" && o.code == "" {
		o.line = errorLine(text, o.failed, prints)
		o.failed = o.failed || o.line != ""
	}
	if o.failed && o.line == "" {
		o.line = sayingLine(text)
	}
	return o
}

// orRefused is o for a call that changes files: some hosts tell in its text alone
// that it did not.
func (o outcome) orRefused(r *message.ToolResult) outcome {
	if r == nil || o.failed || o.unsure {
		return o
	}
	text := message.PlainText(r)
	head := strings.ToLower(text[:min(len(text), 400)])
	line := sayingLine(text)
	code, coded := exitCode(text, true)
	if coded && code != 0 || refusalStart.MatchString(line) || saysAny(head, refusalWords) {
		o.failed, o.line = true, line
	}
	return o
}

// How tools that change files say that they did not: at the beginning of a line,
// and anywhere near the top, in lower case.
var (
	refusalStart = regexp.MustCompile(`^(?i)\W*(?:(?:error|failed|failure|fatal|exception)(?:\s*[:!]|\s+(?:to|while|when|in|applying|executing|calling|editing|writing)\b)|cannot\b|could not\b|unable to\b|permission denied|access denied|no such file|no match|invalid context|file not found)`)
	refusalWords = []string{"verification failed", "execution failed", "no replacement was performed", "tool_use_error", "string not found", "string to replace not found",
		"string was not found", "old_str not found", "old_string not found", "not found in file", "user denied", "user rejected", "user doesn't want", "user does not want",
		"has not been read", "replace_all is false", "failed to find", "did not appear verbatim"}
)

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
	case o.none:
		return "found nothing"
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
// else, or in the frame an agent's shell puts around an output, which is a line
// that tells of the command, a tag, or a member of JSON.
var (
	bareExit    = regexp.MustCompile(`(?i)^\W*(?:exit(?:ed)?(?: with)?[ _]?(?:code|status)|return[ _]?code)\W{1,4}(-?\d{1,5})\b[^\pL]*$`)
	framedExits = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^[\[(]?(?:error: )?(?:the |your )?(?:command|process|program|script|task)\b[^\n]{0,40}?\bexit(?:ed)?(?: with)?(?: (?:code|status))?[:= ]{1,3}(-?\d{1,5})\b(?:[.\])]*$|[:.,;] )`),
		regexp.MustCompile(`(?i)^[\[(]exit(?:ed)?(?: with)?(?:[ _](?:code|status))?[:= ]{1,3}(-?\d{1,5})[\])]$`),
		regexp.MustCompile(`(?i)^<(?:exit|return)_?(?:code|status)>(-?\d{1,5})<`),
	}
	jsonExit = regexp.MustCompile(`(?i)"(?:exit|return)_?(?:code|status)"\s*:\s*(-?\d{1,5})\b`)
)

// exitCode looks for an exit code in the first three lines of an output, then in
// the last three. Of a command that only prints, a bare line counts if it is the
// first: any other may be what it shows.
func exitCode(text string, prints bool) (int, bool) {
	const near = 600 // bytes
	text = strings.TrimSpace(text)
	head, tail := text[:min(near, len(text))], text[max(0, len(text)-near):]
	if !saysAny(tail, exitWords) && !saysAny(head, exitWords) {
		return 0, false
	}
	if strings.HasPrefix(text, "{") {
		if m := jsonExit.FindAllStringSubmatch(tail, -1); m != nil {
			return atoi(m[len(m)-1][1])
		}
	}
	first := strings.SplitN(head, "\n", 4)
	last := strings.Split(tail, "\n")
	lines := slices.Clone(first[:min(3, len(first))])
	for i := 1; i <= min(3, len(last)); i++ {
		lines = append(lines, last[len(last)-i])
	}
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if m := bareExit.FindStringSubmatch(line); m != nil && (!prints || i == 0) {
			return atoi(m[1])
		}
		for _, p := range framedExits {
			if m := p.FindStringSubmatch(line); m != nil {
				return atoi(m[1])
			}
		}
	}
	return 0, false
}

func atoi(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// frame is a line that a shell tool puts around an output.
var frame = regexp.MustCompile(`(?i)^(?:chunk id|wall time|output|stdout|stderr|total output lines|original token count)\b ?:|^</?(?:output|stdout|stderr|returncode|exit_?code)>|^error:?$|^output:?$`)

// sayingLine returns the first line of an output that says something: no frame,
// and not letters-free.
func sayingLine(text string) string {
	for line := range strings.Lines(text[:min(len(text), 4000)]) {
		line = strings.TrimSpace(line)
		if !strings.ContainsFunc(line, unicode.IsLetter) || frame.MatchString(line) || bareExit.MatchString(line) ||
			slices.ContainsFunc(framedExits, func(p *regexp.Regexp) bool { return p.MatchString(line) }) {
			continue
		}
		return message.Line(line, maxLine)
	}
	return firstLine(text)
}

var printers = []string{"cat", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "find", "ls", "tree", "sed", "awk", "cut", "sort", "uniq",
	"wc", "nl", "tr", "echo", "printf", "jq", "diff", "git", "cd", "pwd", "export", "source", "true", "xargs", "column", "strings", "file", "stat", "env", "which",
	"journalctl", "gh", "docker", "kubectl"}

// shows are the subcommands that make printers of programs that do other things too.
var shows = map[string][]string{
	"git":     {"log", "show", "diff", "status", "blame", "grep", "branch", "ls-files", "remote", "tag", "cat-file", "rev-parse", "config"},
	"gh":      {"issue", "pr", "run", "api", "repo", "search"},
	"docker":  {"logs", "ps", "images", "inspect"},
	"kubectl": {"logs", "get", "describe"},
}

// findsNothing reports whether a command's last part is a program that exits with
// 1 when it found nothing, or a difference.
func findsNothing(command string) bool {
	parts := between.Split(command, -1)
	words := programOf(parts[len(parts)-1])
	return len(words) > 0 && slices.Contains([]string{"grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "["}, words[0])
}

// programOf returns the words of a part of a command line, from the program's name
// on, without its folder.
func programOf(part string) []string {
	words := strings.Fields(part)
	for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "sudo" || words[0] == "$") {
		words = words[1:]
	}
	if len(words) > 0 {
		words[0] = words[0][strings.LastIndexByte(words[0], '/')+1:]
	}
	return words
}

var between = regexp.MustCompile(`&&|\|\||[|;\n&]`)

// printsOnly reports whether every part of a command line is a program that
// shows text: what it shows is no word of its own.
func printsOnly(command string) bool {
	if command == "" {
		return false
	}
	for _, part := range between.Split(command, -1) {
		words := programOf(part)
		if len(words) == 0 {
			continue
		}
		if !slices.Contains(printers, words[0]) {
			return false
		}
		if only, ok := shows[words[0]]; ok && !slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(only, w) }) {
			return false
		}
	}
	return true
}

var (
	errorStart = regexp.MustCompile(`^(?:\S+[:(][\d:,)]+:? )?(?i:error|fatal|panic|fail|failed|failure|exception)\b(?:\[\w+\])?(?:: |: ?$| [^\s\d:]|$)|^--- FAIL|^FAIL\b|^E {2,}\S|command not found|No such file or directory|[Pp]ermission denied|^\[ERROR\]|^npm (?:ERR!|error)|^CONFLICT |^ ?! \[rejected\]|^\S+: \*\*\* |^(?:curl|ssh|psql|docker|git|wget|make): (?:\(\d+\)|connect|error|Error|Could not|No rule)|^│ Error: |^Segmentation fault|^Killed$|^Cannot connect to`)
	errorName  = regexp.MustCompile(`^(?:Uncaught )?(?:\S+\.)?[A-Z]\w*(?:Error|Exception)(?::|$| \[)`)
	goError    = regexp.MustCompile(`^\S+\.\w{1,4}:\d+:\d+(?:: | - )\S`)
	warning    = regexp.MustCompile(`^\S+\.\w{1,4}:\d+:\d+(?:: | - )(?i:warning|note|info|hint|remark)\b`)
	lintError  = regexp.MustCompile(`^\d+:\d+\s+error\s`)
	tally      = regexp.MustCompile(`(?i)^(?:=+ .*\b[1-9]\d* (?:failed|errors?)\b|tests?(?: suites)?: .*\b[1-9]\d* failed\b|test result: failed|failed \((?:failures|errors)=|[1-9]\d* (?:failing|failed|fail)\b)`)
	passed     = regexp.MustCompile(`(?i)^(?:ok\s+\S+|PASS$|test result: ok|tests?: +(?:\d+ skipped, )?\d+ passed\b|=* ?\d+ passed\b.*\bin \d)`)
	zeroErrors = regexp.MustCompile(`(?i)^(?:errors?|failed|failures?|error count)\s*[:=]?\s*0\b`)
	// complaint is how a program that shows text says that it could not.
	complaint = regexp.MustCompile(`^(?:\S*/)?(?:\w+): (?:.*: )?(?:No such file|[Pp]ermission denied|Is a directory|cannot |invalid |unrecognized |command not found)|^(?:fatal|error): |command not found`)
)

// What a text must hold for the patterns to be worth trying: they are slow and
// most outputs are long and fine.
var (
	exitWords  = []string{"xit", "XIT", "eturn", "RETURN"}
	errorWords = []string{"rror", "RROR", "atal", "ATAL", "anic", "ail", "AIL", "xception", "not found", "No such file", "denied", "E  ", "ERR", "CONFLICT", "rejected", "***", "Killed", "curl: (", "Cannot"}
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
// line does. After a stack trace it is the last one, else the first; what comes
// before a line that says all passed is none. Of a command that only prints, none
// but its own complaint in the first line counts, unless the call is known to have
// failed.
func errorLine(text string, failed, prints bool) string {
	if prints && !failed {
		if line := firstLine(text); complaint.MatchString(line) {
			return line
		}
		return ""
	}
	if !saysAny(text, errorWords) && !strings.Contains(text, ":") {
		return ""
	}
	first, last := "", ""
	trace := false
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, " ")
		line = strings.TrimSpace(line[:min(len(line), 2000)])
		if strings.HasPrefix(line, "Traceback") {
			trace = true
			continue
		}
		if trace && !indented && line != "" { // below the frames
			last, trace = line, false
		}
		if first != "" && !failed && passed.MatchString(line) {
			first = ""
			continue
		}
		if !saysAny(line, errorWords) {
			if first == "" && isGoError(line) {
				first = line
			}
			continue
		}
		if first == "" && !zeroErrors.MatchString(line) && !warning.MatchString(line) &&
			(lintError.MatchString(line) || errorName.MatchString(line) || errorStart.MatchString(line) || isGoError(line) || tally.MatchString(line)) {
			first = line
		}
	}
	if last != "" {
		return message.Line(last, maxLine)
	}
	return message.Line(first, maxLine)
}

// isGoError reports whether a compiler tells of an error in this line.
func isGoError(line string) bool {
	colon := strings.IndexByte(line, ':')
	if colon < 0 || colon+1 == len(line) || line[colon+1] < '0' || line[colon+1] > '9' { // no position
		return false
	}
	return goError.MatchString(line) && !warning.MatchString(line)
}

// maxLine is how much of a line is looked at, in runes.
const maxLine = 500

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return message.Line(line, maxLine)
}
