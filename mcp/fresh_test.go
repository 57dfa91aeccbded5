package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
	"shelfd/watcher"
)

// told is what the _meta of an answer says.
type told struct {
	Stale         *bool      `json:"stale"`
	Pending       *int       `json:"pending"`
	LastReconcile *time.Time `json:"last_reconcile"`
}

// waiting is what m says of pending, -1 when it says nothing.
func (m told) waiting() int {
	if m.Pending == nil {
		return -1
	}
	return *m.Pending
}

// old says whether m claims that the answer may be stale.
func (m told) old() bool { return m.Stale != nil && *m.Stale }

// fresh says whether an answer claims to hold all that is known.
func (m told) fresh() bool { return m.Stale != nil && !*m.Stale && m.waiting() == 0 }

// answered calls a tool over the socket.
func (p *peer) answered(tool string, args any) (e envelope, m told) {
	p.t.Helper()
	p.send(toolCall("7", tool, args))
	r := p.receive()
	var result struct {
		Meta told `json:"_meta"`
	}
	if err := json.Unmarshal(r.Result, &result); err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal(r.tool(p.t).Structured, &e); err != nil {
		p.t.Fatal(err)
	}
	return e, result.Meta
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for limit := time.After(guard); !is(); {
		select {
		case <-limit:
			t.Fatal(what)
		case <-time.After(time.Millisecond):
		}
	}
}

// A call that waits finds what was written just before it, in whatever way. A machine too busy to index that within the
// wait says so, and is asked again.
func TestWhatWasWrittenBeforeACallThatWaitsIsFound(t *testing.T) {
	l := newLibrary(t, map[string]string{"old.md": "# Old\n\nNothing yet.\n"})
	p := l.dial(t)
	save := func(i int, text string) {
		l.write(fmt.Sprintf(".save%d", i), text)
		if err := os.Rename(filepath.Join(l.root, fmt.Sprintf(".save%d", i)), filepath.Join(l.root, "old.md")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		word := fmt.Sprintf("zeppelin%d", i)
		text := "# Word\n\nThe " + word + " flies.\n"
		switch i % 4 {
		case 0:
			l.write(fmt.Sprintf("n%d.md", i), text)
		case 1:
			l.write("old.md", text)
		case 2:
			l.write(fmt.Sprintf("d%d/e/f.md", i), text)
		case 3:
			save(i, text)
		}
		var found struct {
			Total int `json:"total"`
		}
		eventually(t, word+" is indexed", func() bool {
			e, m := p.answered("search_documents", fields{"query": word, "mode": "literal", "wait": 5})
			if err := json.Unmarshal(e.Data, &found); err != nil {
				t.Fatal(err)
			}
			return m.fresh()
		})
		if found.Total != 1 {
			t.Errorf("%q: %d hits in an answer that says to be up to date", word, found.Total)
		}
	}
	if err := os.Remove(filepath.Join(l.root, "old.md")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the removal is indexed", func() bool {
		e, m := p.answered("get_document", fields{"doc_path": "Standard/old.md", "wait": 5})
		if m.fresh() && e.Code != NotFound {
			t.Fatalf("%+v in an answer that says to be up to date", e)
		}
		return m.fresh()
	})
}

// restless serves shelves whose edits rest for an hour before they are read, to a viewer with that sight.
func restless(t *testing.T, sight *store.Sight, shelves ...indexer.Shelf) (*shelftest.Library, *served) {
	t.Helper()
	lib := shelftest.New(t, shelftest.Options{
		Shelves: shelves, Watcher: watcher.Options{Settle: time.Hour, SettleMax: time.Hour},
	})
	if _, err := lib.Indexer.Sync(t.Context(), "", false, nil); err != nil {
		t.Fatal(err)
	}
	return lib, serve(t, Options{Store: lib.Store, Indexer: lib.Indexer, Viewer: func(Peer) Viewer { return viewing{sight} }})
}

