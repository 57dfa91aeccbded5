package store

import (
	"database/sql"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"shelfd/internal/text"
)

// placed is a hit in its place, before anything else is known of it.
type placed struct {
	ranked
	group  *group
	fusion *Fusion // nil without vectors
}

// answer ranks the groups as far as the page reaches and makes hits of the page.
func (s *search) answer() (Answer, error) {
	if s.query.Near != nil {
		return s.fused()
	}
	a := Answer{Total: s.shown(), Queries: s.ran, Suggestions: s.suggestions()}
	page, err := s.page()
	if err != nil {
		return Answer{}, err
	}
	a.Relaxed = slices.ContainsFunc(page, func(p placed) bool { return p.group.match != MatchExact })
	a.Hits, err = s.hits(page)
	return a, err
}

// page is the part of the ranking that was asked for.
func (s *search) page() ([]placed, error) {
	until := s.query.Offset + s.query.Limit
	list, err := s.ranking(until)
	return list[min(s.query.Offset, len(list)):min(until, len(list))], err
}

// ranking is the beginning of the ranking, as long as asked for or longer, at most perDocument chunks of a document in
// all of it. Inside one document there is no such limit.
func (s *search) ranking(until int) ([]placed, error) {
	lowest := math.Inf(1)
	var list []placed
	shown := map[int64]int{}
	for i := range s.groups {
		g := &s.groups[i]
		if len(list) >= until {
			break
		}
		o, err := s.order(*g)
		if err != nil {
			return nil, err
		}
		for n := 2 * until; ; n *= 4 {
			ranking, err := o.first(n)
			if err != nil {
				return nil, err
			}
			kept := s.cap(ranking, shown)
			if len(list)+len(kept) >= until || len(ranking) == len(g.ids) {
				for _, r := range kept {
					shown[r.document]++
					r.score = min(r.score, lowest) // scores of other groups and of the window are on other scales
					lowest = r.score
					list = append(list, placed{ranked: r, group: g})
				}
				break
			}
		}
	}
	return list, nil
}

// cap leaves out what is beyond perDocument of a document, those shown before counted.
func (s *search) cap(ranking []ranked, shown map[int64]int) []ranked {
	if s.query.Path != "" {
		return ranking
	}
	here := map[int64]int{}
	var kept []ranked
	for _, r := range ranking {
		here[r.document]++
		if r.nth = shown[r.document] + here[r.document]; r.nth <= perDocument {
			kept = append(kept, r)
		}
	}
	return kept
}

