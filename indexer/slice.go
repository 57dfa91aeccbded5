package indexer

import (
	"context"
	"time"

	"go.uber.org/zap"
)

const (
	// sliceChunks is how many chunks a transaction of bulk work holds if they come quickly: fewer cost FTS merges.
	sliceChunks = 2000
	// sliceTime bounds how long an edit waits behind bulk work.
	sliceTime = 200 * time.Millisecond
)

// bulkSlice writes what the readers have done: first and whatever else is there within sliceTime, up to sliceChunks.
func (r *run) bulkSlice(ctx context.Context, first finished) error {
	slice := map[*shelf][]outcome{}
	chunks := 0
	add := func(o finished) {
		r.bulk.pending--
		slice[o.shelf] = append(slice[o.shelf], o.outcome)
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
		if path := o.change.Entry.Path; s.queued[path] == o.change.Entry { // else it is to be read once more
			delete(s.queued, path)
		}
	}
	if r.shelves[s.Name] != s {
		return nil // removed meanwhile
	}
	waiting := s.waiting
	s.waiting = max(waiting, 1) // the shelf is not reconciled before what is gone has gone
	err := r.commit(ctx, s, findings{outcomes: outcomes, gone: s.goneFiles(), doubts: s.believe, slice: true})
	s.waiting = waiting
	if err != nil || waiting > 0 {
		return err
	}
	return r.finishBulk(ctx, s)
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
