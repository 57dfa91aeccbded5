package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// manual is a small library: two languages, folders, links, front matter.
func manual() map[string]string {
	return map[string]string{
		"boiler/valves.md": "---\ntitle: Valves of the boiler\ndescription: How the valves are set\ntags: [safety, boiler]\nstatus: draft\n---\nIntroduction before any heading.\n\n" +
			"# Valves\n\nThe relief valve opens at three bar. See [the pump](pump.md).\n\n## Torque\n\nTighten the flange to forty newton metres.\n\n### Tools\n\nA torque wrench.\n\n## Leaks\n\nDry the seat.\n",
		"boiler/pump.md":  "# Pump\n\nThe pump turns clockwise.\n\n## Torque\n\nTwelve newton metres.\n",
		"it/valvole.md":   "# Valvole\n\nLa valvola di sicurezza si apre perché la pressione supera tre bar.\n",
		"zh/lizhi.md":     "# 离职\n\n离职补偿按工龄计算。\n",
		"readme.md":       "# Start\n\nWhat stands where.\n",
		"notes/empty.md":  "",
		"notes/crlf.md":   "\ufeff# First\r\n\r\nalpha\r\nbeta\r\n",
		"notes/broken.md": "---\na: b: c\n---\n# Broken front matter\n\nStill here.\n",
	}
}

func TestBrowsingLeadsFromShelvesToDocuments(t *testing.T) {
	l := newLibrary(t, manual())
	var top, shelf, boiler listing
	l.ok("browse_documents", nil, &top)
	if len(top.Folders) != 1 || top.Folders[0].Path != "Standard" || top.Folders[0].Description != "Product manual" || top.Folders[0].Documents != 8 || top.Folders[0].State != "watching" {
		t.Errorf("top: %+v", top)
	}
	if top.Total != 1 || top.HasMore || len(top.Documents) != 0 {
		t.Errorf("top: %+v", top)
	}
	l.ok("browse_documents", fields{"folder": "Standard"}, &shelf)
	var names []string
	for _, f := range shelf.Folders {
		names = append(names, f.Name)
	}
	if strings.Join(names, " ") != "boiler it notes zh" || len(shelf.Documents) != 1 || shelf.Documents[0].DocPath != "Standard/readme.md" || shelf.Total != 5 {
		t.Errorf("shelf: %+v", shelf)
	}
	e := l.ok("browse_documents", fields{"folder": "Standard/boiler/"}, &boiler)
	want := documentEntry{"Standard/boiler/valves.md", "Valves of the boiler", "How the valves are set", 0, ""}
	got := boiler.Documents[1]
	got.Tokens, got.UpdatedAt = 0, ""
	if got != want || boiler.Documents[1].Tokens == 0 || boiler.Documents[1].UpdatedAt == "" {
		t.Errorf("boiler: %+v", boiler.Documents)
	}
	if !strings.Contains(strings.Join(e.Next.Options, " "), `get_document(doc_path="Standard/boiler/pump.md")`) {
		t.Errorf("next steps: %+v", e.Next)
	}
}

func TestBrowsePagesDocumentsInTheOrderAskedFor(t *testing.T) {
	files := map[string]string{}
	for i := range 25 {
		files[fmt.Sprintf("d%02d.md", i)] = fmt.Sprintf("# Title %02d\n\ntext\n", 99-i)
	}
	files["sub/x.md"] = "# x\n"
	l := newLibrary(t, files)
	for order, first := range map[string]string{"path": "d00.md", "title": "d24.md"} {
		var paths []string
		offset := 0
		for range 10 {
			var page listing
			l.ok("browse_documents", fields{"folder": "Standard", "sort": order, "offset": offset}, &page)
			if page.Total != 26 || (len(page.Folders) == 1) != (offset == 0) {
				t.Errorf("total %d, folders %v at offset %d", page.Total, page.Folders, offset)
			}
			for _, d := range page.Documents {
				paths = append(paths, d.DocPath)
			}
			if !page.HasMore {
				break
			}
			offset = page.NextOffset
		}
		if len(paths) != 25 || paths[0] != "Standard/"+first || len(slices.Compact(slices.Sorted(slices.Values(paths)))) != 25 {
			t.Errorf("%s: %v", order, paths)
		}
	}
	var beyond listing
	l.ok("browse_documents", fields{"folder": "Standard", "offset": 1000}, &beyond)
	if beyond.HasMore || len(beyond.Documents) != 0 || beyond.Total != 26 {
		t.Errorf("beyond the end: %+v", beyond)
	}
}

