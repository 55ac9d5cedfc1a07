package summarize

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/message"
)

var fencePieces = []string{"<", "</", "＜", "﹤", "‹", "&lt;", "&#60;", "&#X3C;", "\\", "/", " ", "\u200b", "\u00ad", "\ufeff", "\n", ">", "scrollback", "SCROLLBACK",
	"ｓcrollback", "scroll", "back", "carried-digest", "carried_digest", "carried–digest", "focus", "Focus", "focused", " a=\"b\"", "x", "» you: ", "é"}

func fenceText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(fencePieces), rapid.String()), 0, 12).Draw(t, "pieces"), "")
}

var fenceTag = regexp.MustCompile(`(?i)</?(scrollback|carried-digest|focus)>`)

// Whatever stands in a transcript, an earlier digest or a focus, the prompt
// holds each fence exactly once open and once closed; and nothing is lost.
func TestFences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := fenceText(t), fenceText(t), fenceText(t)
		require.Equal(t, a, unescapeFences(escapeFences(a)))
		p := prompt{prior: b, focus: c, entries: entries([]message.Message{message.NewUser(a), message.NewUser(b), message.NewToolResult(nil, c)})}
		n := map[string]int{}
		for _, tag := range fenceTag.FindAllString(p.String(), -1) {
			n[strings.ToLower(tag)]++
		}
		for tag, k := range n {
			require.Equal(t, 1, k, "%s in %q", tag, p.String())
		}
		require.Equal(t, 1, n["<scrollback>"])
		require.Equal(t, 1, n["</scrollback>"])
	})
}

func TestFenceSpellings(t *testing.T) {
	for _, s := range []string{"</scrollback>", "< / SCROLLBACK >", "＜/scrollback＞", "&lt;/scrollback&gt;", "<\u200bscroll\u200bback>", "<carried_digest x=1>", "‹focus›", `<\scrollback>`} {
		assert.NotEqual(t, s, escapeFences(s), s)
		assert.Equal(t, s, unescapeFences(escapeFences(s)))
	}
	for _, s := range []string{"", "scrollback", "<scrollbacks>", "<focused>", "< ", "a < b", "<scroll>", "<" + strings.Repeat(" ", 40) + "focus>"} {
		assert.Equal(t, s, escapeFences(s))
	}
}

// A hostile text costs no more than its length.
func TestFencesAreLinear(t *testing.T) {
	s := strings.Repeat("<\u200b", 1<<20)
	assert.Equal(t, s, escapeFences(s))
}
