package watcher

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// plant makes files spread over folders of twenty.
func plant(tb testing.TB, files int) string {
	tb.Helper()
	root := tb.TempDir()
	for i := 0; i < files; i += 20 {
		dir := filepath.Join(root, fmt.Sprintf("part%d", i/2000), fmt.Sprintf("folder%d", i/20))
		if err := os.MkdirAll(dir, 0o750); err != nil {
			tb.Fatal(err)
		}
		for j := i; j < min(i+20, files); j++ {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%d.md", j)), []byte("text"), 0o600); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return root
}

func BenchmarkList(b *testing.B) {
	for _, files := range []int{20_000, 100_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			if files > 20_000 && testing.Short() {
				b.Skip("a large tree")
			}
			root := Root{Shelf: "bench", Path: plant(b, files)}
			b.ReportAllocs()
			for b.Loop() {
				l, err := List(b.Context(), root, nil)
				if err != nil || len(l.Entries) != files {
					b.Fatalf("%d entries, %v", len(l.Entries), err)
				}
			}
		})
	}
}

// BenchmarkArrive sets the watches of 20,000 folders.
func BenchmarkArrive(b *testing.B) {
	root := b.TempDir()
	for i := range 20_000 {
		if err := os.MkdirAll(filepath.Join(root, fmt.Sprint(i/200), fmt.Sprint(i)), 0o750); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		source, err := NewSource()
		if err != nil {
			b.Fatal(err)
		}
		reg := newRegistry(OS{}, source)
		f, _ := compile(Root{})
		t := newTree(OS{}, reg, f, newInbox(), root)
		t.sync(b.Context(), t.top)
		if t.watched != 20_101 {
			b.Fatal(t.watched, t.err)
		}
		if err := source.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSave is the time from a lone save to its batch: the settle time and what the package adds to it.
func BenchmarkSave(b *testing.B) {
	root := plant(b, 2000)
	w, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.SetRoots([]Root{{Shelf: "s", Path: root}}); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	batches, ended := make(chan Batch), make(chan error, 1)
	go func() { ended <- w.Run(ctx, batches) }()
	<-batches
	for b.Loop() {
		write(b, root, "part0/folder7/note-141.md")
		if batch := <-batches; len(batch.Dirty) != 1 {
			b.Fatalf("%+v", batch)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}
