package indexer

import (
	"slices"

	"shelfd/store"
)

// citers are, by document, those whose text cites it. In a large library that is hundreds for each, so they are packed.
type citers map[int64]packedIDs

// packedIDs are ids in order as the store packs them.
type packedIDs struct {
	steps []byte
	last  int64
}

// of lists those that cite a document, in id order.
func (c citers) of(target int64) []int64 { return c[target].ids() }

// set says whether source cites target.
func (c citers) set(target, source int64, cites bool) {
	p := c[target]
	if cites && source > p.last { // as they come when all are read
		p.add(source)
		c[target] = p
		return
	}
	ids := p.ids()
	if now := with(ids, source, cites); len(now) != len(ids) {
		c.replace(target, now)
	}
}

// replace makes sources, in id order, those that cite a document.
func (c citers) replace(target int64, sources []int64) {
	if len(sources) == 0 {
		delete(c, target)
		return
	}
	c[target] = pack(sources)
}

// move takes in that source cites other documents than before. Both lists are in id order.
func (c citers) move(source int64, before, now []int64) {
	for _, target := range before {
		if _, still := slices.BinarySearch(now, target); !still {
			c.set(target, source, false)
		}
	}
	for _, target := range now {
		if _, already := slices.BinarySearch(before, target); !already {
			c.set(target, source, true)
		}
	}
}

func pack(ids []int64) packedIDs {
	var p packedIDs
	for _, id := range ids {
		p.add(id)
	}
	return p
}

func (p *packedIDs) add(id int64) { p.steps, p.last = store.AppendID(p.steps, p.last, id), id }

func (p packedIDs) ids() []int64 { return store.UnpackIDs(p.steps) }

// with is a set of ids in order with or without one of them.
func with(ids []int64, id int64, member bool) []int64 {
	i, is := slices.BinarySearch(ids, id)
	switch {
	case member && !is:
		return slices.Insert(ids, i, id)
	case is && !member:
		return slices.Delete(ids, i, i+1)
	}
	return ids
}
