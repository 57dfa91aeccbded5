package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"shelfd/chunker"
	"shelfd/indexer"
	"shelfd/store"
	"shelfd/watcher"
)

// derivedFiles are the texts of a report, with the blocks of its pages, and of a workbook.
func derivedFiles() map[string]string {
	return map[string]string{
		"r/report.pdf":    "%PDF",
		"r/report.pdf.md": "# Annual report\n\nThe year was good for the company.\n\nSales rose in the south.\n\n## Figures\n\nTotal revenue rose by a tenth.\n",
		"r/report.pdf.blocks.json": `{"coord_space":"points","page_width":595,"page_height":842,"blocks":[
			{"page":1,"bbox":[50,60,300,90],"text":"Annual report","type":"title","block_index":0,"confidence":0.99},
			{"page":1,"bbox":[50,100,500,120],"text":"The year was good for the company.","type":"text","block_index":1,"occurrence":1},
			{"page":1,"bbox":[40,130,480,150],"text":"Sales rose in the south.","block_index":2},
			{"page":2,"bbox":[50,100,500,120],"text":"Total revenue rose by a tenth.","block_index":3,"confidence":0.3}]}`,
		"book.xlsx": "PK",
		"book.xlsx.md": "## Budget\n\n| Item | Cost | Note |\n| --- | --- | --- |\n| Boiler | 1200 | replaced |\n| Pump \\| motor | 300 | repaired in spring |\n\n" +
			"## Staff\n\nAs of March.\n\n| Name | Role |\n|---|---|\n| Ada | fitter |\n",
		"plain.pdf.md": "# Plain\n\nThis text has no source beside it.\n",
	}
}

