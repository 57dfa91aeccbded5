package indexer_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/store"
	"shelfd/watcher"
)

// told is an indexer over one folder that collects its news.
type told struct {
	*indexer.Indexer
	t    *testing.T
	root string
	news chan indexer.Changed
}

func newTold(t *testing.T) *told {
	t.Helper()
	x := &told{t: t, root: t.TempDir(), news: make(chan indexer.Changed, 100)}
	st, _, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ledger, _, err := store.OpenLedger(filepath.Join(t.TempDir(), "ledger.jsonl"), false)
	if err != nil {
		t.Fatal(err)
	}
	w, err := watcher.Open(watcher.Options{Reconcile: -1})
	if err != nil {
		t.Fatal(err)
	}
	x.Indexer = indexer.New(indexer.Options{Store: st, Ledger: ledger, Watcher: w, Changed: func(c indexer.Changed) { x.news <- c }})
	ctx, stop := context.WithCancel(context.Background())
	batches := make(chan watcher.Batch)
	var running sync.WaitGroup
	running.Go(func() { _ = w.Run(ctx, batches) })
	running.Go(func() { _ = x.Run(ctx, batches) })
	t.Cleanup(func() { stop(); running.Wait(); ledger.Close(); st.Close() })
	return x
}

func (x *told) serve(name string) {
	x.t.Helper()
	var shelves []indexer.Shelf
	if name != "" {
		shelves = []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: name, Root: x.root, Origin: "config"}}}
	}
	if err := x.SetShelves(x.t.Context(), shelves); err != nil {
		x.t.Fatal(err)
	}
	x.sync()
}

func (x *told) write(name, text string) {
	x.t.Helper()
	if err := os.WriteFile(filepath.Join(x.root, name), []byte(text), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

func (x *told) sync() {
	x.t.Helper()
	if _, err := x.Sync(x.t.Context(), "", false, nil); err != nil {
		x.t.Fatal(err)
	}
}

// heard is all news up to now in one, sorted, and how often each path was told of.
func (x *told) heard() (all indexer.Changed, tellings int) {
	for {
		select {
		case c := <-x.news:
			all.Written, all.Come, all.Gone = append(all.Written, c.Written...), append(all.Come, c.Come...), append(all.Gone, c.Gone...)
			tellings++
		default:
			slices.Sort(all.Written)
			slices.Sort(all.Come)
			slices.Sort(all.Gone)
			return all, tellings
		}
	}
}

func (x *told) expect(what string, written, come, gone []string) {
	x.t.Helper()
	got, _ := x.heard()
	if !slices.Equal(got.Written, written) || !slices.Equal(got.Come, come) || !slices.Equal(got.Gone, gone) {
		x.t.Errorf("%s: told %+v, want written %q, come %q, gone %q", what, got, written, come, gone)
	}
}

func TestEachChangeOfADocumentIsToldOnce(t *testing.T) {
	x := newTold(t)
	x.write("a.md", "# A\n\ntext\n")
	x.write("b.md", "# B\n\n[a](a.md)\n")
	x.serve("S")
	x.expect("a new shelf", nil, []string{"S/a.md", "S/b.md"}, nil)

	x.write("a.md", "# A\n\nother text\n")
	x.sync()
	x.expect("a save", []string{"S/a.md"}, nil, nil)

	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(x.root, "a.md"), later, later); err != nil {
		t.Fatal(err)
	}
	x.sync()
	x.expect("a touch", nil, nil, nil)

	if err := os.Rename(filepath.Join(x.root, "a.md"), filepath.Join(x.root, "c.md")); err != nil {
		t.Fatal(err)
	}
	x.sync()
	x.expect("a rename", nil, []string{"S/c.md"}, []string{"S/a.md"})

	if err := os.Remove(filepath.Join(x.root, "b.md")); err != nil {
		t.Fatal(err)
	}
	x.sync()
	x.expect("a removal", nil, nil, []string{"S/b.md"})

	x.serve("")
	x.expect("a shelf taken away", nil, nil, []string{"S/c.md"})
}

func TestARenamedShelfIsToldAsItsDocuments(t *testing.T) {
	x := newTold(t)
	x.serve("")
	x.write("ä b.md", "# A\n")
	if _, err := x.AddShelf(t.Context(), "Old", x.root, ""); err != nil {
		t.Fatal(err)
	}
	x.sync()
	x.expect("a shelf made", nil, []string{"Old/ä b.md"}, nil)
	if err := x.RenameShelf(t.Context(), "Old", "New"); err != nil {
		t.Fatal(err)
	}
	got, _ := x.heard()
	if !slices.Equal(got.Gone, []string{"Old/ä b.md"}) || !slices.Equal(got.Come, []string{"New/ä b.md"}) {
		t.Errorf("told %+v", got)
	}
}
