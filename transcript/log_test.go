package transcript_test

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

func logOf(t *testing.T, notation string) *transcript.Log {
	l := transcript.NewLog()
	require.NoError(t, l.Append(condensertest.MustParse(notation)...))
	return l
}

// edit replaces the log's view items [i, j) by what the notation says; "@3"
// stands for the view's item 3.
func edit(l *transcript.Log, i, j int, notation string) transcript.Edit {
	v := l.View()
	var with []message.Message
	for _, item := range strings.Fields(notation) {
		if k, ok := strings.CutPrefix(item, "@"); ok {
			with = append(with, v.At(int(k[0]-'0')).Msg)
		} else {
			with = append(with, condensertest.MustParse(item)...)
		}
	}
	return v.Replace(i, j, with...)
}

func commit(t *testing.T, l *transcript.Log, id string, e ...transcript.Edit) {
	t.Helper()
	require.NoError(t, l.Commit(transcript.Commit{ID: id, Edits: e}))
	condensertest.CheckLog(t, l)
}

func shown(l *transcript.Log) string { return condensertest.Show(l.View().Messages()) }

// One case for each thing the rules refuse, and its neighbour that they allow.
func TestRules(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		i, j int
		with string
		rule string // "" if allowed
	}{
		"a result alone":                  {"u a(1) r1 u", 2, 3, "", "pairs"},
		"a call alone":                    {"u a(1) r1 u", 1, 2, "", "pairs"},
		"a group":                         {"u a(1) r1 u", 1, 3, "", ""},
		"one of two parallel results":     {"u a(1,2) r1 r2 u", 2, 3, "", "pairs"},
		"a cleared result":                {"u a(1,2) r1 r2 u", 2, 3, "r1~", ""},
		"a second answer":                 {"u a(1) r1 u", 2, 3, "@2 r1~", "pairs"},
		"a running call":                  {"u a(1)", 1, 2, "", "pairs"},
		"what stands behind one":          {"u a(1) u", 2, 3, "", ""},
		"half of a running group":         {"u a(1,2) r1", 2, 3, "", "pairs"},
		"a running call, kept":            {"u u a(1)", 0, 3, "D @2", ""},
		"an assistant behind one":         {"u a(1) u", 2, 3, "a~", ""},
		"an unanswered call, not running": {"u a(1) u a", 1, 2, "", ""},
		"pinned":                          {"u u* u", 1, 2, "D", "pinned"},
		"pinned, in the range":            {"u u* u a", 0, 3, "D", "pinned"},
		"pinned, kept":                    {"u u* u a", 0, 3, "D @1", ""},
		"atomic, changed":                 {"u a^ u", 1, 2, "a^~", "atomic"},
		"atomic, gone":                    {"u a^ u", 1, 2, "", ""},
		"atomic result, cleared":          {"u a(1) r1^ u", 2, 3, "r1~", "atomic"},
		"atomic group, gone":              {"u a(1) r1^ u", 0, 3, "D", ""},
		"signed, changed":                 {"u a(1)$ r1 u", 1, 2, "a(1)~", "atomic"},
		"signed, its result cleared":      {"u a(1)$ r1 u", 2, 3, "r1~", ""},
		"an empty message":                {"u a u", 1, 2, "a:0~", "not-empty"},
		"an empty message that was there": {"u a:0 u", 1, 2, "@1", ""},
		"an empty result":                 {"u a(1) r1 u", 2, 3, "r1:0~", "not-empty"},
	} {
		t.Run(name, func(t *testing.T) {
			l := logOf(t, c.log)
			before := l.View()
			err := l.Commit(transcript.Commit{ID: "x", Edits: []transcript.Edit{edit(l, c.i, c.j, c.with)}})
			condensertest.CheckLog(t, l)
			if c.rule == "" {
				require.NoError(t, err)
				return
			}
			var refused *transcript.RuleError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.rule, refused.Violations[0].Rule)
			assert.Same(t, before, l.View())
			assert.Empty(t, l.Commits())
		})
	}
}

