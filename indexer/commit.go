package indexer

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"shelfd/correlate"
	"shelfd/store"
	"shelfd/watcher"
)

// commit writes what came of a look in one transaction: what is gone, what was read, problems, links.
// l is the look itself when it is to be recorded (problems of folders, the reconcile), nil for a slice of bulk work.
func (r *run) commit(ctx context.Context, s *shelf, outcomes []outcome, gone []store.File, l *watcher.Listing, d doubts) error {
	outcomes = r.doubtShrinking(s, outcomes, d)
	w := &writing{run: r, shelf: s, listing: l, moves: map[string]string{}}
	ids, left, err := w.identify(ctx, outcomes, gone)
	if err != nil {
		return err
	}
	if !w.changes(outcomes, left) {
		return nil
	}
	if err := w.sayMoves(); err != nil {
		return err
	}
	if err := w.sayGone(left); err != nil {
		return err
	}
	if err := r.update(ctx, func(tx *store.Tx) error { return w.write(tx, outcomes, ids, left) }); err != nil {
		return err
	}
	w.remember(outcomes, left)
	w.noteReturns(outcomes, left)
	r.links.note(w.changed, w.removed)
	r.tell(w.news)
	return nil
}

// doubtShrinking takes files out that have just become empty or much shorter: they are looked at again first.
func (r *run) doubtShrinking(s *shelf, outcomes []outcome, d doubts) []outcome {
	believed := outcomes[:0]
	for _, o := range outcomes {
		path, k := o.change.Entry.Path, o.change.Known
		size, seen := d.sizes[path]
		if k != nil && o.prepared != nil && shrunk(k.Size, o.file.Size) && !(seen && size == o.file.Size) && k.Version == store.ContentVersion {
			s.looks[path] = look{due: time.Now().Add(shrinkLook), size: o.file.Size}
			continue
		}
		delete(s.looks, path)
		believed = append(believed, o)
	}
	return believed
}

// shrunk says whether a file lost so much that it may be half written: all of it, or over half.
func shrunk(before, after int64) bool {
	return after == 0 && before > 0 || 2*after < before && before > 512
}

// writing is one commit under way.
type writing struct {
	*run
	shelf   *shelf
	listing *watcher.Listing
	moves   map[string]string // doc_paths of documents that go along, old → new
	revived map[int]passing   // outcome → document that vanished a moment ago
	older   []olderTwin       // documents made a moment ago that are the other half of what is gone now
	changed []int64           // documents written
	removed []int64
	news    Changed
}

// olderTwin is a document made a moment ago whose bytes are those of one that is gone now: it takes over that id.
type olderTwin struct {
	made passing
	gone store.File
}

// changes says whether there is anything to write.
func (w *writing) changes(outcomes []outcome, gone []store.File) bool {
	if len(gone) > 0 || w.listing != nil && (w.listing.Under == nil || len(w.listing.Faults) > 0 || len(w.listing.Skipped) > 0) || w.shelf.looksChanged() {
		return true
	}
	for _, o := range outcomes {
		if o.prepared != nil || len(o.problems) > 0 || o.change.Known == nil || touched(o) {
			return true
		}
	}
	return w.listing != nil && w.shelf.problems
}

// touched says whether a file with the same bytes shows other times that are worth keeping. A change of ctime alone
// (chmod) is not: a thousand of them write nothing.
func touched(o outcome) bool {
	k := o.change.Known
	return k != nil && o.prepared == nil && o.failed == nil && !o.vanished &&
		(k.Size != o.file.Size || k.ModTime != o.file.ModTime || k.Inode != o.file.Inode || k.ModTime >= k.ReadAt-racy && o.file.ModTime < o.file.ReadAt-racy)
}

func (w *writing) identify(ctx context.Context, outcomes []outcome, gone []store.File) (ids map[int]int64, left []store.File, err error) {
	now := time.Now()
	w.recent.forget(now)
	err = w.store.View(ctx, func(v *store.View) error {
		if ids, left, err = w.run.identify(v, w.shelf, outcomes, gone); err != nil {
			return err
		}
		for i, id := range ids {
			d, err := v.DocumentByID(id)
			if err != nil {
				return err
			}
			w.moves[d.Path] = outcomes[i].prepared.Path
		}
		return nil
	})
	w.revived = map[int]passing{}
	for i, o := range outcomes {
		if _, known := ids[i]; known || o.prepared == nil || o.change.Known != nil {
			continue
		}
		if id, ok := w.shelf.moving[o.change.Entry.Path]; ok {
			ids[i] = id
			delete(w.shelf.moving, o.change.Entry.Path)
			continue
		}
		var p passing
		var ok bool
		if p, w.recent.gone, ok = take(w.recent.gone, o.file); ok {
			w.revived[i] = p
			w.moves[p.path] = o.prepared.Path
		}
	}
	for _, g := range left {
		var p passing
		var ok bool
		if p, w.recent.made, ok = take(w.recent.made, g); ok {
			w.older = append(w.older, olderTwin{p, g})
			w.moves[w.shelf.docPath(g.File)] = p.path
		}
	}
	return ids, left, err
}

