// Command record makes the recorded sessions of testdata/sessions.
//
//	cd tools && go run ./record -out ../testdata/sessions [-only NAME] [-rev REV]
//
// A session is a script: what the user and the agent say, and which tools the
// agent calls, stand in Go source (session_*.go). What the tools answer does
// not: every call is carried out while the session is recorded, in a scratch
// directory, and what it really printed goes into the transcript.
//
// A call fails if and only if its script says so (see [call.fails]), and prints
// at least what its script relies on (see [call.prints]); otherwise nothing is
// written. So the words of the agent fit what it was shown.
//
// Recording needs go, git and a POSIX shell with the usual utilities, and no
// network. Commands run with a clean environment; the paths of the machine are
// replaced in what they print (see [scrubber]). Times and ids are made up and
// the same every time; what commands print of their own (durations, benchmark
// results, goroutine numbers) stays as it was.
package main
