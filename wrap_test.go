package condenser_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

// hostMsg is a host's own message type: one value holds an assistant's reply
// with the results of its calls, and a cache mark the library knows nothing of.
type hostMsg struct {
	Role    string
	Text    string
	Tools   []hostTool
	Origin  string
	Cache   *int
	Private map[string]json.Number
}

type hostTool struct{ ID, Name, Input, Result, Origin string }

type hostCodec struct{}

func (hostCodec) Decode(history []hostMsg) ([]condenser.Group, error) {
	var groups []condenser.Group
	for i, h := range history {
		g := condenser.Group{N: 1}
		switch h.Role {
		case "system":
			g.Messages = []message.Message{message.NewSystem(h.Text)}
		case "user":
			u := message.NewUser(h.Text)
			u.Origin = h.Origin
			g.Messages = []message.Message{u}
		case "assistant":
			a := message.NewAssistant(message.Text(h.Text))
			a.Origin = h.Origin
			g.Messages = []message.Message{a}
			for _, tool := range h.Tools {
				c := message.NewToolCall(tool.ID, tool.Name, tool.Input)
				a.Content = append(a.Content, c)
				r := message.NewToolResult(c, tool.Result)
				r.Origin = tool.Origin
				g.Messages = append(g.Messages, r)
			}
		case "ui": // nothing a model sees
		default:
			return nil, fmt.Errorf("host message %d has the role %q", i, h.Role)
		}
		groups = append(groups, g)
	}
	return groups, nil
}

func (hostCodec) Encode(from []hostMsg, now []message.Message) ([]hostMsg, error) {
	if len(from) == 0 {
		var out []hostMsg
		for _, m := range now {
			role := "user"
			if m.Kind() == message.KindAssistant {
				role = "assistant"
			}
			out = append(out, hostMsg{Role: role, Text: message.PlainText(m), Origin: m.Head().Origin})
		}
		return out, nil
	}
	h := from[0] // patched: what is not ours stays
	for _, m := range now {
		switch m := m.(type) {
		case *message.ToolResult:
			tools := append([]hostTool(nil), h.Tools...)
			for i := range tools {
				if tools[i].ID == m.CallID {
					tools[i].Result, tools[i].Origin = message.PlainText(m), m.Origin
				}
			}
			h.Tools = tools
		default:
			h.Text = message.PlainText(m)
		}
	}
	return []hostMsg{h}, nil
}

func hostHistory() []hostMsg {
	mark := 7
	text := func(i, size int) string {
		return message.PlainText(condensertest.MustParse(fmt.Sprintf("u:%d", size))[0]) + fmt.Sprint(i)
	}
	var h []hostMsg
	h = append(h, hostMsg{Role: "system", Text: "be brief", Cache: &mark}, hostMsg{Role: "user", Text: "port the parser", Private: map[string]json.Number{"n": "18446744073709551615"}})
	for i := range 8 {
		h = append(h, hostMsg{Role: "ui", Text: fmt.Sprint("spinner ", i)})
		h = append(h, hostMsg{Role: "assistant", Text: text(i, 50), Cache: &mark, Tools: []hostTool{{fmt.Sprint("a", i), "read", "{}", text(i, 2000), ""}, {fmt.Sprint("b", i), "todo", "{}", text(i, 100), ""}}})
	}
	return append(h, hostMsg{Role: "ui", Text: "last spinner"}, hostMsg{Role: "user", Text: "go on", Cache: &mark})
}

