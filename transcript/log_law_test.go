package transcript_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/internal/checks"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// state is everything a refused call must leave alone.
type state struct {
	msgs    []message.Message
	view    *transcript.View
	commits []transcript.Commit
}

func stateOf(l *transcript.Log) state { return state{l.Messages(), l.View(), l.Commits()} }

func requireUnchanged(t require.TestingT, before state, l *transcript.Log) {
	require.True(t, slices.Equal(before.msgs, l.Messages()))
	require.Same(t, before.view, l.View())
	require.Len(t, l.Commits(), len(before.commits))
	condensertest.CheckLog(t.(condensertest.TB), l)
}

// draw draws a commit on v that is likely, but not certain, to be accepted:
// ranges between cuts, with content that keeps what must stay.
func draw(src condensertest.Source, v *transcript.View) transcript.Commit {
	var c transcript.Commit
	cuts := v.Cuts()
	from := 0
	for range 1 + src(3) {
		if from >= v.Len() {
			break
		}
		i := from + src(v.Len()-from)
		j := i + 1 + src(v.Len()-i)
		if src(6) > 0 {
			i, j = cuts.Floor(i), cuts.Ceil(j)
		}
		if i < from {
			break
		}
		with := content(src, v.Messages()[i:j])
		if src(4) > 0 {
			with = keepers(v, i, j, with)
		}
		c.Edits = append(c.Edits, v.Changes("test", transcript.Change{I: i, J: j, With: with, Why: "drawn"})...)
		from = j
	}
	return c
}

// keepers puts what must stay of items [i, j) into with, by whole groups.
func keepers(v *transcript.View, i, j int, with []message.Message) []message.Message {
	log := v.Original(0, v.LogLen())
	running, pending := message.Pair(log).Pending()
	var kept []message.Message
	items := v.Messages()[i:j]
	for from, to := range message.Pair(items).Groups() {
		group := items[from:to]
		if slices.ContainsFunc(group, func(m message.Message) bool {
			return m.Head().Pinned || m.Head().Atomic || pending && m == log[running]
		}) {
			kept = append(kept, group...)
		}
	}
	return append(slices.DeleteFunc(slices.Clone(with), func(m message.Message) bool { return slices.Contains(items, m) }), kept...)
}

// history drives a log through appends, commits, rewinds and reverts, and
// checks each step.
type history struct {
	t        *rapid.T
	src      condensertest.Source
	log      *transcript.Log
	accepted int
	refused  int
	chain    int // longest chain of commits in force
	rewinds  int
	several  bool // an edit with several messages was accepted
}

func newHistory(t *rapid.T) *history {
	h := &history{t: t, src: source(t), log: transcript.NewLog()}
	require.NoError(t, h.log.Append(condensertest.Generator{}.Transcript(h.src)...))
	return h
}

func (h *history) run() {
	for range h.src(9) {
		switch h.src(8) {
		case 0, 1:
			require.NoError(h.t, h.log.Append(condensertest.Generator{Steps: 4}.Transcript(h.src)...))
		case 6:
			h.rewind()
		case 7:
			h.revert()
		default:
			h.commit()
		}
	}
	condensertest.CheckLog(h.t, h.log)
}

func (h *history) commit() {
	before := stateOf(h.log)
	c := draw(h.src, before.view)
	err := h.log.Commit(c)
	if err != nil {
		h.refused++
		requireUnchanged(h.t, before, h.log)
		return
	}
	h.accepted++
	h.chain = max(h.chain, len(h.log.Commits()))
	for _, e := range c.Edits {
		h.several = h.several || len(e.With) > 1
	}
	requireNoWorse(h.t, before.view, h.log.View())
	want, err := before.view.With(c.Edits...)
	require.NoError(h.t, err)
	require.True(h.t, slices.Equal(want.Messages(), h.log.View().Messages()))
}

func (h *history) rewind() {
	before := stateOf(h.log)
	n := h.src(len(before.msgs) + 1)
	if err := h.log.Rewind(n); err != nil {
		requireUnchanged(h.t, before, h.log)
		return
	}
	h.rewinds++
	// The view is the shorter log with the edits that fit, which is the fold of all.
	want, err := transcript.Fold(before.msgs[:n], before.view.Edits()...)
	require.NoError(h.t, err)
	require.True(h.t, slices.Equal(want.Messages(), h.log.View().Messages()))
	for _, c := range h.log.Commits() {
		for _, e := range c.Edits {
			require.LessOrEqual(h.t, max(e.To, e.Needs), n)
		}
	}
}

