package indexer

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"shelfd/store"
	"shelfd/watcher"
)

// findings are what a look came to.
type findings struct {
	outcomes []outcome
	gone     []store.File
	listing  *watcher.Listing // the look itself when it is to be recorded; nil for a slice of bulk work
	doubts   doubts
	slice    bool // more files are being read: what is gone may turn up among them
}

// commit writes what came of a look in one transaction: what is gone, what was read, problems, links.
func (r *run) commit(ctx context.Context, s *shelf, f findings) error {
	w := newWriting(r, s, f)
	w.outcomes = w.doubtShrinking(w.current(f.outcomes))
	left, err := w.prepare(ctx)
	if err != nil {
		return err
	}
	if f.slice {
		s.stillGone(left)
		left = nil
	} else if r.doubtDeletion(s, left, f.doubts) {
		left = nil
	}
	left = s.removeLater(left)
	s.noteMissing()
	if !w.changes(left) {
		return nil
	}
	return w.transact(ctx, left)
}

// commitRemoval deletes some documents.
func (r *run) commitRemoval(ctx context.Context, s *shelf, gone []store.File) error {
	r.forgetMoves()
	defer s.noteMissing()
	return newWriting(r, s, findings{}).transact(ctx, gone)
}

// transact finds out where those went that are gone, writes, and takes into account what was written.
func (w *writing) transact(ctx context.Context, left []store.File) error {
	if len(left) > 0 {
		err := w.store.View(ctx, func(v *store.View) (err error) {
			if left, err = w.inPlace(v, left); err != nil || w.shelf.goes { // of a shelf that leaves the index nothing was moved
				return err
			}
			return w.twins(v, left)
		})
		if err != nil {
			return err
		}
	}
	if err := w.sayMoves(ctx); err != nil {
		return err
	}
	if err := w.sayGone(ctx, left); err != nil {
		return err
	}
	for _, p := range w.lost {
		w.recent.gone.add(p)
	}
	if err := w.update(ctx, func(tx *store.Tx) error { return w.write(tx, left) }); err != nil {
		return err
	}
	w.settle(ctx)
	w.noteReturns(w.outcomes, left)
	return nil
}

// inPlace are those of gone whose documents stand where they were seen to be gone from: since the look some may have
// been removed, or found elsewhere.
func (w *writing) inPlace(v *store.View, gone []store.File) ([]store.File, error) {
	var still []store.File
	for _, g := range gone {
		known, err := v.FileAt(w.shelf.id, g.File)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return nil, err
		case known.Document == g.Document:
			still = append(still, g)
		}
	}
	return still, nil
}

// writing is one commit under way.
type writing struct {
	*run
	shelf *shelf
	findings
	ids     map[int]int64     // outcome → document that stood at another path
	moves   map[string]string // doc_paths of documents that go along, old → new
	revived map[int]passing   // outcome → document that vanished a moment ago
	older   []olderTwin       // documents made a moment ago that are the other half of what is gone now
	lost    []passing         // what is gone and was not found elsewhere
	lastID  int64             // of documents there were before
	others  []func()          // looks to be taken after the transaction

	// What the transaction comes to; begun anew when it is tried again.
	changed []int64 // documents written
	removed []int64
	created int                        // documents that were not there before
	fresh   map[int]int64              // outcome → its document, where that has an id that no document had before
	evicted map[int64]bool             // documents removed, as a set
	names   map[string]bool            // names that links may resolve to otherwise now
	links   map[int64][]store.TextLink // of the texts written
	news    Changed
}

func newWriting(r *run, s *shelf, f findings) *writing {
	return &writing{
		run: r, shelf: s, findings: f, ids: map[int]int64{}, moves: map[string]string{}, revived: map[int]passing{},
	}
}

// current leaves out what readers found when something newer is known, or when the file is to have another name: that
// is looked at again.
func (w *writing) current(outcomes []outcome) []outcome {
	return slices.DeleteFunc(outcomes, func(o outcome) bool {
		path := o.change.Entry.Path
		if w.shelf.overtaken(o) { // as far as one can tell: the look that overtook it may be the older one
			w.shelf.looks[path] = lookNow()
			return true
		}
		if o.prepared != nil && (o.prepared.Path != w.shelf.docPath(path) || o.prepared.Shelf != w.shelf.Name) {
			w.shelf.looks[path] = lookNow()
			return true
		}
		return false
	})
}

// doubtShrinking takes files out that have just become empty or much shorter: they are looked at again first.
func (w *writing) doubtShrinking(outcomes []outcome) []outcome {
	s := w.shelf
	return slices.DeleteFunc(outcomes, func(o outcome) bool {
		path, k := o.change.Entry.Path, o.change.Known
		size, seen := w.doubts.sizes[path]
		if k != nil && o.prepared != nil && shrunk(k.Size, o.file.Size) && !(seen && size == o.file.Size) && k.Version == store.ContentVersion {
			s.looks[path] = look{due: time.Now().Add(shrinkLook), size: o.file.Size}
			return true
		}
		delete(s.looks, path)
		return false
	})
}

