package summarize_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

// session builds a transcript of tool steps.
type session struct {
	msgs []message.Message
}

func (s *session) user(text string) { s.msgs = append(s.msgs, message.NewUser(text)) }
func (s *session) agent(text string) {
	s.msgs = append(s.msgs, message.NewAssistant(message.Text(text)))
}

func (s *session) call(tool, input, output string, failed ...bool) {
	c := message.NewToolCall(fmt.Sprint("c", len(s.msgs)), tool, input)
	r := message.NewToolResult(c, output)
	r.IsError = len(failed) > 0
	s.msgs = append(s.msgs, message.NewAssistant(c), r)
}

func (s *session) digest(l summarize.Local) string { return message.PlainText(l.Digest(s.msgs)) }

func TestLocalDigest(t *testing.T) {
	var s session
	s.user("Please port the parser to Go. Never touch the public API.")
	s.call("read", `{"path":"lexer.go"}`, "package lexer")
	s.call("Edit", `{"file_path":"parser.go","old_string":"a"}`, "ok")
	s.call("edit", `{"path":"parser.go"}`, "ok")
	s.call("write", `{"path":"new.go","content":"x"}`, "ok")
	s.call("edit", `{"path":"new.go"}`, "old text not found", true)
	s.call("write", `{"path":"ro.go"}`, "permission denied: ro.go", true)
	s.call("delete_file", `{"target_file":"old.go"}`, "gone")
	s.call("bash", `{"command":"go build ./..."}`, "# p\np.go:3:5: undefined: frobnicate\nexit status 2", true)
	s.agent("I decided to keep the token type because the tests use it. Now the parser builds.")
	s.call("bash", `{"command":"go vet ./..."}`, "ok\n[Command finished with exit code 0]")
	s.call("bash", `{"command":"go test ./..."}`, "--- FAIL: TestParse\n    want 3, got 4\nFAIL\nCommand exited with code 1")
	s.call("todo", `{"todos":[{"content":"port lexer","status":"completed"},{"content":"port parser","status":"in_progress"}]}`, "saved")
	s.call("web_search", `{"query":"x"}`, "503 upstream", true)
	s.user("And make it fast.")
	s.msgs = append(s.msgs, message.NewBashExecution("git status", "clean", 0), message.NewCustom("note", "the user went for lunch"),
		message.NewAssistant(message.Text("Running the benchmarks."), message.NewToolCall("open", "bash", `{"command":"go test -bench ."}`)))
	assert.Equal(t, `[session digest — older turns condensed]

# Objective
Last request, word for word:
And make it fast.
Earlier requests, oldest first:
- Please port the parser to Go. Never touch the public API.

# Guardrails
- Never touch the public API.

# Status (Shipped / Active / Stuck)
Shipped, by file:
- parser.go: edited (2 calls)
- new.go: written; the last call failed: old text not found
- ro.go: not written, it failed: permission denied: ro.go
- old.go: deleted
Commands:
- $ go build ./... → exit 2
- $ go vet ./... → ok
- $ git status → ok
- $ go test -bench . → no result yet
Active:
- Running the benchmarks.
Stuck:
- web_search: 503 upstream
- $ go test ./... → exit 1: --- FAIL: TestParse

# Rationale
- I decided to keep the token type because the tests use it.

# Plan
- [ ] port parser
- no result yet: bash {"command":"go test -bench ."}

# Carryover
Condensed here: 30 messages (2 of the user, 14 of the agent, 12 tool results).
Files read:
- lexer.go
Notes:
- note: the user went for lunch`, s.digest(summarize.Local{}))
}

