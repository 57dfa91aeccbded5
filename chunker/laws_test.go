package chunker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The outlines of real laws, a few lines of each: public texts in the wording and the layout in which they are
// published.
func TestOutlinesOfLaws(t *testing.T) {
	for name, want := range map[string]string{
		"costituzione.md": `1 Costituzione della Repubblica Italiana
2 Principi fondamentali
3 Art. 1
3 Art. 3
2 Parte I. Diritti e doveri dei cittadini
3 TITOLO I – RAPPORTI CIVILI
4 Art. 13
4 Art. 14
3 TITOLO II – RAPPORTI ETICO-SOCIALI
4 Art. 32
2 Parte II. Ordinamento della Repubblica
3 TITOLO I – IL PARLAMENTO
4 Sezione I – Le Camere
5 Art. 55
4 Sezione II – La formazione delle leggi
5 Art. 70`,
		"constitution.md": `1 The Constitution of the United States
2 Article I
3 Section 1
3 Section 2
2 Article II
3 Section 1
3 Section 4
2 Amendments
3 Article One
3 Article Four`,
		"民法典.md": `1 中华人民共和国民法典
2 第一编 总则
3 第一章 基本规定
4 第一条
4 第二条
2 第三编 合同
3 第四章 合同的履行
4 第五百零九条
3 第八章 违约责任
4 第五百七十七条`,
	} {
		src, err := os.ReadFile(filepath.Join("..", "testdata", "laws", name))
		if err != nil {
			t.Fatal(err)
		}
		d := check(t, name, src)
		var got []string
		for _, n := range d.Nodes {
			got = append(got, string(rune('0'+n.Level))+" "+n.Title)
		}
		if outline := strings.Join(got, "\n"); outline != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, outline, want)
		}
	}
}

// Each article is a section of its own: a passage that is found names it, and reading it brings nothing else.
func TestEachArticleIsCitedByItself(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "testdata", "laws", "民法典.md"))
	if err != nil {
		t.Fatal(err)
	}
	d := check(t, "民法典.md", src)
	for _, c := range d.Chunks {
		text := d.Text[c.Span.Start:c.Span.End]
		if n := strings.Count(text, "条　"); n > 1 {
			t.Errorf("a passage holds %d articles: %s", n, text)
		}
	}
	last := d.Nodes[len(d.Nodes)-1]
	if last.ID != "中华人民共和国民法典/第三编-合同/第八章-违约责任/第五百七十七条" {
		t.Errorf("node id %q", last.ID)
	}
	if text := d.Text[last.Span.Start:last.Span.End]; !strings.HasPrefix(text, "第五百七十七条　当事人一方不履行") {
		t.Errorf("the article reads %q", text)
	}
}
