package indexer

import (
	"context"
	"time"

	"go.uber.org/zap"

	"shelfd/store"
)

const (
	// sliceChunks is how many chunks a transaction of bulk work holds if they come quickly: fewer cost FTS merges.
	sliceChunks = 2000
	// sliceTime bounds how long an edit waits behind bulk work.
	sliceTime = 200 * time.Millisecond
)

// bulkSlice writes what the readers have done: first and whatever else is there within sliceTime, up to sliceChunks.
func (r *run) bulkSlice(ctx context.Context, first outcome) error {
	slice := map[*shelf][]outcome{}
	chunks := 0
	add := func(o outcome) {
		r.bulk.pending--
		slice[o.shelf] = append(slice[o.shelf], o)
		if o.prepared != nil {
			chunks += len(o.prepared.Document.Chunks)
		}
	}
	add(first)
	deadline := time.NewTimer(sliceTime)
	defer deadline.Stop()
	for open := true; open && chunks < sliceChunks && r.bulk.pending > 0; {
		select {
		case o := <-r.bulk.cut:
			add(o)
		case <-deadline.C:
			open = false
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for s, outcomes := range slice {
		if err := r.commitSlice(ctx, s, outcomes); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) commitSlice(ctx context.Context, s *shelf, outcomes []outcome) error {
	s.waiting -= len(outcomes)
	s.done += len(outcomes)
	for _, o := range outcomes {
		delete(s.queued, o.change.Entry.Path)
	}
	if r.shelves[s.Name] != s {
		return nil // removed meanwhile
	}
	gone := s.gone
	if err := r.commitFound(ctx, s, outcomes, gone); err != nil {
		return err
	}
	if s.waiting > 0 {
		return nil
	}
	return r.finishBulk(ctx, s)
}

// commitFound writes a slice; of what is gone it takes only what turned up again under another path.
func (r *run) commitFound(ctx context.Context, s *shelf, outcomes []outcome, gone []store.File) error {
	outcomes = r.doubtShrinking(s, outcomes, doubts{})
	w := &writing{run: r, shelf: s, moves: map[string]string{}}
	ids, left, err := w.identify(ctx, outcomes, gone)
	if err != nil {
		return err
	}
	s.gone = left
	if err := w.sayMoves(); err != nil {
		return err
	}
	if err := r.update(ctx, func(tx *store.Tx) error { return w.write(tx, outcomes, ids, nil) }); err != nil {
		return err
	}
	w.remember(outcomes, nil)
	w.noteReturns(outcomes, nil)
	r.links.note(w.changed, w.removed)
	r.tell(w.news)
	return nil
}

// finishBulk removes what did not turn up and records the reconcile.
func (r *run) finishBulk(ctx context.Context, s *shelf) error {
	gone := s.gone
	s.gone, s.moving = nil, map[string]int64{}
	clear(s.seen)
	s.building = false
	w := &writing{run: r, shelf: s, moves: map[string]string{}}
	if err := w.sayGone(gone); err != nil {
		return err
	}
	err := r.update(ctx, func(tx *store.Tx) error {
		if err := w.write(tx, nil, nil, gone); err != nil {
			return err
		}
		return r.recordReconciled(tx, s)
	})
	if err != nil {
		return err
	}
	w.remember(nil, gone)
	w.noteReturns(nil, gone)
	r.links.note(w.changed, w.removed)
	r.tell(w.news)
	r.log.Info("indexed", zap.String("shelf", s.Name), zap.Int("read", s.counted.indexed), zap.Int("unchanged", s.counted.unchanged), zap.Int("removed", s.counted.removed))
	return nil
}
