// Package rehydrate puts back what a digest cannot carry: the files that were
// read last before the cut, as they were read.
//
// [Reads] is the pass; [RecentReads] the plain function of the window-budget
// document. Nothing is read from disk: a file comes back as its tool result
// showed it.
package rehydrate
