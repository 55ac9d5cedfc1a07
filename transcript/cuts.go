package transcript

// Cuts are the indices of a view at which a range may begin or end: 0, Len,
// and every index between that no rule forbids. A cut at i lies before item i.
type Cuts struct {
	n         int
	forbidden []uint64 // a bit per index; nil while none is forbidden
}

// AllCuts returns the cuts of a view of n items with none forbidden.
func AllCuts(n int) Cuts { return Cuts{n: n} }

// Forbid returns c without the cuts inside the items [i, j), those at i+1 to
// j-1. It may reuse c's memory: go on with what it returns.
func (c Cuts) Forbid(i, j int) Cuts {
	for k := max(i+1, 1); k < min(j, c.n); k++ {
		if c.forbidden == nil {
			c.forbidden = make([]uint64, c.n/64+1)
		}
		c.forbidden[k/64] |= 1 << (k % 64)
	}
	return c
}

// And returns the cuts that both c and d, of the same view, allow.
func (c Cuts) And(d Cuts) Cuts {
	if c.forbidden == nil {
		return d
	}
	for k, w := range d.forbidden {
		c.forbidden[k] |= w
	}
	return c
}

// At reports whether a range may begin or end at i.
func (c Cuts) At(i int) bool {
	return i >= 0 && i <= c.n && (c.forbidden == nil || c.forbidden[i/64]&(1<<(i%64)) == 0)
}

// Floor returns the nearest cut at or before i, at least 0.
func (c Cuts) Floor(i int) int {
	i = max(0, min(i, c.n))
	for !c.At(i) {
		i--
	}
	return i
}

// Ceil returns the nearest cut at or after i, at most the view's length.
func (c Cuts) Ceil(i int) int {
	i = max(0, min(i, c.n))
	for !c.At(i) {
		i++
	}
	return i
}
