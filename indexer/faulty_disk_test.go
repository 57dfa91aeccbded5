package indexer_test

import (
	"context"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"shelfd/indexer"
	"shelfd/watcher"
)

// faulty is a disk with faults, while they are on. What it says wrong it says as an error; with lies also as a fact.
type faulty struct {
	spare string // folder for files that are cut short

	mu   sync.Mutex
	rand *rand.Rand
	on   bool
	lies bool
	last map[string]watcher.Listing // by root and what was asked
	hang chan struct{}              // listings of the shelf "slow" wait for it
	held map[string]chan struct{}   // who opens a file of that name waits for it
	fail map[string]int             // so many times a file of that name cannot be opened
}

func newFaulty(t *testing.T, seed uint64) *faulty {
	return &faulty{spare: t.TempDir(), rand: rand.New(rand.NewPCG(seed, 7)), last: map[string]watcher.Listing{}}
}

func (d *faulty) set(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on = on
}

// hold lets nobody open files of these names until the test says so.
func (d *faulty) hold(names ...string) (letGo func()) {
	hold := make(chan struct{})
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = map[string]chan struct{}{}
	for _, name := range names {
		d.held[name] = hold
	}
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.held = nil
		close(hold)
	})
}

// oneIn says yes once in so many times while the faults are on.
func (d *faulty) oneIn(n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.on && d.rand.IntN(n) == 0
}

func (d *faulty) errno() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []syscall.Errno{syscall.EIO, syscall.EACCES, syscall.EMFILE, syscall.ESTALE, syscall.ENOMEM, syscall.EINTR}
	return list[d.rand.IntN(len(list))]
}

func (d *faulty) List(ctx context.Context, root watcher.Root, under []string) (watcher.Listing, error) {
	d.mu.Lock()
	hang := d.hang
	d.mu.Unlock()
	if hang != nil && root.Shelf == "slow" {
		<-hang // whatever ctx says, as a disk does
	}
	l, err := watcher.List(ctx, root, under)
	if err != nil {
		return l, err
	}
	key := root.Path + "|" + strings.Join(under, "|")
	d.mu.Lock()
	before, had := d.last[key]
	d.last[key] = l
	d.mu.Unlock()
	switch {
	case d.oneIn(6):
		return watcher.Listing{Under: under, Faults: []watcher.Fault{{Err: d.errno()}}}, nil
	case had && d.lies && d.oneIn(6):
		return before, nil // from a cache, as network disks do
	}
	l.Entries = slices.Clone(l.Entries)
	if d.oneIn(3) {
		d.partial(&l)
	}
	if d.lies {
		l.Entries = slices.DeleteFunc(l.Entries, func(watcher.Entry) bool { return d.oneIn(20) })
		for i := range l.Entries {
			if d.oneIn(10) {
				l.Entries[i].Size, l.Entries[i].ModTime, l.Entries[i].Inode = 7, 7, 7
			}
		}
	}
	return l, nil
}

// partial takes all below a folder out of a listing and says that it could not be read.
func (d *faulty) partial(l *watcher.Listing) {
	if len(l.Entries) == 0 {
		return
	}
	d.mu.Lock()
	folder := filepath.Dir(l.Entries[d.rand.IntN(len(l.Entries))].Path)
	d.mu.Unlock()
	if folder == "." {
		return
	}
	l.Entries = slices.DeleteFunc(l.Entries, func(e watcher.Entry) bool { return strings.HasPrefix(e.Path, folder+"/") })
	l.Faults = append(l.Faults, watcher.Fault{Path: folder, Err: d.errno()})
	slices.SortFunc(l.Faults, func(a, b watcher.Fault) int { return strings.Compare(a.Path, b.Path) })
}

func (d *faulty) Open(root watcher.Root) (indexer.Folder, error) {
	if d.oneIn(8) {
		return nil, &fs.PathError{Op: "open", Path: root.Path, Err: d.errno()}
	}
	folder, err := indexer.SystemDisk().Open(root)
	if err != nil {
		return nil, err
	}
	return &faultyFolder{folder, d}, nil
}

type faultyFolder struct {
	indexer.Folder
	disk *faulty
}

func (f *faultyFolder) Empty() (bool, error) {
	if f.disk.oneIn(8) {
		return false, f.disk.errno()
	}
	return f.Folder.Empty()
}

func (f *faultyFolder) Open(path string) (*os.File, error) {
	f.disk.mu.Lock()
	hold, fails := f.disk.held[filepath.Base(path)], f.disk.fail[filepath.Base(path)] > 0
	if fails {
		f.disk.fail[filepath.Base(path)]--
	}
	f.disk.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if fails {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EMFILE}
	}
	switch d := f.disk; {
	case d.oneIn(8):
		return nil, &fs.PathError{Op: "open", Path: path, Err: d.errno()}
	case d.oneIn(12): // it vanished between stat and read
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
	case d.lies && d.oneIn(12):
		return f.short(path)
	}
	return f.Folder.Open(path)
}

// short opens half of a file.
func (f *faultyFolder) short(path string) (*os.File, error) {
	whole, err := f.Folder.Open(path)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	text, err := io.ReadAll(whole)
	if err != nil {
		return nil, err
	}
	half, err := os.CreateTemp(f.disk.spare, "half")
	if err != nil {
		return nil, err
	}
	if _, err = half.Write(text[:len(text)/2]); err == nil {
		_, err = half.Seek(0, io.SeekStart)
	}
	return half, err
}
