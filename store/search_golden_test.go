package store

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"shelfd/chunker"
)

// TestGoldenQueries runs the queries of testdata/search.txtar over the documents in it.
func TestGoldenQueries(t *testing.T) {
	l := newLibrary(t)
	l.runQueries(l.unpack("testdata/search.txtar", ""), "")
}

// TestGoldenQueriesOfTheLibrary runs those of testdata/plant.txtar over the test library and the documents in it.
func TestGoldenQueriesOfTheLibrary(t *testing.T) {
	l := newLibrary(t)
	root := filepath.Join("..", "testdata", "library")
	err := filepath.WalkDir(root, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, file)
		l.parse("plant/"+filepath.ToSlash(inside), source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	l.runQueries(l.unpack("testdata/plant.txtar", "plant/"), "plant/")
}

// unpack puts the documents of an archive below folder and returns its queries.
func (l *library) unpack(file, folder string) (queries string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "queries" {
			queries = string(f.Data)
			continue
		}
		l.parse(folder+f.Name, f.Data)
	}
	return queries
}

// parse puts a document as the chunker cuts it.
func (l *library) parse(docPath string, source []byte) {
	err := l.s.Update(context.Background(), func(tx *Tx) error {
		shelf := shelfOf(docPath)
		id, err := tx.PutShelf(ShelfSpec{Name: shelf, Root: "/" + shelf, Origin: "config"})
		if err != nil {
			return err
		}
		d := chunker.Parse(path.Base(docPath), source, chunker.Options{})
		_, err = tx.PutDocument(id, 0, Prepare(shelf, docPath, d, []byte{}), File{File: strings.TrimPrefix(docPath, shelf+"/")})
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// runQueries compares first hits, their paths below folder, and first suggestions with what is wanted.
func (l *library) runQueries(queries, folder string) {
	asked := 0
	for line := range strings.Lines(queries) {
		query, want, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		asked++
		query, want = strings.TrimSpace(query), strings.TrimSpace(want)
		want, suggestion, suggests := strings.Cut(want, " ? ")
		a := l.search(Query{Text: query})
		got := ""
		if len(a.Hits) > 0 {
			got = strings.TrimPrefix(a.Hits[0].Document.Path, folder) + "#" + a.Hits[0].NodeID + " " + string(a.Hits[0].Match)
		}
		if suggests && (len(a.Suggestions) == 0 || a.Suggestions[0] != suggestion) {
			l.t.Errorf("%s\nsuggests %q, not %s first", query, a.Suggestions, suggestion)
		}
		if got != want {
			l.t.Errorf("%s\ngot  %s\nwant %s\nran  %q", query, got, want, a.Queries)
			for _, h := range a.Hits {
				l.t.Logf("%.2f %s %s#%s %v %q", h.Score, h.Match, h.Document.Path, h.NodeID, h.Terms, h.Snippet)
			}
		}
	}
	if asked < 40 {
		l.t.Errorf("only %d queries were asked", asked)
	}
}
