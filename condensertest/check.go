package condensertest

import (
	"bytes"
	"slices"
	"time"

	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// TB is what a check reports through: *testing.T, *testing.B, *testing.F and
// *rapid.T all have it.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check fails t unless v keeps the laws of a view: its items are what its log
// and its edits say, in order; every log position is shown, replaced or hidden
// by an edit; indices and positions agree; its cuts are legal; and folding its
// edits anew gives the same. Every view a test makes should go through it.
func Check(t TB, v *transcript.View) {
	t.Helper()
	log, msgs := v.Original(0, v.LogLen()), v.Messages()
	if v.Len() != len(msgs) {
		t.Fatalf("Len is %d, Messages has %d", v.Len(), len(msgs))
	}
	again, err := transcript.Fold(log, v.Edits()...)
	if err != nil {
		t.Fatalf("the view's own edits do not fold: %v", err)
	}
	if !samePointers(again.Messages(), msgs) {
		t.Fatalf("folding anew gives %s, the view is %s", Show(again.Messages()), Show(msgs))
	}
	next := 0 // the first log position not accounted for
	for i := range msgs {
		it := v.At(i)
		if it.Msg != msgs[i] {
			t.Fatalf("At(%d) and Messages differ", i)
		}
		if sameEdit := i > 0 && it.Edit >= 0 && v.At(i-1).Edit == it.Edit; !sameEdit {
			checkHidden(t, v, next, it.From)
			next = it.To
		}
		checkItem(t, v, i, it)
	}
	checkHidden(t, v, next, len(log))
	checkCuts(t, v)
}

func checkItem(t TB, v *transcript.View, i int, it transcript.Item) {
	t.Helper()
	if it.Edit < 0 {
		if it.To != it.From+1 || v.Original(it.From, it.To)[0] != it.Msg {
			t.Fatalf("item %d is no original of [%d, %d)", i, it.From, it.To)
		}
		if v.Index(it.From) != i {
			t.Fatalf("Index(%d) is %d, and the item is at %d", it.From, v.Index(it.From), i)
		}
		return
	}
	e := v.Edits()[it.Edit]
	if e.From != it.From || e.To != it.To || !slices.Contains(e.With, it.Msg) {
		t.Fatalf("item %d does not come from its edit [%d, %d)", i, e.From, e.To)
	}
	if first := v.Index(it.From); first > i || v.At(first).Edit != it.Edit {
		t.Fatalf("Index(%d) is %d, no item of the edit that covers it", it.From, first)
	}
}

// checkHidden checks that log positions no item stands for are hidden by edits.
func checkHidden(t TB, v *transcript.View, from, to int) {
	t.Helper()
	if from > to {
		t.Fatalf("log position %d is stood for twice", to)
	}
	for p := from; p < to; p++ {
		if !slices.ContainsFunc(v.Edits(), func(e transcript.Edit) bool { return e.From <= p && p < e.To && len(e.With) == 0 }) {
			t.Fatalf("log position %d is neither shown nor hidden by an edit", p)
		}
	}
}

func checkCuts(t TB, v *transcript.View) {
	t.Helper()
	c := v.Cuts()
	if !c.At(0) || !c.At(v.Len()) || c.At(-1) || c.At(v.Len()+1) {
		t.Fatalf("the ends must be cuts, and nothing outside")
	}
	p := message.Pair(v.Messages())
	for i := range v.Len() + 1 {
		if f := c.Floor(i); f > i || !c.At(f) || c.At(i) && f != i {
			t.Fatalf("Floor(%d) is %d", i, f)
		}
		if f := c.Ceil(i); f < i || !c.At(f) || c.At(i) && f != i {
			t.Fatalf("Ceil(%d) is %d", i, f)
		}
		if i == v.Len() {
			break
		}
		if call, _, ok := p.Call(i); ok {
			for k := call + 1; k <= i; k++ {
				if c.At(k) {
					t.Fatalf("a cut at %d parts the call at %d from its result at %d", k, call, i)
				}
			}
		}
	}
}

// CheckLog checks the log's view, and that its history accounts for every
// message, that it comes back the same from its stored form, and that taking
// all commits back gives the original messages.
func CheckLog(t TB, l *transcript.Log) {
	t.Helper()
	v := l.View()
	Check(t, v)
	if !samePointers(v.Original(0, v.LogLen()), l.Messages()) {
		t.Fatalf("the view is of another log")
	}
	checkHistory(t, l)
	var stored bytes.Buffer
	if err := transcript.WriteLog(&stored, l); err != nil {
		t.Fatalf("WriteLog: %v", err)
	}
	back, err := transcript.ReadLog(bytes.NewReader(stored.Bytes()))
	if err != nil {
		t.Fatalf("ReadLog: %v", err)
	}
	if !sameMessages(back.Messages(), l.Messages()) || !sameMessages(back.View().Messages(), v.Messages()) {
		t.Fatalf("read back, the view is %s, it was %s", Show(back.View().Messages()), Show(v.Messages()))
	}
	var twice bytes.Buffer
	if err := transcript.WriteLog(&twice, back); err != nil || !bytes.Equal(stored.Bytes(), twice.Bytes()) {
		t.Fatalf("written, read and written again, the log differs (%v)", err)
	}
}

func checkHistory(t TB, l *transcript.Log) {
	t.Helper()
	v, fates := l.View(), l.History()
	if len(fates) != v.LogLen() {
		t.Fatalf("History has %d entries for %d messages", len(fates), v.LogLen())
	}
	for p, f := range fates {
		m := v.Original(p, p+1)[0]
		shown := slices.Contains(v.Messages()[f.From:f.To], m)
		if shown != f.Shown {
			t.Fatalf("History says of position %d shown=%v", p, f.Shown)
		}
		if !f.Shown && f.Commit == "" {
			t.Fatalf("position %d is gone, and History names no commit", p)
		}
	}
}

func samePointers(a, b []message.Message) bool { return slices.Equal(a, b) }

func sameMessages(a, b []message.Message) bool { return slices.EqualFunc(a, b, message.Equal) }

// Guard remembers what msgs hold now and returns a function that fails t if
// any of them has been changed since: messages are immutable once handed over.
func Guard(t TB, msgs []message.Message) (check func()) {
	before := make([]state, len(msgs))
	for i, m := range msgs {
		before[i] = stateOf(m)
	}
	return func() {
		t.Helper()
		for i, m := range msgs {
			if stateOf(m) != before[i] {
				t.Fatalf("message %d (%s) was changed after it was handed over", i, m.Kind())
			}
		}
	}
}

// state is all that a message says: a fingerprint leaves out who said it when.
type state struct {
	sum  [32]byte
	id   string
	turn int
	at   time.Time
}

func stateOf(m message.Message) state {
	if message.IsNil(m) {
		return state{}
	}
	h := m.Head()
	return state{message.Fingerprint(m), h.ID, h.Turn, h.Time}
}
