package shelftest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelfd/store"
)

// written is a library of some documents that has been indexed, with the ids it gave.
func written(t *testing.T) (l *Library, ids map[string]int64) {
	t.Helper()
	l = New(t, Options{})
	ids = map[string]int64{}
	for i := range 30 {
		path := fmt.Sprintf("notes/page%02d.md", i)
		l.Write(path, fmt.Sprintf("# Page %d\n\nThe gauge of page %d shows %d bar, see [the next](page%02d.md).\n", i, i, i, (i+1)%30))
	}
	l.Sync()
	l.Remove("notes/page29.md") // the greatest id, which must not come back
	l.Sync()
	for i := range 29 {
		path := fmt.Sprintf("notes/page%02d.md", i)
		ids[path] = l.ID(path)
	}
	return l, ids
}

// alter runs a statement on the closed database, as another version of the program would have left it.
func alter(t *testing.T, l *Library, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(l.State, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// keeps fails the test when a document has another id than before, or a new one takes that of a document that went.
func keeps(t *testing.T, l *Library, ids map[string]int64) {
	t.Helper()
	for path, id := range ids {
		if now := l.ID(path); now != id {
			t.Errorf("%s is document %d, it was %d", path, now, id)
		}
	}
	l.Write("notes/new.md", "# New\n")
	l.Sync()
	if id := l.ID("notes/new.md"); id <= int64(len(ids))+1 { // one more went
		t.Errorf("a new document took id %d", id)
	}
	l.Remove("notes/new.md")
	l.Sync()
}

func TestAnOlderLayoutIsBuiltAnewWithTheIDsItHad(t *testing.T) {
	l, ids := written(t)
	before := l.Dump()
	l.Stop()
	alter(t, l, fmt.Sprintf("PRAGMA user_version = %d", store.LayoutVersion-1))
	l.Start()
	if !strings.Contains(string(l.Notice), "ids are kept") {
		t.Errorf("the notice is %q", l.Notice)
	}
	l.Sync()
	if diff := Diff(l.Dump(), before); diff != "" {
		t.Errorf("(- now, + before):\n%s", diff)
	}
	keeps(t, l, ids)
}

func TestDocumentsThatAnOlderVersionCutServeUntilTheyAreCutAgain(t *testing.T) {
	l, ids := written(t)
	before := l.Dump()
	l.Stop()
	alter(t, l, "UPDATE files SET version = 0")
	s, notice, err := store.Open(t.Context(), filepath.Join(l.State, "index.db"), store.Options{})
	if err != nil || notice != "" {
		t.Fatalf("%q, %v", notice, err)
	}
	var found store.Answer
	err = s.View(t.Context(), func(v *store.View) (err error) {
		found, err = v.Search(store.Query{Text: "gauge", Limit: 50})
		return err
	})
	if err != nil || len(found.Hits) != len(ids) {
		t.Errorf("%d hits before anything was cut again, %v", len(found.Hits), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l.Start()
	l.Sync()
	if diff := Diff(l.Dump(), before); diff != "" {
		t.Errorf("(- now, + before):\n%s", diff)
	}
	keeps(t, l, ids)
	l.Stop()
	if n := counted(t, l, fmt.Sprintf("SELECT count(*) FROM files WHERE version <> %d", store.ContentVersion)); n != 0 {
		t.Errorf("%d documents were not cut again", n)
	}
}

func counted(t *testing.T, l *Library, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(l.State, "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheIndexOfANewerProgramIsNotTouched(t *testing.T) {
	l, _ := written(t)
	l.Stop()
	alter(t, l, fmt.Sprintf("PRAGMA user_version = %d", store.LayoutVersion+1))
	path := filepath.Join(l.State, "index.db")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{false, true} {
		s, _, err := store.Open(context.Background(), path, store.Options{ReadOnly: readOnly})
		if !errors.Is(err, store.ErrNewer) {
			t.Errorf("read only %v: %v, want ErrNewer", readOnly, err)
		}
		if err == nil {
			s.Close()
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %v", err)
	}
}
