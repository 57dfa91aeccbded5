package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"shelfd/internal/text"
)

// RelatedSection is a summary that answers a query: a way to a passage, no evidence.
type RelatedSection struct {
	DocumentID int64
	Path       string // doc_path
	NodeID     string // "" = the document as a whole
	Ordinal    int    // of the node
	TitlePath  []string
	Summary    string
	ChunkKeys  []string // the chunks it was drawn from; of a document those of its sections
	Score      float64  // larger is better; comparable within one answer
}

const (
	// summaryWishes is how many terms of a query are looked for in summaries.
	summaryWishes = 32
	// summaryWindow is how many summaries are ranked.
	summaryWindow = 200
)

// summaryWish is one term, phrase or prefix of a query.
type summaryWish struct {
	match    string // MATCH expression
	required bool   // a phrase: never left out
	common   bool   // a stop word
}

// RelatedSections are the summaries that hold at least half of the words of a query, the most of them and the best by
// BM25 first. Outlines that are stale are not searched. A where that is no list of filters is a *QueryError.
func (v *View) RelatedSections(q Query, limit int) ([]RelatedSection, error) {
	if any, err := v.HasOutlines(); err != nil || !any || q.Mode == ModeLiteral || q.Mode == ModeRegex {
		return nil, err
	}
	s, err := v.summarySearch(q)
	if s == nil || err != nil {
		return nil, err
	}
	wishes, banned, err := s.summaryWishes()
	if err != nil || len(wishes) == 0 {
		return nil, err
	}
	counts, err := s.countWishes(wishes)
	if err != nil {
		return nil, err
	}
	for _, match := range banned {
		if err := s.eachSummary(match, func(id int64) { delete(counts, id) }); err != nil {
			return nil, err
		}
	}
	return s.bestSummaries(counts, wishes, limit)
}

