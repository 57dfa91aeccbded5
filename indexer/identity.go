package indexer

import (
	"errors"
	"slices"

	"shelfd/store"
)

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

func inodeOf(f store.File) inode { return inode{f.Device, f.Inode} }

// movedByInode pairs what is gone with new files of the same inode, size and time: document → new path.
func movedByInode(p Plan) map[int64]string {
	moved := map[int64]string{}
	if len(p.Gone) == 0 {
		return moved
	}
	gone := map[inode]store.File{}
	for _, g := range p.Gone {
		gone[inodeOf(g)] = g
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
// unique on both sides; first among one look, then among what went a moment ago.
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
	to := n.w.outcomes[i].prepared.Path
	if n.w.comesBack(to, d.Path) {
		return nil
	}
	n.w.ids[i] = g.Document
	n.w.moves[d.Path] = to
	n.found(i)
	delete(n.left, g.Document)
	return nil
}

// comesBack says whether a new path is that of a document which a statement names and which went: what comes there is that
// document, not the one that it was elsewhere, unless a statement names that one too and goes along with it.
func (r *run) comesBack(path, from string) bool {
	said := r.ledger.Said()
	return said.Names(path) && !said.Names(from)
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
		known, err := n.v.FileAt(s.id, g.File)
		if errors.Is(err, store.ErrNotFound) || err == nil && known.Document != g.Document {
			s.arrived(path)
			continue
		}
		if err := errors.Join(err, n.claim(i, g)); err != nil {
			return err
		}
		if n.w.ids[i] != 0 {
			s.arrived(path)
		}
	}
	return nil
}

func (n *identity) byInode() error {
	gone := map[inode]store.File{}
	for _, g := range n.left {
		gone[inodeOf(g)] = g
	}
	for i, o := range n.w.outcomes {
		t, fresh := n.fresh[i]
		g, ok := gone[inodeOf(o.file)]
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
		p, ok := n.w.recent.gone.take(o.file, t, n.same[o.file.Hash] == 1)
		if !ok || n.w.comesBack(o.prepared.Path, p.path) {
			continue
		}
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
