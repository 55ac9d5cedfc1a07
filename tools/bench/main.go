// Command bench runs the benchmarks, prints a table of medians with ratios to
// the baselines measured in the same run, and fails if a ratio is missed.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// ratio bounds one benchmark by another of the same run.
type ratio struct {
	name, base string
	most       float64
	why        string
}

var ratios = []ratio{
	{"Gate/100k-messages-append-one", "Gate/100k-numbers-sum", 15, "a turn with nothing to do costs about what looking at each message costs"},
	{"Gate/100k-messages-append-one", "Gate/100k-messages-cold", 0.1, "and little of what counting costs"},
	{"Fold/10k-messages-500-edits", "Fold/10k-messages-copy", 12, "a fold is about a copy"},
	{"Fit/10k-messages", "Fit/10k-messages-count", 60, "the whole ladder, local digest included, against counting once"},
	{"Fit/20k-messages", "Fit/10k-messages", 2.5, "linear"},
	{"LocalDigest/20k-messages", "LocalDigest/10k-messages", 2.5, "linear"},
	{"Log/10k-messages-append-one", "Log/10k-messages-commit", 0.01, "the view is extended, not folded anew"},
	{"Count/1MB-of-files", "Count/1MB-of-files-tiktoken-go", 1. / 12, "exact counts, against tiktoken-go"},
	{"Count/2MB-of-a", "Count/1MB-of-a", 2.5, "linear"},
	{"Count/2MB-of-spaces", "Count/1MB-of-spaces", 2.5, "linear"},
	{"Count/2MB-of-rules", "Count/1MB-of-rules", 2.5, "linear"},
	{"Count/2MB-of-blank-lines", "Count/1MB-of-blank-lines", 2.5, "linear"},
	{"Count/2MB-of-han", "Count/1MB-of-han", 2.5, "linear"},
}

// free are the benchmarks that must not allocate.
var free = []string{"Gate/100k-messages-append-one", "Gate/100k-messages-cold", "Count/1MB-of-files"}

const rounds = 5

func main() {
	root := ".."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", ".", "-benchmem", "-benchtime", "200ms", "-count", strconv.Itoa(rounds), "-p", "1", ".", "./budget/tiktoken")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n%s", err, out)
		os.Exit(1)
	}
	missed := report(parse(string(out)))
	for _, m := range missed {
		fmt.Fprintln(os.Stderr, "missed:", m)
	}
	if len(missed) > 0 {
		os.Exit(1)
	}
}

// result is the median of one benchmark.
type result struct {
	name          string
	nanos         float64
	bytes, allocs float64
}

var line = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op(.*)$`)

// parse reads what go test -bench prints and takes medians, in its order.
func parse(out string) []result {
	samples := map[string][]result{}
	var names []string
	for l := range strings.Lines(out) {
		m := line.FindStringSubmatch(strings.TrimSpace(l))
		if m == nil {
			continue
		}
		r := result{name: m[1], bytes: metric(m[3], "B/op"), allocs: metric(m[3], "allocs/op")}
		r.nanos, _ = strconv.ParseFloat(m[2], 64)
		if samples[r.name] == nil {
			names = append(names, r.name)
		}
		samples[r.name] = append(samples[r.name], r)
	}
	var medians []result
	for _, n := range names {
		s := samples[n]
		slices.SortFunc(s, func(a, b result) int { return int(a.nanos - b.nanos) })
		medians = append(medians, s[len(s)/2])
	}
	return medians
}

func metric(s, unit string) float64 {
	m := regexp.MustCompile(`([\d.]+) ` + regexp.QuoteMeta(unit)).FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	return n
}

// report prints the table and returns what was missed.
func report(results []result) (missed []string) {
	find := func(name string) (result, bool) {
		i := slices.IndexFunc(results, func(r result) bool { return r.name == name })
		if i < 0 {
			missed = append(missed, name+" was not measured")
			return result{}, false
		}
		return results[i], true
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "benchmark\tmedian µs\tkB/op\tallocs/op\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.0f\t\n", r.name, r.nanos/1000, r.bytes/1000, r.allocs)
	}
	w.Flush()
	fmt.Println()
	w = tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "ratio\tmeasured\tat most\twhy")
	for _, x := range ratios {
		a, ok := find(x.name)
		b, ok2 := find(x.base)
		if !ok || !ok2 {
			continue
		}
		got := a.nanos / b.nanos
		fmt.Fprintf(w, "%s / %s\t%.3g\t%.3g\t%s\n", x.name, x.base, got, x.most, x.why)
		if got > x.most {
			missed = append(missed, fmt.Sprintf("%s is %.3g of %s, at most %.3g", x.name, got, x.base, x.most))
		}
	}
	w.Flush()
	for _, name := range free {
		if r, ok := find(name); ok && r.allocs > 0 {
			missed = append(missed, fmt.Sprintf("%s allocates %.0f times", name, r.allocs))
		}
	}
	return missed
}
