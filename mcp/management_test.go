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

func TestManualLinksTakePathsAndIds(t *testing.T) {
	l, s := heating(t)
	boiler, pump := s.ID("client/boiler.md"), s.ID("product/pump.md")
	var c linkChange
	l.manage(&c, "manage_document_links", "add", fields{"source_document_id": boiler, "target_document": "product/pump.md", "relation": "needs", "confidence": 0.75, "label": "here", "rationale": "it says so"})
	want := linkEntry{
		Source: "client/boiler.md", Target: "product/pump.md", SourceID: boiler, TargetID: pump, Title: "Pump pressure",
		Relation: "needs", Origin: "manual", Confidence: 0.75, Label: "here", Rationale: "it says so",
	}
	if c.Changed != 1 || len(c.Links) != 1 || fmt.Sprint(c.Links[0]) != fmt.Sprint(want) {
		t.Errorf("%+v", c)
	}
	l.manage(&c, "manage_document_links", "add", fields{"source_document": "client/boiler.md", "target_document_id": pump, "relation": "cites"})
	if c.Changed != 1 || len(c.Links) != 1 || c.Links[0].Relation != "cites" || c.Links[0].Confidence != 1 {
		t.Errorf("%+v", c)
	}
	for _, bad := range []struct {
		args fields
		code Code
		says string
	}{
		{fields{"target_document": "product/pump.md"}, InvalidInput, "source_document or source_document_id: one of the two is needed"},
		{fields{"source_document": "client/boiler.md", "source_document_id": boiler, "target_document": "product/pump.md"}, InvalidInput, "not both"},
		{fields{"source_document": "client/boiler.md"}, InvalidInput, "target_document or target_document_id"},
		{fields{"source_document": "client/boyler.md", "target_document": "product/pump.md"}, NotFound, `no document "client/boyler.md"; close: client/boiler.md`},
		{fields{"source_document": "client", "target_document": "product/pump.md"}, NotFound, `"client" is a folder`},
		{fields{"source_document_id": 999, "target_document": "product/pump.md"}, NotFound, `no document with the id "999"`},
		{fields{"source_document_id": 0, "target_document": "product/pump.md"}, InvalidInput, "too small"},
		{fields{"source_document": "client/boiler.md", "target_document": "client/boiler.md"}, InvalidInput, "linked with itself"},
		{fields{"source_document": "client/boiler.md", "target_document": "product/pump.md", "confidence": 1.5}, InvalidInput, "1.5 is too large"},
		{fields{"source_document": "client/boiler.md", "target_document": "product/pump.md", "confidence": "1"}, InvalidInput, "not a number"},
		{fields{"source_document": "client/boiler.md", "target_document": "product/pump.md", "relation": ""}, InvalidInput, "relation: it is empty"},
	} {
		if _, given := bad.args["relation"]; !given {
			bad.args["relation"] = "needs"
		}
		l.refusing(bad.code, bad.says, "manage_document_links", "add", bad.args)
	}
	l.manage(&c, "manage_document_links", "remove", fields{"source_document_id": boiler, "target_document_id": pump, "relation": "cites"})
	if c.Changed != 1 || len(c.Links) != 1 || c.Links[0].Relation != "needs" {
		t.Errorf("%+v", c)
	}
	for _, changed := range []int{1, 0} {
		l.manage(&c, "manage_document_links", "remove", fields{"source_document": "client/boiler.md", "target_document": "product/pump.md"})
		if c.Changed != changed || c.Links == nil || len(c.Links) != 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestLinksOfADocumentThatIsGoneCanBeTakenBack(t *testing.T) {
	l, s := heating(t)
	pump := s.ID("product/pump.md")
	for _, target := range []string{"product/pump.md", "product/chimney.md"} {
		l.manage(nil, "manage_document_links", "add", fields{"source_document": "client/boiler.md", "target_document": target, "relation": "needs"})
	}
	s.Remove("product/pump.md", "product/chimney.md")
	s.Sync()
	l.refusing(NotFound, "no document", "manage_document_links", "add", fields{"source_document": "client/boiler.md", "target_document": "product/pump.md", "relation": "needs"})
	var c linkChange
	l.manage(&c, "manage_document_links", "remove", fields{"source_document": "client/boiler.md", "target_document_id": pump})
	if c.Changed != 1 {
		t.Errorf("by id: %+v", c)
	}
	l.manage(&c, "manage_document_links", "remove", fields{"source_document": "client/boiler.md", "target_document": "product/chimney.md"})
	if c.Changed != 1 || len(s.Ledger.Said().Links) != 0 {
		t.Errorf("by path: %+v %+v", c, s.Ledger.Said().Links)
	}
}

func TestAllLinksOfADocumentAreReplaced(t *testing.T) {
	l, s := heating(t)
	var c linkChange
	for _, step := range []struct {
		links   []fields
		changed int
	}{
		{[]fields{{"target_document": "product/pump.md", "relation": "needs", "label": "here"}, {"target_document_id": s.ID("product/boiler.md"), "relation": "extends", "confidence": 0.5}}, 2},
		{[]fields{{"target_document_id": s.ID("product/boiler.md"), "relation": "extends", "confidence": 0.5}, {"target_document": "product/pump.md", "relation": "needs", "label": "here"}}, 0},
		{[]fields{{"target_document": "product/pump.md", "relation": "needs", "rationale": "said so"}}, 2},
		{[]fields{}, 1},
	} {
		l.manage(&c, "manage_document_links", "replace_for_document", fields{"source_document": "client/boiler.md", "links": step.links})
		if c.Changed != step.changed || len(c.Links) != len(step.links) {
			t.Errorf("%v: %+v", step.links, c)
		}
	}
	for says, links := range map[string]any{
		"links[0].relation: it is required":               []fields{{"target_document": "product/pump.md"}},
		"links[1].colour: there is no such argument":      []fields{{"target_document": "product/pump.md", "relation": "a"}, {"target_document": "product/pump.md", "relation": "b", "colour": "red"}},
		"links[0]: target_document or target_document_id": []fields{{"relation": "a"}},
		`links[1]: no document "product/x.md"`:            []fields{{"target_document": "product/pump.md", "relation": "a"}, {"target_document": "product/x.md", "relation": "a"}},
		"links: it is the string":                         "all",
		"links[0]: it is the string":                      []string{"product/pump.md"},
		`relation "a" is given twice`:                     []fields{{"target_document": "product/pump.md", "relation": "a"}, {"target_document": "product/pump.md", "relation": "a"}},
	} {
		code := InvalidInput
		if strings.Contains(says, "no document") {
			code = NotFound
		}
		l.refusing(code, says, "manage_document_links", "replace_for_document", fields{"source_document": "client/boiler.md", "links": links})
	}
	if len(s.Ledger.Said().Links) != 0 {
		t.Errorf("a refused call left %+v", s.Ledger.Said().Links)
	}
}

func TestLinksAreListedByShelfEndsAndOrigin(t *testing.T) {
	l, s := heating(t)
	s.Append("product/chimney.md", "\nSee [the pump](pump.md).\n")
	s.Sync()
	l.manage(nil, "manage_document_links", "add", fields{"source_document": "other/notes.md", "target_document": "product/pump.md", "relation": "cites"})
	list := func(args fields) linkList {
		var all linkList
		l.manage(&all, "manage_document_links", "list", args)
		return all
	}
	all := list(nil)
	if all.Total != len(all.Links) || all.HasMore || all.Links[0].Origin != "manual" || all.Links[1].Origin != "text" || all.Links[2].Origin != "heuristic" {
		t.Errorf("%+v", all)
	}
	for _, c := range []struct {
		args fields
		want func(linkEntry) bool
	}{
		{fields{"shelf": "product"}, func(e linkEntry) bool { return strings.HasPrefix(e.Source, "product/") }},
		{fields{"origin": "manual"}, func(e linkEntry) bool { return e.Origin == "manual" }},
		{fields{"origin": "heuristic", "shelf": "client"}, func(e linkEntry) bool { return e.Origin == "heuristic" && strings.HasPrefix(e.Source, "client/") }},
		{fields{"target": "product/pump.md"}, func(e linkEntry) bool { return e.Target == "product/pump.md" }},
		{fields{"target_document": "product/pump.md"}, func(e linkEntry) bool { return e.Target == "product/pump.md" }},
		{fields{"target_document_id": s.ID("product/pump.md"), "source": "other/notes.md"}, func(e linkEntry) bool { return e.Target == "product/pump.md" && e.Source == "other/notes.md" }},
		{fields{"source_document": "client/boiler.md"}, func(e linkEntry) bool { return e.Source == "client/boiler.md" }},
		{fields{"source_document_id": s.ID("client/boiler.md")}, func(e linkEntry) bool { return e.Source == "client/boiler.md" }},
	} {
		wanted := 0
		for _, e := range all.Links {
			if c.want(e) {
				wanted++
			}
		}
		got := list(c.args)
		if wanted == 0 || got.Total != wanted || slices.ContainsFunc(got.Links, func(e linkEntry) bool { return !c.want(e) }) {
			t.Errorf("%v: %+v, want %d", c.args, got, wanted)
		}
	}
	var paged []linkEntry
	for offset := 0; ; {
		page := list(fields{"limit": 2, "offset": offset})
		paged = append(paged, page.Links...)
		if !page.HasMore {
			break
		}
		offset = page.NextOffset
	}
	if fmt.Sprint(paged) != fmt.Sprint(all.Links) {
		t.Errorf("%v", paged)
	}
	l.refusing(InvalidInput, "named twice", "manage_document_links", "list", fields{"source": "client/boiler.md", "source_document_id": 1})
	l.refusing(InvalidInput, "not a choice", "manage_document_links", "list", fields{"origin": "magic"})
	l.refusing(NotFound, "no shelf", "manage_document_links", "list", fields{"shelf": "nowhere"})
	l.refusing(NotFound, "no document", "manage_document_links", "list", fields{"target": "product/x.md"})
}

func TestCorrelateShowsAndApplies(t *testing.T) {
	l, s := heating(t)
	ask := func(args fields) (c correlated) {
		t.Helper()
		l.manage(&c, "correlate", "", args)
		for _, sample := range c.Samples {
			if len(sample.Signals) != 6 || sample.SignalCount == 0 || sample.Rationale == "" || sample.SourceID == 0 || sample.TargetID == 0 {
				t.Errorf("%+v", sample)
			}
		}
		return c
	}
	c := ask(fields{"mode": "shelf", "shelf": "product"})
	if c.Mode != "shelf" || c.Apply || c.Proposed != 2 || c.Written != 0 || len(c.Samples) != 2 || !c.Samples[0].Stored || c.Candidates < 2 {
		t.Errorf("%+v", c)
	}
	if c.Parameters != (parameters{"shelf_with_parents", 0.5, 2, 8}) {
		t.Errorf("%+v", c.Parameters)
	}
	before := s.Dump()
	c = ask(fields{"mode": "shelf", "shelf": "product", "min_confidence": 0.1, "min_signal_count": 1, "max_links_per_document": 1, "scope": "cross_shelf", "apply": false})
	if c.Proposed != 3 || c.Parameters != (parameters{"cross_shelf", 0.1, 1, 1}) || slices.ContainsFunc(c.Samples, func(l sampleLink) bool { return strings.HasPrefix(l.Target, "client/") }) {
		t.Errorf("%+v", c)
	}
	if s.Dump() != before {
		t.Error("a dry run changed something")
	}
	for _, by := range []fields{{"document": "client/boiler.md"}, {"document_id": s.ID("client/boiler.md")}} {
		by["mode"] = "document"
		c = ask(by)
		if c.Document != "client/boiler.md" || c.Proposed != 2 || c.Samples[0].Relation != "extends_standard" || c.Samples[0].Confidence < c.Samples[1].Confidence {
			t.Errorf("%+v", c)
		}
	}
	c = ask(fields{"mode": "document", "document": "client/boiler.md", "scope": "shelf", "apply": true})
	if c.Removed != 2 || c.Proposed != 0 || len(c.Samples) != 0 || c.Samples == nil {
		t.Errorf("%+v", c)
	}
	s.Matches()
	c = ask(fields{"mode": "document", "document": "client/boiler.md", "scope": "shelf_with_parents", "apply": true})
	if c.Written != 2 || !c.Samples[0].Stored {
		t.Errorf("%+v", c)
	}
	s.Matches()
	for _, bad := range []struct {
		args fields
		code Code
		says string
	}{
		{fields{"mode": "all"}, InvalidInput, "not a choice"},
		{fields{"mode": "shelf"}, InvalidInput, "shelf: mode shelf needs it"},
		{fields{"mode": "shelf", "shelf": "product", "document": "product/pump.md"}, InvalidInput, "mode shelf takes a shelf"},
		{fields{"mode": "document"}, InvalidInput, "document or document_id: one of the two is needed"},
		{fields{"mode": "document", "shelf": "product", "document": "product/pump.md"}, InvalidInput, "mode document takes a document"},
		{fields{"mode": "document", "document": "product/pomp.md"}, NotFound, "close: product/pump.md"},
		{fields{"mode": "shelf", "shelf": "prodct"}, NotFound, "close: product"},
		{fields{"mode": "shelf", "shelf": "product", "scope": "everything"}, InvalidInput, "scope"},
		{fields{"mode": "shelf", "shelf": "product", "min_confidence": -0.1}, InvalidInput, "too small"},
		{fields{"mode": "shelf", "shelf": "product", "min_signal_count": 7}, InvalidInput, "too large"},
		{fields{"mode": "shelf", "shelf": "product", "max_links_per_document": 1.5}, InvalidInput, "not an integer"},
		{fields{"mode": "shelf", "shelf": "product", "apply": "yes"}, InvalidInput, "not a boolean"},
	} {
		l.refusing(bad.code, bad.says, "correlate", "", bad.args)
	}
}

func TestPruneShowsAndRemoves(t *testing.T) {
	l, s := heating(t)
	l.manage(nil, "correlate", "", fields{"mode": "shelf", "shelf": "product", "min_confidence": 0.1, "apply": true})
	l.manage(nil, "manage_document_links", "add", fields{"source_document": "product/chimney.md", "target_document": "product/pump.md", "relation": "related", "confidence": 0.1})
	var p pruning
	l.manage(&p, "manage_document_links", "prune_heuristic_links", fields{"shelf": "product", "max_confidence": 0.4})
	weak := p.Total
	if p.Apply || weak == 0 || len(p.Candidates) != weak || p.Removed != 0 || p.Candidates[0].Origin != "heuristic" {
		t.Fatalf("%+v", p)
	}
	l.manage(&p, "manage_document_links", "prune_heuristic_links", fields{"max_confidence": 0.4, "apply": true})
	if !p.Apply || p.Removed != weak || p.Remaining != 0 {
		t.Errorf("%+v", p)
	}
	s.Matches()
	var left linkList
	l.manage(&left, "manage_document_links", "list", fields{"source": "product/chimney.md"})
	if left.Total != 1 || left.Links[0].Origin != "manual" {
		t.Errorf("%+v", left)
	}
	l.refusing(InvalidInput, "max_confidence: it is required", "manage_document_links", "prune_heuristic_links", nil)
	l.refusing(NotFound, "no shelf", "manage_document_links", "prune_heuristic_links", fields{"max_confidence": 0.4, "shelf": "x"})
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

func TestProgressOfCorrelateOverASession(t *testing.T) {
	l, _ := heating(t)
	p := l.dial(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"docs_management","arguments":{"action":"correlate","mode":"shelf","shelf":"product","min_confidence":0.2,"apply":true},"_meta":{"progressToken":"tok"}}}`)
	last := -1.0
	for {
		r := p.receive()
		if r.Method == "notifications/progress" {
			if at := r.Params["progress"].(float64); at <= last || r.Params["total"].(float64) < at {
				t.Errorf("%v after %v", r.Params, last)
			} else {
				last = at
			}
			continue
		}
		if out := r.tool(t); out.IsError {
			t.Errorf("%+v", out)
		}
		return
	}
}