// Signed thinking may go whole from what lies before the last user message.
func TestStrippedThinking(t *testing.T) {
	strip := func(l *transcript.Log, i int) transcript.Edit {
		m := l.View().At(i).Msg
		bare := message.Derive(m, func(m message.Message) {
			m.Head().Origin = "microcompact"
			a := m.(*message.Assistant)
			a.Content = a.Content[1:]
		})
		return l.View().Replace(i, i+1, bare)
	}
	l := logOf(t, "u a(1)$ r1 u a(2)$ r2")
	require.NoError(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{strip(l, 1)}}))
	var refused *transcript.RuleError
	require.ErrorAs(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{strip(l, 4)}}), &refused)
	l = logOf(t, "u a(1)$^ r1 u")
	require.ErrorAs(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{strip(l, 1)}}), &refused)
	l = logOf(t, "a(1)$ r1")
	require.ErrorAs(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{strip(l, 0)}}), &refused)
}

func TestDamagedLogsCanBeEdited(t *testing.T) {
	l := logOf(t, "r9 u a(1) u a(2) r2 r2 a:0 u")
	commit(t, l, "head", edit(l, 1, 4, "D"))
	assert.Equal(t, "r9 D a(2) r2 r2 a u", shown(l))
	require.NoError(t, l.Revert("head"))
	commit(t, l, "repair", l.View().Repair()...)
	assert.Equal(t, "u a(1) r1!~ u a(2) r2 u", shown(l))
	// Taking the repair back is allowed: what comes back was wrong in the bare log.
	require.NoError(t, l.Revert("repair"))
}

func TestRefusals(t *testing.T) {
	l := logOf(t, "u a u a u")
	commit(t, l, "one", edit(l, 1, 3, "D"))
	for name, c := range map[string]struct {
		edit transcript.Edit
		want error
	}{
		"backwards":       {transcript.Edit{From: 2, To: 2}, transcript.ErrRange},
		"before the log":  {transcript.Edit{From: -1, To: 2}, transcript.ErrRange},
		"behind the log":  {transcript.Edit{From: 4, To: 6}, transcript.ErrRange},
		"needs too much":  {transcript.Edit{From: 4, To: 5, Needs: 6}, transcript.ErrRange},
		"crosses another": {transcript.Edit{From: 0, To: 2}, transcript.ErrConflict},
		"inside another":  {transcript.Edit{From: 1, To: 2}, transcript.ErrConflict},
		"crosses behind":  {transcript.Edit{From: 2, To: 4}, transcript.ErrConflict},
	} {
		before := stateOf(l)
		err := l.Commit(transcript.Commit{ID: "two", Edits: []transcript.Edit{edit(l, 0, 1, "D"), c.edit}})
		assert.ErrorIs(t, err, c.want, name)
		requireUnchanged(t, before, l)
	}
	before := stateOf(l)
	assert.ErrorIs(t, l.Commit(transcript.Commit{ID: "one"}), transcript.ErrDuplicate)
	assert.ErrorIs(t, l.Commit(transcript.Commit{Seen: 9}), transcript.ErrRange)
	assert.ErrorContains(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{{From: 0, To: 1, With: []message.Message{nil}}}}), "is nil")
	assert.ErrorContains(t, l.Append(message.NewUser("x"), nil), "message 1 is nil")
	assert.ErrorIs(t, l.Revert("nobody"), transcript.ErrNoCommit)
	assert.ErrorIs(t, l.Rewind(6), transcript.ErrRange)
	assert.ErrorIs(t, l.Rewind(-1), transcript.ErrRange)
	assert.NoError(t, l.Rewind(5))
	requireUnchanged(t, before, l)
	_, err := transcript.Fold([]message.Message{nil})
	assert.ErrorContains(t, err, "message 0 is nil")
}

