package correlate

// A pair can only pass if it shares enough, so most pairs need never be looked at. Which features a candidate must
// share is worked out from the weights and the least confidence, not fixed: drivers are the kinds of feature such that
// a pair that shares none of them, and no mention, cannot pass. With the default weights that is a title token, or
// for documents with headings and tags a title token or a tag.
//
// Candidates from the lists of the drivers, and those with a mention, are then compared signal by signal, dearest last,
// and dropped as soon as the signals still unknown could not lift them over the least confidence.

// driver is a set of kinds of feature with lists.
type driver uint8

const (
	byTitle driver = 1 << iota
	byHeading
	byTag
	allDrivers = byTitle | byHeading | byTag
)

// candidates are the documents that may pass beside n, those with a mention first: partners are those that n's text
// names or whose text names n.
func (ix *Index) candidates(n uint32, partners []int64, p Params, m *marks) (mentioned int) {
	for _, id := range partners {
		if ordinal, ok := ix.ordinals[id]; ok {
			m.add(ordinal)
		}
	}
	mentioned = len(m.list)
	ix.gather(n, p, m)
	return mentioned
}

// search finds the links of source n that pass, but for those to a refused path, and counts whom it compared.
func (ix *Index) search(n uint32, partners []int64, refused map[string]bool, p Params) (links []Link, compared int) {
	m := ix.marks()
	defer ix.scratch.Put(m)
	mentioned := ix.candidates(n, partners, p, m)
	open := ix.openShelves(n, p.Scope, false)
	for i, other := range m.list {
		e := &ix.entries[other]
		if other == n || !open[e.shelf] || refused[e.path] {
			continue
		}
		compared++
		if link, ok := ix.link(n, other, i < mentioned, p); ok {
			links = append(links, link)
		}
	}
	return links, compared
}

// searchSources finds the links to target n that pass: each source by its own parameters, none of which lets more pass
// than p.
func (ix *Index) searchSources(n uint32, partners []int64, p Params, own func(shelf, path string) (Params, bool)) (links []Link) {
	m := ix.marks()
	defer ix.scratch.Put(m)
	mentioned := ix.candidates(n, partners, p, m)
	open := ix.openShelves(n, p.Scope, true)
	shelf := ix.shelves[ix.entries[n].shelf]
	for i, other := range m.list {
		e := &ix.entries[other]
		if other == n || !open[e.shelf] {
			continue
		}
		of, ok := own(ix.shelves[e.shelf], e.path)
		if !ok || of.Scope != p.Scope && !ix.hierarchy.route(ix.shelves[e.shelf], shelf, of.Scope) {
			continue
		}
		if link, ok := ix.link(other, n, i < mentioned, of); ok {
			links = append(links, link)
		}
	}
	return links
}

// openShelves says for each shelf whether links between n and its documents are allowed.
func (ix *Index) openShelves(n uint32, scope Scope, reversed bool) []bool {
	own := ix.shelves[ix.entries[n].shelf]
	open := make([]bool, len(ix.shelves))
	for i, other := range ix.shelves {
		if reversed {
			open[i] = ix.hierarchy.route(other, own, scope)
		} else {
			open[i] = ix.hierarchy.route(own, other, scope)
		}
	}
	return open
}

// gather marks the candidates of n: all documents that may pass without a mention.
func (ix *Index) gather(n uint32, p Params, m *marks) {
	f := ix.entries[n].features()
	drivers, ok := ix.drivers(&f, p)
	if !ok {
		for i := range ix.entries {
			if ix.entries[i].used {
				m.add(uint32(i))
			}
		}
		return
	}
	if drivers&byTitle != 0 {
		ix.titles.mark(f.Title, m)
	}
	if drivers&byHeading != 0 {
		ix.headings.mark(f.Headings, m)
	}
	if drivers&byTag != 0 {
		ix.tags.mark(f.Tags, m)
	}
}

func (l *lists) mark(keys []uint64, m *marks) {
	for _, key := range keys {
		l.each(key, m.add)
	}
}

// drivers chooses the cheapest sufficient set; false when none is, so that every document is a candidate.
func (ix *Index) drivers(f *Features, p Params) (best driver, ok bool) {
	least := 0
	for d := driver(0); d <= allDrivers; d++ {
		if !sufficient(d, f, p) {
			continue
		}
		if cost := ix.cost(d, f); !ok || cost < least {
			best, least, ok = d, cost, true
		}
	}
	return best, ok
}

