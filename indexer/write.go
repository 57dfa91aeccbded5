package indexer

import (
	"errors"
	"maps"
	"slices"
	"time"

	"shelfd/store"
)

// write is the transaction of a commit.
func (w *writing) write(tx *store.Tx, left []store.File) error {
	w.changed, w.removed, w.created, w.fresh, w.evicted = nil, nil, 0, map[int]int64{}, map[int64]bool{}
	w.names, w.links, w.news = map[string]bool{}, map[int64][]store.TextLink{}, Changed{}
	for _, g := range left {
		if err := w.deleteAt(tx, g); err != nil {
			return err
		}
	}
	if err := errors.Join(w.adopt(tx), w.keepRevived(tx)); err != nil {
		return err
	}
	for i, o := range w.outcomes {
		if err := w.put(tx, i, o); err != nil {
			return err
		}
	}
	if err := w.record(tx); err != nil {
		return err
	}
	if err := w.sayLinks(tx); err != nil {
		return err
	}
	return w.callSeekers(tx)
}

// callSeekers has the links found again that look for names that came or went. While the readers work their targets
// are still to come: it is done when all are there.
func (w *writing) callSeekers(tx *store.Tx) error {
	if w.shelf.building { // and most of what is there changes: everything is resolved and correlated after
		return errors.Join(tx.Call(store.TaskResolve, store.Everything), tx.Call(store.TaskNames, store.Everything))
	}
	for _, name := range slices.Sorted(maps.Keys(w.names)) {
		seekers, err := tx.Seekers(store.NameHash(name))
		if err != nil {
			return err
		}
		if err := tx.Call(store.TaskResolve, seekers...); err != nil {
			return err
		}
	}
	if w.bulk.active() || w.listing == nil {
		return nil // or it is much: a chore for when nothing else is to do
	}
	return resolve(tx, choreSlice, w.links)
}

// deleteAt removes a document, if its file is still that one: while the readers worked it may have gone elsewhere.
func (w *writing) deleteAt(tx *store.Tx, g store.File) error {
	known, err := tx.FileAt(w.shelf.id, g.File)
	if errors.Is(err, store.ErrNotFound) || err == nil && known.Document != g.Document {
		return nil
	}
	if err != nil {
		return err
	}
	return w.delete(tx, g.Document)
}

