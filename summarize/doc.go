// Package summarize folds the older part of a transcript into one digest.
//
// A [ModelInvoker] writes it: [BuildPrompt] makes the request, [Accept] judges
// the reply before it counts, and a head beyond the model's window is digested
// in chunks, each on top of the digest of those before. Without a model, or
// where its reply does not count, [Local] makes the digest from what the
// messages hold: the user's requests, the files that calls changed, commands
// and their outcome, errors, open work.
//
// [Summarize] and [Branch] are the plain functions of the window-budget
// document and never fail. [Pass] is the pass of a pipeline: it rather keeps
// the messages than lose them to a local digest, unless the window leaves no
// choice.
//
// A digest is a *message.User whose text begins with [DigestHeader] or
// [BranchHeader]; it is known again by its Origin, never by its text. The
// user's requests are copied into every digest, by hand. What tools printed
// stands in it only as quoted lines: it never becomes a wish of the user, and
// text that imitates the fences or the marks of the prompt is escaped.
package summarize
