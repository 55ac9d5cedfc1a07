package message

import (
	"fmt"
	"slices"
)

// Violation is one rule a transcript breaks.
type Violation struct {
	Index   int    `json:"index"` // of the message in the list that was judged; -1 for the list as a whole
	Rule    string `json:"rule"`  // "V1" to "V12" from Validate, a rule's name from the transcript package
	Problem string `json:"problem"`
}

func (v Violation) String() string {
	return fmt.Sprintf("message %d: %s: %s", v.Index, v.Rule, v.Problem)
}

// Profile names a provider's rules.
type Profile string

// Portable is the intersection of what the providers accept: what is valid
// under it is valid for all of them once neighbours of the same role are
// merged.
const Portable Profile = "portable"

// Validate judges msgs as they would be sent, and returns every problem at
// once, ordered by message. It returns nil for a valid list and for an empty one.
//
// Custom, bash and summary messages count as user messages, neighbouring
// assistant messages as one, and *Unknown as not sent. The rules:
//
//	V1  the first message after the system's is a user's, the last a user's or a result
//	V3  every call is answered exactly once, right after its assistant message
//	V4  every result answers a call of the assistant message right before
//	V5  call ids are there, and unique within an assistant message
//	V6  no text is empty or blank, and no content is
//	V8  a call's input is a JSON object; every string is UTF-8 without NUL
//	V10 an image has at most 5 MiB, 2,000 pixels a side if there are more than 20; the whole at most 20 MiB
//
// V2 (alternation) always holds after merging. V7 and V12 are about what an
// edit did and belong to the rules of the transcript package; V9 and V11 need
// the request's tools. An unknown profile is a violation of the rule
// "profile".
func Validate(msgs []Message, p Profile) []Violation {
	if p != Portable {
		return []Violation{{Index: -1, Rule: "profile", Problem: fmt.Sprintf("unknown profile %q", p)}}
	}
	if err := CheckNil(msgs); err != nil {
		return []Violation{{Index: -1, Rule: "nil", Problem: err.Error()}}
	}
	v := validator{msgs: msgs}
	v.ends()
	v.steps()
	for i, m := range msgs {
		v.content(i, m)
	}
	v.sizes()
	slices.SortStableFunc(v.found, func(a, b Violation) int { return a.Index - b.Index })
	return v.found
}

type validator struct {
	msgs  []Message
	found []Violation
}

func (v *validator) add(i int, rule, format string, args ...any) {
	v.found = append(v.found, Violation{Index: i, Rule: rule, Problem: fmt.Sprintf(format, args...)})
}

// ends checks V1.
func (v *validator) ends() {
	first, last := -1, -1
	for i, m := range v.msgs {
		switch m.(type) {
		case *System, *Unknown:
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	if first < 0 {
		if len(v.msgs) > 0 {
			v.add(len(v.msgs)-1, "V1", "there is no user message")
		}
		return
	}
	switch k := v.msgs[first].Kind(); k {
	case KindAssistant, KindToolResult:
		v.add(first, "V1", "the first message is of kind %s, not a user's", k)
	}
	if v.msgs[last].Kind() == KindAssistant {
		v.add(last, "V1", "the last message is the assistant's")
	}
}

// step is a run of assistant messages, which providers see as one.
type step struct {
	calls []stepCall
}

type stepCall struct {
	index    int // of the message
	call     *ToolCall
	answered bool
}

// steps checks V3, V4 and V5.
func (v *validator) steps() {
	var open *step // the assistant messages right before, nil if there are none
	closed := false
	end := func() {
		if open != nil {
			for _, c := range open.calls {
				if !c.answered {
					v.add(c.index, "V3", "call %q (%s) has no result right after it", c.call.ID, c.call.Name)
				}
			}
		}
		open, closed = nil, false
	}
	for i, m := range v.msgs {
		switch m := m.(type) {
		case *Unknown:
		case *Assistant:
			if closed {
				end()
			}
			if open == nil {
				open = &step{}
			}
			v.calls(open, i, m)
		case *ToolResult:
			closed = true
			v.answer(open, i, m)
		default:
			end()
		}
	}
	end()
}

func (v *validator) calls(s *step, i int, m *Assistant) {
	for _, c := range Calls(m) {
		if c.ID == "" {
			v.add(i, "V5", "a call of %q has no id", c.Name)
		} else if slices.ContainsFunc(s.calls, func(o stepCall) bool { return o.call.ID == c.ID }) {
			v.add(i, "V5", "call id %q occurs twice", c.ID)
		}
		s.calls = append(s.calls, stepCall{index: i, call: c})
	}
}

func (v *validator) answer(s *step, i int, m *ToolResult) {
	known := false
	if s != nil {
		for k := range s.calls {
			c := &s.calls[k]
			if c.call.ID != m.CallID {
				continue
			}
			known = true
			if !c.answered {
				c.answered = true
				return
			}
		}
	}
	if known {
		v.add(i, "V3", "a second result for call %q", m.CallID)
	} else {
		v.add(i, "V4", "the result answers %q, which is no call of the assistant message right before", m.CallID)
	}
}