// delete removes a document. Back at its old path it is the same one.
func (w *writing) delete(tx *store.Tx, id int64) error {
	d, err := tx.DocumentByID(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	names := store.LinkNames(d.Path, d.Title, d.Aliases)
	for _, n := range names {
		w.names[n.Text] = true
	}
	if err := errors.Join(tx.PutNames(id, nil, names), dropSought(tx, id, d.Path), callNeighbours(tx, id)); err != nil {
		return err
	}
	if err := errors.Join(tx.ClearProblems(d.ShelfID, d.File, textStages()...), tx.DeleteDocument(id), tx.Reserve(d.Path, id)); err != nil {
		return err
	}
	w.evicted[id] = true
	w.removed = append(w.removed, id)
	w.news.Gone = append(w.news.Gone, d.Path)
	return nil
}

// callNeighbours puts the sources of links to a document down for their task, before the links go.
func callNeighbours(tx *store.Tx, id int64) error {
	authors, err := tx.LoosenTextLinks(id)
	if err != nil {
		return err
	}
	if err := tx.Call(store.TaskResolve, authors...); err != nil {
		return err
	}
	links, err := tx.LinksOf(id, store.In, []store.Origin{store.OriginHeuristic})
	if err != nil {
		return err
	}
	for _, l := range links {
		if err := tx.Call(store.TaskCorrelate, l.SourceID); err != nil {
			return err
		}
	}
	spare, err := tx.SpareSuitors(id)
	return errors.Join(err, tx.Call(store.TaskCorrelate, spare...))
}

// adopt gives documents made a moment ago the ids of those that turn out to be the same: they are made again.
func (w *writing) adopt(tx *store.Tx) error {
	for _, t := range w.older {
		d, err := tx.DocumentByID(t.made)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		s := w.shelfByID(d.ShelfID)
		if s == nil {
			continue
		}
		if err := errors.Join(w.delete(tx, d.ID), tx.Reserve(d.Path, t.gone)); err != nil {
			return err
		}
		s.looks[d.File], s.promised[d.File] = lookNow(), true
	}
	return nil
}

// keepRevived keeps the ids of documents that came back for where they came back to: their old paths may be taken by
// others of the same look.
func (w *writing) keepRevived(tx *store.Tx) error {
	for i, p := range w.revived {
		if err := tx.Reserve(w.outcomes[i].prepared.Path, p.file.Document); err != nil {
			return err
		}
	}
	return nil
}

// put writes what came of reading one file.
func (w *writing) put(tx *store.Tx, i int, o outcome) error {
	s, path := w.shelf, o.change.Entry.Path
	if k := o.change.Known; k != nil && w.evicted[k.Document] {
		o.change.Known = nil
	}
	switch k := o.change.Known; {
	case o.vanished:
		s.looks[path] = lookNow()
		return nil
	case o.failed != nil:
		s.problems = true
		if _, again := w.doubts.sizes[path]; !again && passes(o.failed) {
			s.looks[path] = look{due: time.Now().Add(failedLook), size: -1}
		}
		return errors.Join(tx.ClearProblems(s.id, path, stageSpecial), tx.AddProblems(s.id, path, s.docPath(path), o.problems))
	case o.tooLarge:
		s.problems = true
		if k != nil {
			if err := w.delete(tx, k.Document); err != nil {
				return err
			}
		}
		return tx.SetProblems(s.id, path, s.docPath(path), o.problems)
	case o.prepared == nil && (k == nil || k.Document != o.file.Document):
		s.looks[path] = lookNow() // equal to what was there, and that is gone now
		return nil
	case o.prepared == nil:
		if s.problems {
			if err := tx.ClearProblems(s.id, path, stageRead, stageSpecial); err != nil {
				return err
			}
		}
		if touched(o, s.whole) {
			return tx.TouchFile(o.file)
		}
		return nil
	}
	return w.putDocument(tx, i, o)
}

func (w *writing) putDocument(tx *store.Tx, i int, o outcome) error {
	id, err := w.settleID(tx, i, o)
	if err != nil {
		return err
	}
	was, err := w.before(tx, id)
	if err != nil {
		return err
	}
	if id, err = tx.PutDocument(w.shelf.id, id, o.prepared, o.file); err != nil {
		return err
	}
	if !was.known {
		w.created++
		if id > w.lastID {
			w.fresh[i] = id
		}
	}
	w.changed = append(w.changed, id)
	w.news.written(was, o.prepared.Path)
	if err := errors.Join(tx.PutNames(id, o.names, was.names), w.putLinks(tx, id, o, was), w.putOutline(tx, id, o, was.known)); err != nil {
		return err
	}
	was.touch(w.names, o.prepared.Path, o.names)
	if len(o.problems) > 0 || w.shelf.problems {
		w.shelf.problems = true
		if err := tx.SetProblems(w.shelf.id, o.file.File, o.prepared.Path, o.problems); err != nil {
			return err
		}
	}
	if w.shelf.building {
		return nil
	}
	if was.known && slices.Equal(was.citable, o.citable) {
		return tx.Call(store.TaskCorrelate, id)
	}
	return tx.Call(store.TaskNames, id)
}

// settleID finds the document that a file is, 0 for a new one or one whose path has a reserved id, and makes room for it.
func (w *writing) settleID(tx *store.Tx, i int, o outcome) (int64, error) {
	id := w.ids[i]
	if p, ok := w.revived[i]; ok {
		id = p.file.Document
	}
	if o.change.Known != nil {
		id = o.change.Known.Document
	}
	if slices.Contains(w.changed, id) { // whatever led here, two files are never one document: one would be lost
		id = 0
	}
	if err := w.makeRoom(tx, o.prepared.Path, id); err != nil || id == 0 {
		return 0, err
	}
	_, err := tx.DocumentByID(id)
	if errors.Is(err, store.ErrNotFound) {
		return 0, tx.Reserve(o.prepared.Path, id)
	}
	return id, err
}

// makeRoom takes away another document that has the path: its own will be another, where it is made again with its id.
func (w *writing) makeRoom(tx *store.Tx, path string, id int64) error {
	d, err := tx.Document(path)
	if errors.Is(err, store.ErrNotFound) || err == nil && d.ID == id {
		return nil
	}
	if err != nil {
		return err
	}
	if err := w.delete(tx, d.ID); err != nil {
		return err
	}
	w.shelf.looks[d.File] = lookNow()
	to, moves := w.headingFor(d.ID)
	if !moves {
		to = w.shelf.docPath(d.File)
	}
	if to == path {
		return tx.Unreserve(path) // its file is not there any more, or somebody else has its place
	}
	return tx.Reserve(to, d.ID)
}

// headingFor is the path at which a document will be written in the same transaction.
func (w *writing) headingFor(id int64) (string, bool) {
	for i, o := range w.outcomes {
		if o.prepared != nil && (w.ids[i] == id || o.change.Known != nil && o.change.Known.Document == id) {
			return o.prepared.Path, true
		}
	}
	return "", false
}

// before is what a document was called before it is written again.
type before struct {
	known   bool
	path    string
	names   []store.Name
	citable []string
}

func (w *writing) before(tx *store.Tx, id int64) (before, error) {
	if id == 0 {
		return before{}, nil
	}
	d, err := tx.DocumentByID(id)
	if err != nil {
		return before{}, err
	}
	cited, err := citable(tx.View, id)
	return before{true, d.Path, store.LinkNames(d.Path, d.Title, d.Aliases), cited}, err
}

// touch notes the names that links may resolve to otherwise now: those that came or went, and all when the path did.
func (b before) touch(touched map[string]bool, path string, names []store.Name) {
	stays := map[string]bool{}
	if b.path == path {
		for _, n := range b.names {
			stays[n.Text] = true
		}
	}
	for _, n := range names {
		if !stays[n.Text] {
			touched[n.Text] = true
		}
		delete(stays, n.Text)
	}
	for name := range stays {
		touched[name] = true
	}
	if b.path != path {
		for _, n := range b.names {
			touched[n.Text] = true
		}
	}
}
