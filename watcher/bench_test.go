package watcher

import (
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
