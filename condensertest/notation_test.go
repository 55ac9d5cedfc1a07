package condensertest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

func TestNotation(t *testing.T) {
	s := `s u a(1,2=bash)$ r1! r2 b c B C ? D F M u*^% a(3) r3~ u`
	msgs, err := condensertest.Parse(s)
	require.NoError(t, err)
	assert.Equal(t, s, condensertest.Show(msgs))
	assert.Equal(t, "bash", msgs[4].(*message.ToolResult).ToolName)

	msgs = condensertest.MustParse(`u:4k u:2M u:0 u"two words" r1:17*`)
	for i, n := range []int{4096, 2 << 20, 0, 9, 17} {
		assert.Len(t, message.PlainText(msgs[i]), n)
	}
	assert.True(t, msgs[4].Head().Pinned)
}

func TestNotationErrors(t *testing.T) {
	for item, want := range map[string]string{"x": "no kind", "r": "needs the id", "u(1)": "a(1,2)", "a(1": "a(1,2)",
		`u"open`: "quote", "u:x": "no size", "u:-3": "no size", "u#": "no mark"} {
		_, err := condensertest.Parse("u " + item)
		assert.ErrorContains(t, err, "item 1", item)
		assert.ErrorContains(t, err, want, item)
		assert.Panics(t, func() { condensertest.MustParse(item) })
	}
}
