package store

import (
	"math/bits"
	"slices"
)

// packed are postings in little room: a bit for each id between the first and the last, or, where they are far apart,
// the distances from the first, or the ids themselves.
type packed struct {
	first int64
	n     int
	bits  []uint64
	rest  []uint32
	plain postings
}

// sparse is from how many ids between two neighbours, on average, distances take less room than bits.
const sparse = 32

func pack(p postings) packed {
	if len(p) == 0 {
		return packed{}
	}
	out := packed{first: p[0], n: len(p)}
	reach := p[len(p)-1] - p[0] + 1
	switch {
	case reach >= 1<<32:
		return packed{plain: p}
	case reach > sparse*int64(len(p)):
		out.rest = make([]uint32, len(p))
		for i, id := range p {
			out.rest[i] = uint32(id - p[0])
		}
		return out
	}
	out.bits = make([]uint64, (reach+63)/64)
	for _, id := range p {
		out.bits[(id-p[0])/64] |= 1 << ((id - p[0]) % 64)
	}
	return out
}

func (p packed) postings() postings {
	if p.plain != nil {
		return p.plain
	}
	out := make(postings, 0, p.n)
	for _, distance := range p.rest {
		out = append(out, p.first+int64(distance))
	}
	for i, word := range p.bits {
		for at := p.first + int64(i)*64; word != 0; word &= word - 1 {
			out = append(out, at+int64(bits.TrailingZeros64(word)))
		}
	}
	return out
}

// concerned says whether p is another without some ids and with others.
func (p packed) concerned(gone, come postings) bool {
	return len(come) > 0 || p.bits == nil && len(gone) > 0 || slices.ContainsFunc(gone, p.hasBit)
}

// change takes some ids out of p and puts others in. Nobody else may hold p.
func (p *packed) change(gone, come postings) {
	if p.bits == nil || len(come) > 0 && (come[0] < p.first || come[len(come)-1]-p.first > sparse*int64(p.n+len(come))) {
		*p = pack(union(subtract(p.postings(), gone), come))
		return
	}
	if len(come) > 0 {
		if more := int(come[len(come)-1]-p.first)/64 + 1 - len(p.bits); more > 0 {
			p.bits = append(p.bits, make([]uint64, more)...)
		}
	}
	for _, id := range gone {
		if p.hasBit(id) {
			p.bits[(id-p.first)/64] &^= 1 << ((id - p.first) % 64)
			p.n--
		}
	}
	for _, id := range come {
		if !p.hasBit(id) {
			p.bits[(id-p.first)/64] |= 1 << ((id - p.first) % 64)
			p.n++
		}
	}
}

func (p packed) hasBit(id int64) bool {
	at := id - p.first
	return at >= 0 && at/64 < int64(len(p.bits)) && p.bits[at/64]&(1<<(at%64)) != 0
}

// size is the room in bytes, with what a map takes for the entry.
func (p packed) size() int { return 8*(len(p.bits)+len(p.plain)) + 4*len(p.rest) + 128 }
