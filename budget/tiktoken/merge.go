package tiktoken

import (
	"math/bits"
	"slices"
)

// shortPiece is up to how many bytes pairs are merged by looking at all of them
// each time; longer pieces use a queue.
const shortPiece = 96

// scratch is what counting needs; it is kept in a pool.
type scratch struct {
	parts []part
	links []link
	queue queue
	seen  [1 << 12]seenWord
	valid []byte // a text that was not UTF-8
}

// part is a token on the way: its first byte, and the rank of the token it would
// make with the part behind it.
type part struct{ start, rank int32 }

// link is a part of a long piece, at the index of its first byte.
type link struct{ rank, prev, next int32 }

// seenWord is a word that is no token, and how many it has.
type seenWord struct {
	word  [22]byte
	size  uint8
	count uint8
}

// tokens returns how many tokens a piece has.
func (v *vocabulary) tokens(piece string, b *scratch) int {
	if len(piece) == 1 || v.rank(piece) != noRank {
		return 1
	}
	if len(piece) > shortPiece {
		return v.mergeLong(piece, b)
	}
	if len(piece) > len(seenWord{}.word) {
		return v.mergeShort(piece, b)
	}
	e := &b.seen[hash(piece)>>20%uint64(len(b.seen))]
	if int(e.size) == len(piece) && string(e.word[:e.size]) == piece {
		return int(e.count)
	}
	n := v.mergeShort(piece, b)
	copy(e.word[:], piece)
	e.size, e.count = uint8(len(piece)), uint8(n)
	return n
}

// mergeShort merges the pair of the lowest rank, the first of equal ones, until
// none is a token.
func (v *vocabulary) mergeShort(piece string, b *scratch) int {
	parts := b.parts[:0]
	for i := range len(piece) {
		parts = append(parts, part{start: int32(i), rank: noRank})
	}
	parts = append(parts, part{start: int32(len(piece)), rank: noRank})
	b.parts = parts
	low, at := noRank, 0
	for i := range len(piece) - 1 {
		r := v.two[uint(piece[i])<<8|uint(piece[i+1])]
		parts[i].rank = r
		if r < low {
			low, at = r, i
		}
	}
	for low != noRank {
		parts = append(parts[:at+1], parts[at+2:]...)
		parts[at].rank = v.pairRank(piece, parts, at)
		if at > 0 {
			parts[at-1].rank = v.pairRank(piece, parts, at-1)
		}
		low = noRank
		for i := range parts {
			if parts[i].rank < low {
				low, at = parts[i].rank, i
			}
		}
	}
	return len(parts) - 1
}

// pairRank is the rank of parts i and i+1 together.
func (v *vocabulary) pairRank(piece string, parts []part, i int) int32 {
	if i+2 >= len(parts) {
		return noRank
	}
	return v.rank(piece[parts[i].start:parts[i+2].start])
}

// mergeLong is mergeShort with the pairs in a queue, which has a bucket for each
// rank. A vocabulary is learned in the order of its ranks, so what a merge makes
// possible nearly always has a higher rank than the merge: the buckets are emptied
// one after the other, each from left to right, and the time is linear. Where a
// lower bucket is filled again, the queue goes back to it.
func (v *vocabulary) mergeLong(piece string, b *scratch) int {
	n := len(piece)
	links := slices.Grow(b.links[:0], n+1)[:n+1]
	for i := range links {
		links[i] = link{rank: noRank, prev: int32(i - 1), next: int32(i + 1)}
	}
	b.links = links
	q := &b.queue
	q.reset(len(v.start)-1, n)
	for i := n - 2; i >= 0; i-- {
		if r := v.two[uint(piece[i])<<8|uint(piece[i+1])]; r != noRank {
			links[i].rank = r
			q.push(r, int32(i))
		}
	}
	count := n
	for rank := q.pop(); rank != noRank; rank = q.pop() {
		for k, i := range q.now {
			p := &links[i]
			if p.rank != rank { // merged or re-ranked since
				continue
			}
			gone := p.next
			p.next = links[gone].next
			links[p.next].prev = i
			links[gone].rank = noRank
			count--
			lowest := v.rerank(piece, links, q, i)
			if p.prev >= 0 {
				lowest = min(lowest, v.rerank(piece, links, q, p.prev))
			}
			if lowest <= rank { // that goes first
				for _, i := range q.now[k+1:] {
					q.push(rank, i)
				}
				break
			}
		}
	}
	return count
}

// rerank gives part i the rank of it and its next together, and queues it.
func (v *vocabulary) rerank(piece string, links []link, q *queue, i int32) int32 {
	p := &links[i]
	p.rank = noRank
	if int(p.next) < len(links)-1 {
		if p.rank = v.rank(piece[i:links[p.next].next]); p.rank != noRank {
			q.push(p.rank, i)
		}
	}
	return p.rank
}

// queue holds parts by rank. A part may be in it more than once.
type queue struct {
	heads   []int32  // per rank: its newest entry, counted from 1
	filled  []uint64 // a bit for each rank that has entries
	entries []entry
	free    int32   // the first entry that is not used, counted from 1; they are linked
	low     int     // no word of filled below this has a bit
	now     []int32 // the parts of the rank popped last, from left to right
}

type entry struct{ part, next int32 }

// reset empties the queue for a piece of n bytes. All buckets of one used to its
// end are empty.
func (q *queue) reset(ranks, n int) {
	if len(q.heads) < ranks {
		q.heads, q.filled = make([]int32, ranks), make([]uint64, ranks/64+1)
	}
	q.entries, q.free, q.low = slices.Grow(q.entries[:0], n), 0, len(q.filled)
}

func (q *queue) push(rank, part int32) {
	e := entry{part, q.heads[rank]}
	if k := q.free; k != 0 {
		q.free = q.entries[k-1].next
		q.entries[k-1], q.heads[rank] = e, k
	} else {
		q.entries = append(q.entries, e)
		q.heads[rank] = int32(len(q.entries))
	}
	q.filled[rank/64] |= 1 << (rank % 64)
	q.low = min(q.low, int(rank/64))
}

// pop moves the parts of the lowest rank to now, and returns it; noRank if the
// queue is empty.
func (q *queue) pop() int32 {
	for ; q.low < len(q.filled); q.low++ {
		w := q.filled[q.low]
		if w == 0 {
			continue
		}
		rank := int32(q.low*64 + bits.TrailingZeros64(w))
		q.filled[q.low] = w & (w - 1)
		q.now = q.now[:0]
		for k := q.heads[rank]; k != 0; {
			e := &q.entries[k-1]
			q.now = append(q.now, e.part)
			next := e.next
			e.next, q.free = q.free, k
			k = next
		}
		q.heads[rank] = 0
		slices.Reverse(q.now)
		if !slices.IsSorted(q.now) {
			slices.Sort(q.now)
		}
		return rank
	}
	return noRank
}
