package preset

import (
	"context"
	"slices"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/rehydrate"
	"github.com/condenser-go/condenser/summarize"
)

// WindowBudget returns the window-budget document's runner as a pipeline:
// clear stale tool results, fold the head beyond the last KeepRecent tokens,
// restore the files read last as long as the transcript gets shorter in
// messages. Cause Manual is the document's force: it folds everything before
// the user's last turn. The digest is the model's or, whenever the model gives
// none and at any level, the local one. A nil Counter is the document's.
//
// Where it leaves the document is in docs/deviations.md, D1 to D6.
func WindowBudget(d condenser.Deps) *condenser.Pipeline {
	p := WindowBudgetFactory(d)
	p.Passes = []condenser.Pass{
		microcompact.ToolResults{All: true},
		condenser.Seq(p.Passes[0], rehydrate.Reads{Shorter: true}),
	}
	return p
}

// WindowBudgetFactory returns the document's bare create_condenser as a
// pipeline: gate, slice and digest, without the two passes around them.
func WindowBudgetFactory(d condenser.Deps) *condenser.Pipeline {
	p := d.Pipeline()
	if p.Counter == nil {
		p.Counter = budget.WindowBudget{}
	}
	p.Passes = []condenser.Pass{&summarize.Pass{Invoker: d.Invoker, Always: true}}
	return p
}

// CondenseTranscript is the document's condense_transcript, to the letter but
// for D2: clear stale results, cut where the plan says (with force: before the
// last user turn), digest the head, restore files under the count guard. It
// looks at no window. It returns msgs itself if there is nothing to fold, or
// if one digest in the place of the head would not make it shorter.
//
// The document's transcripts have no system messages: here they, and pinned
// messages, go into the digest with the rest of the head. [WindowBudget] keeps
// them. A nil message is left out.
func CondenseTranscript(ctx context.Context, msgs []message.Message, p budget.Policy, force bool, invoker summarize.ModelInvoker) []message.Message {
	if whole := message.Present(msgs); len(whole) < len(msgs) {
		msgs = whole
	}
	cleared, _ := microcompact.ClearStaleToolResults(msgs, microcompact.DefaultKeepRecent)
	cut := budget.PlanSlice(cleared, p).Cut
	if force {
		cut = forcedCut(cleared)
	}
	if cut < 2 { // one digest for one message is no shorter
		return msgs
	}
	digest := summarize.Summarize(ctx, cleared[:cut], summarize.Options{Invoker: invoker})
	o := rehydrate.Defaults()
	o.PathKeys = nil
	o.MaxFiles = min(o.MaxFiles, cut-2)
	restored := rehydrate.RecentReads(msgs[:cut], cleared[cut:], o)
	return slices.Concat([]message.Message{digest.Message}, restored, cleared[cut:])
}

// forcedCut returns the start of the last user turn, moved back before a group
// that it would part.
func forcedCut(msgs []message.Message) int {
	cut, _ := budget.LastUserTurnStart(msgs)
	for from, to := range message.Pair(msgs).Groups() {
		if from < cut && cut < to {
			return from
		}
	}
	return cut
}