func TestContainingAndEqualSpans(t *testing.T) {
	l := logOf(t, "u a u a u a")
	commit(t, l, "inner", edit(l, 1, 2, "M"))
	commit(t, l, "outer", edit(l, 0, 4, "D F"))
	assert.Equal(t, "D F u a", shown(l))
	commit(t, l, "equal", edit(l, 0, 1, "C")) // D alone: its sibling F is carried along
	assert.Equal(t, "C F u a", shown(l))
	require.NoError(t, l.Revert("outer"))
	assert.Equal(t, "C F u a", shown(l), "the later one still stands")
	require.NoError(t, l.Revert("equal"))
	assert.Equal(t, "u M u a u a", shown(l))
}

// An edit that needs a later message is void when that is rewound.
func TestNeeds(t *testing.T) {
	l := logOf(t, "u a(1) r1 u a(2) r2 u")
	e := edit(l, 2, 3, "r1~")
	e.Needs = 6 // the read at 5 supersedes it
	commit(t, l, "superseded", e, edit(l, 0, 1, "D"))
	assert.Equal(t, "D a(1) r1~ u a(2) r2 u", shown(l))
	require.NoError(t, l.Rewind(6))
	assert.Equal(t, "D a(1) r1~ u a(2) r2", shown(l))
	require.NoError(t, l.Rewind(5))
	assert.Equal(t, "D a(1) r1 u a(2)", shown(l))
	assert.Len(t, l.Commits()[0].Edits, 1)
	require.NoError(t, l.Rewind(0))
	assert.Empty(t, l.Commits())
	condensertest.CheckLog(t, l)
}

// A fold of a shorter log passes over the edits that need more of it.
func TestFoldOfAShorterLog(t *testing.T) {
	msgs := condensertest.MustParse("u a(1) r1 u a(2) r2")
	e := transcript.Edit{From: 2, To: 3, With: condensertest.MustParse("a(1) r1~")[1:], Needs: 6}
	v, err := transcript.Fold(msgs, e)
	require.NoError(t, err)
	assert.Equal(t, "u a(1) r1~ u a(2) r2", condensertest.Show(v.Messages()))
	v, err = transcript.Fold(msgs[:5], e)
	require.NoError(t, err)
	assert.Equal(t, "u a(1) r1 u a(2)", condensertest.Show(v.Messages()))
}

// A snapshot and its log grow apart without touching each other.
func TestSnapshotsGrowApart(t *testing.T) {
	for _, log := range []string{"u a u", "u a u a u a u"} { // with and without spare capacity
		l := logOf(t, log)
		require.NoError(t, l.Append(condensertest.MustParse("a")...))
		s := l.Snapshot()
		before := l.View()
		require.NoError(t, l.Append(condensertest.MustParse("u a(1) r1")...))
		require.NoError(t, s.Append(condensertest.MustParse("b c C")...))
		assert.Equal(t, log+" a u a(1) r1", shown(l))
		assert.Equal(t, log+" a b c C", shown(s))
		assert.Equal(t, log+" a", condensertest.Show(before.Messages()))
		require.NoError(t, s.Commit(transcript.Commit{Edits: []transcript.Edit{edit(s, 0, 2, "D")}}))
		require.NoError(t, s.Append(condensertest.MustParse("u")...))
		condensertest.CheckLog(t, l)
		condensertest.CheckLog(t, s)
	}
}

