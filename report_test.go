package condenser_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/condenser-go/condenser"
	"github.com/condenser-go/condenser/budget"
	"github.com/condenser-go/condenser/condensertest"
	"github.com/condenser-go/condenser/message"
)

// fullReport has every field set.
func fullReport() condenser.Report {
	return condenser.Report{
		Outcome: condenser.Unreachable, Cause: condenser.Overflow, Level: budget.Critical,
		Before: condenser.Count{Messages: 9, Tokens: 9000}, After: condenser.Count{Messages: 2, Tokens: 7000},
		Window: 8192, Hard: 6144, Trigger: 4608, Target: 3686,
		Steps: []condenser.Step{
			{Pass: "summarize", Edits: 1, Replaced: 8, Why: "digest by the model", Before: 9000, After: 7000, Calls: 2, Usage: &message.Usage{Input: 8000, Output: 300, CacheRead: 1, CacheWrite: 2}},
			{Pass: "mine", Before: 7000, After: 6500, Price: &budget.Price{From: 1, To: 4, Input: 500, Output: 20}, Err: errors.New("boom\nand more")},
		},
		Blockers: []condenser.Blocker{{Kind: condenser.BlockerOverhead, Index: -1, Size: budget.Size{Tokens: 10}}, {Kind: condenser.BlockerSystem, Index: 0, Size: budget.Size{Tokens: 6900}}},
		CommitID: "c-1", Refusal: errors.New("400"), Err: errors.New("boom"),
	}
}

func TestReportString(t *testing.T) {
	assert.Equal(t, `unreachable (overflow, critical): 9 messages, 9000 tokens → 2 messages, 7000 tokens; window 8192, hard 6144, trigger 4608, target 3686
  summarize: 9000 → 7000 tokens, 8 messages in 1 edit (digest by the model), 2 model calls
  mine: 7000 → 6500 tokens, would pay 500 tokens in and 20 out, error: boom and more
  blocked by overhead: 10 tokens
  blocked by system: 1 message, 6900 tokens
  refused: 400
  error: boom`, fullReport().String())
	assert.Equal(t, "unchanged (threshold, ok): 0 messages, 0 tokens; no window", condenser.Report{}.String())
	boom := errors.New("boom")
	once := condenser.Report{Outcome: condenser.Failed, Window: 9, Steps: []condenser.Step{{Pass: "mine", Err: boom}}, Err: errors.Join(boom)}
	assert.Equal(t, 1, strings.Count(once.String(), "boom"), "an error is told once")
	once.Err = errors.New("refused")
	assert.Contains(t, once.String(), "error: refused")
	assert.Equal(t, "trim: nothing to do", condenser.Step{Pass: "trim", Before: 5, After: 5}.String())
	assert.Equal(t, "Outcome(9)", condenser.Outcome(9).String())
}

func TestReportJSON(t *testing.T) {
	data, err := json.Marshal(fullReport())
	require.NoError(t, err)
	assert.JSONEq(t, `{"outcome":"unreachable","cause":"overflow","level":"critical","before":{"messages":9,"tokens":9000},"after":{"messages":2,"tokens":7000},
		"window":8192,"trigger":4608,"target":3686,"hard":6144,
		"steps":[{"pass":"summarize","edits":1,"replaced":8,"why":"digest by the model","before":9000,"after":7000,"calls":2,"usage":{"input":8000,"output":300,"cache_read":1,"cache_write":2}},
			{"pass":"mine","edits":0,"replaced":0,"before":7000,"after":6500,"price":{"input":500,"output":20},"error":"boom and more"}],
		"blockers":[{"kind":"overhead","index":-1,"tokens":10},{"kind":"system","index":0,"tokens":6900}],"commit":"c-1","refusal":"400","error":"boom"}`, string(data))
}

func TestReportLogs(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("done", "r", fullReport())
	assert.Equal(t, "level=INFO msg=done r.outcome=unreachable r.cause=overflow r.level=critical r.messages_before=9 r.messages_after=2 "+
		"r.tokens_before=9000 r.tokens_after=7000 r.hard=6144 r.target=3686 r.passes=summarize r.commit=c-1 r.error=boom\n", out.String())
}

// A report tells sizes and names. No word of the transcript is in it, in any form.
func TestReportsHoldNoContent(t *testing.T) {
	msgs := condensertest.MustParse(`s"canary" u"canary canary" a(1) r1:9k a"canary" a(2=canarytool) r2"canary failed"! u:9k a:9k u"canary"`)
	for _, p := range []*condenser.Pipeline{
		condenser.Default(condenser.Deps{Card: window(8192), Observe: quiet}),
		condenser.Default(condenser.Deps{Card: window(2400), Observe: quiet, Invoker: condensertest.NewScript(condensertest.Reply("canary"))}),
	} {
		_, r, _ := p.Fit(t.Context(), msgs, condenser.Call{})
		data, err := json.Marshal(r)
		require.NoError(t, err)
		for _, s := range []string{r.String(), string(data), r.LogValue().String()} {
			assert.False(t, strings.Contains(s, "canary"), s)
		}
	}
}
