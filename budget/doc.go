// Package budget measures how full a model's window is and where a transcript
// could be cut. It is arithmetic: no I/O, no clock, and nothing of edits.
//
// A [Counter] prices messages in tokens. The plain functions ([EstimateTokens],
// [Limit], [IsOver], [PlanSlice], …) are those of the window-budget document,
// to the number. Pipelines use a [Gauge]: an immutable reading of one list of
// messages against one [Basis], so that both sides of every comparison come
// from the same counter:
//
//	hard     window − reserve − overhead                 never passed when a request is sent
//	trigger  (window − reserve) × ratio − overhead       passed: condense
//	target   Target × hard, at most trigger              condense down to here
//
// A large overhead lowers the trigger to no less than half of hard, and the
// target stays a fifth below a trigger that an overhead has lowered.
//
// Overhead is what the request carries beside the transcript (system prompt,
// tool schemas, attachments) and comes with each call.
package budget