// shrunk says whether a file lost so much that it may be half written: all of it, or over half.
func shrunk(before, after int64) bool {
	return after == 0 && before > 0 || 2*after < before && before > 512
}

// prepare finds out, before anything is written, which documents go where. It returns those that are gone.
func (w *writing) prepare(ctx context.Context) (left []store.File, err error) {
	w.forgetMoves()
	err = w.store.View(ctx, func(v *store.View) error {
		if w.lastID, err = v.LastID(); err != nil {
			return err
		}
		if err := w.refresh(v); err != nil {
			return err
		}
		if left, err = w.identify(v, w.gone); err != nil {
			return err
		}
		return errors.Join(w.renumbered(v), w.namesakes(v))
	})
	return left, err
}

// namesakes finds the other names of files that have several: no event tells that they hold other bytes now.
func (w *writing) namesakes(v *store.View) error {
	for _, o := range w.outcomes {
		if o.prepared == nil || o.change.Known == nil || o.change.Entry.Links < 2 {
			continue
		}
		places, err := v.SameFile(o.file.Device, o.file.Inode)
		if err != nil {
			return err
		}
		for _, p := range places {
			if s := w.shelfByID(p.Shelf); s != nil && (s != w.shelf || p.File != o.file.File) {
				w.others = append(w.others, func() { s.looks[p.File] = lookNow() })
			}
		}
	}
	return nil
}

func (r *run) shelfByID(id int64) *shelf {
	for _, s := range r.shelves {
		if s.id == id {
			return s
		}
	}
	return nil
}

// refresh corrects what the plan knew: while the readers worked, a document may have been made or removed.
func (w *writing) refresh(v *store.View) error {
	for i := range w.outcomes {
		c := &w.outcomes[i].change
		known, err := v.FileAt(w.shelf.id, c.Entry.Path)
		switch {
		case errors.Is(err, store.ErrNotFound):
			c.Known = nil
		case err != nil:
			return err
		case c.Known == nil || c.Known.Document != known.Document:
			known.Version = asWanted(known.Version, w.extractive)
			c.Known = &known
		}
	}
	return nil
}

// renumbered notes documents whose file stays while their doc_path changes.
func (w *writing) renumbered(v *store.View) error {
	for _, o := range w.outcomes {
		k := o.change.Known
		if k == nil || o.prepared == nil || k.Number == o.file.Number {
			continue
		}
		d, err := v.DocumentByID(k.Document)
		if err != nil {
			return err
		}
		w.moves[d.Path] = o.prepared.Path
	}
	return nil
}

// changes says whether there is anything to write.
func (w *writing) changes(left []store.File) bool {
	s, l := w.shelf, w.listing
	if len(left) > 0 || s.looksChanged() || s.complete() ||
		l != nil && (len(l.Faults) > 0 || len(l.Skipped) > 0) {
		return true
	}
	for _, o := range w.outcomes {
		if o.prepared != nil || len(o.problems) > 0 || o.change.Known == nil || touched(o, s.whole) {
			return true
		}
	}
	return l != nil && s.problems
}

// touched says whether a file with the same bytes shows other times that are worth keeping. A change of ctime alone
// (chmod) is worth it for a look at the whole shelf only, which would read the file each time: a thousand single ones
// write nothing.
func touched(o outcome, whole bool) bool {
	k := o.change.Known
	if k == nil || o.prepared != nil || o.failed != nil || o.vanished || o.tooLarge {
		return false
	}
	return k.Size != o.file.Size || k.ModTime != o.file.ModTime || k.Inode != o.file.Inode ||
		k.ModTime >= k.ReadAt-racy && o.file.ModTime < o.file.ReadAt-racy ||
		k.Blocks != o.file.Blocks ||
		whole && (k.ChangeTime != o.file.ChangeTime || k.Device != o.file.Device || k.ReadAt > o.file.ReadAt)
}

// sayMoves records in the ledger where documents went that someone's statements name: before the index shows it.
func (w *writing) sayMoves(ctx context.Context) error {
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
	return w.retry(ctx, func() error { return w.ledger.Append(store.Record{Op: store.OpDocumentMove, Moves: named}) })
}

// settle takes the end of the transaction into account.
func (w *writing) settle(ctx context.Context) {
	s := w.shelf
	s.documents += w.created - len(w.removed)
	if s.complete() {
		s.whole, s.reconciled, s.compared, w.run.returning = false, true, time.Now(), true
	}
	s.counted.removed += len(w.removed)
	for _, o := range w.outcomes {
		switch {
		case o.prepared != nil:
			delete(s.promised, o.change.Entry.Path)
			s.counted.indexed++
		case o.failed == nil && !o.vanished && !o.tooLarge:
			s.counted.unchanged++
		}
	}
	for _, look := range w.others {
		look()
	}
	w.recent.made.drop(func(p *passing) bool { return w.evicted[p.file.Document] })
	w.rememberMade()
	w.run.links.note(ctx, w.changed, w.removed)
	w.tell(w.news)
	if len(w.removed) > 0 {
		w.log.Debug("removed", zap.String("shelf", s.Name), zap.Int("documents", len(w.removed)))
	}
}