func TestHitsOfADerivedTextPointIntoTheSource(t *testing.T) {
	l := newLibrary(t, derivedFiles())
	raw, _ := l.Call(t.Context(), "search_documents", fields{"query": "sales south", "detail": "evidence"})
	var e struct {
		Data struct {
			Hits []map[string]any `json:"hits"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || len(e.Data.Hits) == 0 {
		t.Fatalf("%s %v", raw, err)
	}
	h := e.Data.Hits[0]
	for _, absent := range []string{"line_start", "line_end", "sheet", "cell", "approximate", "display_path"} {
		if v, there := h[absent]; there {
			t.Errorf("the hit has %s: %v", absent, v)
		}
	}
	want := map[string]string{
		"doc_path": "Standard/r/report.pdf.md", "derived_path": "Standard/r/report.pdf.md", "source_path": "Standard/r/report.pdf",
		"page": "1", "bbox": "[40 60 500 150]",
	}
	for name, value := range want {
		if got := fmt.Sprint(h[name]); got != value {
			t.Errorf("%s: %s, want %s", name, got, value)
		}
	}
	boxes, _ := h["boxes"].([]any)
	if len(boxes) != 1 {
		t.Fatalf("boxes %v", h["boxes"])
	}
	if box := boxes[0].(map[string]any); box["page_width"] != 595.0 || box["space"] != "points" {
		t.Errorf("box %v", box)
	}

	var f found
	l.ok("search_documents", fields{"query": "total revenue"}, &f)
	if h := f.Hits[0]; h.SourcePath != "Standard/r/report.pdf" || h.LineStart != 0 || h.DerivedPath != "" {
		t.Errorf("concise %+v", h)
	}
	l.ok("search_documents", fields{"query": "total revenue", "detail": "evidence"}, &f)
	if h := f.Hits[0]; !h.Approximate || *h.Page != 2 {
		t.Errorf("a block that was read with little confidence: %+v", h.located)
	}
	f = found{}
	l.ok("search_documents", fields{"query": "no source beside", "detail": "evidence"}, &f)
	if h := f.Hits[0]; h.SourcePath != "" || h.LineStart == 0 || h.Boxes != nil || h.DerivedPath != "" {
		t.Errorf("a plain document: %+v", h)
	}
}

func TestADerivedDocumentIsKnownByItsSource(t *testing.T) {
	l := newLibrary(t, derivedFiles())
	var card documentCard
	l.ok("get_document", fields{"doc_path": "Standard/r/report.pdf"}, &card)
	if card.DocPath != "Standard/r/report.pdf.md" || card.SourcePath != "Standard/r/report.pdf" || card.Boxes != 4 || card.Pages != 2 {
		t.Errorf("card %+v", card)
	}
	var p passageCard
	l.ok("get_chunk", fields{"doc_path": "Standard/r/report.pdf", "line": 5}, &p)
	if p.DocPath != "Standard/r/report.pdf.md" || p.SourcePath != "Standard/r/report.pdf" || p.LineStart != 0 || len(p.Boxes) != 3 || len(p.UnionBoxes) != 1 {
		t.Errorf("passage %+v", p)
	}
	if b := p.Boxes[1]; b.BlockIndex != 1 || b.Type != "text" || b.Occurrence == nil || *b.Occurrence != 1 || b.Space != chunker.SpacePoints {
		t.Errorf("box %+v", b)
	}
	if u := p.UnionBoxes[0]; u.Page != 1 || u.BBox != [4]float64{40, 60, 500, 150} {
		t.Errorf("union %+v", u)
	}
	var again passageCard
	l.ok("get_chunk", fields{"citation": p.Citation}, &again)
	if again.ChunkKey != p.ChunkKey || len(again.Boxes) != 3 {
		t.Errorf("by citation %+v", again)
	}
	var f found
	l.ok("search_documents", fields{"query": "revenue", "doc_path": "Standard/r/report.pdf"}, &f)
	if len(f.Hits) != 1 {
		t.Errorf("inside the source: %+v", f.Hits)
	}
	l.refused(NotFound, "get_document", fields{"doc_path": "Standard/plain.pdf"})
	var r reading
	l.ok("get_node_content", fields{"doc_path": "Standard/r/report.pdf", "node_ids": []any{"annual-report/figures"}}, &r)
	if r.DocPath != "Standard/r/report.pdf.md" || !strings.Contains(r.Nodes[0].Content, "7│ ## Figures") {
		t.Errorf("reading %+v", r)
	}
}

func TestHitsInAWorkbookNameSheetAndCell(t *testing.T) {
	l := newLibrary(t, derivedFiles())
	for query, want := range map[string]string{
		"1200":         "Budget B2",
		"Pump motor":   "Budget A3",
		"spring":       "Budget C3",
		"Item Cost":    "Budget A1",
		"Ada fitter":   "Staff ",  // something stands before the table: its first row need not be the sheet's
		"sheet:Budget": "Budget ", // no word of it stands in the table
	} {
		var f found
		l.ok("search_documents", fields{"query": query, "detail": "evidence", "doc_path": "Standard/book.xlsx.md"}, &f)
		got := ""
		if len(f.Hits) > 0 {
			got = f.Hits[0].Sheet + " " + f.Hits[0].Cell
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestRowsOfASplitTableAreCountedFromItsBeginning(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Stock\n\n| Part | Place |\n|---|---|\n")
	for i := 2; i <= 400; i++ {
		fmt.Fprintf(&b, "| part%d | shelf number %d of the large hall |\n", i, i)
	}
	l := newLibrary(t, map[string]string{"stock.xlsx": "PK", "stock.xlsx.md": b.String()})
	for _, row := range []int{2, 150, 400} {
		var f found
		l.ok("search_documents", fields{"query": fmt.Sprintf("part%d", row), "detail": "evidence"}, &f)
		if len(f.Hits) == 0 || f.Hits[0].Cell != fmt.Sprintf("A%d", row) || f.Hits[0].Sheet != "Stock" {
			t.Errorf("row %d: %+v", row, f.Hits)
		}
	}
}

func TestHitsShowTheLabelOfTheShelfInTheCallersLanguage(t *testing.T) {
	l := newLibrary(t, derivedFiles())
	err := l.ix.SetShelves(t.Context(), []indexer.Shelf{{
		ShelfSpec: store.ShelfSpec{Name: "Standard", Root: l.root, Origin: "config", Labels: map[string]string{"it": "Manuali", "zh-CN": "标准"}},
		Root:      watcher.Root{Shelf: "Standard", Path: l.root},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for locale, want := range map[string]string{
		"it": "Manuali/plain.pdf.md", "it-CH": "Manuali/plain.pdf.md", "IT_it": "Manuali/plain.pdf.md", "zh-CN": "标准/plain.pdf.md", "zh": "", "en": "", "ita": "",
	} {
		var f found
		l.ok("search_documents", fields{"query": "no source beside", "locale": locale}, &f)
		if h := f.Hits[0]; h.DisplayPath != want || h.DocPath != "Standard/plain.pdf.md" {
			t.Errorf("%s: %q, want %q; doc_path %s", locale, h.DisplayPath, want, h.DocPath)
		}
	}
	var f found
	l.ok("search_documents", fields{"query": "sales south", "locale": "it"}, &f)
	if h := f.Hits[0]; h.DisplayPath != "Manuali/r/report.pdf" {
		t.Errorf("of a source: %q", h.DisplayPath)
	}
}

func TestARebuiltDatabaseHasTheSameBoxes(t *testing.T) {
	l := newLibrary(t, derivedFiles())
	want := l.dump()
	if strings.Count(want, `"block_index"`) != 4 || !strings.Contains(want, `"source":"Standard/r/report.pdf"`) {
		t.Fatalf("dump:\n%s", want)
	}
	if got := l.rebuilt(indexer.Options{}).dump(); got != want {
		t.Errorf("rebuilt:\n%s\nwas:\n%s", got, want)
	}
}
