package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sync/errgroup"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/store"
	"shelfd/watcher"
)

// library is the inside of a daemon without its socket, for what a client cannot see.
type library struct {
	store   *store.Store
	ledger  *store.Ledger
	indexer *indexer.Indexer
	heard   *heard
	stop    context.CancelFunc
	running *errgroup.Group
}

// heard keeps what the indexer logs of correlating.
type heard struct {
	zapcore.LevelEnabler
	mu     sync.Mutex
	slices []correlatedSlice
	read   time.Time // when the last shelf was read
}

// correlatedSlice is one transaction of correlating.
type correlatedSlice struct {
	at        time.Time
	documents int64
	took      time.Duration
}

func (h *heard) With([]zapcore.Field) zapcore.Core { return h }
func (h *heard) Sync() error                       { return nil }

func (h *heard) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if e.Message == "correlated" || e.Message == "indexed" {
		return c.AddCore(e, h)
	}
	return c
}

func (h *heard) Write(e zapcore.Entry, fields []zapcore.Field) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Message == "indexed" {
		h.read = e.Time
		return nil
	}
	s := correlatedSlice{at: e.Time}
	for _, f := range fields {
		switch f.Key {
		case "documents":
			s.documents = f.Integer
		case "took":
			s.took = time.Duration(f.Integer)
		}
	}
	h.slices = append(h.slices, s)
	return nil
}

// since are the slices heard since the last call.
func (h *heard) since() []correlatedSlice {
	h.mu.Lock()
	defer h.mu.Unlock()
	slices := h.slices
	h.slices = nil
	return slices
}

// openLibrary indexes folders, each a shelf named after it, and returns when everything is there.
func openLibrary(ctx context.Context, state string, roots []string, params correlate.Params) (*library, error) {
	var shelves []indexer.Shelf
	for _, root := range roots {
		shelves = append(shelves, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: filepath.Base(root), Root: root, Origin: "config"}})
	}
	return openShelves(ctx, state, shelves, params)
}

// openShelves is openLibrary for shelves that may extend each other.
func openShelves(ctx context.Context, state string, shelves []indexer.Shelf, params correlate.Params) (*library, error) {
	l := &library{heard: &heard{LevelEnabler: zapcore.DebugLevel}}
	err := os.MkdirAll(state, 0o700)
	if err != nil {
		return nil, err
	}
	if l.store, _, err = store.Open(ctx, filepath.Join(state, "index.db"), store.Options{}); err != nil {
		return nil, err
	}
	if l.ledger, _, err = store.OpenLedger(filepath.Join(state, "ledger.jsonl"), false); err != nil {
		return nil, err
	}
	w, err := watcher.Open(watcher.Options{Reconcile: -1})
	if err != nil {
		return nil, err
	}
	l.indexer = indexer.New(indexer.Options{Store: l.store, Ledger: l.ledger, Watcher: w, Correlate: &params, Log: zap.New(l.heard)})
	inner, stop := context.WithCancel(ctx)
	l.stop = stop
	l.running, inner = errgroup.WithContext(inner)
	batches := make(chan watcher.Batch)
	l.running.Go(func() error { return w.Run(inner, batches) })
	l.running.Go(func() error { return l.indexer.Run(inner, batches) })
	if err := l.indexer.SetShelves(inner, shelves); err != nil {
		return nil, err
	}
	_, err = l.indexer.Sync(inner, "", false, nil)
	return l, err
}

func (l *library) close() {
	l.stop()
	if err := l.running.Wait(); err != nil && !os.IsTimeout(err) {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	l.ledger.Close()
	l.store.Close()
}
