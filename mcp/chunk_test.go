package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plant is a document of a few sections, some lines of which tests change.
func plant(relief, drain string) string {
	return "# Valves\n\nWhat closes and opens in the plant is described on this page.\n\n## Relief\n\n" + relief + "\n\n## Drain\n\n" + drain + "\n"
}

const (
	relief = "The relief valve opens at **three bar** and closes slowly when the pressure has gone."
	drain  = "The drain valve stands at the lowest point, and sand collects behind it in winter."
)

// citationOf finds a passage by search and returns its citation.
func (l *library) citationOf(query string) (citation string, h hit) {
	l.t.Helper()
	var f found
	l.ok("search_documents", fields{"query": query, "detail": "evidence"}, &f)
	if len(f.Hits) == 0 {
		l.t.Fatalf("%s: nothing found", query)
	}
	return f.Hits[0].Citation, f.Hits[0]
}

func (l *library) move(from, to string) {
	l.t.Helper()
	if err := os.Rename(filepath.Join(l.root, from), filepath.Join(l.root, to)); err != nil {
		l.t.Fatal(err)
	}
}

// goneTo calls get_chunk for a passage that is gone and returns what is offered instead.
func (l *library) goneTo(args fields) []candidate {
	l.t.Helper()
	raw, _ := l.Call(l.t.Context(), "get_chunk", args)
	var e struct {
		Code    Code
		Error   string
		Details struct{ Candidates []candidate }
		Next    steps `json:"next_steps"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		l.t.Fatal(err)
	}
	if e.Code != NotFound || e.Details.Candidates == nil || len(e.Next.Options) == 0 {
		l.t.Errorf("get_chunk %v: %s", args, raw)
	}
	return e.Details.Candidates
}

func TestAPassageIsReadByItsCitation(t *testing.T) {
	l := newLibrary(t, map[string]string{"valves.md": plant(relief, drain)})
	citation, h := l.citationOf("relief valve")
	var p passageCard
	l.ok("get_chunk", fields{"citation": citation, "query": "relief pressure zebra"}, &p)
	if p.Citation != citation || p.Moved || p.DocPath != "Standard/valves.md" || p.DocID != h.DocID || p.NodeID != "valves/relief" || p.LineStart != 5 || p.LineEnd != 7 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(p.Text, relief) || fmt.Sprint(p.TitlePath) != "[Valves Relief]" || len(p.Paragraphs) != 2 || p.Paragraphs[1].Ordinal != 1 {
		t.Errorf("text %q, trail %q, paragraphs %v", p.Text, p.TitlePath, p.Paragraphs)
	}
	plain := strings.ReplaceAll(relief, "*", "")
	if p.Quote != plain || p.HighlightText != plain || fmt.Sprint(p.HighlightRanges) != "[[4 10] [63 71]]" || fmt.Sprint(p.MatchedTerms) != "[pressure relief]" {
		t.Errorf("quote %q, %q lit at %v for %q", p.Quote, p.HighlightText, p.HighlightRanges, p.MatchedTerms)
	}
	for _, args := range []fields{
		{"doc_id": p.DocID, "chunk_key": p.ChunkKey},
		{"doc_path": p.DocPath, "line": 6},
		{"doc_path": p.DocPath, "line": 400, "line_text": relief},
		{"doc_path": p.DocPath, "line": 1, "line_text": strings.ToUpper(plain)},
		{"citation": citation + "?term=relief#x"},
		{"citation": h.ViewerCitation},
	} {
		var again passageCard
		l.ok("get_chunk", args, &again)
		if again.Citation != citation {
			t.Errorf("%v leads to %s", args, again.Citation)
		}
	}
	var next passageCard
	l.ok("get_chunk", fields{"citation": p.Next}, &next)
	if next.NodeID != "valves/drain" || next.Previous != citation || next.Next != "" {
		t.Errorf("next: %+v", next)
	}
}

func TestHintsOfACitationLightUp(t *testing.T) {
	l := newLibrary(t, map[string]string{"valves.md": plant(relief, drain)})
	_, h := l.citationOf("sand winter")
	var p passageCard
	l.ok("get_chunk", fields{"citation": h.ViewerCitation}, &p)
	if fmt.Sprint(p.MatchedTerms) != "[sand winter]" || fmt.Sprint(p.HighlightRanges) != fmt.Sprint(h.HighlightRanges) || p.HighlightText != h.HighlightText {
		t.Errorf("%q %v %q, want %v %q", p.MatchedTerms, p.HighlightRanges, p.HighlightText, h.HighlightRanges, h.HighlightText)
	}
}

func TestACitationSurvivesEditsElsewhereAndRenames(t *testing.T) {
	l := newLibrary(t, map[string]string{"valves.md": plant(relief, drain)})
	citation, _ := l.citationOf("relief valve")
	l.write("valves.md", "Some more before it all.\n\n"+plant(relief, "Another text about the drain, which is nothing like the one before."))
	l.sync()
	var p passageCard
	l.ok("get_chunk", fields{"citation": citation}, &p)
	if p.LineStart != 7 || p.Moved {
		t.Errorf("after an edit elsewhere: %+v", p)
	}
	l.move("valves.md", "renamed.md")
	l.sync()
	l.ok("get_chunk", fields{"citation": citation}, &p)
	if p.DocPath != "Standard/renamed.md" || p.Moved {
		t.Errorf("after a rename: %+v", p)
	}
}

func TestAPassageThatMovedIsFoundWithItsOnlyHolder(t *testing.T) {
	l := newLibrary(t, map[string]string{"valves.md": plant(relief, drain), "other.md": "# Other\n\nNothing of note.\n"})
	citation, _ := l.citationOf("relief valve")
	l.write("valves.md", "# Pump\n\nIt turns clockwise.\n")
	l.write("other.md", "# Valves\n\n## Relief\n\n"+relief+"\n")
	l.sync()
	var p passageCard
	e := l.ok("get_chunk", fields{"citation": citation}, &p)
	if !p.Moved || p.DocPath != "Standard/other.md" || p.Citation == citation || !strings.Contains(e.Next.Summary, "new citation") {
		t.Errorf("%+v %+v", p, e.Next)
	}
	l.write("third.md", "# Valves\n\n## Relief\n\n"+relief+"\n")
	l.sync()
	if offered := l.goneTo(fields{"citation": citation}); len(offered) != 2 {
		t.Errorf("two hold it: %+v", offered)
	}
}

func TestAPassageThatIsGoneOffersItsSection(t *testing.T) {
	l := newLibrary(t, map[string]string{"valves.md": plant(relief, drain), "other.md": "# Other\n\nNothing of note.\n"})
	citation, h := l.citationOf("relief valve")
	l.write("valves.md", plant("The valve was replaced in spring and now opens at four bar, as the plate beside it says.", drain))
	l.sync()
	offered := l.goneTo(fields{"citation": citation})
	if len(offered) != 1 || offered[0].NodeID != "valves/relief" || !strings.Contains(offered[0].Snippet, "four bar") {
		t.Errorf("offered %+v", offered)
	}
	if list := l.goneTo(fields{"doc_id": h.DocID, "chunk_key": h.ChunkKey}); len(list) != 1 {
		t.Errorf("by key: %+v", list)
	}
	l.write("valves.md", "# Valves\n\nAll in one section now, in other words altogether.\n")
	l.sync()
	if offered = l.goneTo(fields{"citation": citation}); len(offered) != 1 || offered[0].NodeID != "valves" {
		t.Errorf("without its section: %+v", offered)
	}
	if list := l.goneTo(fields{"doc_path": "Standard/valves.md", "line": 3, "line_text": "zebras graze here quietly"}); len(list) != 1 {
		t.Errorf("by line: %+v", list)
	}
	if err := os.Remove(filepath.Join(l.root, "valves.md")); err != nil {
		t.Fatal(err)
	}
	l.sync()
	if list := l.goneTo(fields{"citation": citation}); len(list) != 0 {
		t.Errorf("of a document that is gone: %+v", list)
	}
}

func TestGetChunkExplainsArgumentsThatNameNoPassage(t *testing.T) {
	l := newLibrary(t, manual())
	for _, c := range []struct {
		args  fields
		field string
	}{
		{fields{}, "citation"},
		{fields{"query": "x"}, "citation"},
		{fields{"citation": "https://example.org"}, "citation"},
		{fields{"citation": "kb://doc/1/chunk/0123456789abcdef", "doc_path": "Standard/readme.md", "line": 1}, "citation"},
		{fields{"doc_id": 1}, "chunk_key"},
		{fields{"chunk_key": "0123456789abcdef"}, "doc_id"},
		{fields{"doc_path": "Standard/readme.md"}, "line"},
		{fields{"line": 1}, "doc_path"},
		{fields{"doc_path": "Standard/readme.md", "line": 999}, "line"},
		{fields{"doc_path": "Standard/readme.md", "line": 0}, "line"},
	} {
		e := l.refused(InvalidInput, "get_chunk", c.args)
		if len(e.Details.Rejected) == 0 || e.Details.Rejected[0].Field != c.field || e.Details.Rejected[0].Expected == "" {
			t.Errorf("%v: %+v", c.args, e)
		}
	}
	l.refused(NotFound, "get_chunk", fields{"doc_path": "Standard/absent.md", "line": 1})
	l.goneTo(fields{"doc_path": "Standard/notes/empty.md", "line": 1, "line_text": "x"})
	l.goneTo(fields{"citation": "kb://doc/1/chunk/xyz"}) // the form of a citation, and a key that nothing can have
	l.goneTo(fields{"doc_id": 1, "chunk_key": "nothing"})
	l.goneTo(fields{"citation": "kb://doc/99999/chunk/0123456789abcdef"})
}

func TestAnyPassageFitsTheBudget(t *testing.T) {
	l := newLibrary(t, map[string]string{
		"code.md":  "# Code\n\n```\n" + strings.Repeat("\"\\\x01\t<&\" ", 3000) + "\n```\n",
		"table.md": "| a | b |\n|---|---|\n" + strings.Repeat("| \"x\" | \\\\ |\n", 2000),
		"zh.md":    "# 标题\n\n" + strings.Repeat("数据库里的\"内容\"。", 2000),
	})
	for _, name := range []string{"code.md", "table.md", "zh.md"} {
		for line := 1; line <= 3; line++ {
			var p passageCard
			l.ok("get_chunk", fields{"doc_path": "Standard/" + name, "line": line, "query": `x 内容 "`}, &p)
		}
	}
	for _, query := range []string{"内容", "a b", "code"} {
		l.ok("search_documents", fields{"query": query, "detail": "evidence", "limit": 50}, nil)
	}
}

func TestALineOfTheFrontMatterIsInNoPassage(t *testing.T) {
	l := newLibrary(t, map[string]string{"valves.md": "---\nauthor: Ada\n---\n\n" + plant(relief, drain)})
	l.goneTo(fields{"doc_path": "Standard/valves.md", "line": 2})
	var card passageCard
	l.ok("get_chunk", fields{"doc_path": "Standard/valves.md", "line": 5}, &card)
	if card.LineStart != 5 {
		t.Errorf("line 5 is in L%d-%d", card.LineStart, card.LineEnd)
	}
}