func TestWrap(t *testing.T) {
	history := hostHistory()
	var got condenser.Report
	d := condenser.Deps{Card: window(6000), Observe: func(_ context.Context, r condenser.Report) { got = r }}
	condense := condenser.Wrap(condenser.Default(d), hostCodec{})
	out := condense(t.Context(), history)
	require.Equal(t, condenser.Condensed, got.Outcome, got.String())

	known := map[string]hostMsg{}
	for _, h := range history {
		known[h.Role+h.Text] = h
	}
	var roles []string
	for _, h := range out {
		roles = append(roles, h.Role)
		if old, ok := known[h.Role+h.Text]; ok {
			assert.Equal(t, old.Cache, h.Cache, "the host's own mark")
			assert.Equal(t, old.Private, h.Private)
		}
	}
	assert.Equal(t, history[0], out[0])
	assert.Equal(t, history[len(history)-1], out[len(out)-1])
	assert.Contains(t, roles, "ui", "what means nothing to us stays")
	groups, err := hostCodec{}.Decode(out)
	require.NoError(t, err)
	var msgs []message.Message
	for _, g := range groups {
		msgs = append(msgs, g.Messages...)
	}
	assert.Equal(t, got.After.Tokens, budget.EstimateTokens(msgs))

	small := history[:2]
	same := condense(t.Context(), small)
	assert.Same(t, &small[0], &same[0], "nothing to do: the very slice")
}

// A result that was cleared inside a host message is patched into it.
func TestWrapPatches(t *testing.T) {
	history := hostHistory()
	d := condenser.Deps{Card: window(9000), Observe: quiet}
	out := condenser.Wrap(condenser.Default(d), hostCodec{})(t.Context(), history)
	require.Len(t, out, len(history))
	assert.Equal(t, "[Old tool result content cleared]", out[3].Tools[0].Result)
	assert.Equal(t, history[3].Tools[1], out[3].Tools[1])
	assert.Equal(t, history[3].Cache, out[3].Cache)
	assert.NotEqual(t, "[Old tool result content cleared]", history[3].Tools[0].Result, "the host's own value is as it was")
}

// badCodec is hostCodec with one thing wrong.
type badCodec struct {
	hostCodec
	groups []condenser.Group
	err    error
	panics bool
	drops  bool // new messages
}

func (c badCodec) Decode(h []hostMsg) ([]condenser.Group, error) {
	if c.groups != nil {
		return c.groups, nil
	}
	return c.hostCodec.Decode(h)
}

func (c badCodec) Encode(from []hostMsg, now []message.Message) ([]hostMsg, error) {
	if c.err != nil {
		return nil, c.err
	}
	if c.panics {
		panic("no host")
	}
	if c.drops && from == nil {
		return nil, nil
	}
	return c.hostCodec.Encode(from, now)
}

func TestWrapFaults(t *testing.T) {
	history := hostHistory()
	huge := condensertest.MustParse("u:90k")
	for want, c := range map[string]struct {
		codec   condenser.Codec[hostMsg]
		history []hostMsg
	}{
		`has the role "?"`:                    {hostCodec{}, append(history[:2:2], hostMsg{Role: "?"})},
		"group 0 covers host messages [0, 99": {badCodec{groups: []condenser.Group{{N: 99, Messages: huge}}}, history},
		"group 0 covers host messages [0, -1": {badCodec{groups: []condenser.Group{{N: -1, Messages: huge}}}, history},
		"cover 1 host messages of":            {badCodec{groups: []condenser.Group{{N: 1, Messages: huge}}}, history},
		"codec: panic: no host":               {badCodec{panics: true}, history},
		"the codec makes nothing of 1 mess":   {badCodec{drops: true}, history},
		"encode: disk full":                   {badCodec{err: errors.New("disk full")}, history},
	} {
		t.Run(want, func(t *testing.T) {
			var got condenser.Report
			d := condenser.Deps{Card: window(6000), Observe: func(_ context.Context, r condenser.Report) { got = r },
				Call: func(context.Context) condenser.Call { return condenser.Call{} }}
			out, err := condenser.WrapErr(condenser.Default(d), c.codec)(t.Context(), c.history)
			require.ErrorContains(t, err, want)
			assert.Same(t, &c.history[0], &out[0], "the history as given")
			assert.Equal(t, condenser.Failed, got.Outcome)
			out = condenser.Wrap(condenser.Default(d), c.codec)(t.Context(), c.history)
			assert.Same(t, &c.history[0], &out[0])
		})
	}
}

func TestCodecConforms(t *testing.T) {
	condensertest.TestCodec(t, condenser.Codec[hostMsg](hostCodec{}), hostHistory(), hostHistory()[:2], nil)
}
