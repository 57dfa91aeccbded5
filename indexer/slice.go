package indexer

import (
	"context"
	"time"

	"go.uber.org/zap"
)

const (
	// sliceChunks is how many chunks a transaction of bulk work holds if they come quickly: fewer cost FTS merges.
	sliceChunks = 2000
	// sliceTime is how long a transaction is filled.
	sliceTime = 200 * time.Millisecond
	// sliceWait is how long a single edit should wait behind a slice, be it filled or written, of a shelf that stands.
	sliceWait = 100 * time.Millisecond
	// sliceLeast is how few chunks a slice may come down to so that it takes no longer.
	sliceLeast = 125
	// freshLook is how long bulk work and chores wait for a look at a few files, which ends sooner unless the disk is slow.
	freshLook = 100 * time.Millisecond
)

// bulkSlice writes what the readers have done: first and whatever else comes in time, up to as many chunks as can be
// written in time.
func (r *run) bulkSlice(ctx context.Context, first finished) error {
	slice := map[*shelf][]outcome{}
	chunks, most, wait := 0, sliceChunks, sliceTime
	stands := first.shelf.reconciled
	if stands {
		most, wait = r.sliceMost, sliceWait
	}
	add := func(o finished) {
		r.bulk.received(o)
		slice[o.shelf] = append(slice[o.shelf], o.outcome)
		if o.prepared != nil {
			chunks += len(o.prepared.Document.Chunks)
		}
	}
	add(first)
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for open := true; open && chunks < most && r.bulk.active(); {
		select {
		case o := <-r.bulk.cut:
			add(o)
		case <-deadline.C:
			open = false
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if stands {
		start := time.Now()
		defer func() { r.sizeSlices(chunks, time.Since(start)) }()
	}
	for s, outcomes := range slice {
		if err := r.commitSlice(ctx, s, outcomes); err != nil {
			return err
		}
	}
	return nil
}

// sizeSlices learns from how long a slice of so many chunks took how large the next one may be.
func (r *run) sizeSlices(chunks int, took time.Duration) {
	switch {
	case took > sliceWait:
		r.sliceMost = max(sliceLeast, r.sliceMost/2)
	case took < sliceWait/2 && chunks >= r.sliceMost: // a smaller one says nothing
		r.sliceMost = min(sliceChunks, r.sliceMost*2)
	}
}

// untilFresh is how long from now bulk work and chores wait for looks at a few files.
func (r *run) untilFresh(now time.Time) (wait time.Duration) {
	for _, s := range r.shelves {
		if s.looking && s.lookFew {
			wait = max(wait, s.since.Add(freshLook).Sub(now))
		}
	}
	return wait
}

func (r *run) commitSlice(ctx context.Context, s *shelf, outcomes []outcome) error {
	s.waiting -= len(outcomes)
	s.done += len(outcomes)
	for _, o := range outcomes {
		if path := o.change.Entry.Path; s.queued[path] == o.change.Entry { // else it is to be read once more
			delete(s.queued, path)
		}
	}
	if r.shelves[s.Name] != s {
		return nil // removed meanwhile
	}
	waiting, wasSlow := s.waiting, r.calm(s, time.Now())
	s.waiting = max(waiting, 1) // the shelf is not reconciled before what is gone has gone
	err := r.commit(ctx, s, findings{outcomes: outcomes, gone: s.goneFiles(), doubts: s.believe, slice: true})
	s.waiting = waiting
	if err == nil && waiting == 0 {
		err = r.finishBulk(ctx, s)
	}
	if err == nil && wasSlow {
		err = r.showState(ctx, s)
	}
	return err
}

// finishBulk removes what did not turn up and records the reconcile.
func (r *run) finishBulk(ctx context.Context, s *shelf) error {
	gone, believe := s.goneFiles(), s.believe
	for _, file := range s.end() {
		s.looks[file] = lookNow()
	}
	if err := r.commit(ctx, s, findings{gone: gone, doubts: believe}); err != nil {
		return err
	}
	r.log.Info("indexed", zap.String("shelf", s.Name), zap.Int("read", s.counted.indexed), zap.Int("unchanged", s.counted.unchanged), zap.Int("removed", s.counted.removed))
	return nil
}
