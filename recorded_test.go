package condenser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/summarize"
)

const recordedDir = "../shared/transcripts/neutral"

// recorded returns the recorded sessions one by one, and joined so that at
// least 20 histories exceed every window.
func recorded(t testing.TB, windows []int) [][]message.Message {
	files, _ := filepath.Glob(recordedDir + "/*.jsonl")
	if len(files) == 0 {
		t.Skipf("%s is not here: nothing was tried on recorded sessions", recordedDir)
	}
	var singles [][]message.Message
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		msgs, err := message.Decode(f)
		require.NoError(t, err, name)
		require.NoError(t, f.Close())
		singles = append(singles, msgs)
	}
	all := singles
	for _, window := range windows {
		var joined []message.Message
		n := 0
		for _, s := range singles {
			if joined = append(joined[:len(joined):len(joined)], s...); budget.EstimateTokens(joined) > window {
				all = append(all, joined)
				joined = nil
				if n++; n == 20 && window < windows[len(windows)-1] {
					break
				}
			}
		}
	}
	for _, window := range windows {
		over := 0
		for _, h := range all {
			if budget.EstimateTokens(h) > window {
				over++
			}
		}
		require.GreaterOrEqual(t, over, 20, "histories beyond %d tokens", window)
	}
	return all
}

// tally counts what came of one window, cause and model.
type tally struct {
	runs, unchanged, condensed, unreachable, failed, cancelled int
	before, after                                              int // tokens, of those condensed
	short                                                      int // runs in which requests could only be kept by fewer than 60 characters
}

// The same, on the sessions of this repository, which are always there.
func TestSessions(t *testing.T) {
	var histories [][]message.Message
	for _, name := range slices.Sorted(maps.Keys(sessions(t))) {
		histories = append(histories, sessions(t)[name])
	}
	tryHistories(t, []int{4096, 8192, 32768, 131072}, histories)
}

func TestRecordedSessions(t *testing.T) {
	windows := []int{4096, 8192, 32768, 131072}
	histories := recorded(t, windows)
	if testing.Short() {
		for k := range histories[:len(histories)/24] {
			histories[k] = histories[k*24]
		}
		histories = histories[:len(histories)/24]
	}
	tryHistories(t, windows, histories)
}

// tryHistories runs the default ladder over the histories: every window, cause
// and model. It checks every run and prints what came of all.
func tryHistories(t *testing.T, windows []int, histories [][]message.Message) {
	models := []struct {
		name string
		step condensertest.Step
	}{
		{"none", nil},
		{"good", condensertest.Reply("# Objective\nGo on with the work.\n\n# Carryover\nnone")},
		{"failing", condensertest.Fail(errors.New("503 overloaded"))},
		{"blank", condensertest.Blank()},
		{"giant", condensertest.Giant(50_000)},
		{"cancelled", nil},
	}
	var mu sync.Mutex
	table := map[string]*tally{}
	t.Run("all", func(t *testing.T) {
		for k, history := range histories {
			t.Run(fmt.Sprint(k), func(t *testing.T) {
				t.Parallel()
				before := message.Validate(history, message.Portable)
				unchanged := condensertest.Guard(t, history)
				for _, window := range windows {
					for _, cause := range []condenser.Cause{condenser.Threshold, condenser.Manual} {
						for _, m := range models {
							ctx, cancel := context.WithCancel(context.Background())
							d := condenser.Deps{Card: budget.ModelCard{ContextWindow: window}, Observe: func(context.Context, condenser.Report) {}}
							if m.step != nil {
								d.Invoker = &condensertest.Script{Window: window, Steps: []condensertest.Step{m.step}}
							}
							if m.name == "cancelled" {
								d.Invoker = summarize.InvokerFunc(func(ctx context.Context, r summarize.Request) (summarize.Response, error) {
									cancel()
									<-ctx.Done()
									return summarize.Response{}, ctx.Err()
								})
							}
							r := recordedRun{t: t, history: history, violations: before, call: condenser.Call{Cause: cause}}
							r.out, r.report, r.err = condenser.Default(d).Fit(ctx, history, r.call)
							cancel()
							r.check(m.name)
							if m.name != "cancelled" {
								again, _, _ := condenser.Default(d).Fit(context.Background(), history, r.call)
								require.Equal(t, stored(t, r.out), stored(t, again), "the same input twice")
							}
							mu.Lock()
							key := fmt.Sprintf("%d\t%s\t%s", window, cause, m.name)
							if table[key] == nil {
								table[key] = &tally{}
							}
							table[key].add(r)
							mu.Unlock()
						}
					}
				}
				unchanged()
			})
		}
	})
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "window\tcause\tmodel\thistories\tunchanged\tcondensed\tunreachable\tfailed\tcancelled\ttokens before\tafter\tshort requests\tunreachable\t")
	for _, window := range windows {
		for _, cause := range []condenser.Cause{condenser.Threshold, condenser.Manual} {
			for _, m := range models {
				key := fmt.Sprintf("%d\t%s\t%s", window, cause, m.name)
				x := table[key]
				fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t\n", key, x.runs, x.unchanged, x.condensed, x.unreachable, x.failed, x.cancelled, x.before, x.after, x.short, 100*float64(x.unreachable)/float64(max(1, x.runs)))
			}
		}
	}
	require.NoError(t, w.Flush())
	t.Logf("%d histories\n%s", len(histories), out.String())
}

