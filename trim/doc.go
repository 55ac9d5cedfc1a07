// Package trim frees window space without a model by leaving out whole turns,
// and is the floor of every ladder: what no other pass could make fit, it
// makes fit.
//
// [Oldest] leaves out the oldest groups behind a marker; [Floor] goes on until
// the hard limit is kept, cutting single messages in the middle if it has to.
// Neither touches system, pinned or atomic messages or calls that are still
// running, and both carry the first words of the user's requests they leave
// out in the marker.
package trim
