package transcript

// Fate says where one message of the log went.
type Fate struct {
	Shown    bool   // the view holds this very message
	From, To int    // the view indices of what stands for it; From == To if an edit hides it without a trace
	Commit   string // the commit whose edit decides, "" if none does
	Pass     string // and that edit's Pass and Why
	Why      string
}

// History returns the fate of every message of the log, by position: shown as
// it is, or replaced or hidden by which commit, and why.
func (l *Log) History() []Fate {
	l.mu.Lock()
	v, commits := l.view, l.commits
	l.mu.Unlock()
	ids := make([]string, 0, len(v.edits))
	for _, c := range commits {
		for range c.Edits {
			ids = append(ids, c.ID)
		}
	}
	fates := make([]Fate, 0, len(v.log))
	index := 0
	for _, s := range v.spans {
		for len(fates) < s.from {
			fates = append(fates, Fate{Shown: true, From: index, To: index + 1})
			index++
		}
		e := v.edits[s.edit]
		for p := s.from; p < s.to; p++ {
			f := Fate{From: s.index, To: s.index + s.count, Commit: ids[s.edit], Pass: e.Pass, Why: e.Why}
			for _, m := range e.With {
				f.Shown = f.Shown || m == v.log[p]
			}
			fates = append(fates, f)
		}
		index = s.index + s.count
	}
	for len(fates) < len(v.log) {
		fates = append(fates, Fate{Shown: true, From: index, To: index + 1})
		index++
	}
	return fates
}