func (x *tally) add(r recordedRun) {
	x.runs++
	switch r.report.Outcome {
	case condenser.Unchanged:
		x.unchanged++
	case condenser.Condensed:
		x.condensed++
		x.before += r.report.Before.Tokens
		x.after += r.report.After.Tokens
	case condenser.Unreachable:
		x.unreachable++
	case condenser.Failed:
		x.failed++
	case condenser.Cancelled:
		x.cancelled++
	}
	if r.short {
		x.short++
	}
}

// recordedRun is one run and all that must hold of it.
type recordedRun struct {
	t          *testing.T
	history    []message.Message
	violations []message.Violation
	call       condenser.Call
	out        []message.Message
	report     condenser.Report
	err        error
	short      bool
}

func (r *recordedRun) check(model string) {
	t, what := r.t, fmt.Sprintf("model %s: %s", model, r.report)
	hard := r.report.Hard
	if r.report.Outcome == condenser.Cancelled || r.report.Outcome == condenser.Unchanged || r.report.Outcome == condenser.Failed {
		require.True(t, sameSlice(r.history, r.out), what)
	}
	if model == "cancelled" {
		require.Contains(t, []condenser.Outcome{condenser.Cancelled, condenser.Unchanged, condenser.Condensed, condenser.Unreachable}, r.report.Outcome, what)
		if r.report.Outcome == condenser.Cancelled {
			require.ErrorIs(t, r.err, context.Canceled)
			return
		}
	}
	require.Equal(t, budget.EstimateTokens(r.out), r.report.After.Tokens, what)
	r.noNewViolation(what)
	if r.report.After.Tokens > hard {
		require.Equal(t, condenser.Unreachable, r.report.Outcome, what)
		require.NotEmpty(t, r.report.Blockers)
		require.Greater(t, floorOf(r.history), hard, "within reach, but %s", what)
	} else {
		require.NotEqual(t, condenser.Unreachable, r.report.Outcome, what)
	}
	in := 0 // untouched messages are the same pointers, in their order
	for _, m := range r.out {
		if m.Head().Origin != "" {
			continue
		}
		for in < len(r.history) && r.history[in] != m {
			in++
		}
		require.Less(t, in, len(r.history), "a message without Origin is none of the input's: %s", what)
	}
	r.everyAsk(what)
}

