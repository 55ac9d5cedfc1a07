package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/preset"
	"github.com/condenser-go/condenser/summarize"
	"github.com/condenser-go/condenser/transcript"
)

// messages decode from the stored form and encode to it.
type messages []message.Message

func (m *messages) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*m = make(messages, len(list))
	for i, raw := range list {
		one, err := message.Unmarshal(raw)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		(*m)[i] = one
	}
	return nil
}

func (m messages) MarshalJSON() ([]byte, error) {
	list := make([]json.RawMessage, len(m))
	for i, one := range m {
		raw, err := message.Marshal(one)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		list[i] = raw
	}
	return json.Marshal(list)
}

// answer calls the function v names.
func answer(v vector) (got any, err error) {
	defer func() {
		if p := recover(); p != nil {
			got, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	table := map[string]map[string]func(json.RawMessage) (any, error){
		"windowbudget": windowBudget, "phicore": phiCore, "awaken": awaken, "neurolink": neuroLink, "condenser": library,
	}
	fn, ok := table[v.System][v.Fn]
	if !ok {
		return nil, fmt.Errorf("no function %q of system %q", v.Fn, v.System)
	}
	return fn(v.Args)
}

// library holds the functions of the library itself.
var library = map[string]func(json.RawMessage) (any, error){
	"fit":      fn(fit),
	"digest":   fn(digest),
	"validate": fn(validate),
	"repair":   fn(repair),
	"count":    fn(count),
}

// fn decodes the arguments of f.
func fn[A any](f func(A) (any, error)) func(json.RawMessage) (any, error) {
	return func(raw json.RawMessage) (any, error) {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, err
		}
		return f(args)
	}
}

type fitArgs struct {
	Messages      messages `json:"messages"`
	ContextWindow int      `json:"context_window"`
	Preset        string   `json:"preset"`
	Trigger       *float64 `json:"trigger"`
	Target        *float64 `json:"target"`
	Reserve       *int     `json:"reserve"`
	KeepRecent    *int     `json:"keep_recent"`
	Manual        bool     `json:"manual"`
	Reply         *string  `json:"reply"`
}

func fit(a fitArgs) (any, error) {
	policy := budget.AutoCondensePolicy()
	set(&policy.TriggerRatio, a.Trigger)
	set(&policy.ReserveTokens, a.Reserve)
	set(&policy.KeepRecent, a.KeepRecent)
	d := condenser.Deps{Card: budget.ModelCard{ContextWindow: a.ContextWindow}, Policy: &policy, Invoker: scripted(a.Reply),
		Observe: func(context.Context, condenser.Report) {}}
	ladders := map[string]func(condenser.Deps) *condenser.Pipeline{
		"": condenser.Default, "default": condenser.Default, "windowbudget": preset.WindowBudget,
	}
	ladder, ok := ladders[a.Preset]
	if !ok {
		return nil, fmt.Errorf("no preset %q", a.Preset)
	}
	p := ladder(d)
	set(&p.Target, a.Target)
	call := condenser.Call{}
	if a.Manual {
		call.Cause = condenser.Manual
	}
	out, report, err := p.Fit(context.Background(), a.Messages, call)
	if err != nil && report.Outcome != condenser.Failed {
		return nil, err
	}
	return map[string]any{"messages": messages(out), "tokens_before": report.Before.Tokens, "tokens_after": report.After.Tokens,
		"limit": budget.Limit(d.Card, policy), "outcome": report.Outcome}, nil
}

func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

// scripted returns an invoker that says reply; nil without one.
func scripted(reply *string) summarize.ModelInvoker {
	if reply == nil {
		return nil
	}
	return summarize.InvokerFunc(func(context.Context, summarize.Request) (summarize.Response, error) {
		return summarize.Response{Content: []message.Block{message.Text(*reply)}, FinishReason: "stop"}, nil
	})
}

func digest(a struct {
	Messages  messages `json:"messages"`
	MaxTokens int      `json:"max_tokens"`
}) (any, error) {
	d := summarize.Local{MaxTokens: a.MaxTokens}.Digest(a.Messages)
	return map[string]any{"text": message.PlainText(d), "tokens": budget.WindowBudget{}.Tokens(d)}, nil
}

func validate(a struct {
	Messages messages        `json:"messages"`
	Profile  message.Profile `json:"profile"`
}) (any, error) {
	found := message.Validate(a.Messages, a.Profile)
	return map[string]any{"violations": append([]message.Violation{}, found...)}, nil
}

func repair(a struct {
	Messages messages `json:"messages"`
}) (any, error) {
	v, err := transcript.Fold(a.Messages)
	if err != nil {
		return nil, err
	}
	if v, err = v.With(v.Repair()...); err != nil {
		return nil, err
	}
	return map[string]any{"messages": messages(v.Messages())}, nil
}