func TestMergeRefusals(t *testing.T) {
	assert.ErrorIs(t, transcript.NewLog().Merge(nil), transcript.ErrStale)
	l := logOf(t, "u a u a")
	snapshot := l.Snapshot()
	require.NoError(t, snapshot.Append(condensertest.MustParse("u a")...))
	commit(t, snapshot, "on its own", edit(snapshot, 4, 5, "D"))
	assert.ErrorIs(t, l.Merge(snapshot), transcript.ErrStale, "messages only the snapshot has")

	stale := l.Snapshot()
	commit(t, stale, "old", edit(stale, 0, 1, "D"))
	require.NoError(t, l.Rewind(3))
	require.NoError(t, l.Append(condensertest.MustParse("a")...))
	before := stateOf(l)
	assert.ErrorIs(t, l.Merge(stale), transcript.ErrStale, "the log was rewound")
	assert.ErrorIs(t, logOf(t, "u a u a").Merge(stale), transcript.ErrStale, "another log")
	assert.ErrorIs(t, l.Merge(l.Snapshot().Snapshot()), transcript.ErrStale, "a snapshot's snapshot")
	assert.NoError(t, l.Merge(l.Snapshot()), "nothing gained")
	requireUnchanged(t, before, l)

	// Two commits of which the second conflicts: none is taken.
	two := l.Snapshot()
	commit(t, two, "a", edit(two, 0, 1, "D"))
	commit(t, two, "b", edit(two, 2, 3, "D"))
	commit(t, l, "mine", edit(l, 1, 3, "M"))
	before = stateOf(l)
	assert.ErrorIs(t, l.Merge(two), transcript.ErrConflict)
	requireUnchanged(t, before, l)
}

// A late result makes a merge that hides its call an orphan's maker: refused.
func TestMergeUnderALateResult(t *testing.T) {
	l := logOf(t, "u a(1) u a u")
	snapshot := l.Snapshot()
	commit(t, snapshot, "fold", edit(snapshot, 0, 4, "D"))
	require.NoError(t, l.Append(condensertest.MustParse("r1")...))
	before := stateOf(l)
	var refused *transcript.RuleError
	require.ErrorAs(t, l.Merge(snapshot), &refused)
	assert.ErrorContains(t, refused, "pairs")
	requireUnchanged(t, before, l)
}

func TestRewindRefused(t *testing.T) {
	l := logOf(t, "u a(1) r1 u a")
	// An edit that is fine only while another one stands.
	hide, answer := edit(l, 2, 3, ""), edit(l, 3, 4, "r1~ @3")
	answer.Needs = 5
	require.NoError(t, l.Commit(transcript.Commit{ID: "moved", Edits: []transcript.Edit{hide, answer}}))
	assert.Equal(t, "u a(1) r1~ u a", shown(l))
	before := stateOf(l)
	var refused *transcript.RuleError
	require.ErrorAs(t, l.Rewind(4), &refused)
	requireUnchanged(t, before, l)
}

func TestRevertRefused(t *testing.T) {
	l := logOf(t, "u a(1) r1 u a")
	commit(t, l, "answer", edit(l, 3, 4, "@3 D"))
	require.NoError(t, l.Commit(transcript.Commit{ID: "moved", Edits: []transcript.Edit{edit(l, 2, 3, ""), {From: 1, To: 2, With: []message.Message{l.Messages()[1], condensertest.MustParse("r1~")[0]}}}}))
	require.NoError(t, l.Revert("answer"))
	commit(t, l, "hide", edit(l, 1, 3, ""))
	before := stateOf(l)
	var refused *transcript.RuleError
	require.ErrorAs(t, l.Revert("moved"), &refused, "the result would come back without its call")
	requireUnchanged(t, before, l)

	l = logOf(t, "u a(1) u a(2) r2 u")
	commit(t, l, "call", edit(l, 1, 2, ""))
	require.NoError(t, l.Append(condensertest.MustParse("a")...))
	require.NoError(t, l.Revert("call"), "it was unanswered in the bare log")
}

