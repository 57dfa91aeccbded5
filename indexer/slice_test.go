package indexer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shelfd/watcher"
)

// TestReadersGoAheadOfTheWriterByBytes: they stop when much is ready, and go on when it is taken.
func TestReadersGoAheadOfTheWriterByBytes(t *testing.T) {
	root := watcher.Root{Path: t.TempDir()}
	var jobs []job
	s := &shelf{}
	for n := range 6 {
		path := fmt.Sprintf("%d.md", n)
		if err := os.WriteFile(filepath.Join(root.Path, path), []byte("# Note\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		folder, err := systemDisk{}.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, s.job(folder, Change{Entry: watcher.Entry{Path: path, Size: aheadBytes/3 + 1}}))
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := startBulk(ctx)
		b.add(jobs, false)
		for _, want := range []int{3, 3, 3, 3, 2, 1} {
			synctest.Wait()
			if len(b.cut) != want {
				t.Errorf("%d are ready, want %d", len(b.cut), want)
			}
			b.received(<-b.cut)
		}
		if b.pending != 0 || b.ahead != 0 {
			t.Errorf("%d pending, %d bytes ahead", b.pending, b.ahead)
		}
		cancel()
		b.stop()
	})
}

func TestWhatWasWrittenLastIsReadFirstWhereAShelfStands(t *testing.T) {
	at := func(times ...int64) (jobs []job) {
		for _, one := range times {
			jobs = append(jobs, job{change: Change{Entry: watcher.Entry{Path: fmt.Sprintf("%d.md", one), ModTime: one}}})
		}
		return jobs
	}
	for _, c := range []struct {
		stands bool
		first  string
	}{{true, "[4 3 2 1]"}, {false, "[1 4 2 3]"}} {
		b := &bulk{}
		b.work = sync.NewCond(&b.mu)
		order := func() (times []int64) {
			for _, j := range b.queue {
				times = append(times, j.change.Entry.ModTime)
			}
			return times
		}
		b.add(at(1, 4, 2, 3), c.stands)
		if got := fmt.Sprint(order()); got != c.first {
			t.Errorf("stands %v: %s, want %s", c.stands, got, c.first)
		}
		b.add(at(9), c.stands)
		if got := order(); got[0] != 9 {
			t.Errorf("stands %v: a fresh edit waits: %v", c.stands, got)
		}
	}
}

// TestSlicesBesideEditsAreAsLargeAsCanBeWrittenInTime: they shrink when writing takes long and grow again.
func TestSlicesBesideEditsAreAsLargeAsCanBeWrittenInTime(t *testing.T) {
	r := &run{sliceMost: sliceChunks / 4}
	for _, step := range []struct {
		chunks int
		took   time.Duration
		want   int
	}{
		{500, sliceWait * 2, 250},
		{250, sliceWait * 2, sliceLeast},
		{125, sliceWait * 9, sliceLeast},
		{125, sliceWait * 3 / 4, sliceLeast},
		{3, sliceWait / 50, sliceLeast},
		{125, sliceWait / 3, 250},
		{250, 0, 500},
		{700, 0, 1000},
		{1000, 0, sliceChunks},
		{2000, 0, sliceChunks},
	} {
		if r.sizeSlices(step.chunks, step.took); r.sliceMost != step.want {
			t.Fatalf("%d chunks in %v: %d chunks, want %d", step.chunks, step.took, r.sliceMost, step.want)
		}
	}
}

// TestBulkWorkWaitsForALookAtAFewFiles, and for no other, and not for long.
func TestBulkWorkWaitsForALookAtAFewFiles(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		at   watching
		want time.Duration
	}{
		{watching{}, 0},
		{watching{looking: true, since: now}, 0},
		{watching{looking: true, lookFew: true, since: now}, freshLook},
		{watching{lookFew: true, since: now}, 0},
		{watching{looking: true, lookFew: true, since: now.Add(-2 * freshLook)}, 0},
	} {
		r := &run{shelves: map[string]*shelf{"notes": {watching: c.at}}}
		if got := r.untilFresh(now); got != c.want {
			t.Errorf("%+v: %v, want %v", c.at, got, c.want)
		}
	}
}
