package store

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"shelfd/chunker"
)

// TestGoldenQueries runs the queries of testdata/search.txtar over the documents in it.
func TestGoldenQueries(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/search.txtar")
	if err != nil {
		t.Fatal(err)
	}
	l := newLibrary(t)
	var queries string
	err = l.s.Update(context.Background(), func(tx *Tx) error {
		for _, f := range archive.Files {
			if f.Name == "queries" {
				queries = string(f.Data)
				continue
			}
			shelf := shelfOf(f.Name)
			id, err := tx.PutShelf(ShelfSpec{Name: shelf, Root: "/" + shelf, Origin: "config"})
			if err != nil {
				return err
			}
			d := chunker.Parse(path.Base(f.Name), f.Data, chunker.Options{})
			if _, err := tx.PutDocument(id, 0, Prepare(shelf, f.Name, d, []byte{}), File{File: strings.TrimPrefix(f.Name, shelf+"/")}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(queries) {
		query, want, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		query, want = strings.TrimSpace(query), strings.TrimSpace(want)
		a := l.search(Query{Text: query})
		got := ""
		if len(a.Hits) > 0 {
			got = a.Hits[0].Document.Path + "#" + a.Hits[0].NodeID + " " + string(a.Hits[0].Match)
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s\nran  %q", query, got, want, a.Queries)
			for _, h := range a.Hits {
				t.Logf("%.2f %s %s#%s %v %q", h.Score, h.Match, h.Document.Path, h.NodeID, h.Terms, h.Snippet)
			}
		}
	}
}
