package microcompact

import (
	"context"
	"slices"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// From the window-budget document.
const (
	ClearedToolResult = "[Old tool result content cleared]" // stands in the place of a body
	DefaultKeepRecent = 6                                   // results that are kept
)

// Origin is the Origin of cleared results, and the pass's name.
const Origin = "microcompact"

var compactable = []string{"read", "grep", "find", "ls", "glob", "bash", "websearch", "webfetch", "edit", "write"}

// CompactableToolNames returns the tools of the window-budget document whose
// output can be had again. The slice is the caller's.
func CompactableToolNames() []string { return slices.Clone(compactable) }

// ToolResults empties stale tool results, oldest first, until the need is met:
// their bodies become Placeholder, calls and results stay paired. The newest
// Keep results of the tools are never touched, nor are pinned and atomic ones,
// nor any that would not get smaller.
//
// It proposes nothing on its own result.
type ToolResults struct {
	Keep        int      // results; 0 means 6, a negative number none
	Tools       []string // compared without case; nil means CompactableToolNames
	Placeholder string   // "" means ClearedToolResult
	All         bool     // every stale result, whatever the need, as the document has it
}

// Name returns the Origin of cleared results.
func (ToolResults) Name() string { return Origin }

// Plan returns an edit for each result to empty.
func (p ToolResults) Plan(_ context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	if p.Placeholder == "" {
		p.Placeholder = ClearedToolResult
	}
	need := g.Need().Tokens
	var changes []transcript.Change
	for _, i := range p.stale(v.Messages()) {
		if need <= 0 && !p.All {
			break
		}
		r := v.At(i).Msg.(*message.ToolResult)
		if r.Pinned || r.Atomic || r.Origin == Origin || isCleared(r, p.Placeholder) {
			continue
		}
		empty := message.WithContent(r, Origin, message.Text(p.Placeholder))
		gain := g.Range(i, i+1) - g.Tokens(empty)
		if gain <= 0 {
			continue
		}
		need -= gain
		changes = append(changes, transcript.Change{I: i, J: i + 1, With: []message.Message{empty}, Why: "stale result"})
	}
	return v.Changes(Origin, changes...), nil
}

// stale returns the indices of the tools' results but the newest Keep.
func (p ToolResults) stale(msgs []message.Message) []int {
	keep := p.Keep
	if keep == 0 {
		keep = DefaultKeepRecent
	}
	tools := p.Tools
	if tools == nil {
		tools = compactable
	}
	stale := resultsOf(msgs, func(name string) bool {
		return slices.ContainsFunc(tools, func(t string) bool { return strings.EqualFold(t, name) })
	})
	return stale[:max(0, len(stale)-max(0, keep))]
}

// resultsOf returns the indices of the results whose owning call names a tool
// that want selects.
func resultsOf(msgs []message.Message, want func(tool string) bool) []int {
	owners := owners(msgs)
	var found []int
	for i, m := range msgs {
		if _, ok := m.(*message.ToolResult); ok && owners[i] != nil && want(owners[i].Name) {
			found = append(found, i)
		}
	}
	return found
}

// owners returns for each result the call it came from: the one it answers or,
// for a second answer, the nearest call before with its id.
func owners(msgs []message.Message) []*message.ToolCall {
	pairs := message.Pair(msgs)
	latest := map[string]*message.ToolCall{}
	out := make([]*message.ToolCall, len(msgs))
	for i, m := range msgs {
		for _, c := range message.Calls(m) {
			latest[c.ID] = c
		}
		r, ok := m.(*message.ToolResult)
		if !ok || r == nil {
			continue
		}
		if at, n, ok := pairs.Call(i); ok {
			out[i] = message.Calls(msgs[at])[n]
		} else {
			out[i] = latest[r.CallID]
		}
	}
	return out
}

func isCleared(r *message.ToolResult, placeholder string) bool {
	return len(r.Content) == 1 && r.Content[0] == message.Block(message.Text(placeholder))
}

// ClearStaleToolResults is the window-budget document's clear_stale_tool_results:
// it keeps the newest keepRecent (at least 1) results of the compactable tools
// and empties all older ones. A result belongs to the tool its owning call
// names; without a call it is left alone. Cleared ones count among the kept
// and stay as they are. changed is false if nothing was cleared; then msgs
// itself is returned.
func ClearStaleToolResults(msgs []message.Message, keepRecent int) (cleared []message.Message, changed bool) {
	stale := resultsOf(msgs, func(name string) bool { return slices.Contains(compactable, name) })
	stale = stale[:max(0, len(stale)-max(1, keepRecent))]
	for _, i := range stale {
		r := msgs[i].(*message.ToolResult)
		if isCleared(r, ClearedToolResult) {
			continue
		}
		if !changed {
			cleared, changed = slices.Clone(msgs), true
		}
		cleared[i] = message.WithContent(r, Origin, message.Text(ClearedToolResult))
	}
	if !changed {
		return msgs, false
	}
	return cleared, true
}
