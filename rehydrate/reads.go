package rehydrate

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
)

// From the window-budget document.
const (
	RestoredFilePrefix = "[Restored file after compaction]" // begins every restored file
	DefaultMaxFiles    = 5
	DefaultTokenBudget = 8000
	DefaultTool        = "read"
)

// Origin is the Origin of restored files, and the pass's name.
const Origin = "rehydrate"

// cleared is how microcompact leaves a result (microcompact.ClearedToolResult).
const cleared = "[Old tool result content cleared]"

// Options of RecentReads. They are literal numbers: MaxFiles 0 restores
// nothing. [Defaults] are the usual ones.
type Options struct {
	MaxFiles    int
	TokenBudget int
	Tool        string   // the tool that reads files
	PathKeys    []string // the members of its input that may hold the path, in order; nil means "path" alone, as the document has it
}

// Defaults returns 5 files, 8,000 tokens, the tool "read", and the path from
// path, file_path, filePath or file.
func Defaults() Options {
	return Options{MaxFiles: DefaultMaxFiles, TokenBudget: DefaultTokenBudget, Tool: DefaultTool, PathKeys: pathKeys()}
}

func pathKeys() []string { return []string{"path", "file_path", "filePath", "file"} }

// RecentReads is the window-budget document's rehydrate_recent_reads: the files
// that reads in dropped brought and no read in kept shows any more, each by its
// freshest body, as *User messages, oldest first. A read counts if its result
// is neither an error nor empty nor cleared. From the newest on, at most
// MaxFiles are taken, up to the first that would pass TokenBudget; the newest
// one is taken whatever its size.
func RecentReads(dropped, kept []message.Message, o Options) []message.Message {
	dropped, kept = message.Present(dropped), message.Present(kept)
	want := func(name string) bool { return name == o.Tool }
	keys := o.PathKeys
	if keys == nil {
		keys = []string{"path"}
	}
	visible := readsIn(kept, want, keys)
	var out []message.Message
	used := 0
	for _, r := range slices.Backward(readsIn(dropped, want, keys)) {
		if len(out) >= o.MaxFiles {
			break
		}
		if shows(visible, r.path) {
			continue
		}
		m := r.restored()
		cost := budget.EstimateMessageTokens(m)
		if len(out) > 0 && used+cost > o.TokenBudget {
			break
		}
		used += cost
		out = append(out, m)
	}
	slices.Reverse(out)
	return out
}

// read is a file as a tool result showed it; at is the result's index.
type read struct {
	path, body string
	at         int
}

func (r read) restored() message.Message {
	m := message.NewUser(RestoredFilePrefix + " " + r.path + "\n" + r.body)
	m.Origin = Origin
	return m
}

// RestoredPath returns the path of a restored file.
func RestoredPath(m message.Message) (string, bool) {
	if message.IsNil(m) || m.Head().Origin != Origin {
		return "", false
	}
	line, _, _ := strings.Cut(message.PlainText(m), "\n")
	return strings.CutPrefix(line, RestoredFilePrefix+" ")
}

func shows(reads []read, path string) bool {
	return slices.ContainsFunc(reads, func(r read) bool { return r.path == path })
}

// readsIn returns the reads in msgs that brought a body, each path once with
// its freshest, in the order of their results.
func readsIn(msgs []message.Message, want func(tool string) bool, keys []string) []read {
	pairs := message.Pair(msgs)
	latest := map[string]int{} // index in all
	var all []read
	for i, m := range msgs {
		r, ok := m.(*message.ToolResult)
		if !ok || r.IsError {
			continue
		}
		at, n, ok := pairs.Call(i)
		if !ok {
			continue
		}
		call := message.Calls(msgs[at])[n]
		if !want(call.Name) {
			continue
		}
		path, body := pathOf(call, keys), message.PlainText(r)
		if path == "" || strings.TrimSpace(body) == "" || body == cleared || r.Origin == "microcompact" {
			continue
		}
		latest[path] = len(all)
		all = append(all, read{path, body, i})
	}
	var out []read
	for k, r := range all {
		if latest[r.path] == k {
			out = append(out, r)
		}
	}
	return out
}

// pathOf returns the first of keys that holds a string in c's input.
func pathOf(c *message.ToolCall, keys []string) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(c.Input, &in) != nil {
		return ""
	}
	for _, k := range keys {
		var path string
		if json.Unmarshal(in[k], &path) == nil && path != "" {
			return path
		}
	}
	return ""
}
