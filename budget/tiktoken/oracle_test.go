package tiktoken_test

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/budget/tiktoken"
	"github.com/condenser-go/condenser/message"
)

var encodings = []*tiktoken.Encoding{tiktoken.O200K, tiktoken.CL100K}

// share is how much of the oracle's work is done: a twentieth, all of it with
// CONDENSER_ORACLE=full (make oracle), next to nothing with -short.
func share(n int) int {
	switch {
	case os.Getenv("CONDENSER_ORACLE") == "full":
		return n
	case testing.Short():
		return n / 400
	}
	return n / 20
}

// agree fails t unless e counts s as tiktoken-go does. s has no run of one kind
// above tiktoken.OracleRun.
func agree(t testing.TB, e *tiktoken.Encoding, reference budget.Counter, s string) {
	t.Helper()
	if got, want := e.TextTokens(s), reference.TextTokens(s); got != want {
		t.Fatalf("%s: %d tokens, tiktoken-go says %d: %q", e, got, want, minimal(s, func(s string) bool { return e.TextTokens(s) != reference.TextTokens(s) }))
	}
}

// minimal takes runes away from s as long as it stays wrong.
func minimal(s string, wrong func(string) bool) string {
	for size := len(s) / 2; size > 0; size /= 2 {
		for i := 0; i+size <= len(s); {
			if shorter := s[:i] + s[i+size:]; wrong(shorter) {
				s = shorter
			} else {
				i += size
			}
		}
	}
	return s
}

// bits are what the fuzzed strings are made of: whatever the patterns tell
// apart, and what tokenizers are known to get wrong.
var bits = []string{"a", "B", "ß", "é", "ǅ", "ʰ", "漢", "か", "\u0301", "\u0903", "1", "12", "²", "٣", "Ⅷ", " ", "  ", "    ", "\n", "\n\n", "\r", "\r\n", "\t", "\v", "\f",
	"\u0085", "\u00a0", "\u3000", "\u2028", "\u200b", "'s", "'T", "'ll", "'RE", "'ve", "'", "''", "ſ", "K", "/", "//", ".", ",", "(", ")", "{\"", "\":", "👍🏽", "\u200d", "🧑‍🚀", "\ufeff", "\x00", "\x7f",
	"\xff", "\xed\xa0\x80", "\xf0\x9f", "the", " The", "HTTP", "func ", "=", "==", "====", "-", "--", "*", "_", "<|endoftext|>", "<|im_start|>", "İ", "ı", "ﬁ", "Ω", "я", "Я", " при", "م", "ال", "ह", "ि", "ไ", "ก", "한", "국", "\u1e9e", "𝒳", "𐐀", "x̂"}

func TestOracleFuzzed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range share(20_000) {
		var b strings.Builder
		for range 1 + r.IntN(30) {
			if r.IntN(12) == 0 {
				b.WriteRune(rune(r.IntN(utf8.MaxRune)))
			}
			b.WriteString(bits[r.IntN(len(bits))])
		}
		for _, e := range encodings {
			agree(t, e, tiktoken.Oracle(e), b.String())
		}
	}
}

// texts cuts the files of a Go installation into messages of log-normal length,
// 20 bytes to 32 kB.
func texts(t testing.TB, n int) []string {
	r := rand.New(rand.NewPCG(5, 6))
	var all []string
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	root := strings.TrimSpace(string(out))
	step := max(1, 60_000/n)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil || len(all) >= n || info.Size() > 1<<20 || r.IntN(step) != 0 {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(data[:min(len(data), 512)]), "\x00") {
			return nil
		}
		for s := string(data); s != "" && len(all) < n; {
			size := min(len(s), max(20, min(32_000, int(700*math.Exp(r.NormFloat64())))))
			all = append(all, s[:size])
			s = s[size:]
		}
		return nil
	})
	require.NoError(t, err)
	if !testing.Short() { // a few files are never just so many texts
		require.GreaterOrEqual(t, len(all), n*9/10)
	}
	require.NotEmpty(t, all)
	return all
}

func TestOracleOnFiles(t *testing.T) {
	n := 0
	for _, s := range texts(t, share(60_000)) {
		for _, e := range encodings {
			agree(t, e, tiktoken.Oracle(e), s)
		}
		n += len(s)
	}
	t.Logf("%d bytes", n)
}

// The recorded sessions, every text and every call's arguments.
func TestOracleOnSessions(t *testing.T) {
	const dir = "../../../shared/transcripts/neutral"
	files, _ := filepath.Glob(dir + "/*.jsonl")
	if len(files) == 0 {
		t.Skipf("%s is not here: nothing was compared on recorded sessions", dir)
	}
	n, step := 0, max(1, 20/max(1, share(20)))
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		msgs, err := message.Decode(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		for _, m := range msgs {
			list := []string{message.PlainText(m)}
			for _, c := range message.Calls(m) {
				list = append(list, string(c.Input))
			}
			for _, s := range list {
				if n++; n%step != 0 {
					continue
				}
				for _, e := range encodings {
					agree(t, e, tiktoken.Oracle(e), s)
				}
			}
		}
	}
}

// Above 16 kB of one kind tiktoken-go needs minutes. There the two ways of our
// own are compared, and known counts.
func TestHostileTexts(t *testing.T) {
	for piece, want := range map[string][2]int{"a": {131072, 131072}, " ": {8192, 8192}, "=": {16384, 16384}, "漢": {349525, 699050}} {
		s := strings.Repeat(piece, 1<<20/len(piece))
		for i, e := range encodings {
			require.Equal(t, want[i], e.TextTokens(s), fmt.Sprintf("%s: 1 MB of %q", e, piece))
		}
	}
	for _, e := range encodings {
		for _, piece := range []string{"a", "=", " ", "漢", "ab", "-=", "\n", " \n", "🧑‍🚀", "xyzzy"} {
			agree(t, e, tiktoken.Oracle(e), strings.Repeat(piece, 1000/len(piece)))
		}
	}
}
