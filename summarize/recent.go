package summarize

// recent is a list of values by key, each once, in the order in which they were
// last put.
type recent[T any] struct {
	at   map[string]int
	list []*T // nil where a value has moved on
}

// put moves the value of key to the end, changed by change; the zero value if
// there is none.
func (r *recent[T]) put(key string, change func(*T)) {
	if r.at == nil {
		r.at = map[string]int{}
	}
	v := new(T)
	if k, ok := r.at[key]; ok {
		v, r.list[k] = r.list[k], nil
	}
	change(v)
	r.at[key] = len(r.list)
	r.list = append(r.list, v)
}

// drop forgets key.
func (r *recent[T]) drop(key string) {
	if k, ok := r.at[key]; ok {
		r.list[k] = nil
		delete(r.at, key)
	}
}

// values returns the values, the last put last.
func (r *recent[T]) values() []T {
	var out []T
	for _, v := range r.list {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// texts is a recent of strings that are their own keys.
type texts struct{ recent[string] }

func (t *texts) add(s string) {
	if s != "" {
		t.put(s, func(v *string) { *v = s })
	}
}
