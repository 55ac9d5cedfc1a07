package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ask answers one vector.
func ask(t *testing.T, system, fn, args string) map[string]any {
	var out strings.Builder
	_, err := run(false, nil, strings.NewReader(`{"id":"x","system":"`+system+`","fn":"`+fn+`","args":`+args+`}`), &out)
	require.NoError(t, err)
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &line))
	assert.Equal(t, "x", line["id"])
	return line
}

const hello = `[{"kind":"system","content":[{"type":"text","text":"be brief"}]},{"kind":"user","content":[{"type":"text","text":{"$concat":["fix it",{"$repeat":[" x",9000]}]}}]},` +
	`{"kind":"assistant","content":[{"type":"text","text":"ok"}]},{"kind":"user","content":[{"type":"text","text":"now"}]}]`

func TestLibrary(t *testing.T) {
	got := ask(t, "condenser", "fit", `{"messages":`+hello+`,"context_window":4096}`)["got"].(map[string]any)
	assert.Equal(t, "condensed", got["outcome"])
	assert.Equal(t, 1536.0, got["limit"])
	assert.Less(t, got["tokens_after"], got["tokens_before"])
	assert.Len(t, got["messages"], 4)

	got = ask(t, "condenser", "fit", `{"messages":`+hello+`,"context_window":4096,"preset":"windowbudget","trigger":0.5,"target":0.4,"reserve":1000,"keep_recent":50,"manual":true,"reply":"# Objective\nx"}`)["got"].(map[string]any)
	assert.Equal(t, 1548.0, got["limit"])
	assert.Contains(t, got["messages"].([]any)[1].(map[string]any)["content"].([]any)[0].(map[string]any)["text"], "# Objective\nx")
	assert.Contains(t, ask(t, "condenser", "fit", `{"messages":[],"preset":"x"}`)["error"], `no preset "x"`)

	got = ask(t, "condenser", "digest", `{"messages":`+hello+`,"max_tokens":200}`)["got"].(map[string]any)
	assert.LessOrEqual(t, got["tokens"], 200.0)
	assert.Contains(t, got["text"], "Last request, word for word:\nnow")

	got = ask(t, "condenser", "validate", `{"messages":[{"kind":"assistant","content":[]}],"profile":"portable"}`)["got"].(map[string]any)
	assert.Len(t, got["violations"], 3)
	got = ask(t, "condenser", "validate", `{"messages":[],"profile":"portable"}`)["got"].(map[string]any)
	assert.Equal(t, []any{}, got["violations"])

	got = ask(t, "condenser", "repair", `{"messages":[{"kind":"user","content":[{"type":"text","text":"x"}]},{"kind":"tool_result","tool_call_id":"9","tool_name":"read","content":[]}]}`)["got"].(map[string]any)
	assert.Len(t, got["messages"], 1)
}

func TestWindowBudgetFunctions(t *testing.T) {
	for fn, c := range map[string]struct{ args, want string }{
		"estimate_message_tokens":  {`{"message":{"kind":"user","content":[{"type":"text","text":"abcd"}]}}`, `8`},
		"estimate_tokens":          {`{"messages":[]}`, `0`},
		"prefix_tokens":            {`{"messages":[{"kind":"user","content":[]}]}`, `[0,4]`},
		"budget_limit":             {`{"context_window":8192,"trigger_ratio":0.75,"reserve_tokens":2048}`, `4608`},
		"is_over_budget":           {`{"messages":[],"context_window":8192,"policy":{"trigger_ratio":0.75}}`, `false`},
		"plan_slice":               {`{"messages":[],"policy":{"keep_recent":5}}`, `{"cut":0}`},
		"last_user_turn_start":     {`{"messages":[{"kind":"bash","command":"x","output":""},{"kind":"user","content":[]}]}`, `1`},
		"clear_stale_tool_results": {`{"messages":[],"keep_recent":1}`, `null`},
		"rehydrate_recent_reads":   {`{"dropped":[],"kept":[],"max_files":5,"token_budget":1,"read_tool_name":"read"}`, `{"paths":[]}`},
		"condense_transcript":      {`{"messages":[],"policy":{"keep_recent":5},"invoker":"none"}`, `{"kinds":[],"first_text_prefix":null,"kept_from":0,"restored_paths":[]}`},
	} {
		got, err := json.Marshal(ask(t, "windowbudget", fn, c.args)["got"])
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(got), fn)
	}
	assert.Nil(t, ask(t, "windowbudget", "last_user_turn_start", `{"messages":[]}`)["got"])
	assert.Contains(t, ask(t, "windowbudget", "nothing", `{}`)["error"], `no function "nothing"`)
	assert.Contains(t, ask(t, "windowbudget", "estimate_tokens", `{"messages":[{"kind":7}]}`)["error"], "message 0")
	assert.Contains(t, ask(t, "windowbudget", "estimate_message_tokens", `{"message":{}}`)["error"], "kind")
	assert.Contains(t, ask(t, "windowbudget", "estimate_tokens", `{"messages":7}`)["error"], "cannot unmarshal")
}

