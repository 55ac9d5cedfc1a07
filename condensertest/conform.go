package condensertest

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// Exempt takes a pass out of a law that it does not promise.
type Exempt uint8

const (
	Grows    Exempt = 1 << iota // it may add tokens, up to the target
	Restless                    // it may propose something on its own result
)

// rounds is how many transcripts a conformance test draws.
const rounds = 400

// seeded draws from a fixed sequence of its own for every n.
func seeded(n int) Source {
	state := uint64(n)*0x9E3779B97F4A7C15 + 1
	return func(n int) int { // splitmix64
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return int((z ^ z>>31) % uint64(n))
	}
}

// TestPass fails t unless p keeps the laws of a pass over generated
// transcripts, valid and damaged, at several windows and causes: its edits
// fold, break no rule, keep system messages and leave nothing invalid that was
// not; what they hide is stood for by something; they do not raise the tokens; the same view gives the same edits;
// on its own result it proposes nothing; it changes no message, and an ended
// context does not make it panic. exempt names laws it need not keep.
func TestPass(t TB, p condenser.Pass, exempt ...Exempt) {
	t.Helper()
	var free Exempt
	for _, e := range exempt {
		free |= e
	}
	if p.Name() == "" {
		t.Fatalf("the pass has no name")
	}
	for n := range rounds {
		src := seeded(n)
		msgs := Generator{Valid: n%2 == 0, Steps: 4 + n%40}.Transcript(src)
		v, err := transcript.Fold(msgs)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if n%3 == 0 {
			v = condensedBefore(v)
		}
		b := budget.Basis{Card: budget.ModelCard{ContextWindow: 2500 + src(20_000)}, Policy: budget.AutoCondensePolicy(), Cause: []budget.Cause{budget.Threshold, budget.Manual}[src(2)]}
		testPlan(t, p, v, b.Gauge(v.Messages(), nil), free)
	}
}

// condensedBefore folds the first half of v into a digest, if that breaks nothing.
func condensedBefore(v *transcript.View) *transcript.View {
	half := v.Cuts().Floor(v.Len() / 2)
	with := MustParse(`D"what happened so far"`)
	for _, m := range v.Messages()[:half] {
		if m.Kind() == message.KindSystem {
			with = append(with, m)
		}
	}
	after, err := v.With(v.Replace(0, half, with...))
	if err != nil || half == 0 || len(after.Check(v, transcript.Systems{})) > 0 {
		return v
	}
	return after
}