func TestToolSpellings(t *testing.T) {
	for name, c := range map[string]struct{ tool, input, want string }{
		"editor, create":     {"str_replace_editor", `{"command":"create","path":"a.go","file_text":"x"}`, "- a.go: created"},
		"editor, replace":    {"str_replace_editor", `{"command":"str_replace","path":"a.go"}`, "- a.go: edited"},
		"editor, view":       {"str_replace_editor", `{"command":"view","path":"a.go"}`, "Files read:\n- a.go"},
		"camel case":         {"copilot_replaceString", `{"filePath":"a.go"}`, "- a.go: edited"},
		"nested":             {"multi_edit", `{"edits":[{"path":"a.go"},{"path":"b.go"}]}`, "- a.go: edited\n- b.go: edited"},
		"list":               {"read_files", `{"files":["a.go","b.go"]}`, "- a.go\n- b.go"},
		"rename":             {"rename_file", `{"old_path":"a.go","new_path":"b.go"}`, "- a.go: moved\n- b.go: moved"},
		"patch":              {"apply_patch", `"*** Begin Patch\n*** Update File: a.go\n@@\n*** Add File: b.go\n+x\n*** Delete File: c.go\n*** Move to: d.go\n*** End Patch"`, "- a.go: edited\n- b.go: created\n- c.go: deleted\n- d.go: moved"},
		"unified diff":       {"apply_diff", `{"diff":"--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@"}`, "- x.go: edited"},
		"tags":               {"write_to_file", `"<path>docs/a.md</path>\n<content>x</content>"`, "- docs/a.md: written"},
		"cut off":            {"write", `{"path":"a.go","content":"pack`, "- a.go: written"},
		"no JSON at all":     {"write_to_file", `<path>a.go</path><content>`, "- a.go: written"},
		"cmd":                {"exec_command", `{"cmd":"ls -l","workdir":"/x"}`, "- $ ls -l → ok"},
		"argv":               {"shell", `{"command":["bash","-lc","ls"]}`, "- $ bash -lc ls → ok"},
		"several commands":   {"run_commands", `{"commands":["ls","pwd"]}`, "- $ ls → ok\n- $ pwd → ok"},
		"a bare string":      {"container.exec", `"bash -lc ls"`, "- $ bash -lc ls → ok"},
		"code":               {"python", `{"code":"print(1)\nprint(2)"}`, "- $ print(1) print(2) → ok"},
		"plan":               {"update_plan", `{"plan":[{"step":"one","status":"pending"}]}`, "- [ ] one"},
		"check marks":        {"update_todo_list", `"<todos>\n[x] one\n[ ] two\n[-] three\n</todos>"`, "- [ ] two\n- [ ] three"},
		"no path, no change": {"update_reservation", `{"cabin":"economy"}`, "# Carryover"},
	} {
		t.Run(name, func(t *testing.T) {
			var s session
			s.user("go")
			s.call(c.tool, c.input, "fine")
			assert.Contains(t, s.digest(summarize.Local{}), c.want)
		})
	}
}

func TestOutcomes(t *testing.T) {
	for output, want := range map[string]string{
		"all good": "ok", "": "ok",
		"Exit code: 0\nerror: none of your business": "ok",
		"Exit code 2\nerror: unrecognized":           "exit 2: error: unrecognized",
		"<returncode>1</returncode>\nboom":           "exit 1: boom",
		`{"metadata":{"exit_code":3}}`:               "exit 3: {\"metadata\":{\"exit_code\":3}}",
		"text\n[exit 7]":                             "exit 7: text",
		"text [exit 7]":                              "ok",
		"panic: nil map\n\ngoroutine 1":              "failed: panic: nil map",
		"bash: whois: command not found":             "failed: bash: whois: command not found",
		"Traceback (most recent call last):\n  File \"a.py\"\nValueError: bad\nmore": "failed: ValueError: bad",
		"a.ts(3,5): error TS2304: Cannot find name 'x'.":                             "failed: a.ts(3,5): error TS2304: Cannot find name 'x'.",
	} {
		var s session
		s.user("go")
		s.call("bash", `{"command":"do it"}`, output)
		got := s.digest(summarize.Local{})
		label := "Commands:\n"
		if strings.Contains(want, ": ") {
			label = "Stuck:\n"
		}
		assert.Contains(t, got, label+"- $ do it → "+want+"\n", output)
	}
}