func put(t *testing.T, lib *shelftest.Library, path string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(lib.Folder, path), []byte("# Text\n\nWords.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Every answer, refusals among them, says whether edits are pending, of how many paths, and since when all is compared.
func TestAnAnswerSaysWhichEditsItMayLack(t *testing.T) {
	lib, s := restless(t, nil, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: "Open"}})
	p := s.dial(t)
	calls := map[string]fields{
		"browse_documents": {}, "search_documents": {"query": "words"}, "get_document": {"doc_path": "Open/a.md"},
		"get_document_structure": {"doc_path": "Open/a.md"}, "get_node_content": {"doc_path": "Open/a.md", "node_ids": []string{"text"}},
		"related_documents": {"doc_path": "Open/a.md"}, "get_chunk": {"doc_path": "Open/a.md", "line": 3},
		"save_outline": {"doc_path": "Open/a.md"}, "docs_management": {"action": "nonsense"},
	}
	eventually(t, "the library rests", func() bool { _, m := p.answered("browse_documents", fields{}); return m.fresh() })
	for tool, args := range calls {
		if _, m := p.answered(tool, args); !m.fresh() || m.LastReconcile == nil || time.Since(*m.LastReconcile) > time.Hour {
			t.Errorf("%s at rest: %s", tool, encode(m))
		}
	}
	put(t, lib, "Open/a.md")
	put(t, lib, "Open/b.md")
	eventually(t, "two paths are pending", func() bool {
		_, m := p.answered("browse_documents", fields{})
		return m.waiting() == 2
	})
	for tool, args := range calls {
		if s.tools[tool].reads {
			args["wait"] = 0.01
		}
		if _, m := p.answered(tool, args); !m.old() || m.waiting() != 2 {
			t.Errorf("%s while edits rest: %s", tool, encode(m))
		}
	}
	if _, m := p.answered("sync", fields{}); m.Stale == nil {
		t.Errorf("sync: %s", encode(m))
	}
}

// What happens to documents that a caller does not see shows in nothing that is told of freshness.
func TestPendingEditsOfHiddenDocumentsAreNotTold(t *testing.T) {
	sight := store.NewSight(store.Seen{Shelves: []store.ShelfSight{
		{Name: "Open"}, {Name: "Mixed", Rules: []store.PathSight{{Path: "people"}}},
	}})
	whole := store.NewSight(store.Seen{Shelves: []store.ShelfSight{{Name: "Open"}}})
	shelves := []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "Open"}}, {ShelfSpec: store.ShelfSpec{Name: "Mixed"}}, {ShelfSpec: store.ShelfSpec{Name: "Closed"}}}
	lib, all := restless(t, nil, shelves...)
	owner := all.dial(t)
	narrowed := func(sight *store.Sight) *peer {
		return serve(t, Options{Store: lib.Store, Indexer: lib.Indexer, Viewer: func(Peer) Viewer { return viewing{sight} }}).dial(t)
	}
	one, part := narrowed(whole), narrowed(sight)
	eventually(t, "the library rests", func() bool { _, m := owner.answered("browse_documents", fields{}); return m.fresh() })
	put(t, lib, "Closed/a.md")
	put(t, lib, "Mixed/a.md")
	eventually(t, "the owner is told", func() bool {
		_, m := owner.answered("browse_documents", fields{})
		return m.waiting() == 2
	})
	if _, m := one.answered("browse_documents", fields{"wait": 5}); !m.fresh() {
		t.Errorf("who sees the shelf Open only is told %s", encode(m))
	}
	if _, m := part.answered("browse_documents", fields{"wait": 0.01}); m.Stale != nil || m.waiting() != 0 {
		t.Errorf("who sees a part of the shelf Mixed is told %s", encode(m))
	}
	put(t, lib, "Open/a.md")
	eventually(t, "an edit of a shelf that is seen is told", func() bool {
		_, m := part.answered("browse_documents", fields{})
		return m.waiting() == 1 && m.old()
	})
}

// Of a shelf that is looked at from time to time only nobody knows whether it is up to date.
func TestAPolledShelfIsNotSaidToBeUpToDate(t *testing.T) {
	_, s := restless(t, nil, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: "Open"}, Root: watcher.Root{Watch: watcher.WatchPoll, PollInterval: time.Hour}})
	p := s.dial(t)
	eventually(t, "nothing is pending", func() bool {
		_, m := p.answered("browse_documents", fields{"wait": 5})
		return m.waiting() == 0 && m.Stale == nil && m.LastReconcile != nil
	})
}