func TestSync(t *testing.T) {
	all := condensertest.MustParse("u a(1) r1 a u a u a")
	l := transcript.NewLog()
	s, err := l.Sync(all[:4])
	require.NoError(t, err)
	assert.Equal(t, transcript.Synced{Appended: 4}, s)

	// The host keeps the full history.
	s, err = l.Sync(all[:6])
	require.NoError(t, err)
	assert.Equal(t, transcript.Synced{Matched: 4, Appended: 2}, s)

	// It decoded everything anew.
	var stored bytes.Buffer
	require.NoError(t, message.Encode(&stored, all))
	again, err := message.Decode(&stored)
	require.NoError(t, err)
	s, err = l.Sync(again)
	require.NoError(t, err)
	assert.Equal(t, transcript.Synced{Matched: 6, Appended: 2}, s)

	// It keeps what it was given back.
	commit(t, l, "fold", edit(l, 0, 4, "D F"))
	given := append(l.View().Messages(), condensertest.MustParse("u a")...)
	s, err = l.Sync(given)
	require.NoError(t, err)
	assert.Equal(t, transcript.Synced{View: true, Matched: 6, Appended: 2}, s)
	assert.Equal(t, "D F u a u a u a", shown(l))

	// It went back within what it was given.
	s, err = l.Sync(append(given[:3:3], message.NewUser("another way")))
	require.NoError(t, err)
	assert.Equal(t, transcript.Synced{View: true, Matched: 3, Rewound: true, Appended: 1}, s)
	assert.Equal(t, "D F u u", shown(l))

	// It went back into the middle of an edit: that cannot stand by halves.
	s, err = l.Sync([]message.Message{given[0], message.NewUser("x")})
	assert.ErrorIs(t, err, transcript.ErrDiverged)
	assert.Zero(t, s)

	// It went back within the full history.
	s, err = l.Sync(all[:2])
	require.NoError(t, err)
	assert.Equal(t, transcript.Synced{Matched: 2, Rewound: true}, s)
	assert.Equal(t, "u a(1)", shown(l))

	before := stateOf(l)
	_, err = l.Sync(condensertest.MustParse("u:77"))
	assert.ErrorIs(t, err, transcript.ErrDiverged)
	_, err = l.Sync([]message.Message{nil})
	assert.ErrorContains(t, err, "is nil")
	requireUnchanged(t, before, l)
	_, err = l.Sync(all[:1])
	assert.NoError(t, err, "the log's own first request")
	require.NoError(t, l.Rewind(0))
	require.NoError(t, l.Append(condensertest.MustParse("s u:9 a:9 u")...))
	commit(t, l, "digest", edit(l, 1, 3, "D"))
	before = stateOf(l)
	for _, other := range [][]message.Message{l.Messages()[:1], append(l.Messages()[:1:1], message.NewUser("a new session")), l.View().Messages()[:1],
		append(append(l.Messages()[:1:1], message.NewUser("x")), l.View().Messages()[1])} {
		_, err = l.Sync(other)
		assert.ErrorIs(t, err, transcript.ErrDiverged, "every session begins with the system message")
	}
	_, err = l.Sync(nil)
	assert.ErrorIs(t, err, transcript.ErrDiverged, "an empty slice empties no log")
	requireUnchanged(t, before, l)
	s, err = transcript.NewLog().Sync(nil)
	require.NoError(t, err)
	assert.Zero(t, s)
}

func TestSyncRewindRefused(t *testing.T) {
	l := logOf(t, "u a(1) r1 u a")
	hide, answer := edit(l, 2, 3, ""), edit(l, 3, 4, "r1~ @3")
	answer.Needs = 5
	require.NoError(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{hide, answer}}))
	before := stateOf(l)
	var refused *transcript.RuleError
	_, err := l.Sync(append(l.Messages()[:4:4], message.NewUser("x")))
	require.ErrorAs(t, err, &refused)
	requireUnchanged(t, before, l)
}

