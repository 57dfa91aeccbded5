// Package shelftest keeps a library for tests: folders on a real disk, and over them a real store, ledger, watcher and
// indexer, checked when the test ends. It is used by tests only.
package shelftest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/store"
	"shelfd/watcher"
)

// Guard is how long a test waits for what must come. It is long because machines are busy.
const Guard = 2 * time.Minute

// Options say what a Library is made of. The zero value is one shelf, "notes", under the system's own disk.
type Options struct {
	Shelves   []indexer.Shelf // Root.Path "" = a folder of the name of the shelf below Library.Folder
	State     string          // folder of database and ledger; "" = a new one
	Disk      indexer.Disk
	Correlate *correlate.Params      // nil = DefaultParams
	OnlyAsked bool                   // links are worked out where a statement asks for them
	Watcher   watcher.Options        // Reconcile 0 = never, so that it cannot hide a miss
	Made      func(*indexer.Indexer) // before it runs
	Quiet     bool                   // no log on failure
	Stopped   bool                   // not started yet
}

// Library is some folders of Markdown and the index over them. Its methods are the test's own goroutine's.
type Library struct {
	t       testing.TB
	options Options
	Folder  string // the shelves' roots stand here
	State   string

	Store   *store.Store
	Ledger  *store.Ledger
	Indexer *indexer.Indexer
	Watcher *watcher.Watcher

	Notice   store.Notice // of the last Start
	Warnings []string     // of the ledger at the last Start

	stop    context.CancelFunc
	running sync.WaitGroup
	ended   error // what Run of watcher or indexer returned
}

// New makes a Library and starts it, unless it is to stand still.
func New(t testing.TB, o Options) *Library {
	t.Helper()
	l := &Library{t: t, options: o, Folder: t.TempDir(), State: o.State}
	if l.State == "" {
		l.State = t.TempDir()
	}
	if len(l.options.Shelves) == 0 {
		l.options.Shelves = []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "notes"}}}
	}
	l.options.Shelves = append([]indexer.Shelf(nil), l.options.Shelves...)
	for i := range l.options.Shelves {
		s := &l.options.Shelves[i]
		if s.ShelfSpec.Root == "" {
			s.ShelfSpec.Root = filepath.Join(l.Folder, s.Name)
			l.must(os.MkdirAll(s.ShelfSpec.Root, 0o755))
		}
		if s.Origin == "" {
			s.Origin = "config"
		}
	}
	if l.options.Watcher.Reconcile == 0 {
		l.options.Watcher.Reconcile = -1
	}
	t.Cleanup(l.Close)
	if !o.Stopped {
		l.Start()
	}
	return l
}

func (l *Library) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *Library) log() *zap.Logger {
	if l.options.Quiet {
		return zap.NewNop()
	}
	level := zapcore.WarnLevel
	if os.Getenv("SHELFD_DEBUG") != "" {
		level = zapcore.DebugLevel
	}
	return zaptest.NewLogger(l.t, zaptest.Level(level))
}

// Start opens store and ledger and begins to watch and index; the shelves are declared when it returns.
func (l *Library) Start() {
	l.t.Helper()
	var err error
	l.Store, l.Notice, err = store.Open(context.Background(), filepath.Join(l.State, "index.db"), store.Options{})
	l.must(err)
	l.Ledger, l.Warnings, err = store.OpenLedger(filepath.Join(l.State, "ledger.jsonl"), false)
	l.must(err)
	o := l.options.Watcher
	o.Log = l.log()
	l.Watcher, err = watcher.Open(o)
	l.must(err)
	params := l.options.Correlate
	if params == nil {
		p := correlate.DefaultParams()
		params = &p
	}
	options := indexer.Options{Store: l.Store, Ledger: l.Ledger, Watcher: l.Watcher, Disk: l.options.Disk, Correlate: params, OnlyAsked: l.options.OnlyAsked, Log: l.log()}
	l.Indexer = indexer.New(options)
	if l.options.Made != nil {
		l.options.Made(l.Indexer)
	}
	l.run()
	l.must(l.Indexer.SetShelves(l.context(), l.options.Shelves))
}

func (l *Library) run() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop, l.ended = stop, nil
	batches := make(chan watcher.Batch)
	var mu sync.Mutex
	end := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		l.ended = errors.Join(l.ended, err)
	}
	watch, index := l.Watcher, l.Indexer
	l.running.Go(func() { end(watch.Run(ctx, batches)) })
	l.running.Go(func() {
		end(index.Run(ctx, batches))
		stop()
	})
}

// Stop ends watching and indexing and closes the files; what ended early fails the test.
func (l *Library) Stop() {
	l.t.Helper()
	if l.stop == nil {
		return
	}
	l.stop()
	l.running.Wait()
	l.stop = nil
	if l.ended != nil {
		l.t.Errorf("run: %v", l.ended)
	}
	l.must(errors.Join(l.Ledger.Close(), l.Store.Close()))
}

// Restart stops and starts again.
func (l *Library) Restart() {
	l.t.Helper()
	l.Stop()
	l.Start()
}

// Close checks the index and stops.
func (l *Library) Close() {
	l.t.Helper()
	if l.stop == nil {
		return
	}
	l.Check()
	l.Stop()
}

