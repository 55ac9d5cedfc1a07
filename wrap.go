package condenser

import (
	"context"
	"fmt"
	"slices"

	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/transcript"
)

// Group says that N consecutive host messages are these messages: one host
// message may hold several (an assistant reply with its results), several may
// be one.
type Group struct {
	N        int
	Messages []message.Message
}

// Codec translates between a host's own message type and ours. It must keep
// Meta.Origin over a round trip if the host keeps what it is given back: that
// is how a digest is known again, and a cleared result. A digest and a marker
// are user messages, and may stand next to another: a host whose provider wants
// roles to alternate merges them when it makes the request.
// condensertest.TestCodec checks a codec.
type Codec[H any] interface {
	// Decode splits a history into groups, in order and without gaps.
	Decode(history []H) ([]Group, error)
	// Encode returns host messages for now. from are the host's own messages that
	// now was made from, to be patched rather than rebuilt; nil for a new message.
	Encode(from []H, now []message.Message) ([]H, error)
}

// Wrap returns p as a hook for histories of H. Every group that was not
// touched goes back as the very values it came as. A codec's error is
// reported, and the history returned as it was given.
func Wrap[H any](p *Pipeline, c Codec[H]) func(context.Context, []H) []H {
	fit := WrapErr(p, c)
	return func(ctx context.Context, history []H) []H {
		out, _ := fit(ctx, history)
		return out
	}
}

// WrapErr is Wrap with the error of [Pipeline.Fit], or the codec's. The history
// is returned as it was given whenever there is one.
func WrapErr[H any](p *Pipeline, c Codec[H]) func(context.Context, []H) ([]H, error) {
	return func(ctx context.Context, history []H) ([]H, error) {
		var call Call
		if p.Call != nil {
			call = p.Call(ctx)
		}
		out, r := wrapped(ctx, p, c, history, call)
		p.tell(ctx, r.report)
		return out, r.failure()
	}
}

func wrapped[H any](ctx context.Context, p *Pipeline, c Codec[H], history []H, call Call) (out []H, r result) {
	r.report.Cause = call.Cause
	defer func() { // of the codec; passes and counters are guarded themselves
		if v := recover(); v != nil {
			out, r = history, r.keep(Failed, panicked("condenser: codec", v))
		}
	}()
	groups, err := c.Decode(history)
	if err != nil {
		return history, r.keep(Failed, in("condenser: decode", err))
	}
	w := wrapping[H]{codec: c, history: history, groups: groups}
	msgs, err := w.messages()
	if err != nil {
		return history, r.keep(Failed, in("condenser: decode", err))
	}
	r = p.fit(ctx, msgs, call)
	if r.edits == nil {
		return history, r
	}
	if out, err = w.encode(r.view); err != nil {
		return history, r.keep(Failed, in("condenser: encode", err))
	}
	return out, r
}

// wrapping is one history on its way through.
type wrapping[H any] struct {
	codec   Codec[H]
	history []H
	groups  []Group
	starts  []int // per group: its first host message
	of      []int // per message: its group
	next    int   // the first group not passed yet on the way out
}

// messages lays the groups end to end.
func (w *wrapping[H]) messages() ([]message.Message, error) {
	var msgs []message.Message
	n := 0
	for i, g := range w.groups {
		if g.N < 0 || n+g.N > len(w.history) {
			return nil, fmt.Errorf("group %d covers host messages [%d, %d) of %d", i, n, n+g.N, len(w.history))
		}
		w.starts = append(w.starts, n)
		for range g.Messages {
			w.of = append(w.of, i)
		}
		msgs = append(msgs, g.Messages...)
		n += g.N
	}
	if n != len(w.history) {
		return nil, fmt.Errorf("the %d groups cover %d host messages of %d", len(w.groups), n, len(w.history))
	}
	return msgs, nil
}

// encode walks the view. Neighbours that come from one group are handed over
// together; a group that stands as it was comes back as it came.
func (w *wrapping[H]) encode(v *transcript.View) ([]H, error) {
	var out []H
	used := make([]bool, len(w.groups))
	for i := 0; i < v.Len(); {
		g := w.groupOf(v, i)
		j := i + 1
		for g >= 0 && j < v.Len() && w.groupOf(v, j) == g {
			j++
		}
		now := v.Messages()[i:j]
		i = j
		var from []H
		if g >= 0 && !used[g] {
			used[g] = true
			out = w.upTo(g, out)
			from = w.hosts(g)
			if slices.Equal(now, w.groups[g].Messages) {
				out = append(out, from...)
				continue
			}
		}
		encoded, err := w.codec.Encode(from, now)
		if err != nil {
			return nil, err
		}
		if len(encoded) == 0 {
			return nil, fmt.Errorf("the codec makes nothing of %d messages", len(now))
		}
		out = append(out, encoded...)
	}
	return w.upTo(len(w.groups), out), nil
}

// hosts returns the host messages of group g.
func (w *wrapping[H]) hosts(g int) []H { return w.history[w.starts[g] : w.starts[g]+w.groups[g].N] }

// upTo adds the host messages before group g that hold no message of ours:
// what they mean is the host's business, and nothing folds them.
func (w *wrapping[H]) upTo(g int, out []H) []H {
	for ; w.next < g; w.next++ {
		if len(w.groups[w.next].Messages) == 0 {
			out = append(out, w.hosts(w.next)...)
		}
	}
	return out
}

// groupOf returns the group that item i of v comes from, -1 if it is new.
func (w *wrapping[H]) groupOf(v *transcript.View, i int) int {
	it := v.At(i)
	if it.Edit < 0 {
		return w.of[it.From]
	}
	for p := it.From; p < it.To; p++ {
		if v.Original(p, p+1)[0] == it.Msg {
			return w.of[p]
		}
	}
	if g := w.of[it.From]; g == w.of[it.To-1] && it.To == it.From+1 {
		return g // made from that message alone
	}
	return -1
}
