package store

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/internal/text"
)

// columns are the terms of one row of an FTS table: fields of running text, and identifiers.
type columns struct {
	words  [][]string
	idents []string
}

func (c *columns) add(fields ...string) {
	var words []string
	for _, field := range fields {
		text.Segment(field, func(t text.Token) {
			if t.Kind == text.Ident {
				c.idents = append(c.idents, t.Term)
			} else {
				words = append(words, t.Term)
			}
		})
	}
	c.words = append(c.words, words)
}

// inRow says whether some field has the terms in a row; of the last only the beginning when open is set.
func (c *columns) inRow(terms []string, open bool) bool {
	for _, field := range c.words {
		for i := 0; i+len(terms) <= len(field); i++ {
			here := field[i : i+len(terms)]
			last := len(terms) - 1
			if slices.Equal(here[:last], terms[:last]) && (here[last] == terms[last] || open && strings.HasPrefix(here[last], terms[last])) {
				return true
			}
		}
	}
	return false
}

func (c *columns) hasIdent(term string, open bool) bool {
	return slices.ContainsFunc(c.idents, func(s string) bool { return s == term || open && strings.HasPrefix(s, term) })
}

// holds is what a unit means, worked out without an index.
func (c *columns) holds(u unit) bool {
	p := cut(u.text)
	if len(p.running) == 0 {
		return false
	}
	single := len(p.running) == 1
	open := u.kind == unitPrefix || single && isSingleCJK(p.running[0])
	running := c.inRow(p.running, open) || single && c.hasIdent(p.running[0], open)
	switch {
	case u.kind == unitPhrase && len(p.lone) > 0 && single:
		return c.hasIdent(p.lone[0], false)
	case u.kind == unitPhrase:
		return running && !slices.ContainsFunc(p.lone, func(s string) bool { return !c.hasIdent(s, false) })
	case p.whole != "" && c.hasIdent(p.whole, u.kind == unitPrefix):
		return true
	case p.whole != "" && single && u.kind == unitWord:
		return false
	}
	return running
}

// naive lists the chunks that hold all of a query as typed.
func naive(chunks []libraryChunk, e expression) []string {
	var hits []string
	for _, x := range chunks {
		var own, names columns
		own.add(x.trail...)
		own.add(x.body)
		inside := strings.TrimPrefix(x.path, shelfOf(x.path)+"/")
		names.add(x.page.title)
		names.add(x.page.aliases...)
		names.add(x.page.tags...)
		names.add(strings.TrimSuffix(inside, path.Ext(inside)))
		all, inChunk := true, false
		for _, c := range e {
			holds := false
			for _, u := range c {
				in := own.holds(u)
				holds = holds || (in || names.holds(u)) != u.not
				inChunk = inChunk || in && !u.not
			}
			all = all && holds
		}
		if all && (inChunk || x.first) {
			hits = append(hits, x.path+" "+x.body)
		}
	}
	slices.Sort(hits)
	return hits
}

var lawWords = []string{"pump", "Pumps", "valve", "water", "C++", "foo_bar.baz", "foo", "bar", "getUserName", "user", "--dry-run", "ISO-27001", "数据", "数据库管理", "部", "perché", "don't"}

func drawText(t *rapid.T, label string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(lawWords), 1, most).Draw(t, label), " ")
}

func drawPage(t *rapid.T, i int) page {
	p := page{path: fmt.Sprintf("%s/%s/p%d.md", rapid.SampledFrom([]string{"A", "B"}).Draw(t, "shelf"), rapid.SampledFrom([]string{"pump", "x"}).Draw(t, "folder"), i)}
	p.title = drawText(t, "title", 2)
	p.tags = rapid.SliceOfN(rapid.SampledFrom(lawWords), 0, 2).Draw(t, "tags")
	p.aliases = rapid.SliceOfN(rapid.SampledFrom(lawWords), 0, 1).Draw(t, "aliases")
	for j := range rapid.IntRange(1, 3).Draw(t, "sections") {
		if rapid.Bool().Draw(t, "headed") {
			p.body += "# " + drawText(t, "heading", 2) + "\n"
		}
		p.body += drawText(t, "body", 6) + fmt.Sprintf(" s%d\n\n", j)
	}
	return p
}

