// Package indexer makes the store equal the disk and the ledger. It is the only writer.
//
// Invariant: after any sequence of changes, however interrupted, once Sync returns the store equals a fresh index of
// the same folders and ledger. Absence is not deletion: only a complete look at a root that stands removes documents.
// It refuses to write below a shelf root.
package indexer

import (
	"context"
	"time"
)

// Indexer is the one writer. Its methods other than Run may be called from any goroutine while Run runs.
type Indexer struct{}

// Progress is how far the first reconcile of all shelves has come.
type Progress struct {
	State string // "indexing" until every shelf was reconciled once since start, then "ready"
	Done  int    // documents compared or read so far
	Total int    // documents known to be there
}

// ShelfReport is what Sync found in one shelf.
type ShelfReport struct {
	Name      string
	State     string
	Documents int
	Chunks    int
	Indexed   int // read and cut
	Unchanged int
	Removed   int
	Problems  int
}

// Status is what Run is doing.
type Status struct {
	Progress     Progress
	Queue        int           // paths waiting, settle times and second looks included
	LastCommit   time.Time     // zero = none since start
	LagMedian    time.Duration // from the first event of a batch to its commit, over the last batches
	LastError    string
	Commits      int
	LedgerErrors int
}

// Progress says how far the first reconcile has come.
func (x *Indexer) Progress() Progress { panic("stub") }

// Status says what Run is doing.
func (x *Indexer) Status() Status { panic("stub") }

// Sync compares shelf ("" = all) with the disk now and returns when the store equals it, settle times and second looks
// included. accept says that documents whose root is empty or missing are gone indeed.
// ErrUnknownShelf when there is no such shelf. progress may be nil; it is called from Run's goroutine.
func (x *Indexer) Sync(ctx context.Context, shelf string, accept bool, progress func(Progress)) ([]ShelfReport, error) {
	panic("stub")
}

// AddShelf makes a shelf of a folder at run time, through the ledger, and returns after it was recorded (not indexed).
func (x *Indexer) AddShelf(ctx context.Context, name, folder, description string) error {
	panic("stub")
}

// RemoveShelf removes a shelf that was added at run time.
func (x *Indexer) RemoveShelf(ctx context.Context, name string) error { panic("stub") }

// RenameShelf renames a shelf that was added at run time; ids, links and summaries go along.
func (x *Indexer) RenameShelf(ctx context.Context, from, to string) error { panic("stub") }
