package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

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

// TestALinkIsStatedAgainWithOtherWords: one link for each relation of a pair, as it was said last.
func TestALinkIsStatedAgainWithOtherWords(t *testing.T) {
	l, s := plants(t)
	say := func(more fields) (c linkChange) {
		t.Helper()
		args := fields{"source_document": "plant/visit.md", "target_document": "standard/parts/burner.md", "relation": "cleaned"}
		maps.Copy(args, more)
		l.manage(&c, "manage_document_links", "add", args)
		return c
	}
	for _, step := range []struct {
		args    fields
		changed int
	}{
		{fields{"confidence": 0}, 1},
		{fields{"confidence": 0}, 0},
		{fields{"confidence": 0.5, "label": "soot"}, 1},
		{fields{"label": strings.Repeat("x", 1024), "rationale": strings.Repeat("é", 1024)}, 1},
		{fields{"relation": "names"}, 1},
	} {
		if c := say(step.args); c.Changed != step.changed || len(c.Links) != 1 {
			t.Errorf("%v: %+v", step.args, c)
		} else if confidence, given := step.args["confidence"]; given && fmt.Sprint(c.Links[0].Confidence) != fmt.Sprint(confidence) {
			t.Errorf("%v: %+v", step.args, c.Links[0])
		}
	}
	var all linkList
	l.manage(&all, "manage_document_links", "list", fields{"source": "plant/visit.md", "origin": "manual"})
	if all.Total != 2 || all.Links[0].Relation != "cleaned" || len(all.Links[0].Label) == 0 || all.Links[0].Confidence != 1 {
		t.Errorf("%+v", all)
	}
	for says, args := range map[string]fields{
		"label: ":                   {"label": strings.Repeat("x", 1025)},
		"rationale: it is empty":    {"rationale": ""},
		"-0.1 is too small":         {"confidence": -0.1},
		"it is the number 7":        {"relation": 7},
		"target_document: it is a ": {"target_document": []string{"standard/boiler.md"}},
	} {
		bad := fields{"source_document": "plant/visit.md", "target_document": "standard/parts/burner.md", "relation": "cleaned"}
		maps.Copy(bad, args)
		l.refusing(InvalidInput, says, "manage_document_links", "add", bad)
	}
	l.manage(&all, "manage_document_links", "list", fields{"source": "plant/visit.md", "offset": 7})
	if all.Total != 2 || len(all.Links) != 0 || all.Links == nil || all.HasMore {
		t.Errorf("beyond the end: %+v", all)
	}
	l.refusing(InvalidInput, "limit: 101 is too large", "manage_document_links", "list", fields{"limit": 101})
	l.refusing(InvalidInput, "limit: 0 is too small", "manage_document_links", "list", fields{"limit": 0})
	l.refusing(InvalidInput, "offset: -1 is too small", "manage_document_links", "list", fields{"offset": -1})
	s.Matches()
}

func TestARefusalNamesNoPackage(t *testing.T) {
	l, _ := plants(t)
	e := l.refused(InvalidInput, "docs_management", fields{
		"action": "manage_document_links", "operation": "add", "source_document": "plant/visit.md", "target_document": "plant/visit.md", "relation": "is",
	})
	if e.Error != `link "plant/visit.md": a document cannot be linked with itself` {
		t.Error(e.Error)
	}
}