func (h *history) revert() {
	before := stateOf(h.log)
	if len(before.commits) == 0 {
		return
	}
	id := before.commits[h.src(len(before.commits))].ID
	if err := h.log.Revert(id); err != nil {
		requireUnchanged(h.t, before, h.log)
		return
	}
	var rest []transcript.Edit
	for _, c := range before.commits {
		if c.ID != id {
			rest = append(rest, c.Edits...)
		}
	}
	want, err := transcript.Fold(before.msgs, rest...)
	require.NoError(h.t, err)
	require.True(h.t, slices.Equal(want.Messages(), h.log.View().Messages()))
}

// requireNoWorse is Sound, judged by a reading of the rules that shares no
// code with them: see naive.
func requireNoWorse(t *rapid.T, before, after *transcript.View) {
	bare, err := transcript.Fold(before.Original(0, before.LogLen()))
	require.NoError(t, err)
	was, raw := naive(before), naive(bare)
	for what := range naive(after) {
		require.True(t, was[what] || raw[what], "%s is new in %s", what, condensertest.Show(after.Messages()))
	}
	for i := range before.Len() {
		it := before.At(i)
		h := it.Msg.Head()
		there := slices.Contains(after.Messages(), it.Msg)
		if h.Pinned {
			require.True(t, there, "a pinned message is gone")
		}
		if (h.Atomic || message.Signed(it.Msg)) && !there {
			for _, m := range after.Messages() {
				if m.Kind() != it.Msg.Kind() || m.Head().Origin == "" {
					continue
				}
				require.False(t, h.Atomic && m.Head().Atomic && m.Head().ID == h.ID, "an atomic message was changed")
			}
		}
	}
}

// naive names what is wrong with a view in the most obvious way: walk
// backwards from each result to its call, quadratic and without state.
func naive(v *transcript.View) map[string]bool {
	wrong := map[string]bool{}
	msgs := v.Messages()
	log := v.Original(0, v.LogLen())
	answered := map[[2]int]bool{}
	mark := func(m message.Message) string {
		if p := slices.Index(log, m); p >= 0 {
			return string(rune('A'+p%26)) + strings.Repeat("'", p/26)
		}
		return m.Head().ID + " of " + m.Head().Origin
	}
	for i, m := range msgs {
		r, ok := m.(*message.ToolResult)
		if !ok {
			continue
		}
		found := false
		for k := i - 1; k >= 0 && !found; k-- {
			for c, call := range message.Calls(msgs[k]) {
				if call.ID == r.CallID && !answered[[2]int{k, c}] {
					answered[[2]int{k, c}] = true
					found = true
					break
				}
			}
		}
		if !found {
			wrong["orphan "+r.CallID+" at "+mark(m)] = true
		}
	}
	last := -1
	for i, m := range log {
		if m.Kind() == message.KindAssistant {
			last = i
		}
	}
	for i, m := range msgs {
		for c, call := range message.Calls(m) {
			if !answered[[2]int{i, c}] && !(last >= 0 && m == log[last]) {
				wrong["unanswered "+call.ID+" at "+mark(m)] = true
			}
		}
		if message.IsEmpty(m) {
			wrong["empty "+mark(m)] = true
		}
	}
	return wrong
}

// Sound, Revert, Rewind, Round trip and Original over chains of commits; and
// the generator makes every shape often enough for that to mean something.
func TestHistories(t *testing.T) {
	runs, huge := 0, 0
	seen := map[condensertest.Shape]int{}
	var accepted, refused, rewinds, chains, several, damaged int
	every := max(1, checks.Number()/10)
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		if runs%every == 0 && huge < 10 {
			require.NoError(t, h.log.Append(condensertest.Generator{Steps: 2, Huge: 1}.Transcript(h.src)...))
			require.NoError(t, h.log.Append(message.NewUser(strings.Repeat("10 bytes..", 1<<20))))
			huge++
		}
		start := condensertest.Shapes(h.log.Messages())
		unchanged := condensertest.Guard(t, h.log.Messages())
		h.run()
		unchanged()
		runs++
		for _, s := range start {
			seen[s]++
			if s == "orphaned result" || s == "second result" || s == "unanswered call" {
				damaged++
			}
		}
		accepted, refused, rewinds = accepted+h.accepted, refused+h.refused, rewinds+h.rewinds
		if h.chain > 1 {
			chains++
		}
		if h.several {
			several++
		}
	})
	t.Logf("%d histories, %d commits accepted, %d refused, %d rewinds, %d with chains, %d with edits of several messages, %d messages of 10 MB",
		runs, accepted, refused, rewinds, chains, several, huge)
	require.Equal(t, 10, huge)
	for _, s := range condensertest.AllShapes() {
		require.GreaterOrEqual(t, seen[s]*100, runs, "shape %q is in %d of %d transcripts", s, seen[s], runs)
	}
	for what, n := range map[string]int{"accepted": accepted, "refused": refused, "rewinds": rewinds, "chains": chains, "several": several, "damaged": damaged} {
		require.GreaterOrEqual(t, n*100, runs, "%s: %d in %d histories", what, n, runs)
	}
}