// context ends when the test has waited too long.
func (l *Library) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Guard)
	l.t.Cleanup(cancel)
	return ctx
}

// Declare sets the shelves anew.
func (l *Library) Declare(shelves ...indexer.Shelf) {
	l.t.Helper()
	l.options.Shelves = shelves
	l.must(l.Indexer.SetShelves(l.context(), shelves))
}

// Shelves are those declared at present.
func (l *Library) Shelves() []indexer.Shelf {
	return append([]indexer.Shelf(nil), l.options.Shelves...)
}

// Sync compares everything with the disk and waits until the index equals it.
func (l *Library) Sync() []indexer.ShelfReport {
	l.t.Helper()
	reports, err := l.Indexer.Sync(l.context(), "", false, nil)
	if err != nil {
		l.t.Fatalf("sync: %v (%v; %+v)", err, l.ended, l.Indexer.Status())
	}
	return reports
}

// Accept syncs one shelf and believes what is gone.
func (l *Library) Accept(shelf string) {
	l.t.Helper()
	_, err := l.Indexer.Sync(l.context(), shelf, true, nil)
	l.must(err)
}

// Dump is the index in its canonical form.
func (l *Library) Dump() string {
	l.t.Helper()
	var b bytes.Buffer
	l.View(func(v *store.View) error { return v.Dump(&b) })
	return b.String()
}

// View reads the index.
func (l *Library) View(f func(*store.View) error) {
	l.t.Helper()
	l.must(l.Store.View(l.context(), f))
}

// Fresh is the dump of a new index of the same folders and ledger.
func (l *Library) Fresh() string {
	l.t.Helper()
	o := l.options
	o.State, o.Quiet, o.Stopped, o.Disk, o.Made, o.Watcher.Source = l.t.TempDir(), true, true, nil, nil, nil
	fresh := New(l.t, o)
	if said, err := os.ReadFile(filepath.Join(l.State, "ledger.jsonl")); err == nil {
		l.must(os.WriteFile(filepath.Join(fresh.State, "ledger.jsonl"), said, 0o600))
	}
	fresh.Start()
	fresh.Sync()
	dump := fresh.Dump()
	fresh.Stop()
	l.must(os.RemoveAll(fresh.State))
	return dump
}

// Matches fails the test when the index is not what a fresh one would be.
func (l *Library) Matches() {
	l.t.Helper()
	if diff := Diff(l.Dump(), l.Fresh()); diff != "" {
		l.t.Fatalf("the index is not that of a fresh build (- index, + fresh):\n%s\n%s", diff, l.unreadable())
	}
}

// leftOut are the notices of links that lead nowhere, elsewhere or to a folder: no event at the link tells that its
// target changed, so they may be old until the next reconcile. No document hangs on them.
var leftOut = regexp.MustCompile(`(?m)^.*"stage":"special","reason":"link .*\n`)

// Follows waits, without a sync, until the index is what a fresh one would be.
func (l *Library) Follows() {
	l.t.Helper()
	fresh := leftOut.ReplaceAllString(l.Fresh(), "")
	diff := ""
	l.Eventually("the index equals a fresh build", func() bool {
		diff = Diff(leftOut.ReplaceAllString(l.Dump(), ""), fresh)
		return diff == ""
	}, func() string { return "(- index, + fresh):\n" + diff + "\n" + l.unreadable() })
}

// unreadable lists the problems for which a dump leaves shelves out.
func (l *Library) unreadable() string {
	var b strings.Builder
	l.View(func(v *store.View) error {
		problems, err := v.Problems("")
		for _, p := range problems {
			if p.Stage == "read" {
				b.WriteString(p.Path + ": " + p.Reason + "\n")
			}
		}
		return err
	})
	return b.String()
}

// Eventually waits until ok holds. seen says what stood instead when it never did.
func (l *Library) Eventually(what string, ok func() bool, seen func() string) {
	l.t.Helper()
	late := time.After(Guard)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-late:
			l.t.Fatalf("waited %v in vain: %s %s; %+v; %v", Guard, what, seen(), l.Indexer.Status(), l.ended)
		case <-again.C:
		}
	}
}

// Check fails the test when the index contradicts itself.
func (l *Library) Check() {
	l.t.Helper()
	l.must(l.Store.Check(l.context(), func(d store.Difference) { l.t.Errorf("check: %v", d) }))
}

// Diff lists the lines that only one of two dumps has, "" when they are equal.
func Diff(index, fresh string) string {
	if index == fresh {
		return ""
	}
	a, b := strings.Split(index, "\n"), strings.Split(fresh, "\n")
	count := map[string]int{}
	for _, line := range a {
		count[line]++
	}
	for _, line := range b {
		count[line]--
	}
	var out strings.Builder
	for _, side := range []struct {
		mark  string
		lines []string
		sign  int
	}{{"- ", a, 1}, {"+ ", b, -1}} {
		for _, line := range side.lines {
			if count[line]*side.sign > 0 {
				count[line] -= side.sign
				out.WriteString(side.mark + line + "\n")
			}
		}
	}
	if out.Len() == 0 {
		return "the same lines in another order"
	}
	return out.String()
}
