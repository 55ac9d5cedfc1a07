// Package condenser keeps an LLM agent's transcript inside its model's context
// window without losing the work.
//
// An agent runtime gives it a window and, if it likes, a model, and calls one
// function before each model call:
//
//	condense := condenser.NewCondenser(condenser.Deps{
//		Card:    budget.ModelCard{ContextWindow: 200_000},
//		Invoker: model, // nil: digests are made locally, without a network
//	})
//	history = condense(ctx, history) // keep what you get back, and append to it
//
// Below the trigger the very slice comes back. Above it, the ladder of
// [Default] runs, cheapest first, and stops when there is room: stale tool
// results are emptied, the older head is folded into one digest, the files
// read last are put back, and what is still too large is left out or cut in
// the middle. Calls stay with their results, system and pinned messages stay,
// signed content stays byte for byte, every request of the user is in the view
// or, at least by its first words, in the digest. The result is within the
// window, or the [Report] says [Unreachable] and names what blocks it.
//
// A [Pipeline] is the same with all its parts in the open. A [Pass] looks at a
// [transcript.View] and proposes edits; passes combine by [Seq], [OrElse],
// [When] and [AtLeast]. Hosts that keep a [transcript.Log] call
// [Pipeline.Condense]: the log keeps every message, so that a compaction can be
// taken back. Hosts with a message type of their own use [Wrap].
//
// Nothing here reads a clock, a disk or a network. The only goroutine that may
// outlive a call is one whose pass does not return after its context ended; it
// ends when the pass does.
package condenser