func testPlan(t TB, p condenser.Pass, v *transcript.View, g budget.Gauge, free Exempt) {
	t.Helper()
	unchanged := Guard(t, v.Messages())
	edits, err := p.Plan(context.Background(), v, g)
	if err != nil {
		t.Fatalf("on %s: %v", Show(v.Messages()), err)
	}
	again, _ := p.Plan(context.Background(), v, g)
	if !sameEdits(edits, again) {
		t.Fatalf("on %s: planned twice, the edits differ", Show(v.Messages()))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = p.Plan(ended, v, g)
	after, err := v.With(edits...)
	if err != nil {
		t.Fatalf("on %s: %v", Show(v.Messages()), err)
	}
	Check(t, after)
	if found := after.Check(v, transcript.Systems{}); len(found) > 0 {
		t.Fatalf("%s became %s: %v", Show(v.Messages()), Show(after.Messages()), found)
	}
	checkValid(t, v, after)
	next := g.For(after.Messages())
	if next.Used() > g.Used() && (free&Grows == 0 || next.Used() > g.Target()) {
		t.Fatalf("%d tokens became %d, with a target of %d", g.Used(), next.Used(), g.Target())
	}
	checkCovered(t, v, edits)
	if free&Restless == 0 && len(edits) > 0 {
		if more, err := p.Plan(context.Background(), after, next); err != nil || len(more) > 0 {
			t.Fatalf("on its own result %s it proposes %d edits (error %v); %s, %d tokens, then %d, target %d",
				Show(after.Messages()), len(more), err, g.Cause(), g.Used(), next.Used(), g.Target())
		}
	}
	unchanged()
}

// checkValid: no rule of the portable profile is broken more often than before.
// A second result, V3, becomes one without a call, V4, when its call goes: it is
// the same fault.
func checkValid(t TB, before, after *transcript.View) {
	t.Helper()
	broken := map[string]int{}
	rule := func(f message.Violation) string { return strings.Replace(f.Rule, "V4", "V3", 1) }
	for _, f := range message.Validate(before.Messages(), message.Portable) {
		broken[rule(f)]++
	}
	for _, f := range message.Validate(after.Messages(), message.Portable) {
		if broken[rule(f)]--; broken[rule(f)] < 0 {
			t.Fatalf("%s became %s, with more wrong than before: %s", Show(before.Messages()), Show(after.Messages()), f)
		}
	}
}

// checkCovered: an edit that hides messages says why, and puts something new in
// their place, which says whose it is. Only what a pass or the host's own
// machinery made may go without, and what is repaired.
func checkCovered(t TB, v *transcript.View, edits []transcript.Edit) {
	t.Helper()
	for _, e := range edits {
		var hidden []message.Message
		for i := v.Index(e.From); i < v.Len() && v.At(i).From < e.To; i++ {
			m := v.At(i).Msg
			if h := m.Head(); !slices.Contains(e.With, m) && !h.Internal && h.Origin == "" {
				hidden = append(hidden, m)
			}
		}
		made := slices.ContainsFunc(e.With, func(m message.Message) bool {
			return m.Head().Origin != "" && !slices.Contains(v.Messages(), m)
		})
		if len(hidden) > 0 && e.Pass != transcript.RepairPass && (!made || e.Why == "") {
			t.Fatalf("on %s: an edit of [%d, %d) hides %s, and nothing with an Origin stands for it, or it does not say why", Show(v.Messages()), e.From, e.To, Show(hidden))
		}
	}
}

func sameEdits(a, b []transcript.Edit) bool {
	return slices.EqualFunc(a, b, func(x, y transcript.Edit) bool {
		return x.From == y.From && x.To == y.To && x.Needs == y.Needs && x.Pass == y.Pass && x.Why == y.Why && sameMessages(x.With, y.With)
	})
}

// TestRule fails t unless r keeps the laws of a rule over generated
// transcripts: the same views give the same violations, with indices of the
// view; a view is never worse than itself; the ends of a view are cuts; and if
// r repairs, its repairs fold, add nothing wrong, and come to an end.
func TestRule(t TB, r transcript.Rule) {
	t.Helper()
	if r.Name() == "" {
		t.Fatalf("the rule has no name")
	}
	for n := range rounds {
		v, err := transcript.Fold(Generator{Valid: n%2 == 0}.Transcript(seeded(n)))
		if err != nil {
			t.Fatalf("%v", err)
		}
		found := r.Check(nil, v)
		if !slices.Equal(found, r.Check(nil, v)) {
			t.Fatalf("checked twice, the violations differ")
		}
		for _, f := range found {
			if f.Index < -1 || f.Index > v.Len() || f.Rule == "" || f.Problem == "" {
				t.Fatalf("a violation that says too little: %+v", f)
			}
		}
		if worse := r.Check(v, v); len(worse) > 0 {
			t.Fatalf("%s is worse than itself: %v", Show(v.Messages()), worse)
		}
		if c := r.Cuts(v); !c.At(0) || !c.At(v.Len()) {
			t.Fatalf("the ends are no cuts")
		}
		if m, ok := r.(transcript.Repairer); ok {
			testRepair(t, r, m, v)
		}
	}
}

func testRepair(t TB, r transcript.Rule, m transcript.Repairer, v *transcript.View) {
	t.Helper()
	next := v
	for range 20 {
		edits := m.Repair(next)
		if len(edits) == 0 {
			if worse := r.Check(v, next); len(worse) > 0 {
				t.Fatalf("repaired, %s is worse: %v", Show(v.Messages()), worse)
			}
			return
		}
		var err error
		if next, err = next.With(edits...); err != nil {
			t.Fatalf("a repair of %s does not fold: %v", Show(v.Messages()), err)
		}
	}
	t.Fatalf("the repairs of %s come to no end", Show(v.Messages()))
}

// TestCodec fails t unless c keeps the laws of a codec over the given
// histories: the groups cover each history; encoding a group unchanged gives
// back equal host messages; a message that a pass changed comes back changed,
// a tool result with its Origin; a new digest survives encoding and decoding
// with its text and its Origin; and a condensed history decodes again, its untouched
// host messages equal to those that came in.
func TestCodec[H any](t TB, c condenser.Codec[H], histories ...[]H) {
	t.Helper()
	if len(histories) == 0 {
		t.Fatalf("there are no histories to try")
	}
	for k, history := range histories {
		groups, err := c.Decode(history)
		if err != nil {
			t.Fatalf("history %d: %v", k, err)
		}
		next := 0
		for i, g := range groups {
			if g.N < 0 || next+g.N > len(history) {
				t.Fatalf("history %d: group %d reaches beyond it", k, i)
			}
			from := history[next : next+g.N]
			next += g.N
			if len(g.Messages) == 0 {
				continue
			}
			same, err := c.Encode(from, g.Messages)
			if err != nil || !reflect.DeepEqual(same, from) {
				t.Fatalf("history %d: group %d, encoded as it was, is %+v and was %+v (error %v)", k, i, same, from, err)
			}
		}
		if next != len(history) {
			t.Fatalf("history %d: the groups cover %d of %d host messages", k, next, len(history))
		}
	}
	testCodecDigest(t, c)
	for k, history := range histories {
		testCodecChange(t, c, k, history)
		testCodecCondense(t, c, k, history)
	}
}

// testCodecChange changes one message at a time, as a pass would, and looks for
// it in the decoded history.
func testCodecChange[H any](t TB, c condenser.Codec[H], k int, history []H) {
	t.Helper()
	groups, _ := c.Decode(history)
	next := 0
	for i, g := range groups {
		from := history[next : next+g.N]
		next += g.N
		for j, m := range g.Messages {
			changed, ok := changedBy("microcompact", m)
			if !ok {
				continue
			}
			now := slices.Clone(g.Messages)
			now[j] = changed
			encoded, err := c.Encode(from, now)
			if err != nil {
				t.Fatalf("history %d: group %d, message %d changed by a pass: %v", k, i, j, err)
			}
			again, err := c.Decode(slices.Concat(history[:next-g.N], encoded, history[next:]))
			if err != nil {
				t.Fatalf("history %d: group %d, message %d changed by a pass and decoded again: %v", k, i, j, err)
			}
			if !holds(again, changed) {
				t.Fatalf("history %d: group %d, message %d (%s) was changed by a pass, and does not come back as changed", k, i, j, m.Kind())
			}
		}
	}
}

// changedBy returns m as a pass leaves it: its text is another one.
func changedBy(pass string, m message.Message) (message.Message, bool) {
	h := m.Head()
	if h.Pinned || h.Atomic || message.Signed(m) || m.Kind() == message.KindSystem {
		return nil, false
	}
	blocks := slices.Clone(message.Content(m))
	for i, b := range blocks {
		if _, ok := b.(message.Text); ok {
			blocks[i] = message.Text("[changed by a pass]")
			return message.WithContent(m, pass, blocks...), true
		}
	}
	return nil, false
}

// holds reports whether a message of groups says what m says; a tool result
// must have its Origin too.
func holds(groups []condenser.Group, m message.Message) bool {
	_, result := m.(*message.ToolResult)
	for _, g := range groups {
		if slices.ContainsFunc(g.Messages, func(x message.Message) bool {
			return message.PlainText(x) == message.PlainText(m) && (!result || x.Kind() == m.Kind() && x.Head().Origin == m.Head().Origin)
		}) {
			return true
		}
	}
	return false
}

func testCodecDigest[H any](t TB, c condenser.Codec[H]) {
	t.Helper()
	digest := MustParse(`D"what happened so far"`)
	hosts, err := c.Encode(nil, digest)
	if err != nil {
		t.Fatalf("a new digest: %v", err)
	}
	groups, err := c.Decode(hosts)
	if err != nil {
		t.Fatalf("a new digest, decoded again: %v", err)
	}
	var back []message.Message
	for _, g := range groups {
		back = append(back, g.Messages...)
	}
	if len(back) != 1 || message.PlainText(back[0]) != message.PlainText(digest[0]) || back[0].Head().Origin != digest[0].Head().Origin {
		t.Fatalf("a new digest came back as %s", Show(back))
	}
}

// testCodecCondense condenses at the user's wish, in a window the history half fills.
func testCodecCondense[H any](t TB, c condenser.Codec[H], k int, history []H) {
	t.Helper()
	groups, _ := c.Decode(history)
	var msgs []message.Message
	for _, g := range groups {
		msgs = append(msgs, g.Messages...)
	}
	d := condenser.Deps{
		Card:    budget.ModelCard{ContextWindow: 2*budget.EstimateTokens(msgs) + 4096},
		Call:    func(context.Context) condenser.Call { return condenser.Call{Cause: condenser.Manual} },
		Observe: func(context.Context, condenser.Report) {},
	}
	out, err := condenser.WrapErr(condenser.Default(d), c)(context.Background(), history)
	if err != nil {
		t.Fatalf("history %d, condensed: %v", k, err)
	}
	if _, err := c.Decode(out); err != nil {
		t.Fatalf("history %d, condensed and decoded again: %v", k, err)
	}
	again, err := condenser.WrapErr(condenser.Default(d), c)(context.Background(), history)
	if err != nil || !reflect.DeepEqual(out, again) {
		t.Fatalf("history %d, condensed twice, differs (error %v)", k, err)
	}
}