func (ix *Index) cost(d driver, f *Features) int {
	cost := 0
	for _, kind := range [...]struct {
		driver driver
		lists  *lists
		keys   []uint64
	}{{byTitle, &ix.titles, f.Title}, {byHeading, &ix.headings, f.Headings}, {byTag, &ix.tags, f.Tags}} {
		if d&kind.driver == 0 {
			continue
		}
		for _, key := range kind.keys {
			cost += kind.lists.size(key)
		}
	}
	return cost
}

// sufficient says whether no document passes beside f that shares nothing in d and has no mention, whatever it is: the
// best there could be stays below the least confidence.
func sufficient(d driver, f *Features, p Params) bool {
	for other := range 8 { // which of headings, tags, keywords the other document has
		shown := shows{
			heading: other&1 != 0 && f.showsHeadings(),
			tag:     other&2 != 0 && len(f.Tags) > 0,
			keyword: other&4 != 0 && len(f.Keywords) > 0,
		}
		best := Signals{Path: 1}
		if d&byTitle == 0 && len(f.Title) > 0 {
			best.Title = 1
		}
		if d&byHeading == 0 && shown.heading {
			best.Heading = 1
		}
		if d&byTag == 0 && shown.tag {
			best.Tag = 1
		}
		if shown.keyword {
			best.Keyword = 1
		}
		if p.Weights.confidence(best, shown) >= p.MinConfidence {
			return false
		}
	}
	return true
}

// link compares two documents of the Index and makes the link if it passes.
func (ix *Index) link(source, target uint32, mentioned bool, p Params) (Link, bool) {
	a, b := &ix.entries[source], &ix.entries[target]
	from, to := a.features(), b.features()
	c, ok := compareAbove(&from, &to, mentioned, p)
	if !ok {
		return Link{}, false
	}
	if c.Signals.Mention == 0 && a.saysNameOf(b) {
		c.Signals.Mention = 1
		c.Score = p.Weights.score(c.Signals)
	}
	relation := ix.hierarchy.relation(ix.shelves[a.shelf], ix.shelves[b.shelf], c.Signals)
	if c.Signals.Count() < p.MinSignals && relation != RelationMentions {
		return Link{}, false
	}
	return Link{
		Source: a.id, Target: b.id, Relation: relation,
		Score: c.Score, Confidence: c.Confidence, Signals: c.Signals,
		Rationale: rationale(c.Signals, shared(from.Headings, to.Headings), shared(from.Tags, to.Tags), shared(from.Keywords, to.Keywords)),
	}, true
}

// saysNameOf says whether the text of a document says a name of its own that the other has as well.
func (e *entry) saysNameOf(other *entry) (says bool) {
	eachIn(e.said, func(said string) {
		other.eachName(func(name string) { says = says || name == said })
	})
	return says
}

// compareAbove compares two documents that reach the least confidence, but for mentions by a name that both have, and
// gives up on others as soon as it can. mentioned says that the source's text names the target by another name.
func compareAbove(a, b *Features, mentioned bool, p Params) (comparison, bool) {
	shown := shownBy(a, b)
	s := Signals{Title: jaccard(a.Title, b.Title), Path: proximity(a.Folder, b.Folder), Mention: one(mentioned)}
	best := s
	best.Heading, best.Tag, best.Keyword = one(shown.heading), one(shown.tag), one(shown.keyword)
	if p.Weights.confidence(best, shown) < p.MinConfidence {
		return comparison{}, false
	}
	likeness, carried := headings(a, b)
	s.Heading, s.Tag = carried, jaccard(a.Tags, b.Tags)
	best.Heading, best.Tag = s.Heading, s.Tag
	if p.Weights.confidence(best, shown) < p.MinConfidence {
		return comparison{}, false
	}
	s.Keyword = overlap(a.Keywords, b.Keywords)
	confidence := p.Weights.confidence(s, shown)
	s.Heading = likeness
	return comparison{Signals: s, Score: p.Weights.score(s), Confidence: confidence}, confidence >= p.MinConfidence
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
