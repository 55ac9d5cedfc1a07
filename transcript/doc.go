// Package transcript keeps a session's history and what a model is shown of
// it apart: a [Log] of messages that only grows, [Edit]s recorded on it, and
// the [View] that [Fold] makes of both.
//
//	log (only grows)     0  1     2   3  4  5       6   7  8  9
//	                     u  a(1)  r1  a  u  a(2,3)  r2  r3 a  u
//	edits (recorded)     ├ [0,4) → digest, restored file ┤   [6,7) → "[cleared]"
//	view (computed)      D  F  u  a(2,3)  r2~  r3  a  u
//
// A pass looks at a view and proposes edits; it makes them with [View.Replace]
// and never touches a message. A log commits them, all or none, and refuses
// what its rules forbid. Since the messages stay, reverting, rewinding, dry
// runs and audits are nothing but other folds.
//
// A [Rule] is something a commit may not break: the structural rules keep
// calls with their results, atomic content as it is, pinned messages in
// place, and messages from being empty. A log may arrive damaged: a rule
// judges what an edit adds, not what was wrong before, and [View.Repair]
// mends.
//
// Log is safe for concurrent use, all else is immutable.
package transcript
