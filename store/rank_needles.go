package store

import (
	"strings"

	"shelfd/internal/text"
)

// The weight of a word by where it stands, as in BM25F: occurrences in all fields are added up, weighted, before the
// sum is dampened once. docs/search.md tells what each is worth.
const (
	weightBody    = 1.0
	weightHeading = 2.5 // title of the chunk's own section
	weightTitle   = 4.0
	weightAlias   = 3.0
	weightFile    = 4.0 // name of the file, without its extension
	weightFolder  = 0.5
	weightTag     = 3.0
	weightLink    = 2.0 // what the links of other documents say
	saturation    = 1.2 // k1 of BM25
	lengthShare   = 0.6 // b of BM25
	usualLength   = 75  // words of a chunk that is neither long nor short
)

// The weight of an occurrence by how it matches.
const (
	asTypedWeight = 1.0
	humpWeight    = 0.8 // part of a camelCase word
	stemWeight    = 0.6
	insideWeight  = 0.4
	nearWeight    = 0.4
	partWeight    = 0.2 // part of an identifier or of a CJK run
)

// What the whole adds to the words, as shares of the weight of all words.
const (
	titleShare     = 1.2  // the words are the title, or an alias
	fileShare      = 1.0  // … the name of the file
	linkShare      = 0.5  // … what other documents call it
	headingShare   = 0.5  // … the title of the section
	proximityShare = 0.2  // … stand side by side in the chunk
	disorder       = 0.9  // of that, where they stand in another order
	spreadShare    = 0.2  // … stand in many chunks of the document
	popularShare   = 0.06 // … and each e-fold of documents that link to it
	popularMost    = 0.25
)

// needle is one form in which a wish may stand in a text.
type needle struct {
	wish   int
	terms  []string // in a row; one for identifiers
	ident  bool
	prefix bool
	weight float64
}

// scorer scores texts for the wishes of a search.
type scorer struct {
	idf      []float64
	parts    bool
	needles  map[string][]needle // by first term, identifiers and prefixes left out
	idents   map[string][]needle
	prefixes []needle
	running  []text.Token // scratch
}

// newScorer looks for wishes. parts: the words of an identifier and the bigrams of a CJK run count a little, where they
// stand apart.
func newScorer(wishes []*wish, idf []float64, parts bool) *scorer {
	c := &scorer{idf: idf, parts: parts, needles: map[string][]needle{}, idents: map[string][]needle{}}
	for k, w := range wishes {
		for _, u := range w.clause {
			if u.kind != unitFilter && !u.not {
				c.addUnit(k, u)
			}
		}
		for _, term := range w.stems {
			c.add(needle{wish: k, terms: []string{term}, weight: stemWeight})
		}
		for i, meant := range w.meant {
			c.add(needle{wish: k, terms: []string{meant.term}, weight: nearWeight / (1 + float64(i)/4)})
		}
		for _, term := range w.inner {
			c.add(needle{wish: k, terms: []string{term}, weight: insideWeight})
		}
	}
	return c
}

func (c *scorer) addUnit(k int, u unit) {
	p := cut(u.text)
	if len(p.running) == 0 {
		return
	}
	single := len(p.running) == 1
	n := needle{wish: k, terms: p.running, weight: asTypedWeight}
	n.prefix = u.kind == unitPrefix || single && isSingleCJK(p.running[0])
	if p.whole != "" {
		c.add(needle{wish: k, terms: []string{p.whole}, ident: true, prefix: u.kind == unitPrefix, weight: asTypedWeight})
	}
	if single && p.whole != "" && u.kind != unitPrefix {
		n.weight = partWeight
	}
	c.add(n)
	if single {
		n.ident, n.weight = true, min(n.weight, humpWeight)
		c.add(n)
	}
	if c.parts && u.kind == unitWord && !single {
		for _, term := range p.running {
			c.add(needle{wish: k, terms: []string{term}, weight: partWeight})
		}
	}
}

func (c *scorer) add(n needle) {
	switch {
	case n.prefix:
		c.prefixes = append(c.prefixes, n)
	case n.ident:
		c.idents[n.terms[0]] = append(c.idents[n.terms[0]], n)
	default:
		c.needles[n.terms[0]] = append(c.needles[n.terms[0]], n)
	}
}

// sighting is a wish seen in a text.
type sighting struct {
	wish       int
	word, last int // number of its first and last word
	start, end int // bytes
	weight     float64
}

// scan finds the needles in s in order and counts its words.
func (c *scorer) scan(s string, see func(sighting)) (words int) {
	c.running = c.running[:0]
	text.Segment(s, func(t text.Token) {
		if t.Kind != text.Ident {
			c.running = append(c.running, t)
			return
		}
		at := len(c.running)
		for _, n := range c.idents[t.Term] {
			see(sighting{n.wish, at, at, t.Start, t.End, n.weight})
		}
		for _, n := range c.prefixes {
			if n.ident && strings.HasPrefix(t.Term, n.terms[0]) {
				see(sighting{n.wish, at, at, t.Start, t.End, n.weight})
			}
		}
	})
	for i, t := range c.running {
		for _, n := range c.needles[t.Term] {
			c.tryAt(i, n, see)
		}
		for _, n := range c.prefixes {
			if !n.ident {
				c.tryAt(i, n, see)
			}
		}
	}
	return len(c.running)
}

// tryAt sees a needle whose terms stand in a row from word i on.
func (c *scorer) tryAt(i int, n needle, see func(sighting)) {
	last := i + len(n.terms) - 1
	if last >= len(c.running) {
		return
	}
	for j, term := range n.terms {
		t := c.running[i+j].Term
		if t != term && !(n.prefix && i+j == last && strings.HasPrefix(t, term)) {
			return
		}
	}
	see(sighting{n.wish, i, last, c.running[i].Start, c.running[last].End, n.weight})
}
