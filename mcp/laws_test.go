package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A law is asked for by article and by what it says, in its own language.
func TestLawsAreFoundByArticle(t *testing.T) {
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join("..", "testdata", "laws", "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatal("no laws", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(text)
	}
	l := newLibrary(t, files)
	for _, c := range []struct{ query, document, titles string }{
		{"Art. 32", "costituzione.md", "Parte I. Diritti e doveri dei cittadini > TITOLO II – RAPPORTI ETICO-SOCIALI > Art. 32"},
		{"art. 13 libertà", "costituzione.md", "TITOLO I – RAPPORTI CIVILI > Art. 13"},
		{"liberta personale", "costituzione.md", "TITOLO I – RAPPORTI CIVILI > Art. 13"},
		{"funzione legislativa", "costituzione.md", "Sezione II – La formazione delle leggi > Art. 70"},
		{"Article II executive power", "constitution.md", "Article II > Section 1"},
		{`heading:"article four" searches`, "constitution.md", "Amendments > Article Four"},
		{`"freedom of speech"`, "constitution.md", "Amendments > Article One"},
		{"第五百七十七条", "民法典.md", "第三编 合同 > 第八章 违约责任 > 第五百七十七条"},
		{"第五百零九条", "民法典.md", "第四章 合同的履行 > 第五百零九条"},
		{"诚信原则", "民法典.md", "第四章 合同的履行 > 第五百零九条"},
		{"违约责任", "民法典.md", "第三编 合同 > 第八章 违约责任"},
	} {
		var f found
		l.ok("search_documents", fields{"query": c.query}, &f)
		if len(f.Hits) == 0 {
			t.Errorf("%s: nothing found", c.query)
			continue
		}
		h := f.Hits[0]
		if titles := strings.Join(h.TitlePath, " > "); h.DocPath != "Standard/"+c.document || !strings.HasSuffix(titles, c.titles) {
			t.Errorf("%s: %s %s", c.query, h.DocPath, titles)
		}
		var r reading
		l.ok("get_node_content", fields{"doc_path": h.DocPath, "node_ids": []any{h.NodeID}}, &r)
		article := h.TitlePath[len(h.TitlePath)-1]
		if got := r.Nodes[0].Content; !strings.Contains(got, strings.Fields(article)[0]) || strings.Count(got, "\n") > 5 {
			t.Errorf("%s: the article reads\n%s", c.query, got)
		}
	}
}