// hits reads what a page shows.
func (s *search) hits(page []placed) ([]Hit, error) {
	m := s.marks()
	r := reader{v: s.v, documents: map[int64]*document{}}
	hits := make([]Hit, 0, len(page))
	for _, p := range page {
		h, body, err := r.hit(p.id, p.document)
		if err != nil {
			return nil, err
		}
		h.Score, h.Match, h.Fusion = p.score, p.group.match, p.fusion
		if p.nth == perDocument {
			h.More = s.foundIn(p.document) - perDocument
		}
		h.Terms = s.terms(p)
		h.Snippet = snippet(body, m.scorer)
		if s.query.Evidence {
			if h.Evidence, err = r.evidence(h, m); err != nil {
				return nil, err
			}
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// foundIn is how many chunks of a document were found.
func (s *search) foundIn(document int64) (n int) {
	for _, x := range s.index.of(postings{document}) {
		from, _ := slices.BinarySearch(s.seen, x.first)
		to, _ := slices.BinarySearch(s.seen, x.first+int64(x.n))
		n += to - from
	}
	return n
}

// terms are the words of the query that a hit or the names of its document hold.
func (s *search) terms(p placed) []string {
	var terms []string
	for k, w := range p.group.wishes {
		if w.of != nil && (w.of.typed.in.has(p.id) || w.of.typed.by.has(p.id)) {
			continue // said as a whole
		}
		before := len(terms)
		for i, u := range w.clause {
			if f := w.units[i]; u.kind != unitFilter && !u.not && (f.in.has(p.id) || f.by.has(p.id)) {
				terms = append(terms, text.Fold(u.text))
			}
		}
		if f := p.group.sets[k]; len(terms) == before && (f.in.has(p.id) || f.by.has(p.id)) {
			terms = append(terms, text.Fold(w.clause[0].text))
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// list answers a query without words: the first chunk of each document that passes the filters, in path order; with a
// heading: filter the chunks below such headings.
func (s *search) list() (Answer, error) {
	a := Answer{Queries: s.ran}
	if !slices.ContainsFunc(s.expression, func(c clause) bool { return !isEmpty(c) }) {
		return a, nil
	}
	all, err := s.all()
	if err != nil {
		return a, err
	}
	ids := all.firsts()
	if slices.ContainsFunc(s.expression, func(c clause) bool {
		return slices.ContainsFunc(c, func(u unit) bool { return u.key == keyHeading })
	}) {
		ids = all.chunks()
	}
	s.add(group{match: MatchExact, ids: ids})
	a.Total = s.shown()
	page, err := s.inPathOrder(s.seen)
	if err != nil {
		return a, err
	}
	a.Hits, err = s.hits(page)
	return a, err
}

// inPathOrder is the page of chunks that are ordered by doc_path and place.
func (s *search) inPathOrder(ids postings) ([]placed, error) {
	c, err := s.v.catalogue()
	if err != nil {
		return nil, err
	}
	documents := map[int64]postings{}
	s.index.eachDocument(ids, func(x extent, from, to int) { documents[x.document] = ids[from:to] })
	until := s.query.Offset + s.query.Limit
	var list []ranked
	for _, document := range slices.SortedFunc(maps.Keys(documents), c.before) {
		var ranking []ranked
		for _, id := range documents[document] {
			ranking = append(ranking, ranked{id: id, document: document})
		}
		if list = append(list, s.cap(ranking, nil)...); len(list) >= until {
			break
		}
	}
	var page []placed
	for _, r := range list[min(s.query.Offset, len(list)):min(until, len(list))] {
		page = append(page, placed{ranked: r, group: &group{match: MatchExact}})
	}
	return page, nil
}

// document is what the hits of one document share.
type document struct {
	Document
	context string
	content string // once asked for
}

// reader reads chunks for hits and keeps their documents.
type reader struct {
	v         *View
	documents map[int64]*document
	contexts  map[string]map[string]string // shelf → folder → sentence
	nodes     map[int64][]Node             // of documents
}

// hit reads a chunk with the document around it, and its text.
func (r *reader) hit(id, documentID int64) (Hit, string, error) {
	d, err := r.document(documentID)
	if err != nil {
		return Hit{}, "", err
	}
	h := Hit{Document: d.Document, Context: d.context}
	var body string
	err = r.v.each(`SELECT `+chunkColumns+`,
			substr(CAST(d.content AS BLOB), c.byte_start + 1, c.byte_end - c.byte_start)
		FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = ?`, []any{id}, func(rows *sql.Rows) error {
		var err error
		h.Chunk, err = scanChunk(func(columns ...any) error { return rows.Scan(append(columns, &body)...) })
		return err
	})
	if err != nil {
		return Hit{}, "", err
	}
	h.NodeID, h.TitlePath, err = r.trail(documentID, h.Chunk.Node)
	return h, body, err
}

func (r *reader) document(id int64) (*document, error) {
	if d, ok := r.documents[id]; ok {
		return d, nil
	}
	row, err := r.v.DocumentByID(id)
	if err != nil {
		return nil, err
	}
	row.FrontMatter = nil
	context, err := r.context(row.Shelf, row.Path)
	d := &document{Document: row, context: context}
	r.documents[id] = d
	return d, err
}

// trail is the id of a node and the titles from the top to it.
func (r *reader) trail(document int64, ordinal int) (id string, titles []string, err error) {
	nodes, ok := r.nodes[document]
	if !ok {
		if nodes, err = r.v.Nodes(document); err != nil {
			return "", nil, err
		}
		if r.nodes == nil {
			r.nodes = map[int64][]Node{}
		}
		r.nodes[document] = nodes
	}
	if ordinal < 0 || ordinal >= len(nodes) {
		return "", nil, nil
	}
	for i := ordinal; i >= 0; i = nodes[i].Parent {
		if nodes[i].Level > 0 {
			titles = append(titles, nodes[i].Title)
		}
	}
	slices.Reverse(titles)
	return nodes[ordinal].ID, titles, nil
}

// context is the sentence configured for the innermost folder around a document.
func (r *reader) context(shelf, docPath string) (string, error) {
	contexts, ok := r.contexts[shelf]
	if !ok {
		var options string
		if err := r.v.queryRow(`SELECT options FROM shelves WHERE name = ?`, []any{shelf}, &options); err != nil {
			return "", err
		}
		var o shelfOptions
		if err := json.Unmarshal([]byte(options), &o); err != nil {
			return "", err
		}
		if r.contexts == nil {
			r.contexts = map[string]map[string]string{}
		}
		contexts = o.Contexts
		r.contexts[shelf] = contexts
	}
	best, sentence := -1, ""
	inside := strings.TrimPrefix(docPath, shelf+"/")
	for folder, s := range contexts {
		folder = strings.Trim(folder, "/")
		if (folder == "" || strings.HasPrefix(inside, folder+"/")) && len(folder) > best {
			best, sentence = len(folder), s
		}
	}
	return sentence, nil
}