// sayMoves records in the ledger where documents went that someone's statements name: before the index shows it.
func (w *writing) sayMoves() error {
	said := w.ledger.Said()
	named := map[string]string{}
	for from, to := range w.moves {
		if from != to && said.Names(from) {
			named[from] = to
		}
	}
	if len(named) == 0 {
		return nil
	}
	return w.ledger.Append(store.Record{Op: store.OpDocumentMove, Moves: named})
}

func (w *writing) write(tx *store.Tx, outcomes []outcome, ids map[int]int64, left []store.File) error {
	w.changed, w.removed, w.news = nil, nil, Changed{} // the transaction may be tried again
	touchedNames := map[string]bool{}
	for _, g := range left {
		if err := w.delete(tx, g.Document, g.File, touchedNames); err != nil {
			return err
		}
	}
	if err := w.adopt(tx, touchedNames); err != nil {
		return err
	}
	for i, o := range outcomes {
		if err := w.put(tx, i, o, ids, touchedNames); err != nil {
			return err
		}
	}
	if err := w.record(tx, outcomes); err != nil {
		return err
	}
	if w.shelf.building {
		// Targets are still to come, and most of what is there changes: everything is resolved and correlated after.
		if err := errors.Join(tx.Call(store.TaskResolve, store.Everything), tx.Call(store.TaskNames, store.Everything)); err != nil {
			return err
		}
		return w.sayLinks(tx)
	}
	for name := range touchedNames {
		seekers, err := tx.Seekers(store.NameHash(name))
		if err != nil {
			return err
		}
		if err := tx.Call(store.TaskResolve, seekers...); err != nil {
			return err
		}
	}
	if err := w.sayLinks(tx); err != nil {
		return err
	}
	if w.bulk.pending > 0 || w.listing == nil {
		return nil // targets are still to come, or it is much: a chore for when nothing else is to do
	}
	_, err := w.run.resolve(tx, 0)
	return err
}

func (w *writing) delete(tx *store.Tx, id int64, file string, touchedNames map[string]bool) error {
	d, err := tx.DocumentByID(id)
	if err != nil {
		return err
	}
	names := namesOf(d.Path, d.Title, d.Aliases)
	for _, n := range names {
		touchedNames[n.Text] = true
	}
	if err := errors.Join(tx.PutNames(id, nil, names), dropSought(tx, id, d.Path)); err != nil {
		return err
	}
	if err := w.callNeighbours(tx, id); err != nil {
		return err
	}
	if err := tx.SetProblems(w.shelf.id, file, "", nil); err != nil {
		return err
	}
	if err := tx.DeleteDocument(id); err != nil {
		return err
	}
	w.removed = append(w.removed, id)
	w.news.Gone = append(w.news.Gone, d.Path)
	w.shelf.counted.removed++
	return tx.Reserve(w.shelf.docPath(file), id) // back at its old path it is the same document
}

// callNeighbours puts the sources of links to a document down for their task, before the links go.
func (w *writing) callNeighbours(tx *store.Tx, id int64) error {
	links, err := tx.LinksOf(id, store.In, nil)
	if err != nil {
		return err
	}
	for _, l := range links {
		task := store.TaskCorrelate
		if l.Origin == store.OriginText {
			task = store.TaskResolve
		}
		if err := tx.Call(task, l.SourceID); err != nil {
			return err
		}
	}
	return nil
}

// adopt gives documents made a moment ago the ids of those that turn out to be the same: they are made again.
func (w *writing) adopt(tx *store.Tx, touchedNames map[string]bool) error {
	for _, t := range w.older {
		s := w.shelves[t.made.shelf]
		if s == nil {
			continue
		}
		d, err := tx.Document(t.made.path)
		if err == store.ErrNotFound {
			continue
		}
		if err != nil {
			return err
		}
		if err := w.delete(tx, d.ID, t.made.file.File, touchedNames); err != nil {
			return err
		}
		if err := tx.Reserve(t.made.path, t.gone.Document); err != nil {
			return err
		}
		s.looks[t.made.file.File] = look{due: time.Now(), size: t.made.file.Size}
	}
	return nil
}