// Seven hundred folders do not fit one answer; following next_offset shows every folder and document once.
func TestManyFoldersArePagedToo(t *testing.T) {
	files := map[string]string{}
	for i := range 700 {
		files[fmt.Sprintf("a folder with a long name, number %04d/x.md", i)] = "# x\n"
	}
	for i := range 60 {
		files[fmt.Sprintf("doc%02d.md", i)] = "# " + strings.Repeat("long title ", 20) + "\n"
	}
	l := newLibrary(t, files)
	seen := map[string]int{}
	pages := 0
	for offset := 0; ; pages++ {
		var page listing
		l.ok("browse_documents", fields{"folder": "Standard", "offset": offset, "limit": 50}, &page)
		for _, f := range page.Folders {
			seen[f.Path]++
		}
		for _, d := range page.Documents {
			seen[d.DocPath]++
		}
		if !page.HasMore {
			break
		}
		if pages > 50 {
			t.Fatal("no end")
		}
		offset = page.NextOffset
	}
	if len(seen) != 760 {
		t.Errorf("%d of 760 entries in %d pages", len(seen), pages+1)
	}
	for path, n := range seen {
		if n != 1 {
			t.Errorf("%s was shown %d times", path, n)
		}
	}
}

func TestADocumentIsDescribed(t *testing.T) {
	l := newLibrary(t, manual())
	var card documentCard
	e := l.ok("get_document", fields{"doc_path": "Standard/boiler/valves.md"}, &card)
	if card.Title != "Valves of the boiler" || card.Shelf != "Standard" || card.DocID == 0 || card.Lines != 23 || len(card.ContentHash) != 64 ||
		card.StructureFirst || card.SummaryStatus != "none" || card.Frontmatter["status"] != "draft" || !slices.Contains(card.Tags, "safety") {
		t.Errorf("%+v", card)
	}
	if card.Links.Out == 0 {
		t.Errorf("the link to the pump is not counted: %+v", card.Links)
	}
	if card.Bytes != int64(len(manual()["boiler/valves.md"])) || card.Tokens == 0 {
		t.Errorf("bytes %d tokens %d", card.Bytes, card.Tokens)
	}
	if !strings.Contains(e.Next.Options[0], `get_node_content(doc_path="Standard/boiler/valves.md", node_ids=["~","valves"])`) {
		t.Errorf("%v", e.Next.Options)
	}
	l.ok("get_document", fields{"doc_path": "Standard/notes/broken.md"}, &card)
	if card.Problem == nil || card.Problem.Reason == "" {
		t.Errorf("the broken front matter is not told: %+v", card)
	}
	l.ok("get_document", fields{"doc_path": "Standard/notes/empty.md"}, &card)
}

func TestALongDocumentIsToReadByItsStructure(t *testing.T) {
	l := newLibrary(t, map[string]string{"long.md": "# Long\n\n" + strings.Repeat("word and word\n", 3000)})
	var card documentCard
	e := l.ok("get_document", fields{"doc_path": "Standard/long.md"}, &card)
	if !card.StructureFirst || !strings.HasPrefix(e.Next.Options[0], "get_document_structure(") {
		t.Errorf("%d tokens, %v, %v", card.Tokens, card.StructureFirst, e.Next)
	}
}

func TestTheStructureIsNestedAndCutAtDepth(t *testing.T) {
	l := newLibrary(t, manual())
	var o outline
	l.ok("get_document_structure", fields{"doc_path": "Standard/boiler/valves.md"}, &o)
	if got := shape(o.Nodes); got != "~@7 valves@9(valves/torque@13(valves/torque/tools@17) valves/leaks@21)" {
		t.Errorf("whole: %s", got)
	}
	o = outline{}
	l.ok("get_document_structure", fields{"doc_path": "Standard/boiler/valves.md", "depth": 1}, &o)
	if len(o.Nodes) != 2 || o.Nodes[1].ChildCount != 2 || o.Nodes[1].Nodes == nil || len(o.Nodes[1].Nodes) != 0 {
		t.Errorf("depth 1: %+v", o.Nodes)
	}
	o = outline{}
	e := l.ok("get_document_structure", fields{"doc_path": "Standard/boiler/valves.md", "node_id": "valves/torque", "depth": 1}, &o)
	if len(o.Nodes) != 1 || o.Nodes[0].NodeID != "valves/torque" || o.Nodes[0].ChildCount != 1 || o.Nodes[0].LineEnd != 20 || o.Nodes[0].Tokens == 0 {
		t.Errorf("subtree: %+v", o.Nodes)
	}
	if !strings.Contains(strings.Join(e.Next.Options, " "), `node_id="valves/torque"`) {
		t.Errorf("the way down is not shown: %v", e.Next.Options)
	}
	if o.Pagination != (pagination{1, 1, false}) {
		t.Errorf("%+v", o.Pagination)
	}
	o = outline{}
	l.ok("get_document_structure", fields{"doc_path": "Standard/notes/empty.md"}, &o)
	if o.Nodes == nil || len(o.Nodes) != 0 {
		t.Errorf("an empty document has no nodes: %+v", o.Nodes)
	}
}

