package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

const recordedDir = "../../testdata/sessions"

// recorded returns the sessions that are stored, by name.
func recorded(t *testing.T) map[string][]message.Message {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(recordedDir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string][]message.Message{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		msgs, err := message.Decode(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stored[strings.TrimSuffix(filepath.Base(name), ".jsonl")] = msgs
	}
	return stored
}

func TestEveryScriptIsRecorded(t *testing.T) {
	stored := recorded(t)
	for _, s := range sessions {
		if stored[s.name] == nil {
			t.Errorf("%s is not recorded", s.name)
		}
		delete(stored, s.name)
	}
	for name := range stored {
		t.Errorf("%s has no script", name)
	}
}

func TestValid(t *testing.T) {
	for name, msgs := range recorded(t) {
		for _, v := range message.Validate(msgs, message.Portable) {
			t.Errorf("%s: %s", name, v)
		}
		if msgs[0].Kind() != message.KindSystem || msgs[1].Kind() != message.KindUser {
			t.Errorf("%s begins with %s, %s", name, msgs[0].Kind(), msgs[1].Kind())
		}
	}
}

func TestPaired(t *testing.T) {
	for name, msgs := range recorded(t) {
		pairs := message.Pair(msgs)
		ids := map[string]bool{}
		for i, m := range msgs {
			if m.Kind() == message.KindToolResult {
				if _, _, ok := pairs.Call(i); !ok {
					t.Errorf("%s: message %d answers no call", name, i)
				}
			}
			for _, c := range message.Calls(m) {
				if ids[c.ID] {
					t.Errorf("%s: call id %s occurs twice", name, c.ID)
				}
				ids[c.ID] = true
			}
		}
	}
}

func TestNoMachinePath(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordedDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if p := pathIn(string(data)); p != "" {
			t.Errorf("%s: %q", name, p)
		}
		if len(host) > 5 && strings.Contains(string(data), host) {
			t.Errorf("%s names the host", name)
		}
		if len(data) > maxBytes {
			t.Errorf("%s has %d bytes", name, len(data))
		}
	}
}

func TestLong(t *testing.T) {
	if n := budget.EstimateTokens(recorded(t)["breakdown"]); n <= 60_000 {
		t.Errorf("breakdown has %d tokens", n)
	}
}

func TestParallel(t *testing.T) {
	most, failed := 0, 0
	for _, m := range recorded(t)["parallel"] {
		most = max(most, len(message.Calls(m)))
		if r, ok := m.(*message.ToolResult); ok && r.IsError {
			failed++
		}
	}
	if most < 4 || failed < 8 {
		t.Errorf("at most %d calls in a message, %d failing", most, failed)
	}
}

func TestLongOutput(t *testing.T) {
	long := 0
	for _, m := range recorded(t)["shell"] {
		if m.Kind() == message.KindToolResult && len(message.PlainText(m)) > 20_000 {
			long++
		}
	}
	if long < 3 {
		t.Errorf("%d results of more than 20 kB", long)
	}
}

func TestWide(t *testing.T) {
	scripts := map[string]int{}
	for _, m := range recorded(t)["wide"] {
		ask, ok := message.Ask(m)
		if !ok {
			continue
		}
		for _, r := range ask {
			switch {
			case unicode.Is(unicode.Han, r):
				scripts["Han"]++
			case unicode.Is(unicode.Hiragana, r):
				scripts["Hiragana"]++
			case unicode.Is(unicode.Katakana, r):
				scripts["Katakana"]++
			}
		}
	}
	for _, s := range []string{"Han", "Hiragana", "Katakana"} {
		if scripts[s] < 10 {
			t.Errorf("the user writes %d runes of %s", scripts[s], s)
		}
	}
}

func TestKinds(t *testing.T) {
	found := map[string]bool{}
	for _, m := range recorded(t)["kinds"] {
		h := m.Head()
		found[string(m.Kind())] = true
		found["pinned"] = found["pinned"] || h.Pinned
		found["internal"] = found["internal"] || h.Internal
		found["atomic"] = found["atomic"] || h.Atomic
		found["signed"] = found["signed"] || message.Signed(m)
		for _, b := range message.Content(m) {
			switch b := b.(type) {
			case *message.Image:
				found["image"] = true
			case *message.Thinking:
				found["redacted"] = found["redacted"] || b.Redacted
			}
		}
	}
	for _, want := range []string{"system", "user", "assistant", "tool_result", "bash", "custom", "branch_summary", "compaction_summary", "unknown",
		"pinned", "internal", "atomic", "signed", "redacted", "image"} {
		if !found[want] {
			t.Errorf("there is no %s", want)
		}
	}
}
