package indexer_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/store"
	"shelfd/watcher"
)

func TestSmoke(t *testing.T) {
	root := os.Getenv("ROOT")
	ctx, cancel := context.WithCancel(context.Background())
	dir := os.Getenv("STATE")
	if dir == "" {
		dir = t.TempDir()
	}
	s, _, err := store.Open(ctx, filepath.Join(dir, "index.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := store.OpenLedger(filepath.Join(dir, "ledger.jsonl"), false)
	if err != nil {
		t.Fatal(err)
	}
	w, err := watcher.Open(watcher.Options{Log: zaptest.NewLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	p := correlate.DefaultParams()
	x := indexer.New(indexer.Options{Store: s, Ledger: l, Watcher: w, Correlate: &p, Log: zaptest.NewLogger(t)})
	batches := make(chan watcher.Batch)
	done := make(chan error, 2)
	go func() { done <- w.Run(ctx, batches) }()
	go func() {
		err := x.Run(ctx, batches)
		if err != nil {
			fmt.Println("RUN", err)
		}
		done <- err
	}()
	var shelves []indexer.Shelf
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '_' {
			shelves = append(shelves, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: e.Name(), Root: filepath.Join(root, e.Name()), Origin: "config"}})
		}
	}
	start := time.Now()
	if err := x.SetShelves(ctx, shelves); err != nil {
		t.Fatal(err)
	}
	r, err := x.Sync(ctx, "", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range r {
		t.Log(r)
	}
	t.Log("sync", time.Since(start))
	start = time.Now()
	n := 0
	if err := s.Check(ctx, func(d store.Difference) {
		n++
		if n < 20 {
			t.Error(d)
		}
	}); err != nil {
		t.Fatal(err)
	}
	t.Log("check", time.Since(start))
	var b bytes.Buffer
	if err := s.View(ctx, func(v *store.View) error {
		c, _ := v.Counts()
		t.Logf("%+v", c)
		return v.Dump(&b)
	}); err != nil {
		t.Fatal(err)
	}
	t.Log(b.Len(), fmt.Sprintf("%+v", x.Status()))
	cancel()
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s.Close()
}
