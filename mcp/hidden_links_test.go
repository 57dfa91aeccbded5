package mcp

import (
	"testing"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// TestReplacingLinksLeavesWhatIsHidden: a link to a document that the caller does not see stays, and a refused
// replacement changes nothing.
func TestReplacingLinksLeavesWhatIsHidden(t *testing.T) {
	lib := shelftest.New(t, shelftest.Options{Shelves: []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "Open"}}, {ShelfSpec: store.ShelfSpec{Name: "Closed"}},
	}})
	for _, path := range []string{"Open/a.md", "Open/b.md", "Open/c.md", "Closed/d.md"} {
		lib.Write(path, "# "+path+"\n")
	}
	lib.Sync()
	sight := store.NewSight(store.Seen{Shelves: []store.ShelfSight{{Name: "Open"}}})
	l := &library{t: t, ix: lib.Indexer, served: serve(t, Options{Store: lib.Store, Indexer: lib.Indexer, Viewer: func(Peer) Viewer { return viewing{sight} }})}
	to := func(target string) store.ManualLink {
		return store.ManualLink{Source: "Open/a.md", Target: target, Relation: "needs", Confidence: 1}
	}
	if _, err := lib.Indexer.AddLinks(t.Context(), to("Open/b.md"), to("Closed/d.md")); err != nil {
		t.Fatal(err)
	}
	said := func(want ...string) {
		t.Helper()
		links := lib.Ledger.Said().Links["Open/a.md"]
		targets := map[string]bool{}
		for _, link := range links {
			targets[link.Target] = true
		}
		for _, target := range want {
			if !targets[target] || len(links) != len(want) {
				t.Errorf("%+v, want links to %v", links, want)
			}
		}
	}
	replace := func(links ...fields) fields {
		return fields{"source_document": "Open/a.md", "links": append([]fields{}, links...)}
	}
	next := fields{"target_document": "Open/c.md", "relation": "needs"}
	l.refusing(InvalidInput, "is given twice", "manage_document_links", "replace_for_document", replace(next, next))
	said("Open/b.md", "Closed/d.md")
	var c struct{ Changed int }
	l.manage(&c, "manage_document_links", "replace_for_document", replace(next))
	if c.Changed != 2 {
		t.Errorf("changed %d, want one that came and one that went", c.Changed)
	}
	said("Open/c.md", "Closed/d.md")
	lines := lib.Ledger.Len()
	l.manage(&c, "manage_document_links", "replace_for_document", replace(fields{"target_document": "Open/b.md", "relation": "needs"}))
	said("Open/b.md", "Closed/d.md")
	if n := lib.Ledger.Len() - lines; n != 1 {
		t.Errorf("%d statements: a kill between them would leave half of a replacement", n)
	}
	l.manage(&c, "manage_document_links", "replace_for_document", replace())
	said("Closed/d.md")
}