// noNewViolation: by rule, none is broken more often than before. A valid
// history so stays valid.
func (r *recordedRun) noNewViolation(what string) {
	count := map[string]int{}
	for _, v := range r.violations {
		count[v.Rule]++
	}
	for _, v := range message.Validate(r.out, message.Portable) {
		count[v.Rule]--
		require.GreaterOrEqual(r.t, count[v.Rule], 0, "%s in %s", v, what)
	}
}

// floorOf is the bound of the library's promise, computed here by itself:
// system, pinned and atomic messages, and the newest message cut down to a
// notice. A result does not stand without its call, and what is left out not
// without a marker.
func floorOf(history []message.Message) int {
	total := 30 // the marker
	newest := len(history) - 1
	for i := newest; i >= 0; i-- {
		m := history[i]
		h := m.Head()
		switch {
		case m.Kind() == message.KindSystem || h.Pinned || h.Atomic || message.Signed(m):
			total += budget.EstimateMessageTokens(m)
		case i == newest:
			total += smallest(m)
		}
	}
	if r, ok := history[newest].(*message.ToolResult); ok {
		for i := newest - 1; i >= 0; i-- {
			for _, c := range message.Calls(history[i]) {
				if c.ID == r.CallID {
					group := 0 // its call, and the results beside it
					for _, m := range history[i:newest] {
						group += smallest(m)
					}
					return total + group
				}
			}
		}
	}
	return total
}

// smallest is what a message costs with every text and argument cut to a notice.
func smallest(m message.Message) int {
	const notice = 14
	n := budget.MessageFramingTokens + budget.ToolCallEnvelopeTokens
	if len(message.Content(m)) == 0 {
		return n + 2*notice
	}
	for range message.Content(m) {
		n += notice + budget.BlockFramingTokens + budget.ToolCallEnvelopeTokens
	}
	return n
}

// everyAsk: every request of the user is in the view, or what the view says in
// its place holds the first 60 characters of it. Where all the requests' first
// 60 characters together are too much for the window, fewer will do: 24, or the
// first and the newest request and a count of the others.
func (r *recordedRun) everyAsk(what string) {
	there := map[message.Message]bool{}
	var text strings.Builder
	for _, m := range r.out {
		there[m] = true
		if m.Head().Origin != "" {
			text.WriteString(plain(message.PlainText(m), math.MaxInt) + "\n")
		}
	}
	said := text.String()
	missing := func(runes int) (head string, cost int, asks []string) {
		cost = floorOf(r.history) + 150
		for _, m := range r.history {
			ask, ok := message.Ask(m)
			if !ok {
				continue
			}
			start := plain(ask, runes)
			asks = append(asks, start)
			cost += budget.WindowBudget{}.TextTokens("- " + start + "…\n")
			if !there[m] && !strings.Contains(said, start) {
				head = start
			}
		}
		return head, cost, asks
	}
	head, cost, _ := missing(60)
	if head == "" {
		return
	}
	r.short = true
	require.Greater(r.t, cost, r.report.Hard, "%q is neither in the view nor in the digest: %s", head, what)
	if r.report.Outcome == condenser.Unreachable { // everything was cut to notices
		return
	}
	if head, _, asks := missing(24); head != "" {
		require.Contains(r.t, said, "left out", "%q is not counted: %s", head, what)
		newest := asks[len(asks)-1]
		require.True(r.t, strings.Contains(said, newest) || slices.ContainsFunc(r.out, func(m message.Message) bool {
			ask, ok := message.Ask(m)
			return ok && plain(ask, 24) == newest
		}), "the newest request, %q: %s", newest, what)
	}
}

// plain is the first n runes of s, blanks folded.
func plain(s string, n int) string {
	runes := []rune(strings.ToValidUTF8(strings.TrimSpace(s), ""))
	return strings.Join(strings.Fields(string(runes[:min(n, len(runes))])), " ")
}

func sameSlice(a, b []message.Message) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func stored(t testing.TB, msgs []message.Message) string {
	var b bytes.Buffer
	require.NoError(t, message.Encode(&b, msgs))
	return b.String()
}
