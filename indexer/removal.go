package indexer

import (
	"context"
	"slices"

	"go.uber.org/zap"

	"shelfd/store"
	"shelfd/watcher"
)

// removeSlice is how many documents a transaction deletes: a folder of ten thousand must not hold up an edit. What is
// beyond it goes later, a slice at a time, when nothing more urgent is under way.
const removeSlice = 200

// leaving is a shelf that is on its way out of the index.
type leaving struct {
	*shelf
	gone chan error // receives when it has gone, or why that takes longer
}

// removeLater puts off all but the first slice of what is gone.
func (s *shelf) removeLater(gone []store.File) (now []store.File) {
	if len(gone) <= removeSlice {
		return gone
	}
	for _, g := range gone[removeSlice:] {
		s.removing[g.File] = g
	}
	return gone[:removeSlice]
}

// spare takes out of what is to be removed what a later look shows to be there, or cannot tell.
func (s *shelf) spare(l watcher.Listing) {
	if len(s.removing) == 0 {
		return
	}
	for file := range s.removing {
		if hasEntry(l.Entries, file) || hidden(file, l.Faults) {
			delete(s.removing, file)
		}
	}
}

// notRemoving are those of gone that are not on their way out already.
func (s *shelf) notRemoving(gone []store.File) []store.File {
	if len(s.removing) == 0 {
		return gone
	}
	left := gone[:0:0]
	for _, g := range gone {
		if s.removing[g.File].Document != g.Document {
			left = append(left, g)
		}
	}
	return left
}

// complete says whether a look at the whole shelf has come to its end.
func (s *shelf) complete() bool {
	return s.whole && s.waiting == 0 && len(s.removing) == 0 && !s.reading
}

// toRemove is a shelf of which something is to be removed yet.
func (r *run) toRemove() *shelf {
	for _, s := range r.shelves {
		if len(s.removing) > 0 {
			return s
		}
	}
	if len(r.leaving) > 0 {
		return r.leaving[0].shelf
	}
	return nil
}

// removalReady can be received from when there is something to remove.
func (r *run) removalReady() <-chan struct{} {
	if r.toRemove() == nil {
		return nil
	}
	return r.links.always
}

// removeSome removes one slice.
func (r *run) removeSome(ctx context.Context) error {
	s := r.toRemove()
	var slice []store.File
	for file, g := range s.removing {
		if len(slice) == removeSlice {
			break
		}
		delete(s.removing, file)
		slice = append(slice, g)
	}
	if err := r.commitRemoval(ctx, s, slice); err != nil {
		return err
	}
	if len(r.leaving) > 0 && r.leaving[0].shelf == s && len(s.removing) == 0 {
		return r.left(ctx)
	}
	return nil
}

// leave begins to take a shelf out of the index.
func (r *run) leave(ctx context.Context, row store.Shelf) error {
	if r.isLeaving(row.Name) {
		return nil
	}
	var files []store.File
	err := r.store.View(ctx, func(v *store.View) (err error) {
		files, err = v.Files(row.ID, "")
		return err
	})
	if err != nil {
		return err
	}
	r.log.Info("shelf leaves the index", zap.String("shelf", row.Name), zap.Int("documents", len(files)))
	s := r.newShelf(Shelf{ShelfSpec: store.ShelfSpec{Name: row.Name}}, row.ID)
	s.goes = true
	for _, f := range files {
		s.removing[f.File] = f
	}
	delete(r.shelves, row.Name)
	r.leaving = append(r.leaving, leaving{s, make(chan error, 1)})
	if len(files) > 0 {
		return r.showState(ctx, s)
	}
	return nil
}

// left takes the row of the first shelf away that leaves, when its documents have gone.
func (r *run) left(ctx context.Context) error {
	l := r.leaving[0]
	if err := r.update(ctx, func(tx *store.Tx) error { return tx.DeleteShelf(l.id) }); err != nil {
		return err
	}
	r.leaving = r.leaving[1:]
	l.say(nil)
	return nil
}

// say tells who waits for the end.
func (l leaving) say(err error) {
	select {
	case l.gone <- err:
	default: // it was said that it takes longer
	}
}

// stay calls off that a shelf leaves: it is wanted again.
func (r *run) stay(name string) {
	for i, l := range r.leaving {
		if l.Name == name {
			r.leaving = append(r.leaving[:i:i], r.leaving[i+1:]...)
			l.say(nil)
			return
		}
	}
}

func (r *run) isLeaving(name string) bool {
	return slices.ContainsFunc(r.leaving, func(l leaving) bool { return l.Name == name })
}

// going receives when a shelf has gone; at once when none of that name is about to.
func (r *run) going(name string) <-chan error {
	for _, l := range r.leaving {
		if l.Name == name {
			return l.gone
		}
	}
	gone := make(chan error, 1)
	gone <- nil
	return gone
}

// untilGone waits for a shelf to go.
func (x *Indexer) untilGone(ctx context.Context, gone <-chan error) error {
	select {
	case err := <-gone:
		return err
	case <-x.ended:
		return ErrNotRunning
	case <-ctx.Done():
		return ctx.Err()
	}
}
