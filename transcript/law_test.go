package transcript_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/internal/checks"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

func TestMain(m *testing.M) {
	checks.Set(1)
	os.Exit(m.Run())
}

func source(t *rapid.T) condensertest.Source {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
}

// content draws what an edit may put in the place of items: nothing, new
// messages, or some of the items themselves.
func content(src condensertest.Source, items []message.Message) []message.Message {
	var with []message.Message
	switch src(5) {
	case 0:
		return nil
	case 1:
		with = append(with, message.Derive(message.NewUser("a digest"), func(u *message.User) { u.Origin = "summarize" }))
	case 2:
		with = append(with, message.NewUser("one"), message.NewUser("two"), message.NewUser("three"))
	}
	keep := src(3)
	for _, m := range items {
		h := m.Head()
		if keep == 1 && (h.Pinned || h.Atomic || message.Signed(m)) || keep == 2 && src(3) == 0 {
			with = append(with, m)
		}
	}
	return with
}

// view draws a view with up to four random edits; rules do not matter to a fold.
func view(t *rapid.T, src condensertest.Source) *transcript.View {
	v, err := transcript.Fold(condensertest.Generator{}.Transcript(src))
	require.NoError(t, err)
	for range src(5) {
		if v.Len() == 0 {
			break
		}
		i := src(v.Len())
		j := i + 1 + src(v.Len()-i)
		v, err = v.With(v.Replace(i, j, content(src, v.Messages()[i:j])...))
		require.NoError(t, err)
	}
	condensertest.Check(t, v)
	return v
}

// The strongest law: replacing items [i, j) gives items[:i] + with + items[j:].
func TestReplaceDoesWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		v := view(t, src)
		i := src(v.Len() + 1)
		j := i + src(v.Len()-i+1)
		with := content(src, v.Messages()[i:j])
		want := slices.Concat(v.Messages()[:i], with, v.Messages()[j:])
		after, err := v.With(v.Replace(i, j, with...))
		if v.Len() == 0 {
			require.ErrorIs(t, err, transcript.ErrRange)
			return
		}
		require.NoError(t, err)
		require.True(t, slices.Equal(want, after.Messages()), "[%d, %d): want %s, got %s", i, j,
			condensertest.Show(want), condensertest.Show(after.Messages()))
		condensertest.Check(t, after)
	})
}

// Several changes at once do what each of them says.
func TestChangesDoWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		v := view(t, src)
		var changes []transcript.Change
		var want []message.Message
		for i := 0; i < v.Len(); {
			if src(3) > 0 {
				want = append(want, v.At(i).Msg)
				i++
				continue
			}
			j := i + 1 + src(min(3, v.Len()-i))
			with := content(src, v.Messages()[i:j])
			changes = append(changes, transcript.Change{I: i, J: j, With: with, Why: "test"})
			want = append(want, with...)
			i = j
		}
		for k := range changes { // their order does not matter
			o := src(k + 1)
			changes[k], changes[o] = changes[o], changes[k]
		}
		after, err := v.With(v.Changes("test", changes...)...)
		require.NoError(t, err)
		require.True(t, slices.Equal(want, after.Messages()), "want %s, got %s", condensertest.Show(want), condensertest.Show(after.Messages()))
		condensertest.Check(t, after)
	})
}

// Original: without edits the view is the log; and nothing ever changes a message.
func TestOriginal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := condensertest.Generator{}.Transcript(source(t))
		unchanged := condensertest.Guard(t, msgs)
		l := transcript.NewLog()
		require.NoError(t, l.Append(msgs...))
		require.True(t, slices.Equal(msgs, l.View().Messages()))
		condensertest.CheckLog(t, l)
		l.View().Repair()
		unchanged()
	})
}

// Any subset of edits that fold folds, and a rewound log is a shorter fold.
func TestAnySubsetFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		v := view(t, src)
		edits := v.Edits()
		log := v.Original(0, v.LogLen())
		var some []transcript.Edit
		for _, e := range edits {
			if src(2) == 0 {
				some = append(some, e)
			}
		}
		sub, err := transcript.Fold(log, some...)
		require.NoError(t, err)
		condensertest.Check(t, sub)
		short, err := transcript.Fold(log[:src(len(log)+1)], edits...)
		require.NoError(t, err)
		for _, it := range items(short) {
			require.LessOrEqual(t, it.To, short.LogLen())
		}
	})
}

func items(v *transcript.View) []transcript.Item {
	all := make([]transcript.Item, v.Len())
	for i := range all {
		all[i] = v.At(i)
	}
	return all
}

// Repair mends what can be mended, a second repair finds nothing, and what is
// valid is left alone.
func TestRepair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := source(t)
		v := view(t, src)
		after, err := v.With(v.Repair()...)
		require.NoError(t, err)
		require.Empty(t, after.Repair())
		require.Empty(t, after.Check(v), "a repair adds nothing wrong")
		for _, f := range after.Check(nil) {
			if f.Rule == "pairs" && hiddenRunning(v) {
				continue
			}
			m := after.At(f.Index).Msg
			h := m.Head()
			require.True(t, h.Pinned || h.Atomic || f.Rule == "not-empty" && m.Kind() == message.KindSystem, "left: %v", f)
		}
		valid := condensertest.Generator{Valid: true}.Transcript(src)
		w, err := transcript.Fold(valid)
		require.NoError(t, err)
		require.Empty(t, w.Repair())
		require.Empty(t, w.Check(nil))
	})
}

// hiddenRunning reports whether an edit hides the message whose calls still
// run: that cannot be mended by more edits.
func hiddenRunning(v *transcript.View) bool {
	log := v.Original(0, v.LogLen())
	i, ok := message.Pair(log).Pending()
	return ok && !slices.Contains(v.Messages(), log[i])
}