func shape(nodes []outlineNode) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = fmt.Sprintf("%s@%d", n.NodeID, n.LineStart)
		if len(n.Nodes) > 0 {
			parts[i] += "(" + shape(n.Nodes) + ")"
		}
	}
	return strings.Join(parts, " ")
}

func TestSectionsAreReadWithTheLineNumbersOfTheFile(t *testing.T) {
	l := newLibrary(t, manual())
	var r reading
	e := l.ok("get_node_content", fields{"doc_path": "Standard/boiler/valves.md", "node_ids": []string{"valves/leaks", "valves/torque/tools", "valves/leaks"}}, &r)
	if len(r.Nodes) != 2 || r.Nodes[0].Content != "21│ ## Leaks\n22│ \n23│ Dry the seat." || r.Nodes[0].LineStart != 21 || r.Nodes[0].LineEnd != 23 {
		t.Errorf("%+v", r.Nodes)
	}
	if strings.Join(r.Nodes[1].TitlePath, " > ") != "Valves > Torque > Tools" {
		t.Errorf("%v", r.Nodes[1].TitlePath)
	}
	if !strings.Contains(e.Next.Options[0], "[Standard/boiler/valves.md, L21-23]") {
		t.Errorf("%v", e.Next.Options)
	}
	l.ok("get_node_content", fields{"doc_path": "Standard/notes/crlf.md", "node_ids": []string{"first"}}, &r)
	if r.Nodes[0].Content != "1│ # First\n2│ \n3│ alpha\n4│ beta" {
		t.Errorf("%q", r.Nodes[0].Content)
	}
}

func TestUnknownNamesGetTheNearestOnes(t *testing.T) {
	l := newLibrary(t, manual())
	for _, c := range []struct {
		tool    string
		args    fields
		nearest string
	}{
		{"get_document", fields{"doc_path": "Standard/boiler/valve.md"}, "Standard/boiler/valves.md"},
		{"get_document", fields{"doc_path": "boiler/VALVES.md"}, "Standard/boiler/valves.md"},
		{"get_document_structure", fields{"doc_path": "Standard/valves.md"}, "Standard/boiler/valves.md"},
		{"browse_documents", fields{"folder": "Standard/boilr"}, "Standard/boiler"},
		{"search_documents", fields{"query": "x", "folder": "standard"}, "Standard"},
		{"search_documents", fields{"query": "x", "doc_path": "Standard/boiler/pumps.md"}, "Standard/boiler/pump.md"},
		{"related_documents", fields{"doc_path": "Standard/boiler/pumps.md"}, "Standard/boiler/pump.md"},
		{"get_document_structure", fields{"doc_path": "Standard/boiler/valves.md", "node_id": "torque"}, "valves/torque"},
		{"get_node_content", fields{"doc_path": "Standard/boiler/valves.md", "node_ids": []string{"valves/leak"}}, "valves/leaks"},
		{"sync", fields{"shelf": "Standart"}, "Standard"},
	} {
		e := l.refused(NotFound, c.tool, c.args)
		if !slices.Contains(e.Details.Nearest, c.nearest) || !strings.Contains(e.Error, c.nearest) || len(e.Next.Options) == 0 {
			t.Errorf("%s %v: %s, nearest %v, %v", c.tool, c.args, e.Error, e.Details.Nearest, e.Next)
		}
	}
	for _, path := range []string{"../../etc/passwd", "/etc/passwd", "Standard/../../etc/passwd", "Standard/%2e%2e/x", "x\x00y"} {
		l.refused(NotFound, "get_document", fields{"doc_path": path})
	}
	e := l.refused(NotFound, "get_document", fields{"doc_path": "Standard/boiler"})
	if !strings.Contains(e.Error, "is a folder") {
		t.Errorf("%s", e.Error)
	}
	e = l.refused(NotFound, "browse_documents", fields{"folder": "Standard/readme.md"})
	if !strings.Contains(e.Error, "is a document") {
		t.Errorf("%s", e.Error)
	}
}
