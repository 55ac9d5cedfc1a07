package tiktoken

import (
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// vocabulary is the tokens of an encoding: their bytes end to end by rank, and
// an open hash table of the ranks.
type vocabulary struct {
	text  string
	start []uint32 // start[r] to start[r+1] are the bytes of rank r
	table []uint32 // tag of the hash in the high 14 bits, rank+1 in the low 18; 0 is free
	mask  uint64
	one   [256]int32     // rank of a single byte
	two   [1 << 16]int32 // rank of two bytes, noRank if they are no token
	long  int            // bytes of the longest token
}

const (
	noRank   = int32(1) << 30 // above every rank
	rankBits = 18
	rankMask = 1<<rankBits - 1
)

// readVocabulary reads what tools/vocab wrote.
func readVocabulary(data string) (*vocabulary, error) {
	r := flate.NewReader(strings.NewReader(data))
	var count [4]byte
	if _, err := io.ReadFull(r, count[:]); err != nil {
		return nil, fmt.Errorf("tiktoken: vocabulary: %w", err)
	}
	n := int(binary.LittleEndian.Uint32(count[:]))
	if n >= rankMask {
		return nil, fmt.Errorf("tiktoken: vocabulary: %d tokens are too many", n)
	}
	lengths := make([]byte, n)
	if _, err := io.ReadFull(r, lengths); err != nil {
		return nil, fmt.Errorf("tiktoken: vocabulary: %w", err)
	}
	v := &vocabulary{start: make([]uint32, n+1)}
	for i, l := range lengths {
		v.start[i+1] = v.start[i] + uint32(l)
		v.long = max(v.long, int(l))
	}
	text := make([]byte, v.start[n])
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("tiktoken: vocabulary: %w", err)
	}
	v.text = string(text)
	v.index()
	return v, nil
}

// index fills the tables.
func (v *vocabulary) index() {
	n := len(v.start) - 1
	size := 1 << 16
	for size < 2*n {
		size *= 2
	}
	v.table, v.mask = make([]uint32, size), uint64(size-1)
	for i := range v.one {
		v.one[i] = noRank
	}
	for i := range v.two {
		v.two[i] = noRank
	}
	for r := range n {
		t := v.token(int32(r))
		switch len(t) {
		case 1:
			v.one[t[0]] = int32(r)
		case 2:
			v.two[uint(t[0])<<8|uint(t[1])] = int32(r)
		}
		h := hash(t)
		k := h & v.mask
		for v.table[k] != 0 {
			k = (k + 1) & v.mask
		}
		v.table[k] = uint32(h>>50)<<rankBits | uint32(r+1)
	}
}

// token returns the bytes of a rank.
func (v *vocabulary) token(r int32) string { return v.text[v.start[r]:v.start[r+1]] }

// rank returns the rank of s, noRank if it is no token. s is not empty.
func (v *vocabulary) rank(s string) int32 {
	switch {
	case len(s) == 2:
		return v.two[uint(s[0])<<8|uint(s[1])]
	case len(s) == 1:
		return v.one[s[0]]
	case len(s) > v.long:
		return noRank
	}
	h := hash(s)
	tag := uint32(h >> 50)
	for k := h & v.mask; ; k = (k + 1) & v.mask {
		e := v.table[k]
		if e == 0 {
			return noRank
		}
		if e>>rankBits == tag {
			if r := int32(e&rankMask) - 1; v.token(r) == s {
				return r
			}
		}
	}
}

// hash mixes the bytes of s, eight at a time.
func hash(s string) uint64 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(len(s)) * k
	for len(s) >= 8 {
		h = (h ^ load8(s)) * k
		h ^= h >> 32
		s = s[8:]
	}
	if len(s) >= 4 {
		h = (h ^ (uint64(load4(s)) | uint64(load4(s[len(s)-4:]))<<32)) * k
	} else if len(s) > 0 {
		h = (h ^ (uint64(s[0]) | uint64(s[len(s)/2])<<8 | uint64(s[len(s)-1])<<16)) * k
	}
	h ^= h >> 29
	h *= 0xBF58476D1CE4E5B9
	return h ^ h>>32
}

func load8(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load4(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
