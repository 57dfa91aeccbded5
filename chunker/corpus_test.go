package chunker

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpora is the folder of real documents beside the repository; the test is skipped where it is absent.
func corpora(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !exists(filepath.Join(dir, "go.mod")) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	dir = filepath.Join(dir, "..", "shared", "corpora")
	if !exists(dir) {
		t.Skipf("no corpora at %s", dir)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// eachDocument calls f with every Markdown file of the work corpus, read from the archive as it stands.
func eachDocument(t testing.TB, f func(name string, src []byte)) {
	t.Helper()
	file, err := os.Open(filepath.Join(corpora(t), "work.tar.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(plain); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if head.Typeflag != tar.TypeReg || !isMarkdownName(head.Name) {
			continue
		}
		src, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		f(strings.TrimPrefix(head.Name, "./"), src)
	}
}

func TestEveryHostileFileKeepsTheInvariants(t *testing.T) {
	dir := filepath.Join(corpora(t), "hostile")
	files, err := filepath.Glob(filepath.Join(dir, "*.md*"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d hostile files, %v", len(files), err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check(t, filepath.Base(file), src)
	}
}

func TestTheWorkCorpusKeepsTheInvariants(t *testing.T) {
	n := 0
	eachDocument(t, func(name string, src []byte) {
		check(t, name, src)
		n++
	})
	if n < 14_000 {
		t.Fatalf("only %d documents", n)
	}
}

func BenchmarkParseCorpus(b *testing.B) {
	var names []string
	var sources [][]byte
	size := int64(0)
	eachDocument(b, func(name string, src []byte) {
		names, sources, size = append(names, name), append(sources, src), size+int64(len(src))
	})
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for i := range sources {
			Parse(names[i], sources[i], Options{})
		}
	}
}
