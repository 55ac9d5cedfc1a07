package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/message"
	"github.com/condenser-go/condenser/microcompact"
	"github.com/condenser-go/condenser/preset"
	"github.com/condenser-go/condenser/rehydrate"
)

type policyArgs struct {
	TriggerRatio  float64 `json:"trigger_ratio"`
	KeepRecent    int     `json:"keep_recent"`
	ReserveTokens int     `json:"reserve_tokens"`
}

func (p policyArgs) policy() budget.Policy {
	return budget.Policy{TriggerRatio: p.TriggerRatio, KeepRecent: p.KeepRecent, ReserveTokens: p.ReserveTokens}
}

type wbArgs struct {
	Message       json.RawMessage `json:"message"`
	Messages      messages        `json:"messages"`
	ContextWindow int             `json:"context_window"`
	TriggerRatio  float64         `json:"trigger_ratio"`
	ReserveTokens int             `json:"reserve_tokens"`
	Policy        policyArgs      `json:"policy"`
	KeepRecent    int             `json:"keep_recent"`
	Dropped       messages        `json:"dropped"`
	Kept          messages        `json:"kept"`
	MaxFiles      int             `json:"max_files"`
	TokenBudget   int             `json:"token_budget"`
	ReadToolName  string          `json:"read_tool_name"`
	Force         bool            `json:"force"`
	Invoker       string          `json:"invoker"`
}

var windowBudget = map[string]func(json.RawMessage) (any, error){
	"estimate_message_tokens": fn(func(a wbArgs) (any, error) {
		m, err := message.Unmarshal(a.Message)
		if err != nil {
			return nil, err
		}
		return budget.EstimateMessageTokens(m), nil
	}),
	"estimate_tokens": fn(func(a wbArgs) (any, error) { return budget.EstimateTokens(a.Messages), nil }),
	"prefix_tokens":   fn(func(a wbArgs) (any, error) { return budget.PrefixTokens(a.Messages), nil }),
	"budget_limit": fn(func(a wbArgs) (any, error) {
		p := budget.Policy{TriggerRatio: a.TriggerRatio, ReserveTokens: a.ReserveTokens}
		return budget.Limit(budget.ModelCard{ContextWindow: a.ContextWindow}, p), nil
	}),
	"is_over_budget": fn(func(a wbArgs) (any, error) {
		return budget.IsOver(a.Messages, budget.ModelCard{ContextWindow: a.ContextWindow}, a.Policy.policy()), nil
	}),
	"plan_slice": fn(func(a wbArgs) (any, error) {
		return map[string]any{"cut": budget.PlanSlice(a.Messages, a.Policy.policy()).Cut}, nil
	}),
	"last_user_turn_start": fn(func(a wbArgs) (any, error) {
		if i, ok := budget.LastUserTurnStart(a.Messages); ok {
			return i, nil
		}
		return nil, nil
	}),
	"clear_stale_tool_results": fn(func(a wbArgs) (any, error) {
		if out, changed := microcompact.ClearStaleToolResults(a.Messages, a.KeepRecent); changed {
			return map[string]any{"messages": messages(out)}, nil
		}
		return nil, nil
	}),
	"rehydrate_recent_reads": fn(func(a wbArgs) (any, error) {
		o := rehydrate.Options{MaxFiles: a.MaxFiles, TokenBudget: a.TokenBudget, Tool: a.ReadToolName}
		return map[string]any{"paths": paths(rehydrate.RecentReads(a.Dropped, a.Kept, o))}, nil
	}),
	"condense_transcript": fn(condenseTranscript),
}

func paths(msgs []message.Message) []string {
	out := []string{}
	for _, m := range msgs {
		if p, ok := rehydrate.RestoredPath(m); ok {
			out = append(out, p)
		}
	}
	return out
}

func condenseTranscript(a wbArgs) (any, error) {
	var reply *string
	if s, ok := strings.CutPrefix(a.Invoker, "scripted:"); ok {
		reply = &s
	}
	out := preset.CondenseTranscript(context.Background(), a.Messages, a.Policy.policy(), a.Force, scripted(reply))
	kinds := []message.Kind{}
	for _, m := range out {
		kinds = append(kinds, m.Kind())
	}
	restored := paths(out)
	got := map[string]any{"kinds": kinds, "first_text_prefix": nil, "kept_from": 0, "restored_paths": restored}
	if len(out) < len(a.Messages) {
		text := message.PlainText(out[0])
		header, _, _ := strings.Cut(text, "\n")
		got["first_text_prefix"] = header
		got["kept_from"] = len(a.Messages) - (len(out) - 1 - len(restored))
		for _, part := range digestParts(reply) {
			if strings.Contains(text, part) {
				got["digest_contains"] = part
				break
			}
		}
	}
	return got, nil
}

// digestParts are what a digest may be told by: the reply it was made of, else
// the heading of a local one.
func digestParts(reply *string) []string {
	if reply != nil && strings.TrimSpace(*reply) != "" {
		return []string{*reply, "# Carryover"}
	}
	return []string{"# Carryover"}
}
