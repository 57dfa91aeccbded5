package store

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
	"strings"
)

const (
	// window is how many chunks of a group are read and scored by their text; the others follow in the order that the
	// sets and BM25 alone give them. A page shows at most 50 hits.
	window = 64
	// wideWindow is the window where some of the words are enough: sets tell less of such chunks.
	wideWindow = 128
	// windowFrom is how many windows of chunks the window is picked from.
	windowFrom = 4
	// windowDocument bounds the chunks of one document in the window, so that a long one leaves room for others.
	windowDocument = 8
	// drawn is how many chunks are drawn by BM25 when a group does not fit into the window. Ranking costs about a
	// microsecond a match, so very common words are drawn from headings where these are enough.
	drawn = 512
	// drawnBy is how many wishes BM25 is asked about.
	drawnBy = 32
	// costly is the number of matches above which no BM25 is computed for wishes joined by OR, and for prefixes.
	costly = 6000
)

// order is a group in rank order, worked out as far as it is asked for.
type order struct {
	s     *search
	g     group
	count []uint16  // per id of the group
	pre   []float32 // per id: weight of what the sets say, and BM25
	idf   []float64 // per wish

	window int
	head   []ranked // the window in rank order, once it has been scored
}

func (s *search) order(g group) (*order, error) {
	o := &order{s: s, g: g, count: make([]uint16, len(g.ids)), pre: make([]float32, len(g.ids)), window: window}
	if g.match != MatchExact {
		o.window = wideWindow
	}
	for _, set := range g.count {
		g.ids.shared(set, func(i int) { o.count[i]++ })
	}
	total := s.index.chunks
	for _, f := range g.sets {
		n := float64(len(f.answers()))
		o.idf = append(o.idf, math.Log(1+(float64(total)-n+0.5)/(n+0.5)))
	}
	if len(g.ids) <= o.window {
		return o, nil
	}
	return o, o.weigh()
}

// shared calls f with the index of each id of p that other holds too.
func (p postings) shared(other postings, f func(i int)) {
	j := 0
	for i, id := range p {
		for j < len(other) && other[j] < id {
			j++
		}
		if j < len(other) && other[j] == id {
			f(i)
		}
	}
}

// weigh gives each id of a large group a first weight: where the words stand, and BM25 for the best of them.
func (o *order) weigh() error {
	ids := o.g.ids
	var inHeadings postings
	for k, f := range o.g.sets {
		idf := float32(max(o.idf[k], 0.1))
		heading, err := o.s.v.chunkPostings(match{chunk: o.headingMatch(k)}.scoped(o.s.scope).chunk)
		if err != nil {
			return err
		}
		ids.shared(f.in, func(i int) { o.pre[i] += 0.5 * idf })
		ids.shared(f.by, func(i int) { o.pre[i] += 0.6 * idf })
		ids.shared(heading, func(i int) { o.pre[i] += 0.5 * idf })
		if k == 0 {
			inHeadings = intersect(heading, ids)
		} else {
			inHeadings = intersect(inHeadings, heading)
		}
	}
	if err := o.weighNames(); err != nil {
		return err
	}
	return o.weighText(len(inHeadings) >= o.window)
}

// weighNames adds to the chunks of the documents whose names fit best.
func (o *order) weighNames() error {
	var parts []string
	matches := 0
	for k, w := range o.g.wishes[:min(len(o.g.wishes), drawnBy)] {
		parts = append(parts, unitsMatch(w.clause).document)
		matches += len(intersect(o.g.sets[k].by, o.s.index.firsts))
	}
	expr := orMatch(parts...)
	if expr == "" || matches > costly {
		return nil
	}
	var best float64
	return o.s.v.each(`SELECT rowid, -bm25(document_fts, 10.0, 8.0, 3.0, 4.0, 3.0, 3.0, 0.0) AS score FROM document_fts
		WHERE document_fts MATCH ? ORDER BY score DESC, rowid LIMIT ?`, []any{match{document: expr}.scoped(o.s.scope).document, window}, func(rows *sql.Rows) error {
		var id int64
		var score float64
		err := rows.Scan(&id, &score)
		best = max(best, score)
		for _, x := range o.s.index.of(postings{id}) {
			o.lift(x, score/best)
		}
		return err
	})
}

// lift adds to the chunks of a document, and most to its first one.
func (o *order) lift(x extent, share float64) {
	all := 0.0
	for _, w := range o.idf {
		all += w
	}
	from, _ := slices.BinarySearch(o.g.ids, x.first)
	for i := from; i < len(o.g.ids) && o.g.ids[i] < x.first+int64(x.n); i++ {
		o.pre[i] += float32(share * all * 0.5)
		if o.g.ids[i] == x.first {
			o.pre[i] += float32(share * all * 0.5)
		}
	}
}

