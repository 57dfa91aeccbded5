package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// heating serves three shelves: a product's manual, a client's variant of it that extends the manual by configuration,
// and one that has nothing to do with them.
func heating(t *testing.T) (*library, *shelftest.Library) {
	t.Helper()
	p := correlate.DefaultParams()
	p.MinConfidence = 0.5
	s := shelftest.New(t, shelftest.Options{Correlate: &p, Stopped: true, Shelves: []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "product", Description: "The manual"}},
		{ShelfSpec: store.ShelfSpec{Name: "client"}, Parents: []string{"product"}, Declared: "config.yaml:6", ParentsAt: "config.yaml:8"},
		{ShelfSpec: store.ShelfSpec{Name: "other"}},
	}})
	const page = "---\ntags: [heat, water]\n---\n# %s pressure\n\n## Filling\n\nOpen the valve and fill water until the gauge shows %s bar.\n\n## Venting\n\nLet air out.\n"
	s.Write("product/boiler.md", fmt.Sprintf(page, "Boiler", "two"))
	s.Write("product/pump.md", fmt.Sprintf(page, "Pump", "three"))
	s.Write("product/chimney.md", "---\ntags: [heat]\n---\n# Chimney\n\n## Sweeping\n\nOnce a year, with a brush of steel.\n")
	s.Write("client/boiler.md", fmt.Sprintf(page, "Boiler", "one"))
	s.Write("other/notes.md", "# Meeting notes\n\nNothing of interest was said.\n")
	s.Start()
	s.Sync()
	l := &library{t: t, ix: s.Indexer, served: serve(t, Options{Store: s.Store, Indexer: s.Indexer})}
	return l, s
}

// manage calls docs_management; action and operation stand before the other arguments.
func (l *library) manage(data any, action, operation string, args fields) envelope {
	l.t.Helper()
	return l.ok("docs_management", managing(action, operation, args), data)
}

func managing(action, operation string, args fields) fields {
	all := fields{"action": action}
	if operation != "" {
		all["operation"] = operation
	}
	for name, value := range args {
		all[name] = value
	}
	return all
}

// refusing calls docs_management and expects a refusal that says something.
func (l *library) refusing(code Code, says, action, operation string, args fields) {
	l.t.Helper()
	e := l.refused(code, "docs_management", managing(action, operation, args))
	if !strings.Contains(e.Error, says) {
		l.t.Errorf("%s %s %v: %q, want %q", action, operation, args, e.Error, says)
	}
}

func TestEveryOperationRefusesWhatItDoesNotTake(t *testing.T) {
	l, _ := heating(t)
	for name, a := range managementActions() {
		operations := a.operations
		if operations == nil {
			operations = map[string]action{"": a}
		}
		for operation, o := range operations {
			var required []string
			for _, p := range o.params {
				if p.required && p.name != "action" && p.name != "operation" {
					required = append(required, p.name)
				}
			}
			e := l.ask("docs_management", managing(name, operation, fields{"nonsense": 1}))
			faults := map[string]string{}
			for _, f := range e.Details.Rejected {
				faults[f.Field] = f.Reason
			}
			for _, field := range required {
				if faults[field] != "it is required" {
					t.Errorf("%s %s: %s is not asked for: %v", name, operation, field, faults)
				}
			}
			if faults["nonsense"] != "there is no such argument" || len(faults) != len(required)+1 {
				t.Errorf("%s %s: %v", name, operation, faults)
			}
			for _, p := range managementParams() {
				taken := slices.ContainsFunc(o.params, func(q param) bool { return q.name == p.name })
				e := l.ask("docs_management", managing(name, operation, fields{"nonsense": 1, p.name: nil}))
				if e.Code != InvalidInput || taken && p.name != "operation" && strings.Contains(e.Error, p.name+": there is no") {
					t.Errorf("%s %s %s: %s", name, operation, p.name, e.Error)
				}
			}
		}
	}
	l.refusing(InvalidInput, "operation: it is required", "manage_document_links", "", nil)
	l.refusing(InvalidInput, `operation: "ad" is not a choice; did you mean "add"?`, "manage_document_links", "ad", nil)
	l.refusing(InvalidInput, "operation: there is no such argument", "correlate", "add", fields{"mode": "shelf", "shelf": "product"})
}

