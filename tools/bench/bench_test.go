package main

import (
	"strings"
	"testing"
)

func TestParseTakesMedians(t *testing.T) {
	got := parse(`goos: linux
BenchmarkGate/100k-messages-append-one-2 	 100	 300 ns/op	 0 B/op	 0 allocs/op
BenchmarkGate/100k-messages-append-one-2 	 100	 100 ns/op	 0 B/op	 0 allocs/op
BenchmarkGate/100k-messages-append-one-2 	 100	 200.5 ns/op	 8 B/op	 1 allocs/op
BenchmarkSum 	 100	 7 ns/op	 99 tokens
PASS
`)
	if len(got) != 2 || got[0] != (result{"Gate/100k-messages-append-one", 200.5, 8, 1}) || got[1].name != "Sum" {
		t.Fatalf("%+v", got)
	}
}

func TestReportFindsWhatWasMissed(t *testing.T) {
	all := map[string]bool{}
	var good []result
	for _, r := range ratios {
		for _, n := range []string{r.name, r.base} {
			if !all[n] {
				all[n] = true
				good = append(good, result{name: n, nanos: 1})
			}
		}
	}
	for i := range good { // as slow as the loosest ratio allows
		switch good[i].name {
		case "Gate/100k-messages-cold":
			good[i].nanos = 10
		case "Count/1MB-of-files-tiktoken-go":
			good[i].nanos = 12
		case "Log/10k-messages-commit":
			good[i].nanos = 100
		}
	}
	if missed := report(good); len(missed) > 0 {
		t.Fatal(missed)
	}
	bad := append([]result(nil), good...)
	for i := range bad {
		if bad[i].name == "Fold/10k-messages-500-edits" {
			bad[i].nanos = 1000
		}
		if bad[i].name == "Gate/100k-messages-append-one" {
			bad[i].allocs = 1
		}
	}
	missed := strings.Join(report(bad), "\n")
	if !strings.Contains(missed, "Fold/") || !strings.Contains(missed, "allocates 1 times") {
		t.Fatal(missed)
	}
	if missed := report(nil); len(missed) == 0 {
		t.Fatal("nothing was measured and nothing was missed")
	}
}
