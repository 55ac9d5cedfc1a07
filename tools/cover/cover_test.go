package main

import "testing"

func TestJudge(t *testing.T) {
	total, problems := judge(`github.com/x/transcript/fold.go:29:	Fold		100.0%
github.com/x/transcript/log.go:120:	Commit		99.0%
github.com/x/transcript/log.go:267:	rewind		50.0%
github.com/x/summarize/accept.go:9:	Accept		97.5%
total:					(statements)	98.7%
`)
	if total != 98.7 || len(problems) != 2 {
		t.Fatal(total, problems)
	}
}
