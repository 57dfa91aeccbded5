package chunker

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzParse looks for bytes that make Parse panic, hang or break a promise.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Add([]byte("\f\na\n=\n")) // a heading that begins with a line that is blank to us
	for _, pattern := range hostilePatterns {
		f.Add([]byte(pattern.make(512)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d := Parse("a/b.md", src, Options{})
		if fault := broken(src, d); fault != "" {
			t.Fatal(fault)
		}
		small := Parse("a/b.md", src, Options{Target: 20, Min: 5, Max: 40, Overlap: 10})
		if fault := broken(src, small); fault != "" {
			t.Fatal("small chunks: ", fault)
		}
	})
}

func BenchmarkParseManual(b *testing.B) {
	src, err := os.ReadFile(filepath.Join("testdata", "manual-en.txtar"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("manual.md", src, Options{})
	}
}
