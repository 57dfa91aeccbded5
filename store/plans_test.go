package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shelfd/chunker"
)

// Tables that grow with the library: a hot statement that goes through one of them, or through all of a shelf in it, takes
// longer with every document.
var largeTable = regexp.MustCompile(`\bSCAN (documents|files|features|nodes|chunks|past_chunks|outlines|summaries|boxes|document_links|unresolved_links|document_names|link_names|inbound|d|f|c|n|x|l|u|o|s2)\b.*|\bSEARCH \w+ USING .*\(shelf_id=\?\)$`)

// wholesale are the statements that may go through a large table, and why.
var wholesale = []struct{ fragment, why string }{
	{"INDEXED BY documents_chunks", "the census: which chunks are whose, taken anew when the index was written to by somebody else"},
	{"SELECT id FROM documents ORDER BY updated_at DESC, id DESC", "all documents in the order in which their chunks get vectors, when these are counted"},
}

// What runs for every search, reading and save finds its rows by an index.
func TestHotStatementsScanNoLargeTable(t *testing.T) {
	l := newLibrary(t)
	for n := range 40 {
		l.put(page{path: fmt.Sprintf("Home/part%d/valve%d.md", n%4, n), title: fmt.Sprintf("Valve %d", n), tags: []string{"plant"}, aliases: []string{fmt.Sprintf("V%d", n)}, body: fmt.Sprintf("The valve %d opens at the boiler.", n)})
	}
	hotReads(t, l.s)
	l.hotVectors()
	l.s.mu.Lock()
	texts := slices.Sorted(maps.Keys(l.s.statements))
	l.s.mu.Unlock()
	if len(texts) < 15 {
		t.Errorf("%d statements were prepared: the hot ones were not run", len(texts))
	}
	planned(t, l.s, l.s.readers, texts)
	planned(t, l.s, l.s.writer, hotWrites(t, l.s))
}

// hotVectors is what a search by vectors asks for, in a small scope and in a large one, and what makes the vectors.
func (l *library) hotVectors() {
	l.t.Helper()
	near := asking(l.t, l.vectors(), "valve") // reads the texts of all chunks
	l.search(Query{Text: "valve", Mode: ModeHybrid, Near: near})
	err := l.s.View(l.t.Context(), func(v *View) error {
		index, err := v.census()
		if err != nil {
			return err
		}
		s := &search{lookup: &lookup{v: v, index: index}, query: Query{Near: near}}
		_, err = s.nearestIn(index.documents.chunks())
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// hotReads is what agents and watchers ask for all the time.
func hotReads(t *testing.T, s *Store) {
	t.Helper()
	err := s.View(context.Background(), func(v *View) error {
		for _, q := range []Query{
			{Text: "valve boiler"}, {Text: `"opens at"`}, {Text: "valve", Folder: "Home/part1"}, {Text: "V7"}, {Text: "tag:plant valve"}, {Text: "valv*"},
		} {
			q.Limit = 10
			if _, err := v.Search(q); err != nil {
				return err
			}
		}
		d, err := v.Document("Home/part1/valve1.md")
		if err != nil {
			return err
		}
		shelf := d.ShelfID
		for _, read := range []func() error{
			func() error { _, err := v.DocumentByID(d.ID); return err },
			func() error { _, err := v.Content(d.ID); return err },
			func() error { _, err := v.Chunks(d.ID); return err },
			func() error { _, err := v.Nodes(d.ID); return err },
			func() error { _, err := v.Outline(d.ID); return err },
			func() error { _, _, err := v.LinkCounts(d.ID); return err },
			func() error { _, err := v.LinksOf(d.ID, In, nil); return err },
			func() error { _, err := v.LinksOf(d.ID, Out, nil); return err },
			func() error { _, err := v.TextLinks(d.ID); return err },
			func() error { _, err := v.FeaturesOf(d.ID); return err },
			func() error { _, err := v.Mentions(d.ID); return err },
			func() error { _, err := v.ProblemOf(d.Path); return err },
			func() error { _, err := v.Files(shelf, "part1"); return err },
			func() error { _, err := v.FileAt(shelf, "part1/valve1.md"); return err },
			func() error { _, err := v.FileOf(d.Path); return err },
			func() error { _, err := v.ProblemFiles(shelf, "part1"); return err },
			func() error { _, err := v.LastID(); return err },
			func() error { _, err := v.Called(TaskCorrelate, 10); return err },
			func() error { _, err := v.Called(TaskResolve, 10); return err },
			func() error { _, err := v.Seekers(NameHash("valve")); return err },
			func() error { _, err := v.Named("valve 1"); return err },
			func() error { _, err := v.Recent("", 10); return err },
			func() error { _, err := v.DocumentsAfter("", 10); return err },
		} {
			if err := read(); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hotWrites are the statements of a save, a move and a deletion.
func hotWrites(t *testing.T, s *Store) (texts []string) {
	t.Helper()
	err := s.Update(context.Background(), func(tx *Tx) error {
		d, err := tx.Document("Home/part1/valve1.md")
		if err != nil {
			return err
		}
		cut := Prepare(d.Shelf, d.Path, chunker.Parse(d.Path, []byte("# Valve\n\nEdited.\n"), chunker.Options{}), []byte{})
		file := File{Document: d.ID, File: d.File, Size: 3}
		_, err = tx.PutDocument(d.ShelfID, d.ID, cut, file)
		name := Name{Text: "valve"}
		err = errors.Join(err, tx.PutNames(d.ID, []Name{name}, []Name{name}), tx.SetTextLinks(d.ID, map[int64][]TextLink{d.ID + 1: {{Raw: "x"}}}, nil),
			tx.SetHeuristicLinks(d.ID, "1", nil), tx.SetMentions(d.ID, nil), tx.TouchFile(file), tx.SetProblems(d.ShelfID, d.File, d.Path, nil),
			tx.Call(TaskCorrelate, d.ID), tx.Done(TaskCorrelate, d.ID), tx.SetShelfState(d.ShelfID, StateWatching, ""), tx.SetReconciled(d.ShelfID, 1))
		if err != nil {
			return err
		}
		if _, err := tx.LoosenTextLinks(d.ID); err != nil {
			return err
		}
		if err := tx.flushTerms(); err != nil {
			return err
		}
		err = errors.Join(tx.DeleteDocument(d.ID), tx.Reserve(d.Path, d.ID), tx.flushTerms())
		texts = slices.Sorted(maps.Keys(tx.prepared))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// planned explains each statement and fails for those that go through a large table.
func planned(t *testing.T, s *Store, db *sql.DB, texts []string) {
	t.Helper()
	for _, text := range texts {
		if slices.ContainsFunc(wholesale, func(w struct{ fragment, why string }) bool { return strings.Contains(text, w.fragment) }) {
			continue
		}
		var arguments []any
		for n := range strings.Count(text, "?") {
			arguments = append(arguments, n)
		}
		rows, err := db.Query("EXPLAIN QUERY PLAN "+text, arguments...)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			if largeTable.MatchString(step) && !(strings.HasSuffix(step, "documents_updated") && strings.Contains(text, "LIMIT")) { // in its order, as far as is shown
				t.Errorf("%s\n  in: %s", step, text)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