// put writes what came of reading one file.
func (w *writing) put(tx *store.Tx, i int, o outcome, ids map[int]int64, touchedNames map[string]bool) error {
	path, shown := o.change.Entry.Path, w.shelf.docPath(o.change.Entry.Path)
	if w.shelf.seen[path] > o.readAt && o.readAt > 0 {
		return nil // something newer is known
	}
	switch k := o.change.Known; {
	case o.vanished:
		w.shelf.looks[path] = look{due: time.Now()}
		return nil
	case o.failed != nil:
		return tx.SetProblems(w.shelf.id, path, shown, o.problems)
	case o.tooLarge:
		if k != nil {
			if err := w.delete(tx, k.Document, path, touchedNames); err != nil {
				return err
			}
		}
		return tx.SetProblems(w.shelf.id, path, shown, o.problems)
	case o.prepared == nil:
		w.shelf.counted.unchanged++
		if touched(o) {
			return tx.TouchFile(o.file)
		}
		return nil
	}
	w.shelf.counted.indexed++
	if _, looked := w.shelf.seen[path]; looked || w.listing != nil || o.change.Known != nil {
		if err := w.standing(tx, &o, i, ids); err != nil {
			return err
		}
	}
	return w.putDocument(tx, i, o, ids, touchedNames)
}

// standing corrects what the plan knew: while bulk readers work, a document may have been made or removed.
func (w *writing) standing(tx *store.Tx, o *outcome, i int, ids map[int]int64) error {
	known, err := tx.FileAt(w.shelf.id, o.change.Entry.Path)
	switch {
	case errors.Is(err, store.ErrNotFound):
		o.change.Known = nil
	case err != nil:
		return err
	default:
		o.change.Known = &known
		delete(ids, i)
	}
	return nil
}

func (w *writing) putDocument(tx *store.Tx, i int, o outcome, ids map[int]int64, touchedNames map[string]bool) error {
	id := ids[i]
	if o.change.Known != nil {
		id = o.change.Known.Document
	}
	was, err := w.before(tx, id)
	if err != nil {
		return err
	}
	if p, ok := w.revived[i]; ok {
		if err := tx.Reserve(o.prepared.Path, p.file.Document); err != nil {
			return err
		}
	}
	if was.known {
		if err := dropSought(tx, id, was.path); err != nil {
			return err
		}
	}
	id, err = tx.PutDocument(w.shelf.id, id, o.prepared, o.file)
	if err != nil {
		return err
	}
	if err := tx.PutNames(id, o.names, was.names); err != nil {
		return err
	}
	if err := w.putOutline(tx, id, o, was.known); err != nil {
		return err
	}
	was.touch(touchedNames, o.prepared.Path, o.names)
	if err := putLinks(tx, id, o.prepared.Path, o.links, was.known); err != nil {
		return err
	}
	if len(o.problems) > 0 || was.known || w.shelf.problems {
		if err := tx.SetProblems(w.shelf.id, o.file.File, o.prepared.Path, o.problems); err != nil {
			return err
		}
	}
	w.changed = append(w.changed, id)
	w.news.written(was, o.prepared.Path)
	if w.shelf.building {
		return nil
	}
	if len(o.links) > 0 || was.known {
		if err := tx.Call(store.TaskResolve, id); err != nil {
			return err
		}
	}
	if was.known && slices.Equal(was.citable, o.citable) {
		return tx.Call(store.TaskCorrelate, id)
	}
	return tx.Call(store.TaskNames, id)
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
	b, err := tx.FeaturesOf(id)
	if err != nil {
		return before{}, err
	}
	f, err := correlate.Decode(b)
	return before{true, d.Path, namesOf(d.Path, d.Title, d.Aliases), f.Names}, err
}

// touch notes the names that links may resolve to otherwise now: those that came or went, and all when the path did.
func (b before) touch(touchedNames map[string]bool, path string, names []store.Name) {
	stays := map[string]bool{}
	if b.path == path {
		for _, n := range b.names {
			stays[n.Text] = true
		}
	}
	for _, n := range names {
		if !stays[n.Text] {
			touchedNames[n.Text] = true
		}
		delete(stays, n.Text)
	}
	for name := range stays {
		touchedNames[name] = true
	}
	if b.path != path {
		for _, n := range b.names {
			touchedNames[n.Text] = true
		}
	}
}

// remember keeps what vanished and what appeared for the other half of a move.
func (w *writing) remember(outcomes []outcome, left []store.File) {
	now := time.Now()
	if len(left)+len(outcomes) > 10*few {
		return // no person moves so much file by file
	}
	for _, g := range left {
		w.recent.gone = append(w.recent.gone, passing{w.shelf.Name, g, w.shelf.docPath(g.File), now})
	}
	for i, o := range outcomes {
		if _, revived := w.revived[i]; o.prepared != nil && o.change.Known == nil && !revived {
			w.recent.made = append(w.recent.made, passing{w.shelf.Name, o.file, o.prepared.Path, now})
		}
	}
	if len(w.removed) > 0 {
		w.log.Debug("removed", zap.String("shelf", w.shelf.Name), zap.Int("documents", len(w.removed)))
	}
}
