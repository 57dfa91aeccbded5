package watcher

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// guard is how long a test waits for what must come. It is long because machines are busy; what comes late but before
// the periodic reconcile is right.
const guard = 20 * time.Second

// mirror is what an index does with batches: it looks where it is told, and remembers. When it equals a fresh look at
// the disk, no change was missed.
type mirror struct {
	t       *testing.T
	root    Root
	watcher *Watcher
	logs    *observer.ObservedLogs

	mu      sync.Mutex
	entries map[string]Entry
	batches []Batch
	changed chan struct{}
}

// startMirror starts a Watcher without periodic reconcile over one root, and waits until it has looked once.
func startMirror(t *testing.T, o Options, root Root) *mirror {
	t.Helper()
	if o.Reconcile == 0 {
		o.Reconcile = -1 // so that it can't hide a miss
	}
	core, logs := observer.New(zap.InfoLevel)
	if o.Log == nil {
		o.Log = zap.New(core)
	}
	w, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if root.Shelf == "" {
		root.Shelf = "notes"
	}
	if err := w.SetRoots([]Root{root}); err != nil {
		t.Fatal(err)
	}
	m := &mirror{t: t, root: root, watcher: w, logs: logs, entries: map[string]Entry{}, changed: make(chan struct{}, 1)}
	m.start()
	m.eventually("the first look", func() bool { return len(m.batches) > 0 })
	return m
}

func (m *mirror) start() {
	ctx, cancel := context.WithCancel(context.Background())
	batches, ended := make(chan Batch), make(chan error, 1)
	go func() { ended <- m.watcher.Run(ctx, batches) }()
	var all sync.WaitGroup
	all.Go(func() {
		for b := range batches {
			m.apply(ctx, b)
		}
	})
	m.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			m.t.Errorf("run: %v", err)
		}
		reg := m.watcher.reg
		if len(reg.watches)+len(reg.at)+reg.refused > 0 {
			m.t.Errorf("left behind: watches %v, paths %v, %d refused", reg.watches, reg.at, reg.refused)
		}
		close(batches)
		all.Wait()
	})
}

func (m *mirror) apply(ctx context.Context, b Batch) {
	l, err := m.watcher.List(ctx, m.root, b.Dirty)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil && b.Shelf == m.root.Shelf {
		m.merge(l)
	}
	m.batches = append(m.batches, b)
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// merge replaces what is known at and below the paths looked at, but for what lies below a fault.
func (m *mirror) merge(l Listing) {
	looked, faulty := newCover(l.Under), cover{}
	if l.Under == nil {
		looked = cover{""}
	}
	for _, f := range l.Faults {
		faulty = append(faulty, f.Path)
	}
	maps.DeleteFunc(m.entries, func(p string, _ Entry) bool { return looked.has(p) && !newCover(faulty).has(p) })
	for _, e := range l.Entries {
		m.entries[e.Path] = e
	}
}

// eventually waits until ok, which is called with the lock held.
func (m *mirror) eventually(what string, ok func() bool) {
	m.t.Helper()
	late := time.After(guard)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		m.mu.Lock()
		done := ok()
		m.mu.Unlock()
		if done {
			return
		}
		select {
		case <-m.changed:
		case <-again.C:
		case <-late:
			m.mu.Lock()
			defer m.mu.Unlock()
			known := slices.Sorted(maps.Keys(m.entries))
			m.t.Fatalf("%s: not within %s; states %+v; last batches %+v; %d known: %.3000q", what, guard, m.watcher.States(),
				m.batches[max(len(m.batches)-20, 0):], len(known), known[:min(len(known), 50)])
		}
	}
}

// matches waits until the mirror equals the disk.
func (m *mirror) matches() {
	m.t.Helper()
	m.t.Cleanup(func() {
		if m.t.Failed() {
			m.t.Logf("differences: %.3000s", fmt.Sprint(m.differences()))
		}
	})
	m.eventually("mirror = disk", func() bool { return len(m.differences()) == 0 })
}

func (m *mirror) differences() (out []string) {
	l, err := List(context.Background(), m.root, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	fresh := make(map[string]Entry, len(l.Entries))
	for _, e := range l.Entries {
		fresh[e.Path] = e
		if m.entries[e.Path] != e {
			out = append(out, fmt.Sprintf("%+v instead of %+v", m.entries[e.Path], e))
		}
	}
	for p := range m.entries {
		if _, ok := fresh[p]; !ok {
			out = append(out, "too much: "+p)
		}
	}
	return out
}

// watchesAgree waits until fsnotify watches what the registry thinks it does: all folders, and nothing else.
func (m *mirror) watchesAgree() {
	m.t.Helper()
	real, ok := m.watcher.reg.source.(notifier)
	if !ok {
		return
	}
	var got, want []string
	m.t.Cleanup(func() {
		if m.t.Failed() {
			m.t.Logf("fsnotify watches %q, should %q", got, want)
		}
	})
	m.eventually("the same watches", func() bool {
		reg := m.watcher.reg
		reg.mu.Lock()
		defer reg.mu.Unlock()
		want = want[:0]
		for _, w := range reg.watches {
			want = append(want, w.path)
		}
		got = real.WatchList()
		slices.Sort(got)
		slices.Sort(want)
		return slices.Equal(got, want)
	})
}

// onlyEvents fails when anything but events led to the result.
func (m *mirror) onlyEvents() {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range m.batches[1:] {
		if b.All {
			m.t.Fatalf("looked everywhere: %+v", b)
		}
	}
}

// has waits until the path is known.
func (m *mirror) has(path string) {
	m.t.Helper()
	m.eventually("found "+path, func() bool { _, ok := m.entries[path]; return ok })
}

// sees waits for a batch.
func (m *mirror) sees(what string, ok func(Batch) bool) {
	m.t.Helper()
	m.eventually(what, func() bool { return slices.ContainsFunc(m.batches, ok) })
}

func (m *mirror) state() State { return m.watcher.States()[m.root.Shelf] }

// shell runs a script in the root. It is written as a person would type it.
func (m *mirror) shell(script string) {
	m.t.Helper()
	shell(m.t, m.root.Path, script)
}

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), "sh", "-ec", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// tempDir is an empty folder with its links resolved.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// write makes files from "path" or "path: text".
func write(t testing.TB, root string, files ...string) {
	t.Helper()
	for _, f := range files {
		p, text, ok := strings.Cut(f, ": ")
		if !ok {
			text = "text of " + p
		}
		p = filepath.Join(root, p)
		if err := os.MkdirAll(filepath.Dir(p), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