// headingMatch wants a wish in the headings.
func (o *order) headingMatch(k int) string {
	var parts []string
	for _, u := range o.g.wishes[k].clause {
		if !u.not && u.kind != unitFilter && hasTerms(u) {
			parts = append(parts, columnMatch(headingColumn, u.text))
		}
	}
	return orMatch(parts...)
}

// weighText adds the BM25 of the best chunks that hold all wishes, or one of them when some are enough.
func (o *order) weighText(headingsOnly bool) error {
	var parts []string
	matches, open := 0, false
	for k, w := range o.g.wishes[:min(len(o.g.wishes), drawnBy)] {
		part := o.headingMatch(k)
		if !headingsOnly {
			part = unitsMatch(w.clause).chunk
		}
		parts = append(parts, part)
		matches += len(o.g.sets[k].in)
		open = open || strings.Contains(part, "*")
	}
	expr := andMatch(parts...)
	if o.g.match != MatchExact {
		expr = orMatch(parts...)
	}
	if expr == "" || matches > costly && (open || o.g.match != MatchExact) {
		return nil
	}
	return o.s.v.each(`SELECT rowid, bm25(chunk_fts, 1.0, 2.0, 1.0, 0.0) AS score FROM chunk_fts
		WHERE chunk_fts MATCH ? ORDER BY score, rowid LIMIT ?`, []any{match{chunk: expr}.scoped(o.s.scope).chunk, drawn}, func(rows *sql.Rows) error {
		var id int64
		var score float64
		err := rows.Scan(&id, &score)
		if i, ok := slices.BinarySearch(o.g.ids, id); ok {
			o.pre[i] -= float32(score)
		}
		return err
	})
}

// unitsMatch wants one of the units of a clause.
func unitsMatch(c clause) match {
	var parts []match
	for _, u := range c {
		if !u.not && u.kind != unitFilter {
			parts = append(parts, compileUnit(u))
		}
	}
	return match{}.or(parts...)
}

// ranked is a chunk in its place.
type ranked struct {
	id, document int64
	score        float64
}

// first returns the first n of the group in rank order, a few more or fewer: the window by the score of its text, then
// the others by weight.
func (o *order) first(n int) ([]ranked, error) {
	if o.head == nil {
		var err error
		if o.head, err = o.score(pickWindow(o.byWeight(windowFrom*o.window), o.window)); err != nil {
			return nil, err
		}
	}
	out := slices.Clone(o.head)
	inHead := make(map[int64]bool, len(out))
	for _, r := range out {
		inHead[r.id] = true
	}
	for _, r := range o.byWeight(max(n, windowFrom*o.window)) {
		if !inHead[r.id] {
			out = append(out, r)
		}
	}
	return out, nil
}

// byWeight lists the first n of the group by count and first weight.
func (o *order) byWeight(n int) []ranked {
	before := func(a, b int) int {
		return cmp.Or(cmp.Compare(o.count[b], o.count[a]), cmp.Compare(o.pre[b], o.pre[a]), a-b)
	}
	index := make([]int, len(o.g.ids))
	for i := range index {
		index[i] = i
	}
	index = smallest(index, n, before)
	list := make([]ranked, len(index))
	for n, i := range index {
		list[n] = ranked{id: o.g.ids[i], document: o.s.index.document(o.g.ids[i]), score: float64(o.pre[i])}
	}
	return list
}

// smallest sorts the n smallest of a list, which it works on. Sorting all of a common word's chunks would cost more
// than all the rest of its search.
func smallest(list []int, n int, compare func(a, b int) int) []int {
	if len(list) > 2*n {
		bound := slices.Clone(list[:n]) // the n smallest so far, and up to n more
		for _, x := range list[n:] {
			if len(bound) >= n && len(bound) < 2*n && compare(x, bound[n-1]) >= 0 {
				continue
			}
			if bound = append(bound, x); len(bound) == 2*n {
				slices.SortFunc(bound, compare)
				bound = bound[:n]
			}
		}
		list = bound
	}
	slices.SortFunc(list, compare)
	return list[:min(n, len(list))]
}

// pickWindow takes the chunks to be scored from the beginning of a list, a few of each document.
func pickWindow(list []ranked, window int) []ranked {
	if len(list) <= window {
		return list
	}
	var head []ranked
	taken := map[int64]int{}
	for _, r := range list {
		if taken[r.document]++; taken[r.document] <= windowDocument && len(head) < window {
			head = append(head, r)
		}
	}
	return head
}