func TestParentsOfShelvesAreManaged(t *testing.T) {
	l, _ := heating(t)
	var h hierarchy
	l.manage(&h, "manage_shelf_links", "list", nil)
	if len(h.Shelves) != 3 || len(h.Links) != 1 || h.Links[0] != (parentEntry{"product", "client", "parent", "config", "config.yaml:8"}) {
		t.Errorf("%+v", h)
	}
	var c parentsChange
	l.manage(&c, "manage_shelf_links", "add_parent", fields{"shelf": "other", "parent_shelf": "client"})
	if c.Changed != 1 || c.Shelf.Name != "other" || fmt.Sprint(c.Shelf.Parents) != "[client]" {
		t.Errorf("%+v", c)
	}
	l.manage(&c, "manage_shelf_links", "add_parent", fields{"shelf": "other", "parent_shelf": "client"})
	if c.Changed != 0 {
		t.Errorf("%+v", c)
	}
	l.refusing(InvalidInput, "cycle: client → other → client", "manage_shelf_links", "add_parent", fields{"shelf": "client", "parent_shelf": "other"})
	l.refusing(InvalidInput, "cycle: client → product → other → client", "manage_shelf_links", "set_parents", fields{"shelf": "product", "parent_shelves": []string{"other"}})
	l.refusing(InvalidInput, "cycle: product → product", "manage_shelf_links", "add_parent", fields{"shelf": "product", "parent_shelf": "product"})
	l.refusing(InvalidInput, "config.yaml:8", "manage_shelf_links", "remove_parent", fields{"shelf": "client", "parent_shelf": "product"})
	l.refusing(InvalidInput, "config.yaml:8", "manage_shelf_links", "set_parents", fields{"shelf": "client", "parent_shelves": []string{}})
	l.refusing(NotFound, `no shelf "prodct"; close: product`, "manage_shelf_links", "add_parent", fields{"shelf": "other", "parent_shelf": "prodct"})
	l.refusing(NotFound, `no shelf "othr"`, "manage_shelf_links", "set_parents", fields{"shelf": "othr", "parent_shelves": []string{"product"}})
	l.refusing(NotFound, `no shelf "x"`, "manage_shelf_links", "list", fields{"shelf": "x"})
	l.manage(&c, "manage_shelf_links", "set_parents", fields{"shelf": "other", "parent_shelves": []string{"product"}})
	if c.Changed != 2 || fmt.Sprint(c.Shelf.Parents) != "[product]" {
		t.Errorf("%+v", c)
	}
	h = hierarchy{}
	l.manage(&h, "manage_shelf_links", "list", fields{"shelf": "other"})
	if len(h.Shelves) != 2 || len(h.Links) != 1 || h.Links[0] != (parentEntry{"product", "other", "parent", "manual", ""}) {
		t.Errorf("%+v", h)
	}
	l.manage(&c, "manage_shelf_links", "remove_parent", fields{"shelf": "other", "parent_shelf": "product"})
	if c.Changed != 1 || c.Shelf.Parents == nil || len(c.Shelf.Parents) != 0 {
		t.Errorf("%+v", c)
	}
	l.manage(&c, "manage_shelf_links", "remove_parent", fields{"shelf": "other", "parent_shelf": "product"})
	if c.Changed != 0 {
		t.Errorf("%+v", c)
	}
}

