package main

// What the agent of the session breakdown writes: budget.ByPart.

const breakdownMap = `package budget

import "github.com/condenser-go/condenser/message"

// Share is what one part of a transcript takes.
type Share struct{ Count, Tokens int }

// Breakdown says where the tokens of a transcript go, by part.
type Breakdown map[string]Share

// ByPart returns the breakdown of msgs. The parts add up to EstimateTokens.
func ByPart(msgs []message.Message) Breakdown {
	b := Breakdown{}
	add := func(part string, count, tokens int) {
		s := b[part]
		b[part] = Share{s.Count + count, s.Tokens + tokens}
	}
	for _, m := range msgs {
		tokens := EstimateMessageTokens(m)
		if a, ok := m.(*message.Assistant); ok {
			if calls := message.Calls(a); len(calls) > 0 {
				words := wordTokens(a)
				add("tool calls", len(calls), tokens-words)
				tokens = words
			}
		}
		add(string(m.Kind()), 1, tokens)
	}
	return b
}

// wordTokens returns the tokens of a without its calls.
func wordTokens(a *message.Assistant) int {
	var w weight
	for i, b := range a.Content {
		if _, isCall := b.(*message.ToolCall); !isCall {
			w.blocks(a.Content[i : i+1])
		}
	}
	if a.ErrorMessage != "" {
		w.text(a.ErrorMessage)
		w.framing += BlockFramingTokens
	}
	return charTokens(w.chars) + MessageFramingTokens + w.framing
}

// Tokens returns the sum over all parts.
func (b Breakdown) Tokens() int {
	n := 0
	for _, s := range b {
		n += s.Tokens
	}
	return n
}
`

const breakdownArray = `package budget

import (
	"fmt"

	"github.com/condenser-go/condenser/message"
)

// Part names what tokens of a transcript are spent on.
type Part uint8

const (
	Instructions Part = iota // of the host
	Requests                 // of the user
	Replies                  // the agent's words and thinking
	ToolCalls                // names and arguments
	ToolResults
	Summaries // of branches and compactions
	Other     // commands of the user, custom and unknown entries
	parts
)

func (p Part) String() string {
	names := [parts]string{"instructions", "requests", "replies", "tool calls", "tool results", "summaries", "other"}
	if p < parts {
		return names[p]
	}
	return fmt.Sprintf("Part(%d)", uint8(p))
}

// Share is what one part of a transcript takes: messages, or calls, and tokens.
type Share struct{ Count, Tokens int }

// Breakdown says where the tokens of a transcript go, by Part.
type Breakdown [parts]Share

// ByPart returns the breakdown of msgs. The parts add up to EstimateTokens. It
// does not allocate.
func ByPart(msgs []message.Message) Breakdown {
	var b Breakdown
	for _, m := range msgs {
		tokens := EstimateMessageTokens(m)
		if a, ok := m.(*message.Assistant); ok {
			words, calls := wordTokens(a)
			b.add(ToolCalls, calls, tokens-words)
			tokens = words
		}
		b.add(partOf(m.Kind()), 1, tokens)
	}
	return b
}

func (b *Breakdown) add(p Part, count, tokens int) {
	b[p].Count += count
	b[p].Tokens += tokens
}

func partOf(k message.Kind) Part {
	switch k {
	case message.KindSystem:
		return Instructions
	case message.KindUser:
		return Requests
	case message.KindAssistant:
		return Replies
	case message.KindToolResult:
		return ToolResults
	case message.KindBranchSummary, message.KindCompactionSummary:
		return Summaries
	}
	return Other
}

// wordTokens returns the tokens of a without its calls, and how many those are.
func wordTokens(a *message.Assistant) (tokens, calls int) {
	var w weight
	for i, b := range a.Content {
		if _, isCall := b.(*message.ToolCall); isCall {
			calls++
			continue
		}
		w.blocks(a.Content[i : i+1])
	}
	if a.ErrorMessage != "" {
		w.text(a.ErrorMessage)
		w.framing += BlockFramingTokens
	}
	return charTokens(w.chars) + MessageFramingTokens + w.framing, calls
}

// Tokens returns the sum over all parts.
func (b Breakdown) Tokens() int {
	n := 0
	for _, s := range b {
		n += s.Tokens
	}
	return n
}
`

const breakdownTest = `package budget

import (
	"os"
	"testing"

	"github.com/condenser-go/condenser/message"
)

func sample(t testing.TB) []message.Message {
	f, err := os.Open("../sample/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	msgs, err := message.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return msgs
}

func TestByPartAddsUp(t *testing.T) {
	msgs := sample(t)
	for i := range msgs {
		if got, want := ByPart(msgs[:i+1]).Tokens(), EstimateTokens(msgs[:i+1]); got != want {
			t.Errorf("up to message %d: the parts add up to %d, want %d", i, got, want)
		}
	}
}

func TestByPartAllocatesNothing(t *testing.T) {
	msgs := sample(t)
	if n := testing.AllocsPerRun(20, func() { _ = ByPart(msgs) }); n != 0 {
		t.Errorf("%v allocations a run, want 0", n)
	}
}
`

const breakdownBench = `package budget

import "testing"

func BenchmarkByPart(b *testing.B) {
	msgs := sample(b)
	b.ReportAllocs()
	for b.Loop() {
		ByPart(msgs)
	}
}
`

const decodeBench = `package message

import (
	"bytes"
	"os"
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	stored, err := os.ReadFile("../sample/session.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(stored)))
	for b.Loop() {
		if _, err := Decode(bytes.NewReader(stored)); err != nil {
			b.Fatal(err)
		}
	}
}
`
