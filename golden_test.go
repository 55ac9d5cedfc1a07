package condenser_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sessions returns the recorded sessions of this repository by name.
func sessions(t testing.TB) map[string][]message.Message {
	files, err := filepath.Glob("testdata/sessions/*.jsonl")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 4)
	all := map[string][]message.Message{}
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		msgs, err := message.Decode(f)
		require.NoError(t, err, name)
		require.NoError(t, f.Close())
		all[strings.TrimSuffix(filepath.Base(name), ".jsonl")] = msgs
	}
	return all
}

// The golden files show, for each recorded session, what was there, what each
// pass did, the edits, what is left, and the digest. go test . -run Golden
// -update rewrites them.
func TestGolden(t *testing.T) {
	for name, msgs := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			l := transcript.NewLog()
			require.NoError(t, l.Append(msgs...))
			r, err := condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet}).Condense(t.Context(), l, condenser.Call{})
			require.NoError(t, err)
			condensertest.CheckLog(t, l)
			golden(t, filepath.Join("testdata", "golden", name+".txt"), trace(msgs, r, l))
		})
	}
}

func golden(t *testing.T, file, got string) {
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "go test . -run Golden -update writes it")
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

func trace(msgs []message.Message, r condenser.Report, l *transcript.Log) string {
	var b strings.Builder
	v := l.View()
	fmt.Fprintf(&b, "-- log -- %d messages, %d tokens\n%s\n\n", len(msgs), budget.EstimateTokens(msgs), wrapped(condensertest.Show(msgs)))
	fmt.Fprintf(&b, "-- pass --\n%s\n\n", r)
	fmt.Fprintf(&b, "-- edits --\n")
	for _, e := range v.Edits() {
		fmt.Fprintf(&b, "[%d, %d) %s: %s: %s\n", e.From, e.To, e.Pass, e.Why, condensertest.Show(e.With))
	}
	fmt.Fprintf(&b, "\n-- view -- %d messages, %d tokens\n%s\n", v.Len(), budget.EstimateTokens(v.Messages()), wrapped(condensertest.Show(v.Messages())))
	for _, m := range v.Messages() {
		if m.Head().Origin == "summarize" {
			fmt.Fprintf(&b, "\n-- digest -- %d tokens\n%s\n", budget.EstimateMessageTokens(m), message.PlainText(m))
		}
	}
	return b.String()
}

// wrapped breaks notation into lines.
func wrapped(s string) string {
	var b strings.Builder
	n := 0
	for _, item := range strings.Fields(s) {
		if n > 0 && n+len(item) > 100 {
			b.WriteByte('\n')
			n = 0
		} else if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(item)
		n += len(item) + 1
	}
	return b.String()
}