func TestParentsAreGivenAsAList(t *testing.T) {
	l, s := plants(t)
	var c parentsChange
	l.manage(&c, "manage_shelf_links", "set_parents", fields{"shelf": "neighbour", "parent_shelves": []string{"plant", "standard", "plant"}})
	if c.Changed != 2 || fmt.Sprint(c.Shelf.Parents) != "[plant standard]" {
		t.Errorf("%+v", c)
	}
	for says, list := range map[string]any{
		"parent_shelves: it is the string": "plant",
		"entry 2: it is the number 7":      []any{"plant", 7},
		"cycle: neighbour → neighbour":     []string{"neighbour"},
	} {
		l.refusing(InvalidInput, says, "manage_shelf_links", "set_parents", fields{"shelf": "neighbour", "parent_shelves": list})
	}
	l.refusing(InvalidInput, "parent_shelves: it is required", "manage_shelf_links", "set_parents", fields{"shelf": "neighbour"})
	l.refusing(NotFound, `no shelf "plnt"; close: plant`, "manage_shelf_links", "set_parents", fields{"shelf": "neighbour", "parent_shelves": []string{"standard", "plnt"}})
	l.refusing(NotFound, `no shelf "plnt"; close: plant`, "manage_shelf_links", "remove_parent", fields{"shelf": "plnt", "parent_shelf": "standard"})
	var h hierarchy
	l.manage(&h, "manage_shelf_links", "list", fields{"shelf": "neighbour"})
	if len(h.Links) != 2 {
		t.Errorf("a refused call changed the parents: %+v", h)
	}
	l.manage(&c, "manage_shelf_links", "set_parents", fields{"shelf": "neighbour", "parent_shelves": []string{}})
	if c.Changed != 2 || len(c.Shelf.Parents) != 0 {
		t.Errorf("%+v", c)
	}
	s.Matches()
}

func TestManifestsTravelThroughTools(t *testing.T) {
	l, _ := heating(t)
	away, _ := heating(t)
	l.manage(nil, "manage_document_links", "add", fields{"source_document": "client/boiler.md", "target_document": "product/pump.md", "relation": "needs", "label": "<&>"})
	var out struct {
		Manifest   json.RawMessage
		Pagination pagination
	}
	l.manage(&out, "export", "", fields{"shelf": "client"})
	if out.Pagination != (pagination{1, 1, false}) {
		t.Errorf("%+v", out.Pagination)
	}
	var manifest fields
	if err := json.Unmarshal(out.Manifest, &manifest); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		dry     bool
		changed int
	}{{true, 1}, {false, 1}, {false, 0}} {
		var in imported
		away.manage(&in, "import", "", fields{"manifest": manifest, "dry_run": step.dry})
		if in.Shelf != "client" || in.DryRun != step.dry || in.Total != 1 || in.Changed != step.changed || in.Warnings == nil || len(in.Warnings) != 0 {
			t.Errorf("%+v", in)
		}
	}
	var again struct{ Manifest json.RawMessage }
	away.manage(&again, "export", "", fields{"shelf": "client"})
	if string(again.Manifest) != string(out.Manifest) {
		t.Errorf("%s\n%s", out.Manifest, again.Manifest)
	}
	var in imported
	away.manage(&in, "import", "", fields{"manifest": manifest, "shelf": "other"})
	if in.Changed != 0 || len(in.Warnings) != 1 || !strings.Contains(in.Warnings[0], `"other/boiler.md"`) {
		t.Errorf("%+v", in)
	}
	delete(manifest, "format_version")
	away.refusing(InvalidInput, "no format_version", "import", "", fields{"manifest": manifest})
	away.refusing(InvalidInput, "not an object", "import", "", fields{"manifest": "text"})
	manifest["format_version"], manifest["shelf"] = 2, fields{"name": "gone"}
	away.refusing(NotFound, `no shelf "gone"`, "import", "", fields{"manifest": manifest})
	away.refusing(NotFound, `no shelf "x"`, "import", "", fields{"manifest": manifest, "shelf": "x"})
	away.refusing(NotFound, `no shelf "x"`, "export", "", fields{"shelf": "x"})
}