// A program's output says how it ended in forms of its own; what a command only
// shows says nothing of the command.
func TestOutcomesInProse(t *testing.T) {
	for _, c := range []struct{ command, output, want string }{
		{"cargo test", "running 3 tests\ntest result: FAILED. 1 passed; 2 failed", "failed: test result: FAILED. 1 passed; 2 failed"},
		{"pytest", "collected 5 items\n=== 3 failed, 2 passed in 0.1s ===", "failed: === 3 failed, 2 passed in 0.1s ==="},
		{"npm test", "Tests: 3 failed, 2 passed, 5 total", "failed: Tests: 3 failed, 2 passed, 5 total"},
		{"pytest -q", "=== 5 passed, 0 failed ===", "ok"},
		{"go vet ./...", "# p\n./a.go:3:4: undefined: x", "failed: ./a.go:3:4: undefined: x"},
		{"mytool --help", "Exit code: 0\nWall time: 1\nOutput:\nThe tool returns exit code 3 on conflict", "ok"},
		{"grep -rn 'exit code' .", "main.go:3: // exit code 2 means stop", "ok"},
		{"cd src && grep -n x *.go | head -3", "a.go:3:4: error: x", "ok"},
		{"cat docs/errors.md", "# Errors\nError: this is what users see\nexit status 1\nmore", "ok"},
		{"git log --oneline", "ab12 one\nError handling: rework", "ok"},
		{"cat nowhere", "cat: nowhere: No such file or directory", "failed: cat: nowhere: No such file or directory"},
		{"git push", "fatal: no upstream", "failed: fatal: no upstream"},
		{"npx eslint .", "/src/a.js\n  1:10  error  'x' is not defined  no-undef", "failed: 1:10 error 'x' is not defined no-undef"},
		{"npx tsc --pretty", "a.ts:3:5 - error TS2304: Cannot find name 'x'.", "failed: a.ts:3:5 - error TS2304: Cannot find name 'x'."},
		{"npm run build", "npm ERR! missing script: build", "failed: npm ERR! missing script: build"},
		{"curl -sS http://x", "curl: (7) Failed to connect to x", "failed: curl: (7) Failed to connect to x"},
		{"git push", "To x\n ! [rejected] main -> main (fetch first)", "failed: ! [rejected] main -> main (fetch first)"},
		{"git merge x", "Auto-merging a\nCONFLICT (content): Merge conflict in a", "failed: CONFLICT (content): Merge conflict in a"},
		{"python a.py", "Traceback (most recent call last):\n  File \"a.py\"\ndjango.core.ImproperlyConfigured: no settings", "failed: django.core.ImproperlyConfigured: no settings"},
		{"make", "foo.c:3:5: warning: unused variable", "ok"},
		{"go test ./...", "x_test.go:12: error: expected this\nok  \tpkg/a\t0.1s", "ok"},
		{"npx jest", "console.error\nError: logged\nTests:       5 passed, 5 total", "ok"},
		{"./report", "Failed: 0\nErrors: 0", "ok"},
		{"python f.py", "return value: 5", "ok"},
		{"cat deploy.sh", "#!/bin/sh\nset -e\nexit 1", "ok"},
		{"gh issue view 698", `{"body":"it fails (exit 1) if the mean"}`, "ok"},
		{"rg needle src", "Exit code: 1", "found nothing"},
		{"ls | grep x", "[exit 1]", "found nothing"},
		{"cargo build", "Chunk ID: 8b6e34\nWall time: 0.1\nProcess exited with code 101\nOutput:\nerror[E0382]: borrow of moved value", "exit 101: error[E0382]: borrow of moved value"},
		{"make", "make: *** [all] Error 2\nThe command completed with exit code 2.", "exit 2: make: *** [all] Error 2"},
		{"ls", "a\n[The command completed with exit code 0.]", "ok"},
	} {
		var s session
		s.user("go")
		in, _ := json.Marshal(map[string]string{"command": c.command})
		s.call("bash", string(in), c.output)
		assert.Contains(t, s.digest(summarize.Local{}), "- $ "+c.command+" → "+c.want+"\n", c.output)
	}
}

// A result that was emptied says no more how its call ended.
func TestOutcomeOfClearedResults(t *testing.T) {
	var s session
	s.call("bash", `{"command":"go test"}`, "[Old tool result content cleared]")
	s.call("bash", `{"command":"go vet"}`, "[Old tool result content cleared]", true)
	s.msgs = []message.Message{summarize.Local{}.Digest(s.msgs)}
	got := s.digest(summarize.Local{})
	assert.Contains(t, got, "- $ go test → ran\n")
	assert.Contains(t, got, "- $ go vet → failed\n")
}

