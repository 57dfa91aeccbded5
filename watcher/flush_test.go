package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// flushing runs a Watcher over one root whose batches the test takes itself, so that none is under way when Flush returns.
type flushing struct {
	t       *testing.T
	watcher *Watcher
	batches chan Batch
}

func startFlushing(t *testing.T, o Options, root string) *flushing {
	t.Helper()
	o.Reconcile = -1
	w, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.SetRoots([]Root{{Shelf: "notes", Path: root}}); err != nil {
		t.Fatal(err)
	}
	f := &flushing{t, w, make(chan Batch)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, f.batches) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return f
}

// flush returns what was handed out until a Flush that begins now has ended.
func (f *flushing) flush(meanwhile func()) (got []Batch) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), guard)
	defer cancel()
	flushed := make(chan error, 1)
	go func() { flushed <- f.watcher.Flush(ctx, func(shelf string) bool { return shelf == "notes" }) }()
	meanwhile()
	for {
		select {
		case b := <-f.batches:
			got = append(got, b)
		case err := <-flushed:
			if err != nil {
				f.t.Fatalf("flush: %v, after %+v", err, got)
			}
			return got
		}
	}
}

func (f *flushing) eventually(what string, is func() bool) {
	f.t.Helper()
	for limit := time.After(guard); !is(); {
		select {
		case <-limit:
			f.t.Fatal(what)
		case <-time.After(time.Millisecond):
		}
	}
}

func handed(got []Batch, path string) bool {
	for _, b := range got {
		if b.All || newCover(b.Dirty).has(path) {
			return true
		}
	}
	return false
}

// What was done before Flush was called has been handed out when it returns, however it was done and however much else
// goes on.
func TestFlushReturnsAfterWhatWasDoneBeforeIt(t *testing.T) {
	root := tempDir(t)
	write(t, root, "old.md")
	f := startFlushing(t, Options{}, root)
	f.flush(func() {})
	ways := map[string]func(i int) string{
		"write": func(i int) string { p := fmt.Sprintf("n%d.md", i); write(t, root, p); return p },
		"again": func(int) string { write(t, root, "old.md: anew"); return "old.md" },
		"folder": func(i int) string {
			p := fmt.Sprintf("d%d/e/f/n.md", i)
			write(t, root, p)
			return p
		},
		"save": func(i int) string {
			write(t, root, fmt.Sprintf(".t%d", i))
			if err := os.Rename(filepath.Join(root, fmt.Sprintf(".t%d", i)), filepath.Join(root, "old.md")); err != nil {
				t.Fatal(err)
			}
			return "old.md"
		},
		"much": func(i int) string {
			for j := range 100 {
				write(t, root, fmt.Sprintf("m%d/%d.md", i, j))
			}
			return fmt.Sprintf("m%d/99.md", i)
		},
	}
	for i := range 20 {
		for way, do := range ways {
			path := do(i)
			if got := f.flush(func() {}); !handed(got, path) {
				t.Errorf("%s %d: %q is not in %+v", way, i, path, got)
			}
			if n := f.watcher.States()["notes"].Pending; n != 0 {
				t.Errorf("%s %d: %d paths wait", way, i, n)
			}
		}
	}
}

// A file that is written all the time holds nobody up for longer than it may wait itself.
func TestFlushIsNotHeldUpByWhatNeverRests(t *testing.T) {
	root := tempDir(t)
	f := startFlushing(t, Options{Settle: 200 * time.Millisecond, SettleMax: 400 * time.Millisecond}, root)
	f.flush(func() {})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_ = os.WriteFile(filepath.Join(root, "log.md"), []byte(time.Now().String()), 0o600)
			case <-stop:
				return
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	for i := range 3 {
		path := fmt.Sprintf("n%d.md", i)
		write(t, root, path)
		if got := f.flush(func() {}); !handed(got, path) {
			t.Errorf("%q is not in %+v", path, got)
		}
	}
}

// Where events are lost, that of the mark may be too: then all is looked at, and nobody waits for the mark.
func TestFlushEndsWhenEventsAreLost(t *testing.T) {
	root := tempDir(t)
	source := newScripted(0)
	f := startFlushing(t, Options{Source: source}, root)
	if b := <-f.batches; b.Reason != reasonStart {
		t.Fatalf("%+v", b)
	}
	got := f.flush(func() {
		f.eventually("a mark", func() (made bool) {
			f.watcher.marks.Range(func(_, _ any) bool { made = true; return false })
			return made
		})
		source.faults <- fsnotify.ErrEventOverflow
	})
	if len(got) != 1 || !got[0].All || got[0].Reason != reasonOverflow {
		t.Errorf("%+v", got)
	}
	if source.count() != 2 { // the root, and the folder above it
		t.Errorf("%d watches are left", source.count())
	}
}

func TestPendingCountsWhatIsNotHandedOut(t *testing.T) {
	root := tempDir(t)
	f := startFlushing(t, Options{Settle: time.Hour, SettleMax: time.Hour}, root)
	f.flush(func() {})
	write(t, root, "a.md", "b.md")
	f.eventually("two paths wait", func() bool { return f.watcher.States()["notes"].Pending == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := f.watcher.Flush(ctx, func(string) bool { return true }); err == nil {
		t.Error("what rests for an hour is flushed at once")
	}
	if err := f.watcher.Flush(t.Context(), func(string) bool { return false }); err != nil {
		t.Error(err)
	}
}
