package tiktoken

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The queue of long pieces merges as the search of short ones does.
func TestLongPiecesAsShortOnes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	alphabets := []string{"ab", "abcdefghijklmnopqrstuvwxyz", "=-_*", "漢字仮名", "AaBb", "0123456789abcdef", "\xff\xfe\x80"}
	for _, e := range []*Encoding{O200K, CL100K} {
		v := e.load().vocabulary
		b := new(scratch)
		rounds := 2000
		if testing.Short() {
			rounds = 200
		}
		for range rounds {
			letters := alphabets[r.IntN(len(alphabets))]
			var s strings.Builder
			for range 2 + r.IntN(400) {
				s.WriteByte(letters[r.IntN(len(letters))])
				if r.IntN(30) == 0 {
					s.WriteString(v.token(int32(r.IntN(len(v.start) - 1))))
				}
			}
			require.Equal(t, v.mergeShort(s.String(), b), v.mergeLong(s.String(), b), "%q", s.String())
		}
	}
}

// Every token is found again, and is one token.
func TestVocabulary(t *testing.T) {
	for _, e := range []*Encoding{O200K, CL100K} {
		v := e.load().vocabulary
		b := new(scratch)
		for r := range int32(len(v.start) - 1) {
			require.Equal(t, r, v.rank(v.token(r)))
			require.Equal(t, 1, v.tokens(v.token(r), b))
		}
		require.Equal(t, noRank, v.rank("no such token, that is sure"))
		require.Equal(t, noRank, v.rank(strings.Repeat("x", 300)))
	}
}

func TestDamagedVocabulary(t *testing.T) {
	for _, n := range []int{0, 1, 100, len(cl100kVocabulary) / 2} {
		_, err := readVocabulary(cl100kVocabulary[:n])
		require.ErrorContains(t, err, "tiktoken: vocabulary")
	}
	require.Panics(t, func() { newEngine("", nil) })
}

func TestCutRuns(t *testing.T) {
	require.Equal(t, []string{"ab 12"}, cutRuns("ab 12", 9))
	parts := cutRuns("x "+strings.Repeat("é", 1500)+" y", 1024)
	require.Len(t, parts, 3)
	require.Equal(t, "x "+strings.Repeat("é", 1500)+" y", strings.Join(parts, ""))
}