func TestReadLogFaults(t *testing.T) {
	head := `{"condenser_log":1}` + "\n"
	user := `{"message":{"kind":"user","content":[]}}` + "\n"
	type fault struct {
		want string
		read int // messages before the fault
	}
	for stored, c := range map[string]fault{
		`{"condenser_log":2}`:  {"line 1: a log of version 2, and this reads versions 1 to 1", 0},
		`{"condenser_log":-1}`: {"line 1: a log of version -1", 0},
		user:                   {"line 1: no stored log", 0},
		head + `{`:             {"line 2: no record", 0},
		head + `{}`:            {"line 2: a record of no known kind", 0},
		head + `{"message":{"kind":"user","content":7}}`:                                                   {"line 2: user: field", 0},
		head + user + `{"commit":{"id":"a","seen":1,"edits":[{"from":0,"to":2,"with":[]}]}}`:               {"line 3: commit a: edit [0, 2)", 1},
		head + user + `{"commit":{"id":"a","seen":1,"edits":[{"from":0,"to":1,"with":[{"original":5}]}]}}`: {"original 5", 1},
		head + user + `{"commit":{"id":"a","seen":1,"edits":[{"from":0,"to":1,"with":[{"message":{}}]}]}}`: {"kind", 1},
		head + user + `{"commit":{"id":"a","seen":1,"edits":[{"from":1,"to":1,"with":[]}]}}`:               {"commit a", 1},
		head + user + `{"revert":"a"}`: {"no such commit", 1},
		head + user + `{"rewind":2}`:   {"line 3: transcript: rewind to 2 of 1", 1},
	} {
		l, err := transcript.ReadLog(strings.NewReader(stored))
		var line *message.LineError
		require.ErrorAs(t, err, &line, stored)
		assert.ErrorContains(t, err, c.want)
		assert.Equal(t, c.read, l.Len(), "what stands before the fault")
	}
	_, err := transcript.ReadLog(failing{})
	assert.ErrorContains(t, err, "disk gone")
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errors.New("disk gone") }
func (failing) Write([]byte) (int, error) { return 0, errors.New("disk gone") }

func TestReadLogReplaysRevertAndRewind(t *testing.T) {
	l := logOf(t, "u a u a u")
	commit(t, l, "one", edit(l, 0, 1, "D"))
	commit(t, l, "two", edit(l, 2, 3, "M"))
	var stored bytes.Buffer
	require.NoError(t, transcript.WriteLog(&stored, l))
	stored.WriteString(`{"revert":"one"}` + "\n\n" + `{"rewind":4}`)
	back, err := transcript.ReadLog(&stored)
	require.NoError(t, err)
	assert.Equal(t, "u a M a", shown(back))
}

func TestWriteLogFaults(t *testing.T) {
	l := logOf(t, "u a")
	assert.ErrorContains(t, transcript.WriteLog(failing{}, l), "disk gone")
	require.NoError(t, l.Append(&message.Unknown{Raw: []byte("{")}))
	assert.ErrorContains(t, transcript.WriteLog(&bytes.Buffer{}, l), "log position 2")
}

func TestHistory(t *testing.T) {
	l := logOf(t, "u a(1) r1 a u a")
	e := edit(l, 0, 4, "D @0")
	e.Pass, e.Why = "summarize", "a digest"
	commit(t, l, "one", e)
	e = edit(l, 2, 3, "")
	e.Pass = "trim"
	commit(t, l, "two", e)
	h := l.History()
	assert.Equal(t, transcript.Fate{Shown: true, From: 0, To: 2, Commit: "one", Pass: "summarize", Why: "a digest"}, h[0])
	assert.Equal(t, transcript.Fate{From: 0, To: 2, Commit: "one", Pass: "summarize", Why: "a digest"}, h[1])
	assert.Equal(t, transcript.Fate{From: 2, To: 2, Commit: "two", Pass: "trim"}, h[4])
	assert.Equal(t, transcript.Fate{Shown: true, From: 2, To: 3}, h[5])
}

