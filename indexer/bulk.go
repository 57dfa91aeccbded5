package indexer

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
)

const (
	// aheadFiles and aheadBytes are how much the readers have ready for the writer at most: about as much as it takes in
	// one transaction, so that they need not wait while it writes, and memory stays bounded.
	aheadFiles = 1024
	aheadBytes = 8 << 20 // of the files; what is made of them takes several times as much
)

// bulk reads and cuts many files beside the writer. Its owner adds work without waiting and receives outcomes from cut.
type bulk struct {
	cut     chan finished
	pending int // added and not yet received; the owner's

	mu     sync.Mutex
	work   *sync.Cond
	queue  []job
	ahead  int64             // bytes of files that were taken from queue and not yet received, those left behind excepted
	under  map[*reading]bool // by whichever reader
	parked map[*shelf]*parked
	closed bool
	done   sync.WaitGroup
}

// finished is what came of a job.
type finished struct {
	shelf *shelf
	outcome
}

// sharedFolder is used by the jobs of one look and closes the folder when the last has let go of it.
type sharedFolder struct {
	Folder
	mu    sync.Mutex
	users int
}

// Close lets go of the folder.
func (f *sharedFolder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users == 0 {
		return f.Folder.Close()
	}
	return nil
}

// startBulk starts the readers: one a core.
func startBulk(ctx context.Context) *bulk {
	b := &bulk{cut: make(chan finished, aheadFiles), under: map[*reading]bool{}, parked: map[*shelf]*parked{}}
	b.work = sync.NewCond(&b.mu)
	for range runtime.GOMAXPROCS(0) {
		b.done.Add(1)
		go b.read(ctx)
	}
	return b
}

// add takes in more files. Those that were written last come first, where others wait already or the shelf stands: a
// fresh edit must not wait for a checkout.
func (b *bulk) add(jobs []job, stands bool) {
	b.pending += len(jobs)
	b.mu.Lock()
	if p := b.parked[jobs[0].shelf]; p != nil {
		p.jobs = append(p.jobs, jobs...)
		b.mu.Unlock()
		return
	}
	b.enqueueLocked(jobs, stands)
	b.mu.Unlock()
}

// enqueueLocked puts files down to be read.
func (b *bulk) enqueueLocked(jobs []job, stands bool) {
	late := len(b.queue) > 0
	b.queue = append(b.queue, jobs...)
	if late || stands {
		slices.SortFunc(b.queue, func(x, y job) int {
			return cmp.Or(cmp.Compare(y.change.Entry.ModTime, x.change.Entry.ModTime), strings.Compare(x.change.Entry.Path, y.change.Entry.Path))
		})
	}
	b.work.Broadcast()
}

func (b *bulk) next() (job, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for (len(b.queue) == 0 || b.ahead >= aheadBytes) && !b.closed {
		b.work.Wait()
	}
	if b.closed {
		return job{}, false
	}
	j := b.queue[0]
	b.queue[0] = job{}
	b.queue = b.queue[1:]
	b.ahead += j.change.Entry.Size
	return j, true
}

// received makes room for more.
func (b *bulk) received(o finished) {
	b.pending--
	b.mu.Lock()
	b.ahead -= o.change.Entry.Size
	b.mu.Unlock()
	b.work.Broadcast() // one large file makes room for several
}

func (b *bulk) read(ctx context.Context) {
	defer b.done.Done()
	for {
		j, ok := b.next()
		if !ok {
			return
		}
		at := b.begin(j, true)
		o := cutFile(j)
		j.folder.Close()
		left := b.end(at)
		select {
		case b.cut <- finished{j.shelf, o}:
		case <-ctx.Done():
			return
		}
		if left {
			return
		}
	}
}

// stop ends the readers and waits for them. ctx of startBulk must have ended.
func (b *bulk) stop() {
	b.mu.Lock()
	b.closed = true
	left := b.queue
	for _, p := range b.parked {
		left, p.jobs = append(left, p.jobs...), nil
	}
	b.queue = nil
	b.mu.Unlock()
	b.work.Broadcast()
	b.done.Wait()
	for _, j := range left {
		j.folder.Close()
	}
}
