// Package indexer makes the store equal the disk and the ledger. It is the only writer.
//
// Invariant: after any sequence of changes, however interrupted, once Sync returns the store equals a fresh index of
// the same folders and ledger. Absence is not deletion: only a complete look at a root that stands removes documents.
// It refuses to write below a shelf root.
package indexer

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"shelfd/correlate"
	"shelfd/store"
	"shelfd/watcher"
)

// What callers branch on.
var (
	ErrUnknownShelf = errors.New("no such shelf")
	ErrNotRunning   = errors.New("the indexer has ended")
)

// Shelf is a shelf as configured, with the rules for its root.
type Shelf struct {
	store.ShelfSpec
	Parents     []string     // as configured
	Declared    string       // where: "config.yaml:3", "" = not in a file
	ParentsAt   string       // where the parents are declared: "config.yaml:7", "" = they are not
	Root        watcher.Root // Shelf and Path are set from Name and ShelfSpec.Root
	MaxFileSize int64        // bytes; 0 = 8 MiB
	Parts       []Part       // who sees what of it; none = nobody sees it but those who see everything
}

// Watcher is what the indexer asks of the package watcher.
type Watcher interface {
	Lister
	SetRoots([]watcher.Root) error
	States() map[string]watcher.State
	Hasten(shelf string, on bool)
	Flush(ctx context.Context, wanted func(shelf string) bool) error
}

// Disk is how files are listed and read: the system's own, or one with faults for tests.
type Disk interface {
	Lister
	Open(root watcher.Root) (Folder, error)
}

// Options say what an Indexer works with. Store, Ledger and Watcher are required.
type Options struct {
	Store     *store.Store
	Ledger    *store.Ledger
	Watcher   Watcher
	Disk      Disk                    // nil = the system's
	Correlate *correlate.Params       // nil = DefaultParams, and OnlyAsked
	OnlyAsked bool                    // heuristic links only for the shelves and documents that someone asked them for
	Log       *zap.Logger             // nil = silent
	Changed   func(Changed)           // told by Run after each commit that changed documents; must not block; nil = nobody is
	Committed func(lag time.Duration) // told by Run how long after its first event a batch was written; must not block; nil = nobody is

	Extractive bool // documents that nobody has summarised show a summary of their own sentences
}

// Indexer is the one writer. Its methods other than Run may be called from any goroutine while Run runs.
type Indexer struct {
	store     *store.Store
	ledger    *store.Ledger
	watcher   Watcher
	disk      Disk
	params    correlate.Params
	onlyAsked bool
	log       *zap.Logger
	changed   func(Changed)
	commands  chan command
	ended     chan struct{}
	published published

	extractive     bool                    // as in Options
	committed      func(lag time.Duration) // as in Options
	few            int
	rest           time.Duration // without work, and the database is inspected
	deletionLook   time.Duration
	slow           time.Duration
	identityWindow time.Duration
}

// New makes an Indexer that does nothing until Run.
func New(o Options) *Indexer {
	x := &Indexer{
		store: o.Store, ledger: o.Ledger, watcher: o.Watcher, disk: o.Disk, params: correlate.DefaultParams(), onlyAsked: o.OnlyAsked || o.Correlate == nil, log: o.Log,
		changed: o.Changed, commands: make(chan command), ended: make(chan struct{}),
	}
	if o.Correlate != nil {
		x.params = *o.Correlate
	}
	if x.disk == nil {
		x.disk = systemDisk{o.Watcher}
	}
	if x.log == nil {
		x.log = zap.NewNop()
	}
	x.extractive, x.committed = o.Extractive, o.Committed
	x.few, x.deletionLook, x.slow, x.rest, x.identityWindow = few, deletionLook, slow, inspectRest, identityWindow
	x.published.set(Status{Progress: Progress{State: "indexing"}})
	return x
}

// Progress is how far the first reconcile of all shelves has come.
type Progress struct {
	State string // "indexing" until every shelf was reconciled once since start, then "ready"
	Done  int    // documents compared or read so far
	Total int    // documents known to be there
}

// ShelfReport is what Sync found in one shelf.
type ShelfReport struct {
	Name      string
	State     store.ShelfState
	Documents int
	Chunks    int
	Indexed   int // read and cut
	Unchanged int
	Removed   int
	Problems  int
}

// Status is what Run is doing.
type Status struct {
	Progress   Progress
	Queue      int           // files waiting to be read or removed, looks under way and second looks included
	LastCommit time.Time     // zero = none since start
	Lag        time.Duration // from the first event of the last batch to its commit
	LastError  string        // why writing is paused, "" = it is not
	Commits    int
	Notices    []Notice // what befell the files of the index, newest last; not to be changed

	behind  map[string]int     // shelf → paths that are not indexed yet, where there are any
	outlook map[string]outlook // of each shelf
}

// Progress says how far the first reconcile has come.
func (x *Indexer) Progress() Progress { return x.published.get().Progress }

// Status says what Run is doing.
func (x *Indexer) Status() Status { return x.published.get() }

// SetShelves declares the shelves of the configuration and the command line; those made at run time are added to
// them. Shelves that are declared no longer leave the index; the others are undisturbed.
func (x *Indexer) SetShelves(ctx context.Context, shelves []Shelf) error {
	return x.insist(ctx, func(ctx context.Context, r *run) error { return r.setDeclared(ctx, shelves) })
}

// Sync compares shelf ("" = all) with the disk now and returns when the store equals it, settle times and second looks
// included. accept says that documents whose root is empty, missing or another are gone indeed. ErrUnknownShelf when
// there is no such shelf, ErrPaused while nothing can be written. progress may be nil; it is called from Run's goroutine
// with what this sync has compared or read so far.
func (x *Indexer) Sync(ctx context.Context, shelf string, accept bool, progress func(Progress)) ([]ShelfReport, error) {
	w := newWaiter(ctx)
	w.progress = progress
	return x.wait(w, func(ctx context.Context, r *run) error { return r.startSync(ctx, w, shelf, accept) })
}

// wait has a wait begun and returns when it has ended.
func (x *Indexer) wait(w *waiter, begin func(context.Context, *run) error) ([]ShelfReport, error) {
	if err := x.do(w.ctx, begin); err != nil {
		return nil, err
	}
	select {
	case reports := <-w.reports:
		return reports, nil
	case err := <-w.failed:
		return nil, err
	case <-x.ended:
		return nil, ErrNotRunning
	case <-w.ctx.Done():
		return nil, w.ctx.Err()
	}
}
