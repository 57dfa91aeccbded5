package indexer

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"go.uber.org/zap"

	"shelfd/store"
	"shelfd/watcher"
)

const (
	// shrinkLook is how long a file that became empty or much shorter is given before that is believed.
	shrinkLook = 300 * time.Millisecond
	// deletionLook is how long over half of a shelf stays after it was first seen to be gone.
	deletionLook = 5 * time.Second
	// identityWindow is how long a vanished document can still be found again under another path.
	identityWindow = 2 * time.Second
	// quiet is how long nothing must have been written before the write-ahead log is emptied.
	quiet = 2 * time.Second
	// longQuiet is how long after the last write the features of documents stay in memory for the next.
	longQuiet = 2 * time.Minute
)

// run is the state of Run's goroutine; nothing else touches it.
type run struct {
	*Indexer
	declared []Shelf
	shelves  map[string]*shelf // by name
	recent   recent
	waiters  []*waiter
	bulk     *bulk
	links    *correlation
	status   Status
	wrote    bool // since the last checkpoint

	retryCheckpoint time.Time // readers held the last one up

	announced bool // the declared shelves are known
	returning bool // named documents that went may have come back elsewhere
}

// published hands the status to other goroutines.
type published struct {
	mu     sync.Mutex
	status Status
}

func (p *published) set(s Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = s
}

func (p *published) get() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Run works until ctx ends or something fails that waiting cannot mend. It owns all that it starts.
func (x *Indexer) Run(ctx context.Context, batches <-chan watcher.Batch) error {
	defer close(x.ended)
	r := &run{Indexer: x, shelves: map[string]*shelf{}, status: x.published.get(), returning: true}
	ctx, end := context.WithCancel(ctx)
	defer func() { end(); r.bulk.stop(); r.links.stop() }()
	r.bulk = startBulk(ctx)
	r.links = newCorrelation(r)
	if err := r.restore(ctx); err != nil {
		return ignoreEnd(ctx, err)
	}
	return ignoreEnd(ctx, r.loop(ctx, batches))
}

func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// loop handles one thing at a time; fresh edits and commands come before the next slice of bulk work.
func (r *run) loop(ctx context.Context, batches <-chan watcher.Batch) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		r.settleUp(ctx)
		next := r.untilNext()
		timer.Reset(next)
		if next == 0 { // however many events come
			if err := r.due(ctx, time.Now()); err != nil {
				return err
			}
		}
		select { // urgent first
		case <-ctx.Done():
			return ctx.Err()
		case b, ok := <-batches:
			if !ok {
				return nil
			}
			if err := r.batch(ctx, b); err != nil {
				return err
			}
			continue
		case command := <-r.commands:
			command(ctx, r)
			continue
		default:
		}
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b, ok := <-batches:
			if !ok {
				return nil
			}
			err = r.batch(ctx, b)
		case command := <-r.commands:
			command(ctx, r)
		case c := <-r.bulk.cut:
			err = r.bulkSlice(ctx, c)
		case <-r.links.ready():
			err = r.links.step(ctx)
		case l := <-r.links.loaded:
			err = r.links.take(ctx, l)
		case now := <-timer.C:
			err = r.due(ctx, now)
		}
		if err != nil {
			return err
		}
	}
}

// untilNext is how long nothing has to be done if nothing happens.
func (r *run) untilNext() time.Duration {
	next := time.Hour
	now := time.Now()
	for _, s := range r.shelves {
		for _, look := range s.looks {
			next = min(next, max(0, look.due.Sub(now)))
		}
	}
	if r.wrote && !r.busy() {
		next = min(next, max(0, r.checkpointDue().Sub(now)))
	} else if r.links.index != nil && !r.busy() {
		next = min(next, max(0, r.status.LastCommit.Add(longQuiet).Sub(now)))
	}
	return next
}

// checkpointDue is when the write-ahead log is to be emptied.
func (r *run) checkpointDue() time.Time {
	if due := r.status.LastCommit.Add(quiet); due.After(r.retryCheckpoint) {
		return due
	}
	return r.retryCheckpoint
}

// due does what the clock asks for: second looks, and after a quiet while the checkpoint.
func (r *run) due(ctx context.Context, now time.Time) error {
	for _, s := range r.shelves {
		if err := r.lookAgain(ctx, s, now); err != nil {
			return err
		}
	}
	if r.wrote && !r.busy() && !now.Before(r.checkpointDue()) {
		emptied, err := r.store.Checkpoint(ctx)
		if err != nil && ctx.Err() == nil {
			r.log.Warn("checkpoint", zap.Error(err))
		}
		if r.wrote = !emptied; r.wrote {
			r.retryCheckpoint = now.Add(quiet)
		}
		debug.FreeOSMemory()
	}
	if r.links.index != nil && !r.busy() && !now.Before(r.status.LastCommit.Add(longQuiet)) {
		r.links.rest()
		debug.FreeOSMemory()
	}
	return nil
}

// busy says whether work is under way that no event will announce.
func (r *run) busy() bool { return r.bulk.pending > 0 || r.links.pending() }

// settleUp answers syncs that have come to their end and publishes the status.
func (r *run) settleUp(ctx context.Context) {
	r.status.Queue = r.bulk.pending
	done, total, ready := 0, 0, r.announced
	for _, s := range r.shelves {
		r.status.Queue += len(s.looks)
		done += s.done
		total += s.total
		ready = ready && s.reconciled
	}
	r.status.Progress = Progress{State: "indexing", Done: min(done, total), Total: total}
	if ready {
		r.status.Progress.State = "ready"
	}
	r.published.set(r.status)
	r.answerWaiters(ctx)
}

// update runs a write transaction.
func (r *run) update(ctx context.Context, f func(*store.Tx) error) error {
	err := r.retry(ctx, func() error { return r.store.Update(ctx, f) })
	if err == nil {
		r.wrote = true
		r.status.LastCommit = time.Now()
		r.status.Commits++
	}
	return err
}

// retry waits a full disk out, or a database held by somebody else, and shows it in the status.
func (r *run) retry(ctx context.Context, write func() error) error {
	wait := 100 * time.Millisecond
	for {
		err := write()
		if err == nil {
			r.status.LastError = ""
			return nil
		}
		if !store.IsFull(err) && !store.IsBusy(err) {
			return err
		}
		if r.status.LastError == "" {
			r.log.Warn("writing paused", zap.Error(err))
		}
		r.status.LastError = err.Error()
		r.published.set(r.status)
		pause := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		case <-pause.C:
		}
		wait = min(2*wait, 10*time.Second)
	}
}
