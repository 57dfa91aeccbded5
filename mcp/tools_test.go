package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
	if len(o.Nodes) != 2 || o.Nodes[1].ChildCount != 2 || o.Nodes[1].Nodes != nil {
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

func TestSearchFindsPassagesInEveryLanguage(t *testing.T) {
	l := newLibrary(t, manual())
	for query, want := range map[string]string{
		"relief valve":   "Standard/boiler/valves.md valves 9",
		"perche valvola": "Standard/it/valvole.md valvole 1",
		"离职 补偿":          "Standard/zh/lizhi.md 离职 1",
		"torque wrench":  "Standard/boiler/valves.md valves/torque/tools 17",
	} {
		var f found
		l.ok("search_documents", fields{"query": query}, &f)
		if len(f.Hits) == 0 {
			t.Errorf("%s: nothing found", query)
			continue
		}
		h := f.Hits[0]
		if got := fmt.Sprint(h.DocPath, " ", h.NodeID, " ", h.LineStart); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if h.Match != "exact" || h.Snippet == "" || h.Citation == "" || h.DocID == 0 || h.Score == 0 || len(h.MatchedTerms) == 0 || h.ChunkKey != "" {
			t.Errorf("%s: %+v", query, h)
		}
		if f.Index != (progress{"ready", 8, 8}) || f.Retrieval != "fts" || f.Total < len(f.Hits) || len(f.Queries) == 0 {
			t.Errorf("%s: %+v", query, f)
		}
	}
}

func TestSearchTakesEveryArgumentOfTheContract(t *testing.T) {
	l := newLibrary(t, manual())
	var f found
	l.ok("search_documents", fields{"query": "torque", "doc_path": "Standard/boiler/pump.md", "folder": "Standard/it", "detail": "evidence", "scope": "global", "locale": "it"}, &f)
	if len(f.Hits) == 0 || f.Hits[0].DocPath != "Standard/boiler/pump.md" || f.Hits[0].ChunkKey == "" || f.Hits[0].ChunkOrdinal == nil || f.Hits[0].SectionLevel == nil {
		t.Fatalf("%+v", f)
	}
	if h := f.Hits[0]; !strings.HasSuffix(h.Citation, h.ChunkKey) || *h.SectionLevel < 1 {
		t.Errorf("%+v", h)
	}
	f = found{}
	l.ok("search_documents", fields{"query": "torque", "where": "status:draft"}, &f)
	for _, h := range f.Hits {
		if h.DocPath != "Standard/boiler/valves.md" {
			t.Errorf("where was not heeded: %s", h.DocPath)
		}
	}
	for _, mode := range []string{"vector", "hybrid"} {
		f = found{}
		l.ok("search_documents", fields{"query": "torque", "mode": mode}, &f)
		if f.VectorWarning == "" || len(f.Hits) == 0 {
			t.Errorf("%s: %+v", mode, f)
		}
	}
	f = found{}
	l.ok("search_documents", fields{"query": "forty newton", "mode": "literal"}, &f)
	if len(f.Hits) != 1 {
		t.Errorf("literal: %+v", f)
	}
	if e := l.refused(InvalidInput, "search_documents", fields{"query": "(", "mode": "regex"}); e.Details.Rejected[0].Field != "query" {
		t.Errorf("regex: %+v", e)
	}
	e := l.ok("search_documents", fields{"query": "xylophone zeppelin"}, &f)
	if !strings.Contains(e.Next.Summary, "Nothing found") || len(e.Next.Options) < 2 {
		t.Errorf("%+v", e.Next)
	}
	for _, query := range []string{"@nasa", "don't", `"`, "a=b", "x * AND NEAR( ''", "((((", "\x00", " ", "-", "OR", "shelf:", "👍"} {
		l.ok("search_documents", fields{"query": query}, nil)
	}
}

func TestSearchPagesGiveEveryHitOnce(t *testing.T) {
	files := map[string]string{}
	for i := range 120 {
		files[fmt.Sprintf("d%03d.md", i)] = fmt.Sprintf("# Valve %d\n\nA valve %s.\n", i, strings.Repeat("and a pipe ", i%7))
	}
	l := newLibrary(t, files)
	for _, limit := range []int{7, 50} {
		seen := map[string]int{}
		for offset := 0; ; {
			var f found
			l.ok("search_documents", fields{"query": "valve", "limit": limit, "offset": offset}, &f)
			for _, h := range f.Hits {
				seen[h.Citation]++
			}
			if len(f.Hits) > limit || f.Offset != offset {
				t.Fatalf("%d hits, offset %d", len(f.Hits), f.Offset)
			}
			if !f.HasMore {
				break
			}
			if f.NextOffset <= offset {
				t.Fatal("no end")
			}
			offset = f.NextOffset
		}
		if len(seen) != 120 {
			t.Errorf("limit %d: %d of 120 hits", limit, len(seen))
		}
		for c, n := range seen {
			if n != 1 {
				t.Errorf("%s was shown %d times", c, n)
			}
		}
	}
}

func TestRelatedDocumentsShowTheAuthorsLinks(t *testing.T) {
	l := newLibrary(t, manual())
	var n neighbourhood
	l.ok("related_documents", fields{"doc_path": "Standard/boiler/valves.md", "origins": []string{"text"}}, &n)
	if n.Total != 1 || n.Links[0].Target != "Standard/boiler/pump.md" || n.Links[0].Relation != "links_to" || n.Links[0].Depth != 1 ||
		n.Links[0].Lines[0] != 11 || n.Links[0].TargetID == 0 || n.Links[0].Title == "" {
		t.Errorf("%+v", n)
	}
	n = neighbourhood{}
	l.ok("related_documents", fields{"doc_path": "Standard/boiler/pump.md", "direction": "in", "origins": []string{"text"}}, &n)
	if n.Total != 1 || n.Links[0].Source != "Standard/boiler/valves.md" {
		t.Errorf("%+v", n)
	}
	n = neighbourhood{}
	e := l.ok("related_documents", fields{"doc_path": "Standard/zh/lizhi.md", "origins": []string{"manual"}}, &n)
	if n.Total != 0 || n.Links == nil || len(e.Next.Options) == 0 {
		t.Errorf("%+v %+v", n, e.Next)
	}
}

func TestSyncReportsWhatChangedOnDisk(t *testing.T) {
	l := newLibrary(t, manual())
	l.write("boiler/new.md", "# New\n\nchiffchaff\n")
	if err := os.Remove(filepath.Join(l.root, "readme.md")); err != nil {
		t.Fatal(err)
	}
	var s synced
	l.ok("sync", fields{"shelf": "Standard"}, &s)
	if len(s.Shelves) != 1 || s.Shelves[0].Documents != 8 || s.Shelves[0].State != "watching" || s.UpdatedAt == "" {
		t.Errorf("%+v", s)
	}
	var f found
	l.ok("search_documents", fields{"query": "chiffchaff"}, &f)
	if len(f.Hits) != 1 {
		t.Errorf("the new document is not found: %+v", f)
	}
	l.refused(NotFound, "get_document", fields{"doc_path": "Standard/readme.md"})
}

func TestShelvesAreManaged(t *testing.T) {
	l := newLibrary(t, manual())
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "a.md"), []byte("# Sparrowhawk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	manage := func(args fields) fields { args["action"] = "manage_shelves"; return args }
	l.ok("docs_management", manage(fields{"operation": "add", "root": other, "name": "Birds", "description": "Of prey"}), nil)
	l.sync()
	var list shelfList
	l.ok("docs_management", manage(fields{"operation": "list"}), &list)
	if len(list.Shelves) != 2 || list.Shelves[0].Name != "Birds" || list.Shelves[0].Documents != 1 || list.Shelves[1].Chunks == 0 || list.Shelves[0].Description != "Of prey" {
		t.Errorf("%+v", list)
	}
	l.ok("docs_management", manage(fields{"operation": "rename", "shelf": "Birds", "new_name": "Raptors"}), nil)
	l.ok("get_document", fields{"doc_path": "Raptors/a.md"}, nil)
	l.ok("docs_management", manage(fields{"operation": "remove", "name": "Raptors"}), nil)
	l.refused(NotFound, "get_document", fields{"doc_path": "Raptors/a.md"})
	for _, bad := range []fields{
		{"operation": "add"}, {"operation": "add", "root": "relative"}, {"operation": "add", "root": filepath.Join(other, "missing")},
		{"operation": "add", "root": filepath.Join(l.root, "boiler")}, {"operation": "remove"}, {"operation": "remove", "shelf": "Standard"},
		{"operation": "rename", "shelf": "Standard"}, {"operation": "explode"}, {},
	} {
		if e := l.refused(InvalidInput, "docs_management", manage(bad)); e.Error == "" {
			t.Errorf("%v: no reason", bad)
		}
	}
	l.refused(NotFound, "docs_management", manage(fields{"operation": "remove", "shelf": "Nope"}))
	e := l.refused(InvalidInput, "docs_management", fields{"action": "manage_shelf", "anything": 1})
	if !strings.Contains(e.Details.Rejected[0].Expected, "manage_shelves") || e.Details.Rejected[0].Nearest != "manage_shelves" {
		t.Errorf("an unknown action must list the known ones: %+v", e)
	}
}

func TestWithoutAnIndexerReadingWorksAndChangesAreRefused(t *testing.T) {
	l := &library{t: t, served: serve(t, Options{})}
	l.ok("browse_documents", nil, nil)
	l.refused(Unavailable, "sync", nil)
	l.refused(Unavailable, "docs_management", fields{"action": "manage_shelves", "operation": "add", "root": "/x"})
	l.refused(InvalidInput, "no_such_tool", nil)
}

func TestProgressIsSentDuringSyncAndNeverAfterTheAnswer(t *testing.T) {
	l := newLibrary(t, manual())
	p := l.dial(t)
	for i := range 20 {
		l.write(fmt.Sprintf("more/%d.md", i), "# more\n")
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sync","arguments":{},"_meta":{"progressToken":"tok"}}}`, i))
		last := -1.0
		for {
			r := p.receive()
			if r.Method == "notifications/progress" {
				at := r.Params["progress"].(float64)
				if r.Params["progressToken"] != "tok" || at <= last {
					t.Errorf("progress %v after %v: %v", at, last, r.Params)
				}
				last = at
				continue
			}
			if out := r.tool(t); out.IsError {
				t.Errorf("%+v", out)
			}
			break
		}
	}
	p.silent()
}

func TestStructuredContentIsTheText(t *testing.T) {
	l := newLibrary(t, manual())
	p := l.dial(t)
	for i, args := range []fields{{"query": "valve <b> & \u2028"}, {"query": ""}} {
		p.send(toolCall(fmt.Sprint(i), "search_documents", args))
		out := p.receive().tool(t)
		var text, structured any
		if err := json.Unmarshal([]byte(out.Content[0].Text), &text); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Structured, &structured); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(text) != fmt.Sprint(structured) || len(out.Content) != 1 || out.IsError != (i == 1) {
			t.Errorf("%v: %+v", args, out)
		}
	}
}
