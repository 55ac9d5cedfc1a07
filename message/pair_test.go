package message_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

func calls(ids ...string) message.Message {
	a := message.NewAssistant()
	for _, id := range ids {
		a.Content = append(a.Content, message.NewToolCall(id, "read", "{}"))
	}
	return a
}

func result(id string) message.Message {
	return message.NewToolResult(message.NewToolCall(id, "read", ""), "out")
}

func TestPair(t *testing.T) {
	u := message.NewUser("x")
	for name, c := range map[string]struct {
		msgs   []message.Message
		pairs  string // result:message.call
		groups string
		pend   int
	}{
		"parallel, out of order":             {[]message.Message{u, calls("1", "2"), result("2"), result("1")}, "2:1.1 3:1.0", "[0 1) [1 4)", -1},
		"ids recur":                          {[]message.Message{calls("1"), result("1"), calls("1"), result("1")}, "1:0.0 3:2.0", "[0 2) [2 4)", -1},
		"an old unanswered call is not hit":  {[]message.Message{calls("1"), u, calls("1"), result("1")}, "3:2.0", "[0 1) [1 2) [2 4)", -1},
		"the late answer finds the old call": {[]message.Message{calls("1"), calls("1"), result("1"), result("1")}, "2:1.0 3:0.0", "[0 4)", -1},
		"equal ids in one message":           {[]message.Message{calls("1", "1"), result("1"), result("1"), result("1")}, "1:0.0 2:0.1", "[0 3) [3 4)", -1},
		"something in between":               {[]message.Message{calls("1"), u, result("1"), u}, "2:0.0", "[0 3) [3 4)", -1},
		"pending":                            {[]message.Message{u, calls("1", "2"), result("2")}, "2:1.1", "[0 1) [1 3)", 1},
		"orphan":                             {[]message.Message{result("1"), calls("1")}, "", "[0 1) [1 2)", 1},
		"empty":                              {nil, "", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			p := message.Pair(c.msgs)
			var pairs, groups string
			for i := range c.msgs {
				if m, call, ok := p.Call(i); ok {
					pairs += fmt.Sprintf(" %d:%d.%d", i, m, call)
					assert.Equal(t, i, p.Answers(m)[call])
				}
			}
			for from, to := range p.Groups() {
				groups += fmt.Sprintf(" [%d %d)", from, to)
			}
			assert.Equal(t, c.pairs, trimmed(pairs))
			assert.Equal(t, c.groups, trimmed(groups))
			i, ok := p.Pending()
			assert.Equal(t, c.pend >= 0, ok)
			if ok {
				assert.Equal(t, c.pend, i)
			}
		})
	}
}

func trimmed(s string) string {
	if s == "" {
		return s
	}
	return s[1:]
}

// Groups and turns cover the list once, in order, and no pair crosses a group's border.
func TestGroupsAndTurnsPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := condensertest.Generator{}.Transcript(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		p := message.Pair(msgs)
		group := make([]int, len(msgs))
		next := 0
		for from, to := range p.Groups() {
			require.Equal(t, next, from)
			require.Less(t, from, to)
			for i := from; i < to; i++ {
				group[i] = from
			}
			next = to
		}
		require.Equal(t, len(msgs), next)
		for i, m := range msgs {
			c, call, ok := p.Call(i)
			if !ok {
				continue
			}
			require.Equal(t, group[i], group[c])
			require.Less(t, c, i)
			require.Equal(t, m.(*message.ToolResult).CallID, message.Calls(msgs[c])[call].ID)
		}
		next = 0
		for from, to := range message.Turns(msgs) {
			require.Equal(t, next, from)
			next = to
			for _, m := range msgs[from+1 : to] {
				u, ok := m.(*message.User)
				require.False(t, ok && !u.Internal)
			}
		}
		require.Equal(t, len(msgs), next)
	})
}

func TestRangesStopEarly(t *testing.T) {
	msgs := []message.Message{message.NewUser("a"), message.NewUser("b"), message.NewUser("c")}
	n := 0
	for range message.Turns(msgs) {
		n++
		break
	}
	for range message.Pair(msgs).Groups() {
		n++
		break
	}
	assert.Equal(t, 2, n)
}
