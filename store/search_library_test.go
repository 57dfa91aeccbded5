package store

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelfd/chunker"
	"shelfd/internal/text"
)

// library is a store that tests fill with small documents.
type library struct {
	t      testing.TB
	s      *Store
	shelf  map[string]int64
	chunks []libraryChunk
}

// libraryChunk is a chunk as the test wrote it, for comparing.
type libraryChunk struct {
	path  string
	first bool
	trail []string
	body  string
	page  *page
}

// page is a document of a test: sections separated by heading lines, one chunk each.
type page struct {
	path     string
	title    string
	tags     []string
	aliases  []string
	language string
	date     time.Time
	front    map[string]any
	body     string
}

func newLibrary(t testing.TB) *library {
	s, _, err := Open(context.Background(), filepath.Join(t.TempDir(), "index.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &library{t: t, s: s, shelf: map[string]int64{}}
}

func (l *library) put(pages ...page) {
	l.t.Helper()
	err := l.s.Update(context.Background(), func(tx *Tx) error {
		for i := range pages {
			if err := l.putPage(tx, &pages[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// edit writes a document anew in its place.
func (l *library) edit(path, body string) {
	l.t.Helper()
	err := l.s.Update(context.Background(), func(tx *Tx) error {
		old, err := tx.Document(path)
		if err != nil {
			return err
		}
		p := &page{path: path, body: body}
		_, err = tx.PutDocument(old.ShelfID, old.ID, Prepare(old.Shelf, path, l.document(p), []byte{}), File{File: old.File})
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) remove(path string) {
	l.t.Helper()
	err := l.s.Update(context.Background(), func(tx *Tx) error {
		d, err := tx.Document(path)
		if err != nil {
			return err
		}
		return tx.DeleteDocument(d.ID)
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *library) putPage(tx *Tx, p *page) error {
	shelf := shelfOf(p.path)
	if l.shelf[shelf] == 0 {
		id, err := tx.PutShelf(ShelfSpec{Name: shelf, Root: "/" + shelf, Origin: "config", Contexts: map[string]string{"": "about " + shelf, "guides": "the guides"}})
		if err != nil {
			return err
		}
		l.shelf[shelf] = id
	}
	d := l.document(p)
	_, err := tx.PutDocument(l.shelf[shelf], 0, Prepare(shelf, p.path, d, []byte{}), File{File: strings.TrimPrefix(p.path, shelf+"/"), ModTime: time.Now().UnixNano()})
	return err
}

// document cuts a page at its headings.
func (l *library) document(p *page) *chunker.Document {
	if p.title == "" {
		p.title = strings.TrimSuffix(path.Base(p.path), path.Ext(p.path))
	}
	d := &chunker.Document{
		Text: p.body, Title: p.title, Tags: p.tags, Aliases: p.aliases, Language: p.language,
		Date: p.date, FrontMatter: p.front, Body: chunker.Span{End: len(p.body)},
	}
	at := 0
	for section := range strings.SplitAfterSeq(p.body, "\n\n") {
		span := chunker.Span{Start: at, End: at + len(strings.TrimRight(section, "\n"))}
		at += len(section)
		if span.Start == span.End {
			continue
		}
		node := chunker.Node{ID: "~", Parent: -1}
		var trail []string
		if rest, ok := strings.CutPrefix(section, "# "); ok {
			heading, _, _ := strings.Cut(rest, "\n")
			node = chunker.Node{ID: text.Slug(heading), Title: heading, Level: 1, Parent: -1}
			trail = []string{heading}
		}
		l.chunks = append(l.chunks, libraryChunk{p.path, len(d.Chunks) == 0, trail, p.body[span.Start:span.End], p})
		d.Chunks = append(d.Chunks, chunker.Chunk{Node: len(d.Nodes), Span: span, Key: chunker.Key{Hash: uint64(len(l.chunks)), Seq: 1}})
		d.Nodes = append(d.Nodes, node)
	}
	return d
}

func (l *library) search(q Query) Answer {
	l.t.Helper()
	a, err := l.try(q)
	if err != nil {
		l.t.Fatalf("search %+v: %v", q, err)
	}
	return a
}

func (l *library) try(q Query) (Answer, error) {
	if q.Limit == 0 {
		q.Limit = 10
	}
	var a Answer
	err := l.s.View(context.Background(), func(v *View) (err error) {
		a, err = v.Search(q)
		return err
	})
	return a, err
}

// found writes hits as "path" for a document's first chunk, "path#node" for others.
func foundPaths(a Answer) []string {
	var list []string
	for _, h := range a.Hits {
		list = append(list, h.Document.Path)
	}
	return list
}