// A call that changes files may say in its text alone that it did not.
func TestRefusedChanges(t *testing.T) {
	var s session
	s.call("write", `{"path":"g.go"}`, "Error: permission denied")
	s.call("edit", `{"path":"h.go"}`, "Error: old_string not found in file")
	s.call("edit", `{"path":"i.go"}`, "edited; error handling is now in one place")
	s.call("apply_patch", `{"path":"j.go"}`, "apply_patch verification failed: Failed to find expected lines in j.go")
	s.call("apply_patch", `{"path":"k.go"}`, "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno such context")
	s.call("edit", `{"path":"l.go"}`, "<tool_use_error>String to replace not found in file.</tool_use_error>")
	s.call("edit", `{"path":"m.go"}`, "The user doesn't want to proceed with this tool use.")
	s.call("write", `{"path":"n.go"}`, "Error handling was added to n.go")
	s.call("shell", `{"command":["apply_patch","*** Begin Patch\n*** Update File: o.go\n@@\n*** End Patch"]}`, "Success. Updated the following files:\nM o.go")
	s.call("open_browser", `{"uri":"http://x"}`, "ok")
	got := s.digest(summarize.Local{})
	assert.Contains(t, got, "- g.go: not written, it failed: Error: permission denied\n")
	assert.Contains(t, got, "- h.go: not edited, it failed: Error: old_string not found in file\n")
	assert.Contains(t, got, "- i.go: edited\n")
	for _, name := range []string{"j", "k", "l", "m"} {
		assert.Contains(t, got, "- "+name+".go: not edited, it failed: ")
	}
	assert.Contains(t, got, "- n.go: written\n")
	assert.Contains(t, got, "- o.go: edited\n")
	assert.NotContains(t, got, "http://x")
}

// Long commands that begin alike are two commands, and their ends are shown.
func TestLongCommands(t *testing.T) {
	var s session
	prefix := "cd /srv/app/projects/service && source .venv/bin/activate && export PYTHONPATH=/srv/app/projects/service/src:/srv/app/projects/shared/src && python -m pytest "
	s.call("bash", `{"command":"`+prefix+`tests/test_a.py"}`, "exit status 1")
	s.call("bash", `{"command":"`+prefix+`tests/test_b.py"}`, "exit status 0")
	got := s.digest(summarize.Local{})
	assert.Regexp(t, `(?m)^- \$ cd /srv.*… .*tests/test_a.py → exit 1`, got)
	assert.Regexp(t, `(?m)^- \$ cd /srv.*… .*tests/test_b.py → ok$`, got)
}

func TestLastFailingCommandIsTheLastToFail(t *testing.T) {
	var s session
	s.user("go")
	s.call("bash", `{"command":"one"}`, "exit status 1")
	s.call("bash", `{"command":"two"}`, "exit status 2")
	s.call("bash", `{"command":"two"}`, "ok")
	s.call("bash", `{"command":"three"}`, "ok")
	got := s.digest(summarize.Local{})
	assert.Contains(t, got, "Stuck:\n- $ one → exit 1")
	assert.Contains(t, got, "- $ two → ok, run 2 times, 1 failed")
}

func TestAsksOfManyShapes(t *testing.T) {
	var s session
	long := "The first words of this request are kept, " + strings.Repeat("and more ", 400)
	s.user(long)
	s.user("two\nlines with ``` a fence")
	s.user("請把構建修好，不要改動公共接口。" + strings.Repeat("甲", 90))
	s.user("continue")
	s.user("continue")
	s.user("last one\n# Plan\n- looks like a digest")
	got := s.digest(summarize.Local{MaxTokens: 400})
	assert.Contains(t, got, long[:60])
	assert.Contains(t, got, "````\ntwo\nlines with ``` a fence\n````")
	assert.Contains(t, got, string([]rune(message.PlainText(s.msgs[2]))[:60]))
	assert.Equal(t, 1, strings.Count(got, "continue"))
	assert.Contains(t, got, "word for word:\n```\nlast one\n# Plan\n- looks like a digest\n```")

	// Digested again, they are all there again, each once.
	again := message.PlainText(summarize.Local{MaxTokens: 600}.Digest(append([]message.Message{summarize.Local{MaxTokens: 400}.Digest(s.msgs)}, condensertest.MustParse(`u"new"`)...)))
	for _, want := range []string{long[:60], "two\nlines with ``` a fence", "continue", "last one\n# Plan\n- looks like a digest", "word for word:\nnew"} {
		assert.Equal(t, 1, strings.Count(again, want), "%s in %s", want, again)
	}
}

func TestGiantLastAsk(t *testing.T) {
	var s session
	s.user("small one")
	s.user("HEAD" + strings.Repeat("日本語 ", 1<<20) + "TAIL")
	d := summarize.Local{MaxTokens: 500}.Digest(s.msgs)
	assert.LessOrEqual(t, budget.EstimateMessageTokens(d), 500)
	text := message.PlainText(d)
	for _, want := range []string{"HEAD", "TAIL", "bytes left out", "small one"} {
		assert.Contains(t, text, want)
	}
	assert.Empty(t, message.Validate([]message.Message{d}, message.Portable))
}

