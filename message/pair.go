package message

import "iter"

// Pairing tells which tool result answers which call in one list of messages.
//
// Pairs are formed by position: a result answers the nearest preceding
// message that holds an unanswered call with its id, and in it the first such
// call. Ids therefore may recur from step to step, as many agents' do.
type Pairing struct {
	calls   []callRef // per message: the call a result answers
	first   []int     // per message: where its calls begin in answers; length n+1
	answers []int     // per call: the index of its result, -1 if unanswered
	last    int       // the last assistant message, -1 if there is none
}

type callRef struct{ msg, call int } // msg -1: answers none

// Pair pairs the calls and results of msgs. Time and memory are linear in
// messages and calls.
func Pair(msgs []Message) *Pairing {
	p := &Pairing{calls: make([]callRef, len(msgs)), first: make([]int, len(msgs)+1), last: -1}
	open := map[string][]callRef{} // per id: unanswered calls, the next to answer last
	for i, m := range msgs {
		p.first[i] = len(p.answers)
		p.calls[i].msg = -1
		if IsNil(m) {
			continue
		}
		switch m := m.(type) {
		case *Assistant:
			p.last = i
			p.open(open, i, m)
		case *ToolResult:
			if stack := open[m.CallID]; len(stack) > 0 {
				ref := stack[len(stack)-1]
				open[m.CallID] = stack[:len(stack)-1]
				p.calls[i] = ref
				p.answers[p.first[ref.msg]+ref.call] = i
			}
		}
	}
	p.first[len(msgs)] = len(p.answers)
	return p
}

func (p *Pairing) open(open map[string][]callRef, i int, m *Assistant) {
	var ids []string
	for _, b := range m.Content {
		if c, ok := b.(*ToolCall); ok {
			ids = append(ids, c.ID)
			p.answers = append(p.answers, -1)
		}
	}
	for k := len(ids) - 1; k >= 0; k-- { // so that the first of equal ids is answered first
		open[ids[k]] = append(open[ids[k]], callRef{i, k})
	}
}

// Call returns the call that the result at index i answers: the index of its
// assistant message, and its number among that message's calls.
func (p *Pairing) Call(i int) (msg, call int, ok bool) {
	r := p.calls[i]
	return r.msg, r.call, r.msg >= 0
}

// Answers returns, for each call of the message at index i, the index of its
// result, -1 if it has none. The slice is for reading.
func (p *Pairing) Answers(i int) []int { return p.answers[p.first[i]:p.first[i+1]] }

// Pending returns the index of the last assistant message if one of its calls
// is unanswered: such a call may still be running.
func (p *Pairing) Pending() (int, bool) {
	if p.last < 0 {
		return 0, false
	}
	for _, r := range p.Answers(p.last) {
		if r < 0 {
			return p.last, true
		}
	}
	return 0, false
}

// Groups returns the atomic groups as index ranges [from, to), in order and
// without gaps: an assistant message with its calls, all their results and
// whatever stands between them, or a single other message. No pair crosses
// from one to the next.
func (p *Pairing) Groups() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		n := len(p.calls)
		for from := 0; from < n; {
			to := from + 1
			for i := from; i < to; i++ {
				for _, r := range p.Answers(i) {
					to = max(to, r+1)
				}
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// Turns returns the turns of msgs as index ranges [from, to), in order and
// without gaps. A turn begins at a *User that is not Internal; what stands
// before the first one is a range of its own.
func Turns(msgs []Message) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := 0
		for i, m := range msgs {
			if u, ok := m.(*User); ok && u != nil && !u.Internal && i > from {
				if !yield(from, i) {
					return
				}
				from = i
			}
		}
		if from < len(msgs) {
			yield(from, len(msgs))
		}
	}
}
