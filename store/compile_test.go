package store

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
)

// hostileQueries have broken other searches: they read as syntax somewhere.
var hostileQueries = []string{
	`@nasa`, `#tag`, `a=b`, `c++`, `health.base`, `multi-agent`, `"x`, `*`, `AND`, `NEAR(`, `'`, `don't`, `what is this?`, `status: done`,
	"a\x00b", strings.Repeat("(", 300), strings.Repeat(`"`, 99), `""`, `-`, `--`, `- -`, `-"`, `-*`, `OR`, `OR OR OR`, `a OR`, `a OR OR b`, `NOT x`, `x NOT`,
	`body:x`, `heading:`, `heading:"`, `heading:-`, `title:""`, `tag:`, `tag:#`, `after:never`, `before:2024-13`, `kind:.`, `path:[`, `path:{a`, `path:**`,
	`{heading body} : x`, `^x`, `x + y`, `x*y`, `x^2`, `a:b:c`, `http://x.y/z?a=b`, `C:\dir`, `:::`, `x;DROP TABLE documents`, `"a"b"c"`, `a"b`,
	"\xff\xfe", "á́́", "：", "数*", "数", "-数据", strings.Repeat("x ", 512), strings.Repeat("语", 1024), strings.Repeat("a-", 512), `k:>=<!=3`, `𝔘𝔫𝔦`, "\u202eabc",
}

// ftsTables opens an empty index in memory to try MATCH expressions on.
func ftsTables(t testing.TB) *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`INSERT INTO chunk_fts (rowid, heading, body, ident, scope) VALUES (1, 'pump', 'pump water', 'c++', 's1');
		INSERT INTO document_fts (rowid, title, alias, tag, path, ident, scope) VALUES (1, 'pump', '', 'water', 'x', 'c++', 's1')`)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func FuzzCompile(f *testing.F) {
	for _, q := range hostileQueries {
		f.Add(q)
	}
	db := ftsTables(f)
	l := newLibrary(f)
	l.put(page{path: "Manual/pump.md", title: "Pump", tags: []string{"water"}, language: "en", front: map[string]any{"a": "b", "k": 3}, body: "# Pump\nA pump moves water with C++.\n"},
		page{path: "Manual/long.md", body: strings.Repeat("# x a\nx a the pump of 数据 a=b\n\n", 3*window)})
	f.Fuzz(func(t *testing.T, query string) {
		if len(query) > 4096 {
			return
		}
		e := parse(query)
		if again := parse(e.String()); again.String() != e.String() {
			t.Errorf("%q is written %q, which reads as %q", query, e, again)
		}
		for _, c := range e {
			for _, u := range c {
				tryMatch(t, db, u)
			}
		}
		if _, err := l.try(Query{Text: query}); err != nil {
			t.Errorf("search %q: %v", query, err)
		}
		var fault *QueryError
		if _, err := l.try(Query{Where: query}); err != nil && !errors.As(err, &fault) {
			t.Errorf("where %q: %v", query, err)
		}
	})
}

// tryMatch runs what a unit compiles to.
func tryMatch(t *testing.T, db *sql.DB, u unit) {
	m := compileUnit(u)
	if u.kind == unitFilter {
		if len(cut(u.text).running) == 0 {
			return
		}
		m = match{chunk: columnMatch(headingColumn, u.text), document: columnMatch(titleColumn, u.text)}
	}
	many := make([]match, 300)
	for i := range many {
		many[i] = m
	}
	m = m.or(many...).and(many[:100]...).or(termMatch("x")).and(prefixMatch([]string{"y"})).scoped(scopeMatch("s1", "f2"))
	var n int
	if err := db.QueryRow(`SELECT count(*) FROM chunk_fts WHERE chunk_fts MATCH ?`, m.chunk).Scan(&n); err != nil {
		t.Errorf("%+v compiles to %s: %v", u, m.chunk, err)
	}
	if err := db.QueryRow(`SELECT count(*) FROM document_fts WHERE document_fts MATCH ?`, m.document).Scan(&n); err != nil {
		t.Errorf("%+v compiles to %s: %v", u, m.document, err)
	}
}
