package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/condenser-go/condenser/message"
)

// judge answers v and returns what is wrong with the answer.
func judge(v vector) []string {
	got, err := answer(v)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	raw, err := json.Marshal(got)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	if v.Must != nil {
		return checkMust(v, raw)
	}
	var a, b any
	if json.Unmarshal(v.Want, &a) != nil || json.Unmarshal(raw, &b) != nil {
		return []string{"not comparable"}
	}
	if !matches(resolve(a, inputs(v.Args)), b) {
		return []string{fmt.Sprintf("want %.300s got %.300s", v.Want, raw)}
	}
	return nil
}

// inputs returns the messages that {"$in":i} counts.
func inputs(args json.RawMessage) []any {
	var a struct {
		Messages []any `json:"messages"`
	}
	_ = json.Unmarshal(args, &a)
	return a.Messages
}

func resolve(v any, in []any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = resolve(v[i], in)
		}
	case map[string]any:
		if i, ok := v["$in"].(float64); ok && len(v) == 1 && int(i) < len(in) {
			return in[int(i)]
		}
		for k := range v {
			v[k] = resolve(v[k], in)
		}
	}
	return v
}

// matches reports whether got is what is wanted: equal, but a message of the
// answer may say more than is wanted of it, and its false flags may be missing.
func matches(want, got any) bool {
	w, ok := want.(map[string]any)
	if !ok {
		list, ok := want.([]any)
		other, ok2 := got.([]any)
		if !ok || !ok2 {
			return reflect.DeepEqual(want, got)
		}
		return slices.EqualFunc(list, other, matches)
	}
	g, ok := got.(map[string]any)
	if !ok {
		return false
	}
	_, isMessage := w["kind"]
	if !isMessage && len(w) != len(g) {
		return false
	}
	for k, x := range w {
		y, there := g[k]
		if !there && x == false {
			continue
		}
		if !there || !matches(x, y) {
			return false
		}
	}
	return g["is_error"] != true || w["is_error"] == true
}

// checkMust returns the facts that the answer breaks. A fact it does not know
// is broken.
func checkMust(v vector, raw json.RawMessage) []string {
	var a struct {
		Messages messages `json:"messages"`
	}
	_ = json.Unmarshal(v.Args, &a)
	var got struct {
		Cut      *int     `json:"cut"`
		KeptFrom *int     `json:"kept_from"`
		Kinds    []string `json:"kinds"`
		First    *string  `json:"first_text_prefix"`
		Restored []string `json:"restored_paths"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return []string{err.Error()}
	}
	cut := 0
	if got.Cut != nil {
		cut = *got.Cut
	} else if got.KeptFrom != nil {
		cut = *got.KeptFrom
	}
	facts := map[string]func(json.RawMessage) bool{
		"kept_no_orphans":    func(json.RawMessage) bool { return noOrphans(a.Messages[cut:]) },
		"dropped_no_orphans": func(json.RawMessage) bool { return noOrphans(a.Messages[:cut]) },
		"marker":             func(json.RawMessage) bool { return cut == 0 || got.First != nil && got.Kinds[0] == "user" },
		"restored_max": func(x json.RawMessage) bool {
			var n int
			return json.Unmarshal(x, &n) == nil && len(got.Restored) <= n
		},
		"unchanged_or_shorter": func(json.RawMessage) bool {
			return len(got.Kinds) < len(a.Messages) || cut == 0 && len(got.Kinds) == len(a.Messages)
		},
	}
	var broken []string
	for name, x := range v.Must {
		if holds, known := facts[name]; !known {
			broken = append(broken, "unknown fact "+name)
		} else if !holds(x) {
			broken = append(broken, name)
		}
	}
	slices.Sort(broken)
	return broken
}

// noOrphans is L1: each result answers an earlier open call, and only the last
// assistant message has open calls.
func noOrphans(msgs []message.Message) bool {
	p := message.Pair(msgs)
	for i, m := range msgs {
		if _, ok := m.(*message.ToolResult); ok {
			if _, _, paired := p.Call(i); !paired {
				return false
			}
		}
	}
	last := -1
	for i, m := range msgs {
		if m.Kind() == message.KindAssistant {
			last = i
		}
	}
	for i := range msgs {
		if i != last && slices.Contains(p.Answers(i), -1) {
			return false
		}
	}
	return true
}
