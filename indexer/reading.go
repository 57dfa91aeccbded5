package indexer

import (
	"context"
	"time"
)

// reading is a file that is being read at this moment.
type reading struct {
	shelf *shelf
	path  string
	size  int64
	since time.Time
	bulk  bool // by one of the bulk readers
	left  bool // behind: another reader took the place of the one that it holds
}

// parked is what waits until a file was read at which bulk readers hang. Its disk would hold the next ones as well: so a
// shelf costs no more readers than there are.
type parked struct {
	readers int
	jobs    []job
}

// begin notes that a file is about to be read.
func (b *bulk) begin(j job, bulk bool) *reading {
	at := &reading{shelf: j.shelf, path: j.change.Entry.Path, size: j.change.Entry.Size, since: time.Now(), bulk: bulk}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.under[at] = true
	return at
}

// end notes that it was read. It says whether another reader took the place of the one that did.
func (b *bulk) end(at *reading) (left bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.under, at)
	if !at.left {
		return false
	}
	b.ahead += at.size
	p := b.parked[at.shelf]
	if p.readers--; p.readers == 0 {
		delete(b.parked, at.shelf)
		b.enqueueLocked(p.jobs, true)
	}
	return true
}

// longest is the file of a shelf that has been read for the longest; nil = none is.
func (b *bulk) longest(s *shelf) (oldest *reading) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at := range b.under {
		if at.shelf == s && (oldest == nil || at.since.Before(oldest.since)) {
			oldest = at
		}
	}
	return oldest
}

// untilHeld is how long from now it is to be looked whether a file has held a reader for limit.
func (b *bulk) untilHeld(now time.Time, limit time.Duration) time.Duration {
	if b.pending == 0 {
		return time.Hour
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := limit
	for at := range b.under {
		if at.bulk && !at.left {
			wait = min(wait, at.since.Add(limit).Sub(now))
		}
	}
	return max(0, wait)
}

// relieve starts other readers in the place of those that a file has held since before, and parks what is to be read of
// its shelf.
func (b *bulk) relieve(ctx context.Context, before time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at := range b.under {
		if !at.bulk || at.left || at.since.After(before) {
			continue
		}
		at.left = true
		b.ahead -= at.size
		b.parkLocked(at.shelf)
		b.done.Add(1)
		go b.read(ctx)
	}
}

// parkLocked keeps the readers from a shelf.
func (b *bulk) parkLocked(s *shelf) {
	if b.parked[s] == nil {
		b.parked[s] = &parked{}
	}
	p := b.parked[s]
	p.readers++
	queue := b.queue[:0]
	for _, j := range b.queue {
		if j.shelf == s {
			p.jobs = append(p.jobs, j)
		} else {
			queue = append(queue, j)
		}
	}
	clear(b.queue[len(queue):])
	b.queue = queue
}

// active says whether something comes from the readers, the disk permitting: what is parked need never come.
func (b *bulk) active() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	pending := b.pending
	for s := range b.parked {
		pending -= s.waiting
	}
	return pending > 0
}
