package mcp

import (
	"fmt"
	"strings"
	"testing"
)

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

func TestTheAdviceJudgesTheHitsShown(t *testing.T) {
	l := newLibrary(t, map[string]string{
		"a.md": "# Alpha\n\nzebra quagga\n", "b.md": "# Beta\n\nzebra alone\n", "c.md": "# Gamma\n\nzebra too\n",
	})
	for _, tc := range []struct {
		args    fields
		summary string
		reads   int
	}{
		{fields{"query": "zebra"}, "3 passages", 3},
		{fields{"query": "zebra quagga"}, "Only the first 1 of the hits shown have all the words", 3},
		{fields{"query": "zebra quagga", "limit": 1}, "best first", 1},
		{fields{"query": "quagga zebrine"}, "No hit shown has all the words", 1},
	} {
		e := l.ok("search_documents", tc.args, nil)
		reads := 0
		for _, option := range e.Next.Options {
			if strings.HasPrefix(option, "get_node_content(") {
				reads++
			}
		}
		if !strings.Contains(e.Next.Summary, tc.summary) || reads != tc.reads {
			t.Errorf("%v: %s, %d calls that read", tc.args, e.Next.Summary, reads)
		}
	}
	e := l.ok("search_documents", fields{"query": "zebra heading:Omega"}, nil)
	if !strings.Contains(strings.Join(e.Next.Options, "\n"), "without the filter heading:Omega") {
		t.Errorf("%v", e.Next.Options)
	}
}
