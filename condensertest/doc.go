// Package condensertest helps to test what is built on this library: hosts,
// passes, rules and codecs.
//
//   - [Parse] and [Show] read and write transcripts in a short notation.
//   - [Check] and [CheckLog] hold a view or a log against all laws at once, and
//     [Guard] finds who changes a message.
//   - [Script] is a model that answers from a list: replies, errors, delays,
//     refusals, panics.
//   - [Generator] makes transcripts of every shape the library must survive,
//     for rapid, for go test -fuzz or for a loop.
//   - [TestPass], [TestRule] and [TestCodec] are conformance tests: call one
//     from a test of yours.
//
// It reports through [TB] and needs no test framework.
package condensertest
