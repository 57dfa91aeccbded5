package indexer

import (
	"context"
	"runtime"
	"sync"
)

// bulk reads and cuts many files beside the writer. Its owner adds work without waiting and receives outcomes from cut.
type bulk struct {
	cut     chan outcome
	pending int // added and not yet received; the owner's

	mu     sync.Mutex
	work   *sync.Cond
	queue  []job
	closed bool
	done   sync.WaitGroup
}

// job is one file to read. folder is shared by the jobs of one look and closed with the last.
type job struct {
	shelf   *shelf
	folder  *sharedFolder
	change  Change
	docPath string
}

// sharedFolder closes a folder when its last user has let go of it.
type sharedFolder struct {
	Folder
	mu    sync.Mutex
	users int
}

func (f *sharedFolder) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users == 0 {
		f.Close()
	}
}

// startBulk starts the readers: one a core. The channel holds few outcomes, so that memory stays bounded when the
// writer is slower.
func startBulk(ctx context.Context) *bulk {
	b := &bulk{cut: make(chan outcome, 64)}
	b.work = sync.NewCond(&b.mu)
	for range runtime.GOMAXPROCS(0) {
		b.done.Add(1)
		go b.read(ctx)
	}
	return b
}

func (b *bulk) add(jobs []job) {
	b.pending += len(jobs)
	b.mu.Lock()
	b.queue = append(b.queue, jobs...)
	b.mu.Unlock()
	b.work.Broadcast()
}

func (b *bulk) next() (job, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 && !b.closed {
		b.work.Wait()
	}
	if b.closed {
		return job{}, false
	}
	j := b.queue[0]
	b.queue[0] = job{}
	b.queue = b.queue[1:]
	return j, true
}

func (b *bulk) read(ctx context.Context) {
	defer b.done.Done()
	for {
		j, ok := b.next()
		if !ok {
			return
		}
		o := cutFile(j.shelf, j.folder, j.change, j.docPath)
		j.folder.release()
		select {
		case b.cut <- o:
		case <-ctx.Done():
			return
		}
	}
}

// stop ends the readers and waits for them. ctx of startBulk must have ended.
func (b *bulk) stop() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.work.Broadcast()
	for {
		select {
		case <-b.cut:
			continue
		default:
		}
		break
	}
	b.done.Wait()
}