// Revert, all of it: with every commit taken back the view is the original pointers.
func TestRevertAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		for range 1 + h.src(6) {
			h.commit()
			require.NoError(t, h.log.Append(message.NewUser("next")))
		}
		for len(h.log.Commits()) > 0 {
			commits := h.log.Commits()
			before := len(commits)
			for k := before - 1; k >= 0; k-- { // the last one can always go, unless a late result needs it
				if h.log.Revert(commits[k].ID) == nil {
					break
				}
			}
			require.Less(t, len(h.log.Commits()), before)
		}
		require.True(t, slices.Equal(h.log.Messages(), h.log.View().Messages()))
	})
}

// Merge: commit on a snapshot, append, merge is commit, then append; and what
// was appended meanwhile stands unchanged at the end.
func TestMerge(t *testing.T) {
	merged, tried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		msgs := condensertest.Generator{}.Transcript(src)
		late := condensertest.Generator{Steps: 3}.Transcript(src)
		one, two := transcript.NewLog(), transcript.NewLog()
		require.NoError(t, one.Append(msgs...))
		require.NoError(t, two.Append(msgs...))
		for range src(3) { // the log is not always bare
			c := draw(src, one.View())
			require.Equal(t, one.Commit(c) == nil, two.Commit(c) == nil)
		}
		snapshot := one.Snapshot()
		c := draw(src, snapshot.View())
		if snapshot.Commit(c) != nil {
			return
		}
		tried++
		require.NoError(t, two.Commit(c))
		require.NoError(t, one.Append(late...))
		require.NoError(t, two.Append(late...))
		before := stateOf(one)
		if err := one.Merge(snapshot); err != nil {
			// A late result may answer a call the commit hid.
			var refused *transcript.RuleError
			require.ErrorAs(t, err, &refused)
			requireUnchanged(t, before, one)
			return
		}
		merged++
		v := one.View()
		require.True(t, slices.Equal(two.View().Messages(), v.Messages()))
		require.True(t, slices.Equal(late, v.Messages()[v.Len()-len(late):]))
		require.ErrorIs(t, one.Merge(snapshot), transcript.ErrDuplicate)
		condensertest.CheckLog(t, one)
	})
	require.Greater(t, merged*10, tried*9, "%d of %d merges", merged, tried)
}

// A commit made on the log since the snapshot has won.
func TestMergeAfterCommit(t *testing.T) {
	conflicts := 0
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		l := transcript.NewLog()
		require.NoError(t, l.Append(condensertest.Generator{}.Transcript(src)...))
		snapshot := l.Snapshot()
		mine, theirs := draw(src, l.View()), draw(src, l.View())
		if l.Commit(mine) != nil || snapshot.Commit(theirs) != nil {
			return
		}
		before := stateOf(l)
		err := l.Merge(snapshot)
		if err == nil {
			requireNoWorse(t, before.view, l.View())
			for _, it := range items(before.view) { // what was won is hidden whole or stands whole
				if it.Edit < 0 {
					continue
				}
				e := before.view.Edits()[it.Edit]
				after := l.View().Edits()[slices.IndexFunc(l.View().Edits(), func(o transcript.Edit) bool { return o.From <= e.From && e.To <= o.To })]
				require.LessOrEqual(t, after.From, e.From)
			}
			return
		}
		var refused *transcript.RuleError
		require.True(t, errors.Is(err, transcript.ErrConflict) || errors.Is(err, transcript.ErrDuplicate) || errors.As(err, &refused), "%v", err)
		requireUnchanged(t, before, l)
		conflicts++
	})
	require.Positive(t, conflicts)
}

// The same calls in the same order give the same log, byte for byte.
func TestDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "seed")
		var stored [2]bytes.Buffer
		for k := range stored {
			src := condensertest.FromBytes(seed)
			l := transcript.NewLog()
			require.NoError(t, l.Append(condensertest.Generator{}.Transcript(src)...))
			_ = l.Commit(draw(src, l.View()))
			require.NoError(t, transcript.WriteLog(&stored[k], l))
		}
		require.Equal(t, stored[0].String(), stored[1].String())
	})
}
