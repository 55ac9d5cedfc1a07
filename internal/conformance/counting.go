package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/budget/tiktoken"
	"github.com/condenser-go/condenser/message"
)

type countArgs struct {
	Text      string          `json:"text"`
	Message   json.RawMessage `json:"message"`
	Messages  messages        `json:"messages"`
	Provider  string          `json:"provider"`
	IsCode    bool            `json:"isCode"`
	MaxTokens int             `json:"maxTokens"`
	Counter   string          `json:"counter"`
}

func (a countArgs) neuroLink() budget.NeuroLink {
	return budget.NeuroLink{Provider: a.Provider, Code: a.IsCode}
}

// messageTokens answers with what c charges for a message.
func messageTokens(c budget.Counter) func(json.RawMessage) (any, error) {
	return fn(func(a countArgs) (any, error) {
		m, err := message.Unmarshal(a.Message)
		if err != nil {
			return nil, err
		}
		return c.Tokens(m), nil
	})
}

var phiCore = map[string]func(json.RawMessage) (any, error){
	"estimate_tokens": fn(func(a countArgs) (any, error) { return budget.Bytes4{}.TextTokens(a.Text), nil }),
	"message_tokens":  messageTokens(budget.Bytes4{}),
}

var awaken = map[string]func(json.RawMessage) (any, error){
	"estimate_message_tokens": messageTokens(budget.Bytes4{Floor: true}),
}

var neuroLink = map[string]func(json.RawMessage) (any, error){
	"estimateTokens": fn(func(a countArgs) (any, error) { return a.neuroLink().TextTokens(a.Text), nil }),
	"estimateMessagesTokens": fn(func(a countArgs) (any, error) {
		return budget.NewMemo(a.neuroLink()).Sum(a.Messages), nil
	}),
	"truncateToTokenBudget": fn(func(a countArgs) (any, error) {
		text, cut := budget.CutText(a.Text, a.MaxTokens, a.neuroLink())
		return map[string]any{"text": text, "truncated": cut}, nil
	}),
}

// count is what a named counter charges for a text.
func count(a countArgs) (any, error) {
	name, of, _ := strings.Cut(a.Counter, ":")
	switch name {
	case "windowbudget":
		return budget.WindowBudget{}.TextTokens(a.Text), nil
	case "bytes4":
		return budget.Bytes4{}.TextTokens(a.Text), nil
	case "neurolink":
		return budget.NeuroLink{Provider: of}.TextTokens(a.Text), nil
	case "exact":
		for _, e := range []*tiktoken.Encoding{tiktoken.O200K, tiktoken.CL100K} {
			if e.String() == of {
				return e.TextTokens(a.Text), nil
			}
		}
	}
	return nil, fmt.Errorf("there is no counter %q", a.Counter)
}