// summarySearch is a search whose expression has its filters in limits and banned; nil when its place is not there.
func (v *View) summarySearch(q Query) (*search, error) {
	where, err := parseWhere(q.Where)
	if err != nil {
		return nil, err
	}
	l := &lookup{v: v}
	if l.index, err = v.census(); err != nil {
		return nil, err
	}
	if l.scope, err = v.queryScope(q); errors.Is(err, ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	e, err := l.settle(parse(q.Text))
	if err != nil {
		return nil, err
	}
	s := &search{lookup: l, query: q}
	var words expression
	for _, c := range append(e, where...) {
		if slices.ContainsFunc(c, func(u unit) bool { return u.kind != unitFilter }) {
			words = append(words, c)
		} else {
			s.expression = append(s.expression, c)
		}
	}
	err = s.prepare()
	s.expression = words
	return s, err
}

// summaryWishes takes the words of a query apart: each term of a CJK run and each part of an identifier counts for
// itself, so that a summary may put them otherwise.
func (s *search) summaryWishes() (wishes []summaryWish, banned []string, err error) {
	for _, c := range s.expression {
		if len(c) == 1 && c[0].not {
			banned = append(banned, s.inScopeSummaries(compileUnit(c[0]).chunk))
			continue
		}
		if len(c) > 1 {
			wishes = append(wishes, summaryWish{match: s.inScopeSummaries(unitsMatch(c).chunk)})
			continue
		}
		more, err := s.unitWishes(c[0])
		if err != nil {
			return nil, nil, err
		}
		wishes = append(wishes, more...)
	}
	wishes = slices.DeleteFunc(wishes, func(w summaryWish) bool { return w.match == "" })
	if !slices.ContainsFunc(wishes, func(w summaryWish) bool { return !w.common }) {
		for i := range wishes {
			wishes[i].common = false
		}
	}
	return wishes[:min(len(wishes), summaryWishes)], banned, nil
}

func (s *search) inScopeSummaries(expr string) string {
	if expr == "" {
		return ""
	}
	return match{chunk: expr}.scoped(s.scope).chunk
}

func (s *search) unitWishes(u unit) ([]summaryWish, error) {
	if u.kind != unitWord {
		return []summaryWish{{match: s.inScopeSummaries(compileUnit(u).chunk), required: u.kind == unitPhrase}}, nil
	}
	var wishes []summaryWish
	for _, term := range cut(u.text).running {
		m := runningMatch([]string{term})
		if word, ok := stemmable(unit{kind: unitWord, text: term}); ok {
			for _, language := range text.Stemmed() {
				terms, err := s.stemmates(language, word)
				if err != nil {
					return nil, err
				}
				if len(terms) > 0 {
					m = m.or(anyOf(terms).scoped(scopeMatch(languageTerm(language))))
				}
			}
		}
		wishes = append(wishes, summaryWish{match: s.inScopeSummaries(m.chunk), common: text.Stop(term)})
	}
	return wishes, nil
}

func (s *search) eachSummary(match string, take func(id int64)) error {
	ids, err := s.v.postings(`SELECT group_concat(rowid) FROM summary_fts WHERE summary_fts MATCH ?`+s.v.only(inSummaries), match)
	for _, id := range ids {
		take(id)
	}
	return err
}

// countWishes says how many of the words that mean something each summary holds, and leaves out those with less than
// half of them or without a phrase.
func (s *search) countWishes(wishes []summaryWish) (map[int64]int, error) {
	counts, wanted := map[int64]int{}, 0
	var required []map[int64]bool
	for _, w := range wishes {
		if w.common {
			continue
		}
		wanted++
		holds := map[int64]bool{}
		if err := s.eachSummary(w.match, func(id int64) { counts[id]++; holds[id] = true }); err != nil {
			return nil, err
		}
		if w.required {
			required = append(required, holds)
		}
	}
	for id, n := range counts {
		if 2*n < wanted || slices.ContainsFunc(required, func(holds map[int64]bool) bool { return !holds[id] }) {
			delete(counts, id)
		}
	}
	return counts, nil
}

// rankedSummary is a summary in its place.
type rankedSummary struct {
	row      summaryRow
	document int64
	path     string
	ordinal  int
	score    float64
}

// bestSummaries ranks the summaries that were counted and reads the best of them whose documents pass the filters.
func (s *search) bestSummaries(counts map[int64]int, wishes []summaryWish, limit int) ([]RelatedSection, error) {
	var parts []string
	for _, w := range wishes {
		parts = append(parts, w.match)
	}
	var list []rankedSummary
	err := s.v.each(`SELECT m.id, m.document_id, d.file_path, m.ordinal, m.node_id, m.summary, m.chunk_keys, f.score
		FROM (SELECT rowid AS id, -bm25(summary_fts, 1.0, 2.0, 1.0, 0.0) AS score FROM summary_fts WHERE summary_fts MATCH ?`+s.v.only(inSummaries)+` ORDER BY score DESC, rowid LIMIT ?) f
		JOIN summaries m ON m.id = f.id JOIN documents d ON d.id = m.document_id`, []any{orMatch(parts...), summaryWindow}, func(rows *sql.Rows) error {
		var r rankedSummary
		err := rows.Scan(&r.row.id, &r.document, &r.path, &r.ordinal, &r.row.node, &r.row.summary, &r.row.chunkKeys, &r.score)
		if n := counts[r.row.id]; n > 0 && s.admits(r.document) {
			r.score = math.Max(r.score, 1e-6) * float64(n) / float64(len(wishes))
			list = append(list, r)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b rankedSummary) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path), a.ordinal-b.ordinal)
	})
	sections := make([]RelatedSection, 0, min(len(list), limit))
	for _, r := range list[:min(len(list), limit)] {
		section, err := s.v.relatedSection(r)
		if err != nil {
			return nil, err
		}
		sections = append(sections, section)
	}
	return sections, nil
}

// admits says whether some chunk of a document passes all filters.
func (s *search) admits(document int64) bool {
	if len(s.limits) == 0 && len(s.banned) == 0 {
		return true
	}
	left := s.index.of(postings{document}).chunks()
	for _, limit := range s.limits {
		left = intersect(left, limit)
	}
	return len(subtract(left, s.banned)) > 0
}

func (v *View) relatedSection(r rankedSummary) (RelatedSection, error) {
	section := RelatedSection{DocumentID: r.document, Path: r.path, NodeID: r.row.node, Summary: r.row.summary, Score: r.score}
	if section.NodeID == "" {
		o, err := v.Outline(r.document)
		section.ChunkKeys = o.ChunkKeys()
		return section, err
	}
	if err := json.Unmarshal([]byte(r.row.chunkKeys), &section.ChunkKeys); err != nil {
		return section, err
	}
	nodes, err := v.Nodes(r.document)
	section.TitlePath = trailsByID(nodes)[section.NodeID]
	section.Ordinal = slices.IndexFunc(nodes, func(n Node) bool { return n.ID == section.NodeID })
	return section, err
}