// TestALongManifestComesInPartsThatAreManifests: together they are what the command line writes.
func TestALongManifestComesInPartsThatAreManifests(t *testing.T) {
	l, s := heating(t)
	for i := range 300 {
		s.Write(fmt.Sprintf("other/%s-%03d.md", strings.Repeat("long-name-", 6), i), fmt.Sprintf("# %s %d\n", strings.Repeat("Very long title ", 10), i))
	}
	s.Sync()
	var whole, joined store.Manifest
	s.View(func(v *store.View) (err error) {
		whole, err = v.Manifest("other")
		return err
	})
	parts := 0
	for part := 1; ; part++ {
		var out struct {
			Manifest   json.RawMessage
			Pagination pagination
		}
		l.manage(&out, "export", "", fields{"shelf": "other", "part": part})
		m, err := store.ParseManifest(out.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		joined.FormatVersion, joined.Shelf = m.FormatVersion, m.Shelf
		joined.Documents, joined.Links = append(joined.Documents, m.Documents...), append(joined.Links, m.Links...)
		if parts++; !out.Pagination.HasMore {
			break
		}
	}
	if joined.Links == nil {
		joined.Links = []store.ManifestLink{}
	}
	a, errA := whole.Encode()
	b, errB := joined.Encode()
	if err := errors.Join(errA, errB); err != nil || parts < 3 || string(a) != string(b) {
		t.Errorf("%v; %d parts, %d and %d bytes", err, parts, len(a), len(b))
	}
	l.refusing(InvalidInput, "there is no part", "export", "", fields{"shelf": "other", "part": parts + 1})
}

func TestAShelfThatIsGoneIsForgotten(t *testing.T) {
	l, s := heating(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.md"), []byte("# Alpha\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.manage(nil, "manage_shelves", "add", fields{"root": folder, "name": "usb"})
	l.sync()
	l.refusing(InvalidInput, "is there; remove the shelf instead", "manage_shelves", "forget", fields{"shelf": "usb"})
	l.refusing(InvalidInput, "config.yaml:6", "manage_shelves", "forget", fields{"shelf": "client"})
	l.refusing(InvalidInput, "config.yaml:6", "manage_shelves", "remove", fields{"shelf": "client"})
	l.refusing(NotFound, `no shelf "ubs"; close: usb`, "manage_shelves", "forget", fields{"shelf": "ubs"})
	l.refusing(InvalidInput, "operation forget needs it", "manage_shelves", "forget", nil)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	l.sync()
	var c shelfChange
	l.manage(&c, "manage_shelves", "forget", fields{"shelf": "usb"})
	if c.Changed != 1 || c.Shelf.Name != "usb" || s.ID("usb/a.md") != 0 {
		t.Errorf("%+v", c)
	}
}

// TestTheNeighbourhoodIsRankedAndEachEdgeHasItsReason: related_documents to depth 3.
func TestTheNeighbourhoodIsRankedAndEachEdgeHasItsReason(t *testing.T) {
	l, s := heating(t)
	s.Write("product/index.md", "# All parts\n\n- [the pump](pump.md)\n")
	s.Sync()
	l.manage(nil, "manage_document_links", "add", fields{"source_document": "other/notes.md", "target_document": "product/index.md", "relation": "cites", "rationale": "agreed in the meeting"})
	depths := map[int]int{}
	for depth := 1; depth <= 3; depth++ {
		var n neighbourhood
		l.ok("related_documents", fields{"doc_path": "other/notes.md", "depth": depth, "limit": 50}, &n)
		depths[depth] = n.Total
		last := 0
		for _, e := range n.Links {
			if e.Depth < last || e.Depth > depth {
				t.Errorf("depth %d: %+v", depth, e)
			}
			last = e.Depth
			if e.Origin == store.OriginHeuristic && (e.Rationale == "" || strings.Contains(e.Rationale, "\n") || len(e.Signals) == 0) || e.Origin == store.OriginText && len(e.Lines) == 0 {
				t.Errorf("no reason: %+v", e)
			}
		}
	}
	if depths[1] != 1 || depths[2] <= depths[1] || depths[3] <= depths[2] {
		t.Errorf("%v", depths)
	}
	l.refused(InvalidInput, "related_documents", fields{"doc_path": "other/notes.md", "depth": 4})
}
