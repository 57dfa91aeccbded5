package store

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shelfd/chunker"
)

// workCorpus is the archive of real documents beside the repository; without it the benchmark is skipped.
func workCorpus(b testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			b.Skip("no go.mod above the package")
		}
	}
	archive := filepath.Join(dir, "..", "shared", "corpora", "work.tar.gz")
	if _, err := os.Stat(archive); err != nil {
		b.Skip("the work corpus is not beside the repository")
	}
	return archive
}

// fill indexes the archive, a shelf for each folder at its top, or for those named only.
func (l *library) fill(b testing.TB, archive string, folders ...string) {
	f, err := os.Open(archive)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	files := tar.NewReader(unzipped)
	for more := true; more; {
		err := l.s.Update(context.Background(), func(tx *Tx) (err error) {
			more, err = fillSome(tx, files, folders)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// fillSome indexes the next documents of an archive and says whether there are more.
func fillSome(tx *Tx, files *tar.Reader, folders []string) (bool, error) {
	for n := 0; n < 500; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		name := strings.TrimPrefix(path.Clean(h.Name), "./")
		if ext := path.Ext(name); h.Typeflag != tar.TypeReg || !strings.Contains(name, "/") || ext != ".md" && ext != ".mdx" && ext != ".markdown" {
			continue
		}
		if len(folders) > 0 && !slices.Contains(folders, shelfOf(name)) {
			continue
		}
		n++
		source, err := io.ReadAll(files)
		if err != nil {
			return false, err
		}
		shelf := shelfOf(name)
		id, err := tx.PutShelf(ShelfSpec{Name: shelf, Root: "/" + shelf, Origin: "config"})
		if err != nil {
			return false, err
		}
		d := chunker.Parse(path.Base(name), source, chunker.Options{})
		if _, err := tx.PutDocument(id, 0, Prepare(shelf, name, d, []byte{}), File{File: strings.TrimPrefix(name, shelf+"/"), Size: h.Size}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// commonWords are the words that stand in the most chunks, from well-known to fairly common ones.
func (l *library) commonWords(b *testing.B, n int) []string {
	var words []string
	err := l.s.View(context.Background(), func(v *View) (err error) {
		words, err = v.strings(`SELECT term FROM chunk_terms WHERE length(term) >= 3 AND term NOT GLOB '*[^a-z]*' ORDER BY doc DESC LIMIT ?`, n)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return words
}

// BenchmarkSearchWorkCorpus measures searches for one to three of the 800 commonest words, independent of each other.
func BenchmarkSearchWorkCorpus(b *testing.B) {
	archive := workCorpus(b)
	l := newLibrary(b)
	l.fill(b, archive)
	words := l.commonWords(b, 800)
	for n, name := range []string{1: "one", 2: "two", 3: "three"} {
		if n == 0 {
			continue
		}
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewSource(1))
			var took []time.Duration
			for b.Loop() {
				query := make([]string, n)
				for i := range query {
					query[i] = words[r.Intn(len(words))]
				}
				start := time.Now()
				l.search(Query{Text: strings.Join(query, " ")})
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkSearchForNothing measures searches for words that stand nowhere, as who waits for a save asks.
func BenchmarkSearchForNothing(b *testing.B) {
	archive := workCorpus(b)
	l := newLibrary(b)
	l.fill(b, archive)
	l.search(Query{Text: "nowhere0begin"}) // reads the vocabulary
	n := 0
	for b.Loop() {
		n++
		if answer := l.search(Query{Text: fmt.Sprintf("meanwhile%dword%x", n, n*7919)}); len(answer.Hits) > 0 {
			b.Fatal("found")
		}
	}
}
