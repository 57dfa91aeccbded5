package indexer

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"go.uber.org/zap"

	"shelfd/watcher"
)

const (
	// shrinkLook is how long a file that became empty or much shorter is given before that is believed.
	shrinkLook = 300 * time.Millisecond
	// deletionLook is how long over half of a shelf stays after it was first seen to be gone.
	deletionLook = 5 * time.Second
	// failedLook is how long after a read that failed for want of something it is tried once more.
	failedLook = time.Second
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
	leaving  []leaving
	recent   recent
	waiters  []*waiter
	sights   *sights
	bulk     *bulk

	sliceMost int // chunks in a slice of bulk work for shelves that stand
	links     *correlation
	status    Status
	wrote     bool // since the last checkpoint

	current  func(error) // declines the command that is being done
	held     []command   // came while writing was paused, and are done all the same
	begun    time.Time
	mended   time.Time       // when a damaged database was given up for this one
	placed   time.Time       // when the files of the index were looked for
	unplaced bool            // something was written since, or somebody asks
	stirred  bool            // something happened in their folders since
	stir     <-chan struct{} // tells of that; nil = nothing does
	missed   []*waiter       // of a database that went
	wanting  []func()        // what waits for the features, of a database that went

	ledgerFault string // why the ledger could not be put back, as it was said last

	retryCheckpoint time.Time // readers held the last one up

	inspected bool           // or about to be: the database was read through since the start
	beside    sync.WaitGroup // what reads it through

	untidy bool // removed text may stand in the file yet

	announced bool                          // the declared shelves are known
	early     []func(context.Context, *run) // what was asked before they were
	returning bool                          // named documents that went may have come back elsewhere
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

// Run works until ctx ends or something fails that waiting cannot mend. It owns all that it starts. When somebody takes
// the database away, or damages it, it makes another.
func (x *Indexer) Run(ctx context.Context, batches <-chan watcher.Batch) error {
	defer close(x.ended)
	r := x.newRun(x.published.get())
	for {
		err := x.displaced(r.all(ctx, batches))
		if errors.Is(err, errClosed) {
			return nil
		}
		if ctx.Err() != nil || !r.mendable(err) {
			return ignoreEnd(ctx, err)
		}
		if r, err = r.anew(ctx, err); err != nil {
			return ignoreEnd(ctx, err)
		}
	}
}

func (x *Indexer) newRun(s Status) *run {
	return &run{Indexer: x, shelves: map[string]*shelf{}, status: s, returning: true, sliceMost: sliceChunks / 4, placed: time.Now(), begun: time.Now(), untidy: true}
}

// all does everything with one database, and ends what it started.
func (r *run) all(ctx context.Context, batches <-chan watcher.Batch) error {
	ctx, end := context.WithCancel(ctx)
	r.sights = &sights{seen: make(chan sight)}
	r.bulk = startBulk(ctx)
	r.links = newCorrelation(r)
	r.links.wanting, r.wanting = r.wanting, nil
	defer func() {
		end()
		if !ended(func() { r.bulk.stop(); r.sights.under.Wait() }) {
			r.log.Warn("a disk hangs: what reads it is left behind")
		}
		r.links.stop()
		r.beside.Wait()
	}()
	r.watchPlace(ctx)
	if err := r.restore(ctx); err != nil {
		return err
	}
	if r.announced {
		if err := r.applyShelves(ctx); err != nil {
			return err
		}
		r.resumeWaits(ctx)
		r.beginEarly(ctx)
	}
	return r.loop(ctx, batches)
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
		if err := r.place(time.Now()); err != nil {
			return err
		}
		r.doHeld(ctx)
		r.settleUp(ctx)
		r.inspect(ctx, time.Now())
		next := r.untilNext()
		timer.Reset(next)
		if next == 0 { // however many events come
			if err := r.due(ctx, time.Now()); err != nil {
				return err
			}
		}
		done, err := r.urgent(ctx, batches)
		if err == nil && !done {
			err = r.anything(ctx, batches, timer.C)
		}
		if err != nil {
			return err
		}
	}
}

// errClosed says that no more batches come.
var errClosed = errors.New("indexer: the watcher has ended")

