package indexer

import (
	"errors"
	"slices"
	"time"

	"shelfd/store"
)

// recent remembers documents that vanished or appeared a moment ago, so that a move whose two halves come in different
// batches keeps its id.
type recent struct {
	gone, made passings
}

// passing is a document that was deleted or made a moment ago.
type passing struct {
	shelf  string
	file   store.File // with the id of the document
	path   string     // doc_path
	traits traits
	at     time.Time
}

// mostPassing bounds what is remembered, about 0.5 KB a document: of a move of more, those that went or came first get
// new ids, unless a statement names them.
const mostPassing = 50_000

// passings are the documents of one kind, found by content and by inode, each as it passed last. The zero value is empty.
type passings struct {
	list    []*passing // the oldest first
	byID    map[int64]*passing
	byHash  map[[32]byte][]*passing
	byInode map[inode][]*passing
}

func (l *passings) add(p passing) {
	if l.byHash == nil {
		l.byID, l.byHash, l.byInode = map[int64]*passing{}, map[[32]byte][]*passing{}, map[inode][]*passing{}
	}
	if before := l.byID[p.file.Document]; before != nil {
		l.taken(before)
	}
	if len(l.list) >= mostPassing {
		l.forget(l.list[0])
		l.list = l.list[1:]
	}
	l.list = append(l.list, &p)
	l.byID[p.file.Document] = &p
	l.byHash[p.file.Hash] = append(l.byHash[p.file.Hash], &p)
	l.byInode[inodeOf(p.file)] = append(l.byInode[inodeOf(p.file)], &p)
}

// take finds the one document that a file with these traits can be: by inode and likeness, else, where unique says that
// no other file has those bytes, by content if one alone has it. It is taken off the list.
func (l *passings) take(f store.File, t traits, unique bool) (passing, bool) {
	for _, p := range l.byInode[inodeOf(f)] {
		if p.file.Hash == f.Hash || p.traits.like(t) {
			return l.taken(p), true
		}
	}
	if same := l.byHash[f.Hash]; unique && len(same) == 1 {
		return l.taken(same[0]), true
	}
	return passing{}, false
}

// taken leaves p in the list, where drop finds it: each take would move up what follows.
func (l *passings) taken(p *passing) passing {
	l.forget(p)
	out := *p
	*p = passing{}
	return out
}

// forget lets p be found no more.
func (l *passings) forget(p *passing) {
	delete(l.byID, p.file.Document)
	unlink(l.byHash, p.file.Hash, p)
	unlink(l.byInode, inodeOf(p.file), p)
}

// drop takes those off the list of which the condition holds.
func (l *passings) drop(holds func(*passing) bool) {
	l.list = slices.DeleteFunc(l.list, func(p *passing) bool {
		switch {
		case p.file.Document == 0: // taken
			return true
		case holds(p):
			l.forget(p)
			return true
		}
		return false
	})
}

func unlink[K comparable](m map[K][]*passing, key K, p *passing) {
	left := slices.DeleteFunc(m[key], func(other *passing) bool { return other == p })
	if len(left) == 0 {
		delete(m, key)
		return
	}
	m[key] = left
}

// noteMissing keeps since when something is gone whose document still stands: it is looked for twice, or removed later.
func (s *shelf) noteMissing() {
	switch {
	case s.looks[""].deletion || len(s.removing) > 0:
		if s.missing.IsZero() {
			s.missing = time.Now()
		}
	case !s.looking: // else a second look may be under way
		s.missing = time.Time{}
	}
}

// forgetMoves counts from when something was first seen to be gone, however much later it is removed, and from when a
// look began whose files are being read, unless its disk hangs.
func (r *run) forgetMoves() {
	from := time.Now()
	for _, s := range r.shelves {
		if !s.missing.IsZero() && s.missing.Before(from) {
			from = s.missing
		}
		if s.reading && s.told == 0 && s.since.Before(from) {
			from = s.since
		}
	}
	old := func(p *passing) bool { return p.at.Before(from.Add(-r.identityWindow)) }
	r.recent.gone.drop(old)
	r.recent.made.drop(old)
}

// twins finds documents made a moment ago that are the other half of what is gone now. What goes along is none, nor is
// what a statement names under the id that it has, and what was not found is lost.
func (w *writing) twins(v *store.View, left []store.File) error {
	settled := map[int64]bool{}
	for _, id := range w.ledger.Said().IDs {
		settled[id] = true
	}
	for _, g := range left {
		settled[g.Document] = true
	}
	w.recent.made.drop(func(p *passing) bool { return settled[p.file.Document] })
	for _, g := range left {
		d, t, err := storedTraits(v, g.Document)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		made, err := w.otherHalf(v, g, t)
		if errors.Is(err, store.ErrNotFound) {
			w.lost = append(w.lost, passing{w.shelf.Name, g, d.Path, t, time.Now()})
			continue
		}
		if err != nil {
			return err
		}
		w.older = append(w.older, olderTwin{made.ID, g.Document})
		w.moves[d.Path] = made.Path
	}
	return nil
}

// otherHalf is the document made a moment ago that a file which is gone can be; store.ErrNotFound without any.
func (w *writing) otherHalf(v *store.View, gone store.File, t traits) (store.Document, error) {
	p, ok := w.recent.made.take(gone, t, true)
	if !ok {
		return store.Document{}, store.ErrNotFound
	}
	return v.DocumentByID(p.file.Document)
}

// rememberMade keeps what appeared under an id that is new for the other half of a move.
func (w *writing) rememberMade() {
	now := time.Now()
	for i, id := range w.fresh {
		o := w.outcomes[i]
		o.file.Document = id
		w.recent.made.add(passing{w.shelf.Name, o.file, o.prepared.Path, traitsOf(o.prepared), now})
	}
}

// olderTwin is a document made a moment ago that is one which is gone now: it takes over that id.
type olderTwin struct {
	made, gone int64
}
