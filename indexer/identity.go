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
	gone []passing
	made []passing
}

// passing is a document that was deleted or made a moment ago.
type passing struct {
	shelf  string
	file   store.File // with the id of the document
	path   string     // doc_path
	traits traits
	at     time.Time
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
	r.recent.forget(from.Add(-r.identityWindow))
}

func (m *recent) forget(before time.Time) {
	old := func(p passing) bool { return p.at.Before(before) }
	m.gone, m.made = slices.DeleteFunc(m.gone, old), slices.DeleteFunc(m.made, old)
}

// take finds the one document of the list that a file with these traits can be: by inode and likeness, else, where
// unique says that no other file has those bytes, by content if one alone has it; and removes it from the list.
func take(list []passing, f store.File, t traits, unique bool) (passing, []passing, bool) {
	found, several := -1, false
	for i, p := range list {
		same := p.file.Hash == f.Hash
		if p.file.Inode == f.Inode && p.file.Device == f.Device && (same || p.traits.like(t)) {
			return p, slices.Delete(list, i, i+1), true
		}
		if same {
			found, several = i, found >= 0
		}
	}
	if found < 0 || several || !unique {
		return passing{}, list, false
	}
	p := list[found] // before Delete moves the rest up
	return p, slices.Delete(list, found, found+1), true
}

// traits are by what a document is known again although its bytes changed: an inode alone proves nothing, since a file
// system hands the number of a deleted file to the next one made.
type traits struct {
	title  string   // as its author wrote it, "" = it is only the file name in words
	chunks []uint64 // hashes of chunk keys
}

// like says whether two documents say something that is the same.
func (t traits) like(other traits) bool {
	if t.title != "" && t.title == other.title {
		return true
	}
	return slices.ContainsFunc(t.chunks, func(h uint64) bool { return slices.Contains(other.chunks, h) })
}

func traitsOf(p *store.Prepared) traits {
	d := p.Document
	var t traits
	for _, n := range d.Nodes {
		if n.Level > 0 && n.Title == d.Title {
			t.title = d.Title
		}
	}
	if d.FrontMatter["title"] != nil {
		t.title = d.Title
	}
	for _, c := range d.Chunks {
		t.chunks = append(t.chunks, c.Key.Hash)
	}
	return t
}

func storedTraits(v *store.View, document int64) (d store.Document, t traits, err error) {
	if d, err = v.DocumentByID(document); err != nil {
		return d, t, err
	}
	nodes, err := v.Nodes(document)
	if err != nil {
		return d, t, err
	}
	if d.FrontMatter["title"] != nil || slices.ContainsFunc(nodes, func(n store.Node) bool { return n.Level > 0 && n.Title == d.Title }) {
		t.title = d.Title
	}
	chunks, err := v.Chunks(document)
	for _, c := range chunks {
		t.chunks = append(t.chunks, c.Key.Hash)
	}
	return d, t, err
}

type inode struct{ device, number uint64 }

// movedByInode pairs what is gone with new files of the same inode, size and time: document → new path.
func movedByInode(p Plan) map[int64]string {
	moved := map[int64]string{}
	if len(p.Gone) == 0 {
		return moved
	}
	gone := map[inode]store.File{}
	for _, g := range p.Gone {
		gone[inode{g.Device, g.Inode}] = g
	}
	for _, c := range p.Read {
		g, ok := gone[inode{c.Entry.Device, c.Entry.Inode}]
		if _, taken := moved[g.Document]; ok && !taken && c.Known == nil && g.Size == c.Entry.Size && g.ModTime == c.Entry.ModTime {
			moved[g.Document] = c.Entry.Path
		}
	}
	return moved
}

// identity gives new files the ids of documents that are gone: by inode and likeness, then by content where that is
// unique on both sides; first among one look, then among the last two seconds.
type identity struct {
	w     *writing
	v     *store.View
	fresh map[int]traits       // outcomes that may be a document that was elsewhere
	same  map[[32]byte]int     // how many of them have the same bytes
	left  map[int64]store.File // what is gone and not found again
}

func (w *writing) identify(v *store.View, gone []store.File) (left []store.File, err error) {
	n := &identity{w: w, v: v, fresh: map[int]traits{}, same: map[[32]byte]int{}, left: map[int64]store.File{}}
	for _, g := range gone {
		n.left[g.Document] = g
	}
	for i, o := range w.outcomes {
		if o.prepared != nil && o.change.Known == nil && !w.shelf.promised[o.change.Entry.Path] {
			n.fresh[i] = traitsOf(o.prepared)
			n.same[o.file.Hash]++
		}
	}
	if len(n.fresh) > 0 {
		if err := errors.Join(n.moving(), n.byInode(), n.byContent(), n.revive()); err != nil {
			return nil, err
		}
	}
	for _, g := range gone {
		if _, stays := n.left[g.Document]; stays {
			left = append(left, g)
		}
	}
	return left, nil
}

