package main

// mutant switches one guard off: in file, old becomes new, and a test of
// packages must turn red.
type mutant struct {
	guard    string // what is switched off
	file     string
	old, new string
	packages string
}

const (
	log  = "./transcript"
	root = "."
	sum  = "./summarize"
)

var mutants = []mutant{
	// fold
	{"border check: an edit may cross another", "transcript/fold.go", `edits[outer].To < e.To || outer < k`, `outer < k`, log},
	{"conflict: an edit may lie inside an earlier one", "transcript/fold.go", `edits[outer].To < e.To || outer < k`, `edits[outer].To < e.To`, log},
	{"range: an edit may be empty or backwards", "transcript/edit.go", `e.From < 0 || e.From >= e.To`, `e.From < 0`, log},
	{"nil: an edit may hold a nil message", "transcript/edit.go", `if err := message.CheckNil(e.With); err != nil {`, `if err := message.CheckNil(nil); err != nil {`, log},
	{"needs, in a fold", "transcript/fold.go", `if e.needs() <= n {`, `if e.To <= n {`, log},
	{"siblings: a replacement loses the other messages of an edit", "transcript/view.go", `if s := v.spanOf(first); s.index < i {`, `if s := v.spanOf(first); s.index < i-1000 {`, log},
	{"two changes of one edit undo each other", "transcript/view.go", `k > 0 && e.From < edits[n].To && e.From >= 0`, `k > 0 && e.From < edits[n].To-1000 && e.From >= 0`, log},

	// commit, merge, revert, rewind
	{"needs, in a commit", "transcript/log.go", `if n := e.needs(); n > len(l.msgs) {`, `if n := e.To; n > len(l.msgs) {`, log},
	{"needs, in a rewind", "transcript/log.go", `func(e Edit) bool { return e.needs() > n }`, `func(e Edit) bool { return e.To > n }`, log},
	{"all or nothing: a refused commit is remembered", "transcript/log.go", "	after, err := l.view.With(edits...)\n	if err != nil {", "	after, err := l.view.With(edits...)\n	l.commits = append(l.commits[:len(l.commits):len(l.commits)], commits...)\n	if err != nil {", log},
	{"all or nothing: of several commits the first is kept", "transcript/log.go", "	if err := l.commit(gained...); err != nil {", "	_ = l.commit(gained[0])\n	if err := l.commit(gained...); err != nil {", log},
	{"rules: a commit is not judged", "transcript/log.go", "	if err := l.allow(after); err != nil {", "	if err := l.allow(after); false && err != nil {", log},
	{"rules: a revert is not judged", "transcript/log.go", "		err = l.allow(after)\n", "		_ = l.allow\n", log},
	{"rules: a rewind is not judged", "transcript/log.go", "		err = ruleError(after.Check(bare))\n", "		_ = bare\n", log},
	{"rules: what was wrong in the bare log is held against a commit", "transcript/log.go", `return !slices.Contains(worse, v) }))`, `return !slices.Contains(worse, v) && false }))`, log},
	{"generation: a stale snapshot may be merged", "transcript/log.go", `if b.of != l || gen != l.gen {`, `if b.of != l || gen == nil {`, log},
	{"generation: a foreign snapshot may be merged", "transcript/log.go", `if b.of != l || gen != l.gen {`, `if gen != l.gen {`, log},
	{"merge of edits about messages only the snapshot has", "transcript/log.go", `if e.needs() > b.msgs {`, `if e.needs() > b.msgs+1000 {`, log},
	{"duplicate: a commit may be made twice", "transcript/log.go", `if slices.ContainsFunc(l.commits, same) || slices.ContainsFunc(commits[:k], same) {`, `if slices.ContainsFunc(commits[:k], same) {`, log},
	{"appending writes into an older view", "transcript/log.go", `return &Log{rules: l.rules, msgs: l.msgs[:n:n]`, `return &Log{rules: l.rules, msgs: l.msgs[:n]`, log},

	// rules
	{"pair rule: results without a call", "transcript/pairs.go", "			if _, _, ok := p.Call(i); !ok {\n				add(i, \"orphan\"", "			if _, _, ok := p.Call(i); !ok && false {\n				add(i, \"orphan\"", log},
	{"pair rule: calls without a result", "transcript/pairs.go", `if r < 0 && !(running.isItem(v, i) && running.calls[k]) {`, `if r < 0 && false && running.isItem(v, i) && k < 0 {`, log},
	{"parallel calls: one answer is enough", "transcript/pairs.go", `if r < 0 && !(running.isItem(v, i) && running.calls[k]) {`, `if r < 0 && max(p.Answers(i)[0], p.Answers(i)[len(p.Answers(i))-1]) < 0 && !(running.isItem(v, i) && running.calls[k]) {`, log},
	{"running calls: their message may go", "transcript/pairs.go", `if running != nil && !running.seen(v) {`, `if running != nil && false {`, log},
	{"running calls: an answered one may lose its result", "transcript/pairs.go", `r.calls[k] = answer < 0`, `r.calls[k] = answer < 1<<30`, log},
	{"cuts inside a group", "transcript/pairs.go", `c = c.Forbid(from, to)`, `c = c.Forbid(from, to-to)`, log},
	{"atomic", "transcript/rule.go", `return []Rule{Pairs{}, Atomic{}, Pinned{}, NotEmpty{}}`, `return []Rule{Pairs{}, Pinned{}, NotEmpty{}}`, log},
	{"atomic: signed messages", "transcript/protect.go", `if !m.Head().Atomic && !message.Signed(m) {`, `if !m.Head().Atomic {`, log},
	{"pinned", "transcript/rule.go", `return []Rule{Pairs{}, Atomic{}, Pinned{}, NotEmpty{}}`, `return []Rule{Pairs{}, Atomic{}, NotEmpty{}}`, log},
	{"not empty", "transcript/rule.go", `return []Rule{Pairs{}, Atomic{}, Pinned{}, NotEmpty{}}`, `return []Rule{Pairs{}, Atomic{}, Pinned{}}`, log},

	// acceptance and digests
	{"acceptance: tool calls", "summarize/accept.go", `case callsTool(r):`, `case callsTool(r) && false:`, sum},
	{"acceptance: finish reason", "summarize/accept.go", `if reason := finish(r.FinishReason); reason != Accepted {`, `if reason := finish(r.FinishReason); reason != Accepted && false {`, sum},
	{"acceptance: blank replies", "summarize/accept.go", `if text != "" {`, `if text != "" || true {`, sum},
	{"acceptance: errors", "summarize/accept.go", `case err != nil:`, `case err != nil && false:`, sum},
	{"acceptance: larger than what it replaces", "summarize/summarize.go", `if o.Counter.Tokens(d) <= tokensOf(msgs, o.Counter)+o.Counter.TextTokens(o.Prior) {`, `if o.Counter.Tokens(d) <= 1<<30 {`, sum},
	{"acceptance: far over the cap", "summarize/model.go", `case s.counter.TextTokens(text) > 2*s.max:`, `case s.max < 0:`, sum},
	{"acceptance: an answer after the end", "summarize/model.go", "	if ctx.Err() != nil {\n		return written{reason: Cancelled, err: errors.Join(", "	if ctx.Err() != nil && false {\n		return written{reason: Cancelled, err: errors.Join(", sum},
	{"a failing model below the critical level", "summarize/pass.go", `if s.Reason == Cancelled || s.Reason != NoInvoker && !urgent && !p.Always {`, `if s.Reason == Cancelled || urgent && s.Reason == 99 {`, sum},
	{"fences are not escaped", "summarize/fence.go", `func escapeFences(s string) string { return rewriteFences(s, true) }`, `func escapeFences(s string) string { return s }`, sum},
	{"the window of the summariser", "summarize/model.go", "	if s.window > 0 {\n		prior", "	if s.window > 1<<40 {\n		prior", sum},
	{"a chunk nobody read", "summarize/model.go", "		if w.reason != Accepted {\n			return total\n		}\n		prior = w.text", "		if w.reason == Cancelled {\n			return total\n		}\n		prior = w.text", sum},
	{"requests are not copied behind a model's digest", "summarize/pass.go", `m := p.withAsks(w.text, v, g, h)`, `m := newDigest(ScopeSession, w.text)`, sum},

	{"a model's own copies of requests", "summarize/model.go", `unlabel(unwrap(unescapeFences(text)))`, `unwrap(unescapeFences(text))`, sum},
	{"a reply without the headings stands alone", "summarize/pass.go", `if !structured(text) {`, `if text == "" {`, sum},
	{"entries in the text", "summarize/prompt.go", "return entryStart.ReplaceAllString(s, `${1}\\${2}`)", "return s", sum},

	// the pipeline
	{"system messages", "run.go", `if found := next.Check(u.v, transcript.Systems{}); len(found) > 0 {`, `if found := next.Check(u.v); len(found) > 0 {`, root},
	{"edits that make it larger", "run.go", `if g.Used() > u.g.Used() && g.Used() > u.g.Target() {`, `if g.Used() < 0 {`, root},
	{"a failed pass below critical goes on", "run.go", `return u.g.Level() >= budget.Critical`, `return true`, root},
	{"the floor", "run.go", `u.step(trim.Floor{})`, `_ = trim.Floor{}`, root},
	{"an impossible request", "pipeline.go", `if g.Hard() <= 0 {`, `if g.Hard() <= -1<<40 {`, root},
	{"a wrong call", "pipeline.go", `errors.Join(p.Validate(), c.validate(b.Policy))`, `errors.Join(p.Validate(), nil)`, root},
	{"a panic in a pass", "run.go", `if r := recover(); r != nil {`, `if r := any(nil); r != nil {`, root},
	{"cancelled: what was done stays", "run.go", "	if ctx.Err() != nil {\n		return r.keep(Cancelled, context.Cause(ctx))", "	if ctx.Err() != nil && false {\n		return r.keep(Cancelled, context.Cause(ctx))", root},
	{"the gate", "pipeline.go", `if !b.IsOver(used) {`, `if !b.IsOver(used) && false {`, root},
	{"beyond the window nothing is wiped", "trim/oldest.go", `d.used+d.frame() > window {`, `d.used+d.frame() > 2*window+1<<40 {`, "./trim"},
	{"D2: a plan parts a pair", "budget/slice.go", "		if from < cut && cut < to {\n			cut = to\n		}", "		if from > to {\n			cut = to\n		}", "./budget"},
}