// Host digests in the transcript are carried on, at their place in the order of
// things: what newer facts say anew is not repeated.
func TestHostDigestsAreCarried(t *testing.T) {
	var s session
	s.msgs = append(s.msgs, &message.CompactionSummary{Summary: "# Old\nThe lexer was done in lexer.go.\n- parser.go: edited"}, &message.BranchSummary{Summary: "A branch was tried."})
	s.user("go on")
	s.call("delete_file", `{"path":"parser.go"}`, "ok")
	got := s.digest(summarize.Local{})
	assert.Contains(t, got, "From the digest before:\n- Old\n- The lexer was done in lexer.go.\n- A branch was tried.")
	assert.Contains(t, got, "- parser.go: deleted")
	assert.NotContains(t, got, "parser.go: edited")
}

// Whatever the transcript: the digest keeps to its budget, is the same each
// time, is valid text, and says nothing that the transcript does not say.
func TestLocalDigestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := condensertest.Generator{}.Transcript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		unchanged := condensertest.Guard(t, msgs)
		l := summarize.Local{MaxTokens: rapid.IntRange(100, 3000).Draw(t, "max")}
		d := l.Digest(msgs)
		require.LessOrEqual(t, budget.EstimateMessageTokens(d), l.MaxTokens)
		require.True(t, message.Equal(d, l.Digest(msgs)))
		require.Empty(t, message.Validate([]message.Message{d}, message.Portable))
		requireNothingInvented(t, message.PlainText(d), msgs)
		unchanged()
	})
}

// The words a digest may use beside those of its source.
var ownWords = regexp.MustCompile(`^(?i:session|digest|older|turns|condensed|objective|guardrails|status|rationale|plan|carryover|last|request|word|for|earlier|requests|oldest|first|shipped|by|file|commands|active|stuck|files|read|notes|from|the|before|condensed|here|messages|of|user|agent|tool|results|edited|written|created|deleted|moved|and|calls|call|failed|not|it|to|be|no|result|yet|ok|ran|found|nothing|exit|run|times|left|out|bytes|has|-?\d+|[^\p{L}\p{N}]+)$`)

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}_./]+`)

func requireNothingInvented(t require.TestingT, text string, msgs []message.Message) {
	source := &strings.Builder{}
	for _, m := range msgs {
		data, err := message.Marshal(m)
		require.NoError(t, err)
		source.Write(data)
		source.WriteString(message.PlainText(m))
		for _, c := range message.Calls(m) {
			var v any
			_ = json.Unmarshal(c.Input, &v)
			fmt.Fprint(source, v, string(c.Input))
		}
	}
	all := source.String()
	for _, w := range wordPattern.FindAllString(text, -1) {
		if !ownWords.MatchString(w) && !strings.Contains(all, strings.Trim(w, "./")) {
			require.Fail(t, "invented", "%q is in the digest and not in its source:\n%s", w, text)
		}
	}
}

// On the recorded sessions: every file that a write or edit call names is in a
// digest that has room for it, and nothing is invented.
func TestLocalDigestOfRecordedSessions(t *testing.T) {
	files, _ := filepath.Glob("../../shared/transcripts/neutral/*.jsonl")
	if len(files) == 0 {
		t.Skip("../shared/transcripts is not here: no recorded session was digested")
	}
	named := 0
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		msgs, err := message.Decode(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		text := message.PlainText(summarize.Local{MaxTokens: 1 << 20}.Digest(msgs))
		for _, m := range msgs {
			for _, c := range message.Calls(m) {
				if !regexp.MustCompile(`(?i)^(write|edit|multiedit|write_file|edit_file)$`).MatchString(c.Name) {
					continue
				}
				var in struct {
					Path     string `json:"path"`
					FilePath string `json:"file_path"`
				}
				require.NoError(t, json.Unmarshal(c.Input, &in))
				path := in.Path + in.FilePath
				named++
				require.Contains(t, text, "- "+path+": ", filepath.Base(name))
			}
		}
		for _, m := range msgs {
			if s, ok := message.Ask(m); ok {
				head := []rune(strings.ReplaceAll(strings.TrimSpace(s), "\x00", ""))
				require.Contains(t, text, string(head[:min(60, len(head))]), filepath.Base(name))
			}
		}
	}
	require.Greater(t, named, 300)
	t.Logf("%d write and edit calls in %d sessions", named, len(files))
}
