package store

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
)

const (
	// window is how many chunks of a group are read and scored by their text; the others follow in the order that the
	// sets and BM25 alone give them. A page shows at most 50 hits.
	window = 64
	// windowFrom is how many windows of chunks the window is picked from.
	windowFrom = 4
	// windowDocument bounds the chunks of one document in the window, so that a long one leaves room for others.
	windowDocument = 4
	// drawn is how many chunks are drawn by BM25 when a group does not fit into the window. Ranking costs about a
	// microsecond a match, so very common words are drawn from headings where these are enough.
	drawn = 512
	// drawnBy is how many wishes BM25 is asked about.
	drawnBy = 32
	// costly is the number of chunks above which no BM25 is computed: it takes a microsecond each. The names, headings and
	// spread of what so many hold tell more than how often they say it.
	costly = 1000
	// costlyTerms is the same for the occurrences of all words together: to find the chunks that hold them all, FTS5 goes
	// through these.
	costlyTerms = 20_000
)

// order is a group in rank order, worked out as far as it is asked for.
type order struct {
	s   *search
	g   group
	pre []float32 // per id: weight of what the sets say, and BM25
	idf []float64 // per wish

	documents []int64  // per id, once it is asked for
	head      []ranked // the window in rank order, once it has been scored
}

func (s *search) order(g group) (*order, error) {
	o := &order{s: s, g: g, pre: make([]float32, len(g.ids))}
	total := s.index.chunks
	for _, f := range g.sets {
		n := float64(len(f.answers()))
		o.idf = append(o.idf, math.Log(1+(float64(total)-n+0.5)/(n+0.5)))
	}
	if len(g.ids) <= window {
		return o, nil
	}
	return o, o.weigh()
}

// shared calls f with the index of each id of p that other holds too.
func (p postings) shared(other postings, f func(i int)) {
	if len(p) > 16*len(other) {
		other.sharedBy(p, f)
		return
	}
	j, far := 0, len(other) > 16*len(p)
	for i, id := range p {
		if far {
			j += ahead(len(other)-j, func(k int) bool { return other[j+k] < id })
		}
		for j < len(other) && other[j] < id {
			j++
		}
		if j < len(other) && other[j] == id {
			f(i)
		}
	}
}

// sharedBy calls f with the index in the much longer list of each id of p that it holds.
func (p postings) sharedBy(longer postings, f func(i int)) {
	at := 0
	for _, id := range p {
		at += ahead(len(longer)-at, func(k int) bool { return longer[at+k] < id })
		if at < len(longer) && longer[at] == id {
			f(at)
		}
	}
}