// urgent does what must not wait for chores, if there is any.
func (r *run) urgent(ctx context.Context, batches <-chan watcher.Batch) (done bool, err error) {
	select {
	case <-ctx.Done():
		return true, ctx.Err()
	case b, ok := <-batches:
		return true, r.batch(ctx, b, ok)
	case g := <-r.sights.seen:
		return true, r.sighted(ctx, g)
	case c := <-r.commands:
		r.command(ctx, c)
		return true, nil
	default:
		return false, nil
	}
}

// anything does what comes next.
func (r *run) anything(ctx context.Context, batches <-chan watcher.Batch, clock <-chan time.Time) error {
	cut, removal, links := r.bulk.cut, r.removalReady(), r.links.ready()
	if r.untilFresh(time.Now()) > 0 { // a look at a few files is about to end: they come first
		cut, removal, links = nil, nil, nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case b, ok := <-batches:
		return r.batch(ctx, b, ok)
	case g := <-r.sights.seen:
		return r.sighted(ctx, g)
	case c := <-r.commands:
		r.command(ctx, c)
		return nil
	case c := <-cut:
		return r.bulkSlice(ctx, c)
	case <-removal:
		return r.removeSome(ctx)
	case <-links:
		return r.links.step(ctx)
	case l := <-r.links.loaded:
		return r.links.take(ctx, l)
	case <-r.store.DamageMet():
		return r.store.Damage()
	case <-r.stir:
		r.stirred = true
		return nil
	case now := <-clock:
		return r.due(ctx, now)
	}
}

// doHeld does what came while writing was paused.
func (r *run) doHeld(ctx context.Context) {
	held := r.held
	r.held = nil
	for _, c := range held {
		r.command(ctx, c)
	}
}

// untilNext is how long nothing has to be done if nothing happens.
func (r *run) untilNext() time.Duration {
	now := time.Now()
	next := max(0, r.placeDue().Sub(now))
	if next == 0 {
		next = time.Millisecond // the next turn looks
	}
	if r.inspects() {
		next = min(next, max(time.Millisecond, r.restedFrom().Add(r.rest).Sub(now)))
	}
	if fresh := r.untilFresh(now); fresh > 0 && r.busy() {
		next = min(next, fresh)
	}
	next = min(next, r.bulk.untilHeld(now, r.slow))
	for _, s := range r.shelves {
		next = min(next, r.untilSlow(s, now))
		for _, look := range s.looks {
			next = min(next, max(0, look.due.Sub(now)))
		}
	}
	switch {
	case r.busy():
	case r.untidy:
		next = min(next, max(0, r.tidyDue().Sub(now)))
	case r.wrote:
		next = min(next, max(0, r.checkpointDue().Sub(now)))
	case r.links.index != nil:
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

// due does what the clock asks for: second looks, and after a quiet while tidying up and the checkpoint.
func (r *run) due(ctx context.Context, now time.Time) error {
	r.bulk.relieve(ctx, now.Add(-r.slow))
	for _, s := range r.shelves {
		r.lookAgain(ctx, s, now)
		if err := r.tellSlow(ctx, s, now); err != nil {
			return err
		}
	}
	if r.tidies() {
		return r.tidy(ctx, now)
	}
	if r.wrote && !r.busy() && !now.Before(r.checkpointDue()) {
		r.forgetMoves()
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
func (r *run) busy() bool {
	return r.bulk.active() || len(r.leaving) > 0 || r.links.pending()
}

// settleUp answers syncs that have come to their end and publishes the status.
func (r *run) settleUp(ctx context.Context) {
	r.status.Queue = r.bulk.pending
	for _, l := range r.leaving {
		r.status.Queue += len(l.removing)
	}
	done, total, ready := 0, 0, r.announced
	for _, s := range r.shelves {
		r.status.Queue += len(s.looks) + len(s.removing)
		if s.looking {
			r.status.Queue++
		}
		done += s.done
		total += s.total
		ready = ready && s.reconciled
	}
	r.status.Progress = Progress{State: "indexing", Done: min(done, total), Total: total}
	if ready { // what came and went since is in the queue
		r.status.Progress = Progress{State: "ready", Done: total, Total: total}
	}
	r.publishFreshness()
	r.published.set(r.status)
	r.answerWaiters(ctx)
}