func TestOriginalIsClipped(t *testing.T) {
	v := logOf(t, "u a").View()
	assert.Len(t, v.Original(-5, 99), 2)
	assert.Empty(t, v.Original(2, 1))
	assert.Equal(t, 2, v.Index(99))
}

func TestChangesThatOverlapAreRefused(t *testing.T) {
	v := logOf(t, "u a u").View()
	_, err := v.With(v.Changes("x", transcript.Change{I: 0, J: 2}, transcript.Change{I: 1, J: 3})...)
	assert.ErrorIs(t, err, transcript.ErrRange)
	_, err = v.With(v.Changes("x", transcript.Change{I: 0, J: 9})...)
	assert.ErrorIs(t, err, transcript.ErrRange)
	assert.Empty(t, v.Changes("x"))
}

// A rule of one's own, with cuts of its own.
type noSecrets struct{}

func (noSecrets) Name() string { return "no-secrets" }
func (noSecrets) Check(before, after *transcript.View) []message.Violation {
	var found []message.Violation
	for i, m := range after.Messages() {
		if strings.Contains(message.PlainText(m), "secret") {
			found = append(found, message.Violation{Index: i, Rule: "no-secrets", Problem: "a secret"})
		}
	}
	return found
}
func (noSecrets) Cuts(v *transcript.View) transcript.Cuts {
	return transcript.AllCuts(v.Len()).Forbid(0, 2)
}

func TestOwnRules(t *testing.T) {
	l := transcript.NewLog(transcript.Pairs{}, noSecrets{})
	require.NoError(t, l.Append(condensertest.MustParse("u* a u a")...))
	assert.False(t, l.View().Cuts().At(1))
	assert.True(t, l.View().Cuts().At(2))
	both := transcript.AllCuts(9).Forbid(0, 3).And(transcript.AllCuts(9).Forbid(5, 8))
	assert.Equal(t, []int{0, 3, 8, 9}, []int{both.Floor(2), both.Ceil(1), both.Ceil(6), both.Ceil(99)})
	var refused *transcript.RuleError
	require.ErrorAs(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{edit(l, 2, 3, `u"secret"`), edit(l, 3, 4, `u"secret"`)}}), &refused)
	assert.ErrorContains(t, refused, "and 1 more")
	require.NoError(t, l.Commit(transcript.Commit{Edits: []transcript.Edit{edit(l, 0, 1, "")}}), "pinned is no rule of this log")
	assert.Empty(t, l.View().Check(nil))
	assert.NotEmpty(t, logOf(t, "s u").View().Check(nil, noSecrets{}, hasSystem{}))
	for _, r := range append(transcript.StructuralRules(), transcript.Systems{}) {
		assert.NotEmpty(t, r.Name())
		assert.Empty(t, r.Check(nil, l.View()))
		assert.True(t, r.Cuts(l.View()).At(0))
	}
}

type hasSystem struct{ noSecrets }

func (hasSystem) Check(before, after *transcript.View) []message.Violation {
	return []message.Violation{{Rule: "always"}}
}

func TestSystemsRule(t *testing.T) {
	l := logOf(t, "s u s a")
	after, err := l.View().With(l.View().Replace(0, 3, condensertest.MustParse("D")...))
	require.NoError(t, err)
	assert.Len(t, after.Check(l.View(), transcript.Systems{}), 2)
	assert.Empty(t, after.Check(l.View()))
}

func TestLogIsSafeForConcurrentUse(t *testing.T) {
	l := logOf(t, "u a")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if err := l.Append(condensertest.MustParse("u a")...); err != nil {
					t.Error(err)
				}
				s := l.Snapshot()
				v := s.View()
				_ = s.Commit(transcript.Commit{Edits: []transcript.Edit{v.Replace(0, v.Len()-1, condensertest.MustParse("D")...)}})
				_ = l.Merge(s)
				condensertest.Check(t, l.View())
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 2+8*50*2, l.Len())
	condensertest.CheckLog(t, l)
}