func TestCountingFunctions(t *testing.T) {
	for _, c := range []struct{ system, fn, args, want string }{
		{"phicore", "estimate_tokens", `{"text":"abcde"}`, `2`},
		{"phicore", "message_tokens", `{"message":{"kind":"user","content":[{"type":"text","text":"Hello"}]}}`, `6`},
		{"awaken", "estimate_message_tokens", `{"message":{"kind":"user","content":[{"type":"text","text":"abcdefg"}]}}`, `5`},
		{"neurolink", "estimateTokens", `{"text":"naïve café","provider":"mistral","isCode":true}`, `6`},
		{"neurolink", "estimateMessagesTokens", `{"messages":[{"kind":"user","content":[]}],"provider":"vertex"}`, `28`},
		{"neurolink", "truncateToTokenBudget", `{"text":"abc","maxTokens":-5}`, `{"text":"","truncated":true}`},
		{"condenser", "count", `{"text":"hello world","counter":"windowbudget"}`, `4`},
		{"condenser", "count", `{"text":"hello world","counter":"bytes4"}`, `3`},
		{"condenser", "count", `{"text":"hello world","counter":"neurolink:anthropic"}`, `5`},
		{"condenser", "count", `{"text":"hello world","counter":"exact:o200k_base"}`, `2`},
		{"condenser", "count", `{"text":"<|endoftext|>","counter":"exact:cl100k_base"}`, `7`},
	} {
		got, err := json.Marshal(ask(t, c.system, c.fn, c.args)["got"])
		require.NoError(t, err)
		assert.JSONEq(t, c.want, string(got), c.fn)
	}
	assert.Contains(t, ask(t, "condenser", "count", `{"text":"x","counter":"exact:p50k_base"}`)["error"], `no counter "exact:p50k_base"`)
	assert.Contains(t, ask(t, "phicore", "message_tokens", `{"message":{}}`)["error"], "kind")
}

// The checker fails what is wrong, and what it does not understand.
func TestCheck(t *testing.T) {
	vectors := map[string]bool{
		`{"id":"1","system":"windowbudget","fn":"estimate_tokens","args":{"messages":[]},"want":0}`:                                                                                                     true,
		`{"id":"2","system":"windowbudget","fn":"estimate_tokens","args":{"messages":[]},"want":1}`:                                                                                                     false,
		`{"id":"3","system":"windowbudget","fn":"nothing","args":{},"want":1}`:                                                                                                                          false,
		`{"id":"4","system":"windowbudget","fn":"plan_slice","args":{"messages":[],"policy":{}},"must":{"kept_no_orphans":true}}`:                                                                       true,
		`{"id":"5","system":"windowbudget","fn":"plan_slice","args":{"messages":[],"policy":{}},"must":{"no_such_fact":true}}`:                                                                          false,
		`{"id":"6","system":"windowbudget","fn":"plan_slice","args":{"messages":[],"policy":{}},"want":{"cut":0,"more":1}}`:                                                                             false,
		`{"id":"7","system":"condenser","fn":"repair","args":{"messages":[{"kind":"user","id":"m","content":[{"type":"text","text":"x"}]}]},"want":{"messages":[{"$in":0}]}}`:                           true,
		`{"id":"8","system":"condenser","fn":"repair","args":{"messages":[{"kind":"user","content":[{"type":"text","text":"x"}]}]},"want":{"messages":[{"kind":"user","content":[]}]}}`:                 false,
		`{"id":"9","system":"windowbudget","fn":"plan_slice","args":{"messages":[{"kind":"tool_result","tool_call_id":"1","tool_name":"t","content":[]}],"policy":{}},"must":{"kept_no_orphans":true}}`: false,
	}
	for line, pass := range vectors {
		name := filepath.Join(t.TempDir(), "v.jsonl")
		require.NoError(t, os.WriteFile(name, []byte(line+"\n\n"), 0o600))
		var out strings.Builder
		failed, err := run(true, []string{name}, nil, &out)
		require.NoError(t, err)
		assert.Equal(t, pass, failed == 0, out.String())
		if pass {
			assert.Equal(t, "1 passed, 0 failed\n", out.String())
		} else {
			assert.True(t, strings.HasSuffix(out.String(), "0 passed, 1 failed\n"), out.String())
		}
	}
	_, err := run(true, []string{"no-such-file"}, nil, &strings.Builder{})
	assert.Error(t, err)
	_, err = run(true, nil, nil, &strings.Builder{})
	assert.ErrorContains(t, err, "names of files")
	var out strings.Builder // a bad line has an answer like any other
	_, err = run(false, nil, strings.NewReader("{\n"+`{"id":"a","args":{"a":{"$repeat":["x",-1]}}}`+"\n"+`{"id":"b","system":"x","fn":"y"}`), &out)
	require.NoError(t, err)
	answers := strings.Split(out.String(), "\n")
	require.Len(t, answers, 4)
	for i, want := range []string{"line 1", "$repeat -1 times", `{"error":"no function`} {
		assert.Contains(t, answers[i], want)
	}
}

func TestExpand(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1.50,"a":{"$repeat":["ab",3]},"c":[{"$concat":["x",{"$repeat":["é",2]}]},null]}`: `{"b":1.50,"a":"ababab","c":["xéé",null]}`,
		`{"$repeat":7,"b":1}`:        `{"$repeat":7,"b":1}`,
		`"a string with $repeat"`:    `"a string with $repeat"`,
		`{"a":"\"$repeat\" inside"}`: `{"a":"\"$repeat\" inside"}`,
	} {
		got, err := expand(json.RawMessage(in))
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	for _, bad := range []string{`{"$repeat":["x","y"]}`, `{"$repeat":[1,2]}`, `{"$concat":[1]}`, `[{"$concat":[{"$repeat":["x",-2]}]}]`} {
		_, err := expand(json.RawMessage(bad))
		assert.Error(t, err, bad)
	}
}

func TestVectors(t *testing.T) {
	name := "../../../shared/vectors/windowbudget.jsonl"
	if _, err := os.Stat(name); err != nil {
		t.Skip("../shared/vectors is not here: no conformance vector was checked")
	}
	var out strings.Builder
	failed, err := run(true, []string{name}, nil, &out)
	require.NoError(t, err)
	require.Zero(t, failed, out.String())
}