func drawQuery(t *rapid.T) string {
	var parts []string
	for range rapid.IntRange(1, 3).Draw(t, "units") {
		word := rapid.SampledFrom(lawWords).Draw(t, "word")
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			parts = append(parts, `"`+drawText(t, "phrase", 3)+`"`)
		case 1:
			parts = append(parts, word[:max(3, len(word)-3)]+"*")
		case 2:
			parts = append(parts, "-"+strings.TrimLeft(word, "-"))
		case 3:
			parts = append(parts, word, "OR", rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")+strings.TrimLeft(rapid.SampledFrom(lawWords).Draw(t, "other"), "-"))
		default:
			parts = append(parts, word)
		}
	}
	return strings.Join(parts, " ")
}

func TestExactHitsAreThoseOfANaiveEvaluation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := newLibrary(t)
		var pages []page
		for i := range rapid.IntRange(1, 6).Draw(rt, "pages") {
			pages = append(pages, drawPage(rt, i))
		}
		l.put(pages...)
		for n := range 4 {
			query := drawQuery(rt)
			e := parse(query)
			a := l.search(Query{Text: query, Limit: 50})
			var got []string
			for _, h := range a.Hits {
				if h.Match == MatchExact {
					body, _ := l.chunkText(h)
					got = append(got, h.Document.Path+" "+body)
				}
			}
			slices.Sort(got)
			if want := naive(l.chunks, e); !slices.Equal(got, want) {
				rt.Fatalf("query %s\ngot  %q\nwant %q\nqueries %q", query, got, want, a.Queries)
			}
			if n == 0 {
				l.checkPaging(rt, query, a)
			}
			l.checkTotal(rt, query, rapid.IntRange(1, 7).Draw(rt, "limit"))
		}
		l.s.Close()
	})
}

// chunkText is the text that a hit cites.
func (l *library) chunkText(h Hit) (string, error) {
	var content string
	err := l.s.View(l.t.Context(), func(v *View) (err error) {
		content, err = v.Content(h.Document.ID)
		return err
	})
	return content[h.Chunk.Span.Start:h.Chunk.Span.End], err
}

// checkPaging wants the first pages of a query to be its one long page, in falling order of score, worse matches last.
func (l *library) checkPaging(t *rapid.T, query string, whole Answer) {
	ids := func(hits []Hit) (list []int64) {
		for _, h := range hits {
			list = append(list, h.Chunk.ID)
		}
		return list
	}
	var paged []int64
	total := 0
	for offset := 0; offset < 15; offset += 5 {
		a := l.search(Query{Text: query, Limit: 5, Offset: offset})
		paged = append(paged, ids(a.Hits)...)
		total = a.Total
	}
	if want := ids(whole.Hits); !slices.Equal(paged, want[:min(15, len(want))]) || total != whole.Total {
		t.Fatalf("query %s: pages of five %v (%d), one page %v (%d)", query, paged, total, want, whole.Total)
	}
	for i := 1; i < len(whole.Hits); i++ {
		a, b := whole.Hits[i-1], whole.Hits[i]
		order := []Match{MatchExact, MatchRelaxed, MatchSubstring}
		if a.Score < b.Score || slices.Index(order, a.Match) > slices.Index(order, b.Match) {
			t.Fatalf("query %s: hit %d (%v %v) before %d (%v %v)", query, i-1, a.Score, a.Match, i, b.Score, b.Match)
		}
	}
}

// checkTotal wants every page of a query to tell the number of hits that all of them deliver.
func (l *library) checkTotal(t *rapid.T, query string, limit int) {
	delivered, totals := 0, map[int]bool{}
	for {
		a := l.search(Query{Text: query, Limit: limit, Offset: delivered})
		totals[a.Total] = true
		if delivered += len(a.Hits); len(a.Hits) == 0 {
			break
		}
	}
	if len(totals) != 1 || !totals[delivered] {
		t.Fatalf("query %s, limit %d: %d hits delivered, totals %v", query, limit, delivered, totals)
	}
}
