package indexer_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"shelfd/internal/shelftest"
	"shelfd/store"
)

// edgeTables hold what leads from one document to another, or would if it knew where to.
var edgeTables = []string{"document_links", "unresolved_links", "spare_links"}

// countWrites has the database count each row of the edges that is written from now on.
func countWrites(l *shelftest.Library) {
	spoil(l, `CREATE TABLE written (how TEXT NOT NULL)`)
	for _, table := range edgeTables {
		for _, how := range []string{"INSERT", "UPDATE", "DELETE"} {
			spoil(l, fmt.Sprintf(`CREATE TRIGGER %[1]s_%[2]s AFTER %[2]s ON %[1]s BEGIN INSERT INTO written VALUES ('%[2]s %[1]s'); END`, table, how))
		}
	}
}

// writes are the counted ones.
func writes(t *testing.T, l *shelftest.Library) (list []string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(l.State, "index.db")+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT how FROM written`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var how string
		if err := rows.Scan(&how); err != nil {
			t.Fatal(err)
		}
		list = append(list, how)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestANoteThatIsLinkedToNothingChangesNoEdge, nor does its edit or its end: text links that are resolved, dead and
// ambiguous, links that were worked out and links that somebody made stay the rows they are.
func TestANoteThatIsLinkedToNothingChangesNoEdge(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	l.Write("notes/valve.md", "---\ntags: [steam]\n---\n# Boiler valve\n\nsee [the pump](pump.md), [nothing](absent.md) and [[twice]]\n")
	l.Write("notes/pump.md", "---\ntags: [steam]\n---\n# Boiler pump\n\nsee [the valve](valve.md); the Boiler valve opens\n")
	l.Write("notes/a/twice.md", "# One\n")
	l.Write("notes/b/twice.md", "# Other\n")
	l.Sync()
	if _, err := l.Indexer.AddLinks(timely(t), store.ManualLink{Source: "notes/a/twice.md", Target: "notes/b/twice.md", Relation: "see", Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	l.Sync()
	countWrites(l)
	for _, step := range []func(){
		func() { l.Write("notes/z/lonely.md", "# Zephyr\n\nquiet\n") },
		func() { l.Write("notes/z/lonely.md", "# Zephyr\n\nquieter still\n") },
		func() { l.Remove("notes/z/lonely.md") },
	} {
		step()
		l.Sync()
		if list := writes(t, l); len(list) > 0 {
			t.Fatalf("rows of edges written: %v", list)
		}
	}
	l.Write("notes/absent.md", "# Absent\n")
	l.Sync()
	if len(writes(t, l)) == 0 {
		t.Fatal("a note that a link looks for changes no edge: nothing was counted")
	}
}