// claim says that an outcome is a document that stands at another path.
func (n *identity) claim(i int, g store.File) error {
	d, err := n.v.DocumentByID(g.Document)
	if errors.Is(err, store.ErrNotFound) || err == nil && (d.File != g.File || d.ShelfID != n.w.shelf.id) {
		return nil // it went elsewhere while the readers worked
	}
	if err != nil {
		return err
	}
	n.w.ids[i] = g.Document
	n.w.moves[d.Path] = n.w.outcomes[i].prepared.Path
	n.found(i)
	delete(n.left, g.Document)
	return nil
}

func (n *identity) found(i int) {
	delete(n.fresh, i)
	n.same[n.w.outcomes[i].file.Hash]--
}

// moving takes what the look that started bulk work had paired by inode, if it still stands where it stood.
func (n *identity) moving() error {
	s := n.w.shelf
	for i := range n.w.outcomes {
		path := n.w.outcomes[i].change.Entry.Path
		g, ok := s.moving[path]
		if _, fresh := n.fresh[i]; !ok || !fresh {
			continue
		}
		s.arrived(path)
		known, err := n.v.FileAt(s.id, g.File)
		if errors.Is(err, store.ErrNotFound) || err == nil && known.Document != g.Document {
			continue
		}
		if err := errors.Join(err, n.claim(i, g)); err != nil {
			return err
		}
	}
	return nil
}

func (n *identity) byInode() error {
	gone := map[inode]store.File{}
	for _, g := range n.left {
		gone[inode{g.Device, g.Inode}] = g
	}
	for i, o := range n.w.outcomes {
		t, fresh := n.fresh[i]
		g, ok := gone[inode{o.file.Device, o.file.Inode}]
		if _, left := n.left[g.Document]; !fresh || !ok || !left {
			continue
		}
		alike := g.Hash == o.file.Hash
		if !alike {
			_, before, err := storedTraits(n.v, g.Document)
			if errors.Is(err, store.ErrNotFound) {
				continue // it went while the readers worked
			}
			if err != nil {
				return err
			}
			alike = before.like(t)
		}
		if alike {
			if err := n.claim(i, g); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *identity) byContent() error {
	gone := map[[32]byte][]store.File{}
	for _, g := range n.left {
		gone[g.Hash] = append(gone[g.Hash], g)
	}
	for i, o := range n.w.outcomes {
		list := gone[o.file.Hash]
		if _, fresh := n.fresh[i]; !fresh || len(list) != 1 || n.same[o.file.Hash] != 1 {
			continue
		}
		if err := n.claim(i, list[0]); err != nil {
			return err
		}
	}
	return nil
}

// revive finds documents that were deleted a moment ago, in whatever shelf.
func (n *identity) revive() error {
	for i, o := range n.w.outcomes {
		t, fresh := n.fresh[i]
		if !fresh {
			continue
		}
		p, rest, ok := take(n.w.recent.gone, o.file, t, n.same[o.file.Hash] == 1)
		if !ok {
			continue
		}
		n.w.recent.gone = rest
		if _, err := n.v.DocumentByID(p.file.Document); !errors.Is(err, store.ErrNotFound) {
			if err != nil {
				return err
			}
			continue // its old path has it again
		}
		n.w.revived[i] = p
		n.w.moves[p.path] = o.prepared.Path
		n.found(i)
	}
	return nil
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
	w.recent.made = slices.DeleteFunc(w.recent.made, func(p passing) bool { return settled[p.file.Document] })
	for _, g := range left {
		d, t, err := storedTraits(v, g.Document)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		p, rest, ok := take(w.recent.made, g, t, true)
		w.recent.made = rest
		made, err := v.DocumentByID(p.file.Document)
		if !ok || errors.Is(err, store.ErrNotFound) {
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

// rememberMade keeps what appeared under an id that is new for the other half of a move.
func (w *writing) rememberMade() {
	if len(w.outcomes) > tooMany {
		return
	}
	now := time.Now()
	for i, id := range w.fresh {
		o := w.outcomes[i]
		o.file.Document = id
		w.recent.made = append(w.recent.made, passing{w.shelf.Name, o.file, o.prepared.Path, traitsOf(o.prepared), now})
	}
}

// tooMany is how many files a look may bring for the other halves of moves to be remembered: no person moves so much file
// by file.
const tooMany = 10 * few

// olderTwin is a document made a moment ago that is one which is gone now: it takes over that id.
type olderTwin struct {
	made, gone int64
}
