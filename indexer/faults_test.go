package indexer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
	"shelfd/watcher"
)

// Whatever a disk does while it fails: once it works again a sync brings the index to what a fresh one is. While it only
// fails, and says nothing wrong as a fact, no document is lost that stands on it.
func TestAFailingDiskLosesNothing(t *testing.T) {
	for _, lies := range []bool{false, true} {
		rounds := 3
		if raced {
			rounds = 1
		}
		for n := range rounds {
			t.Run(fmt.Sprintf("lies %t %d", lies, n), func(t *testing.T) {
				t.Parallel()
				failingDisk(t, seed(), lies)
			})
		}
	}
}

func failingDisk(t *testing.T, seed uint64, lies bool) {
	disk := newFaulty(t, seed)
	disk.lies = lies
	l := shelftest.New(t, shelftest.Options{
		Disk: disk, Made: func(x *indexer.Indexer) { x.Pace(8, 50*time.Millisecond) }, Quiet: true,
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "base"}}, {ShelfSpec: store.ShelfSpec{Name: "custom"}}},
	})
	e := &editing{Library: l, rand: rand.New(rand.NewPCG(seed, 2)), single: true}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d:\n%s", seed, strings.Join(e.log, "\n"))
		}
	})
	stays := map[string]int64{}
	for n := range 12 { // where no change happens
		for _, path := range []string{fmt.Sprintf("base/quiet/%d.md", n), fmt.Sprintf("custom/quiet/in/%d.md", n)} {
			l.Write(path, fmt.Sprintf("# Quiet %s\n", path))
			stays[path] = 0
		}
	}
	l.Write("base/"+keep, "")
	l.Write("custom/"+keep, "")
	l.Sync()
	for path := range stays {
		stays[path] = l.ID(path)
	}
	for range 4 {
		disk.set(true)
		for range 6 {
			p := e.path()
			e.note("write " + p)
			_ = os.MkdirAll(filepath.Dir(e.Path(p)), 0o755)
			_ = os.WriteFile(e.Path(p), []byte(e.text()), 0o644)
			syncBriefly(l)
			if lies {
				continue
			}
			for path, id := range stays {
				if l.ID(path) != id {
					t.Fatalf("%s has the id %d, had %d: it was lost to an error", path, l.ID(path), id)
				}
			}
		}
		disk.set(false)
		l.Sync()
		l.Sync() // a shelf that was taken for offline is back after one look
		l.Matches()
	}
	for path, id := range stays {
		if !lies && l.ID(path) != id {
			t.Errorf("%s has the id %d, had %d", path, l.ID(path), id)
		}
	}
}

// syncBriefly has everything looked at, and waits no longer than a moment: on a disk that fails some looks never rest.
func syncBriefly(l *shelftest.Library) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, _ = l.Indexer.Sync(ctx, "", false, nil)
}

// deaf is a source of events that loses all, or passes them on late, twice and in another order.
type deaf struct {
	watcher.Source
	events chan fsnotify.Event
}

func newDeaf(t *testing.T) watcher.Source {
	t.Helper()
	source, err := watcher.NewSource()
	if err != nil {
		t.Fatal(err)
	}
	d := &deaf{source, make(chan fsnotify.Event)}
	go func() {
		defer close(d.events)
		for range source.Events() { // nobody hears
		}
	}()
	return d
}

func (d *deaf) Events() <-chan fsnotify.Event { return d.events }

// Without a single event the periodic reconcile is the floor.
func TestReconcileAloneEqualsRebuild(t *testing.T) {
	for n := range 4 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			seed := seed() + uint64(n)
			l := shelftest.New(t, shelftest.Options{
				Watcher: watcher.Options{Source: newDeaf(t), Reconcile: 300 * time.Millisecond},
				Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "base"}}, {ShelfSpec: store.ShelfSpec{Name: "custom"}}},
			})
			e := &editing{Library: l, rand: rand.New(rand.NewPCG(seed, 2))}
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("seed %d:\n%s", seed, strings.Join(e.log, "\n"))
				}
			})
			l.Write("base/"+keep, "")
			l.Write("custom/"+keep, "")
			for range 4 {
				for range 8 {
					e.step()
				}
				l.Follows()
			}
		})
	}
}

// A disk that hangs holds up its own shelf: others go on, the status says so, and the end does not wait for it.
func TestADiskThatHangsHoldsUpItsShelfOnly(t *testing.T) {
	disk := newFaulty(t, 1)
	l := shelftest.New(t, shelftest.Options{
		Disk: disk, Made: func(x *indexer.Indexer) { x.CallSlow(100 * time.Millisecond) },
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "slow"}}, {ShelfSpec: store.ShelfSpec{Name: "notes"}}},
	})
	l.Write("slow/a.md", "# Known\n\nthe boiler\n")
	l.Sync()
	hang := make(chan struct{})
	disk.mu.Lock()
	disk.hang = hang
	disk.mu.Unlock()
	l.Write("slow/b.md", "# Unknown\n")
	for n := range 5 {
		l.Save("notes/quick.md", fmt.Sprintf("# Edit%d\n", n))
		l.Eventually("the other shelf goes on", func() bool { return l.Finds(fmt.Sprintf("Edit%d", n)) == 1 }, func() string { return "" })
	}
	l.Eventually("the shelf is degraded", func() bool {
		s := l.Shelf("slow")
		return s.State == store.StateDegraded && strings.Contains(s.Reason, "has taken")
	}, func() string { return fmt.Sprintf("%+v", l.Shelf("slow")) })
	if l.Finds("boiler") != 1 {
		t.Error("what is known of it is not found any more")
	}
	start := time.Now()
	l.Stop()
	if took := time.Since(start); took > 4*time.Second {
		t.Errorf("the end took %v", took)
	}
	close(hang)
	disk.mu.Lock()
	disk.hang = nil
	disk.mu.Unlock()
	l.Start()
	l.Sync()
	l.Eventually("all is well again", func() bool {
		s := l.Shelf("slow")
		return s.Documents == 2 && !strings.Contains(s.Reason, "has taken")
	}, func() string { return fmt.Sprintf("%+v", l.Shelf("slow")) })
	l.Matches()
}

// A listing that took long and came through leaves nothing behind in the status.
func TestASlowDiskIsForgiven(t *testing.T) {
	disk := newFaulty(t, 1)
	l := shelftest.New(t, shelftest.Options{
		Disk: disk, Made: func(x *indexer.Indexer) { x.CallSlow(50 * time.Millisecond) },
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "slow"}}},
	})
	l.Sync()
	hang := make(chan struct{})
	disk.mu.Lock()
	disk.hang = hang
	disk.mu.Unlock()
	l.Write("slow/b.md", "# Slow\n")
	state := func(want store.ShelfState) {
		l.Eventually("the shelf is "+string(want), func() bool { return l.Shelf("slow").State == want }, func() string { return fmt.Sprintf("%+v", l.Shelf("slow")) })
	}
	state(store.StateDegraded)
	l.Write("slow/c.md", "# Written meanwhile\n")
	disk.mu.Lock()
	disk.hang = nil
	disk.mu.Unlock()
	close(hang)
	state(store.StateWatching)
	l.Eventually("both are there", func() bool { return l.Finds("Slow") > 0 && l.Finds("meanwhile") > 0 }, func() string { return "" })
	l.Matches()
}
