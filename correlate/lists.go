package correlate

import "slices"

// lists maps a hash to the ordinals of the documents that have it. Most hashes have one document, which stands in the
// map itself; the others have a slice.
type lists struct {
	place map[uint64]uint32 // a document, or inMany|index of many
	many  [][]uint32        // sorted
	free  []uint32          // indices of many that are not in use
}

const inMany = 1 << 31

func newLists() lists { return lists{place: make(map[uint64]uint32)} }

func (l *lists) add(key uint64, doc uint32) {
	at, ok := l.place[key]
	switch {
	case !ok:
		l.place[key] = doc
	case at&inMany == 0:
		pair := []uint32{min(at, doc), max(at, doc)}
		l.place[key] = inMany | l.keep(pair)
	default:
		list := l.many[at&^inMany]
		i, _ := slices.BinarySearch(list, doc)
		l.many[at&^inMany] = slices.Insert(list, i, doc)
	}
}

func (l *lists) keep(list []uint32) uint32 {
	if n := len(l.free); n > 0 {
		at := l.free[n-1]
		l.free = l.free[:n-1]
		l.many[at] = list
		return at
	}
	l.many = append(l.many, list)
	return uint32(len(l.many) - 1)
}

func (l *lists) remove(key uint64, doc uint32) {
	at, ok := l.place[key]
	switch {
	case !ok:
	case at&inMany == 0:
		delete(l.place, key)
	default:
		at &^= inMany
		i, _ := slices.BinarySearch(l.many[at], doc)
		l.many[at] = slices.Delete(l.many[at], i, i+1)
		if len(l.many[at]) == 1 {
			l.place[key] = l.many[at][0]
			l.many[at] = nil
			l.free = append(l.free, at)
		}
	}
}

// size is the number of documents with the key.
func (l *lists) size(key uint64) int {
	at, ok := l.place[key]
	switch {
	case !ok:
		return 0
	case at&inMany == 0:
		return 1
	}
	return len(l.many[at&^inMany])
}

// each calls f for every document with the key.
func (l *lists) each(key uint64, f func(doc uint32)) {
	at, ok := l.place[key]
	switch {
	case !ok:
	case at&inMany == 0:
		f(at)
	default:
		for _, doc := range l.many[at&^inMany] {
			f(doc)
		}
	}
}
