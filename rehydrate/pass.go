package rehydrate

import (
	"context"
	"slices"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// digest is the Origin of the digests behind which files are restored
// (summarize.Origin).
const digest = "summarize"

// Reads is the pass: behind a digest, it restores the files read last among
// what the digest replaced, from the log's own messages, so that a result that
// was cleared before the digest was made comes back whole. Files that a read
// still shows, and files that a later call changed, stay away.
//
// It is the one pass that adds tokens: at most Tokens, and never beyond four
// fifths of the gauge's target (with Shorter, all of it). It does not run twice on one digest.
type Reads struct {
	MaxFiles int      // 0 means 5, a negative number none
	Tokens   int      // of all restored files together; 0 means 8,000, a negative number none
	Tools    []string // that read files, compared without case; nil means "read"
	PathKeys []string // the members of their input that may hold the path; nil means path, file_path, filePath, file
	Shorter  bool     // no more files than leave the view shorter in messages, as the window-budget document has it
}

// Name returns the Origin of restored files.
func (Reads) Name() string { return Origin }

func (p Reads) withDefaults() Reads {
	if p.MaxFiles == 0 {
		p.MaxFiles = DefaultMaxFiles
	}
	if p.Tokens == 0 {
		p.Tokens = DefaultTokenBudget
	}
	if p.Tools == nil {
		p.Tools = []string{DefaultTool}
	}
	if p.PathKeys == nil {
		p.PathKeys = pathKeys()
	}
	return p
}

func (p Reads) wants(tool string) bool {
	return slices.ContainsFunc(p.Tools, func(t string) bool { return strings.EqualFold(t, tool) })
}

// Plan returns an edit that puts files behind the newest digest, or none.
func (p Reads) Plan(_ context.Context, v *transcript.View, g budget.Gauge) ([]transcript.Edit, error) {
	p = p.withDefaults()
	at := p.newest(v)
	if at < 0 {
		return nil, nil
	}
	it := v.At(at)
	dropped := v.Original(it.From, it.To)
	most := p.MaxFiles
	if p.Shorter {
		most = min(most, it.To-it.From-2)
	}
	room := p.Tokens
	if g.Basis().Card.ContextWindow > 0 {
		most := g.Target()
		if !p.Shorter {
			most = most * 4 / 5 // what comes next needs room, too
		}
		room = min(room, most-g.Used())
	}
	with := p.pick(dropped, v.Messages(), most, room, g)
	if len(with) == 0 {
		return nil, nil
	}
	with = append([]message.Message{it.Msg}, with...)
	return v.Changes(Origin, transcript.Change{I: at, J: at + 1, With: with, Why: "files read last"}), nil
}

// newest returns the index of the newest digest that an edit made and that has
// no restored files yet; -1 if there is none.
func (p Reads) newest(v *transcript.View) int {
	for i := v.Len() - 1; i >= 0; i-- {
		it := v.At(i)
		if it.Edit < 0 {
			continue
		}
		switch it.Msg.Head().Origin {
		case Origin:
			return -1
		case digest:
			return i
		}
	}
	return -1
}

// pick returns the restored files, oldest first.
func (p Reads) pick(dropped, view []message.Message, most, room int, g budget.Gauge) []message.Message {
	visible := readsIn(view, p.wants, p.PathKeys)
	before, after := p.changed(dropped), p.changed(view)
	var out []message.Message
	for _, r := range slices.Backward(readsIn(dropped, p.wants, p.PathKeys)) {
		if len(out) >= most {
			break
		}
		if _, changed := after[r.path]; changed || before[r.path] > r.at || shows(visible, r.path) {
			continue
		}
		m := r.restored()
		if cost := g.Tokens(m); cost <= room {
			room -= cost
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

// changed returns, by path, the last message whose calls change that file: a
// body read before is no longer what the file holds. A call that failed changed
// nothing.
func (p Reads) changed(msgs []message.Message) map[string]int {
	pairs := message.Pair(msgs)
	last := map[string]int{}
	for i, m := range msgs {
		for n, c := range message.Calls(m) {
			if p.wants(c.Name) || !changes(c.Name) {
				continue
			}
			if at := pairs.Answers(i)[n]; at < 0 || !msgs[at].(*message.ToolResult).IsError {
				last[pathOf(c, p.PathKeys)] = i
			}
		}
	}
	return last
}

func changes(tool string) bool {
	tool = strings.ToLower(tool)
	return slices.ContainsFunc([]string{"edit", "write", "patch", "replace", "create", "delete", "remove", "move", "rename"},
		func(word string) bool { return strings.Contains(tool, word) })
}