// weigh gives each id of a large group a first weight: where the words stand, and BM25 for the best of them.
func (o *order) weigh() error {
	ids := o.g.ids
	var inHeadings postings
	for k, f := range o.g.sets {
		idf := float32(max(o.idf[k], 0.1))
		heading, err := o.s.chunks(headingMatch(o.g.wishes[k].clause))
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
	o.weighSpread()
	if err := o.weighNames(); err != nil {
		return err
	}
	return o.weighText(inHeadings)
}

// weighSpread adds to chunks the more of their document are in the group.
func (o *order) weighSpread() {
	share := float32(spreadShare * o.all())
	o.s.index.eachDocument(o.g.ids, func(_ extent, from, to int) {
		n := float32(to - from)
		for i := from; i < to; i++ {
			o.pre[i] += share * n / (n + spreadSaturation)
		}
	})
}

// all is the weight of all words.
func (o *order) all() float64 {
	sum := 0.0
	for _, w := range o.idf {
		sum += w
	}
	return sum
}

// weighNames adds to the chunks of documents that are called by a wish, and most to their first ones.
func (o *order) weighNames() error {
	for k, w := range o.g.wishes[:min(len(o.g.wishes), drawnBy)] {
		documents, err := o.s.documents(calledMatch(w.clause), called)
		if err != nil {
			return err
		}
		rest := o.g.ids
		for _, x := range o.s.index.of(documents).inPlace() {
			rest = rest[ahead(len(rest), func(i int) bool { return rest[i] < x.first }):]
			at := len(o.g.ids) - len(rest)
			for i := at; i < len(o.g.ids) && o.g.ids[i] < x.first+int64(x.n); i++ {
				o.pre[i] += float32(0.4 * o.idf[k])
			}
			if len(rest) > 0 && rest[0] == x.first {
				o.pre[at] += float32(0.5 * o.idf[k])
			}
		}
	}
	return nil
}

// headingMatch wants a clause in the headings of chunks.
func headingMatch(c clause) match {
	m := columnsMatch(c, headingColumn)
	m.common.where = inHeading
	return m
}

// calledMatch wants a clause in what documents are called.
func calledMatch(c clause) match {
	m := columnsMatch(c, calledColumns)
	return match{document: m.chunk, common: m.common}
}

// columnsMatch wants one of the units of a clause in some columns of the chunks.
func columnsMatch(c clause, columns string) match {
	var parts []string
	var m match
	for _, u := range c {
		if u.not || u.kind == unitFilter || !hasTerms(u) {
			continue
		}
		parts = append(parts, columnMatch(columns, u.text))
		if terms := cut(u.text).running; len(terms) == 1 && !isSingleCJK(terms[0]) {
			m.common.term = terms[0]
		}
	}
	if len(parts) != 1 {
		m.common = commonTerm{}
	}
	m.chunk = orMatch(parts...)
	return m
}

// weighText adds the BM25 of the best chunks that hold all wishes, or one of them when some are enough; in the headings
// only, when enough chunks have them there.
func (o *order) weighText(inHeadings postings) error {
	headingsOnly := len(inHeadings) >= window
	var parts []string
	some := 0
	for k, w := range o.g.wishes[:min(len(o.g.wishes), drawnBy)] {
		part := headingMatch(w.clause).chunk
		if !headingsOnly {
			part = unitsMatch(w.clause).chunk
		}
		parts = append(parts, part)
		some += len(o.g.sets[k].in)
	}
	expr, matches := andMatch(parts...), len(o.g.ids)
	switch {
	case o.g.match != MatchExact:
		expr, matches = orMatch(parts...), some
	case headingsOnly:
		matches = len(inHeadings)
	}
	if expr == "" || matches > costly || some > costlyTerms {
		return nil
	}
	return o.s.v.each(`SELECT rowid, bm25(chunk_fts, 1.0, 2.0, 1.0, 0.0) AS score FROM chunk_fts
		WHERE chunk_fts MATCH ?`+o.s.v.only(inChunks)+` ORDER BY score, rowid LIMIT ?`, []any{match{chunk: expr}.scoped(o.s.scope).chunk, drawn}, func(rows *sql.Rows) error {
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
	nth          int // among the hits of its document, from 1; 0 where all are shown
}

// first returns the first n of the group in rank order, a few more or fewer: the window by the score of its text, then
// the others by weight.
func (o *order) first(n int) ([]ranked, error) {
	if o.head == nil {
		var err error
		if o.head, err = o.score(pickWindow(o.byWeight(windowFrom*window), window)); err != nil {
			return nil, err
		}
	}
	out := slices.Clone(o.head)
	inHead := make(map[int64]bool, len(out))
	for _, r := range out {
		inHead[r.id] = true
	}
	for _, r := range o.byWeight(max(n, windowFrom*window)) {
		if !inHead[r.id] {
			out = append(out, r)
		}
	}
	return out, nil
}

// byWeight lists the first n of the group by first weight. Ties fall to the document, then the place: chunks get other ids
// with every edit.
func (o *order) byWeight(n int) []ranked {
	if o.documents == nil {
		o.documents = o.s.index.documentsOf(o.g.ids)
	}
	before := func(a, b int) int {
		return cmp.Or(cmp.Compare(o.pre[b], o.pre[a]), cmp.Compare(o.documents[a], o.documents[b]), a-b)
	}
	index := make([]int, len(o.g.ids))
	for i := range index {
		index[i] = i
	}
	index = smallest(index, n, before)
	list := make([]ranked, len(index))
	for n, i := range index {
		list[n] = ranked{id: o.g.ids[i], document: o.documents[i], score: float64(o.pre[i])}
	}
	return list
}

// smallest sorts the n smallest of a list, which it works on. Sorting all of a common word's chunks would cost more
// than all the rest of its search.
func smallest(list []int, n int, compare func(a, b int) int) []int {
	if len(list) > 2*n {
		bound := slices.Clone(list[:n]) // the n smallest so far in order, and up to n more
		slices.SortFunc(bound, compare)
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
