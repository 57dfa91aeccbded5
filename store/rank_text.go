package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"shelfd/internal/text"
)

// The weight of a word by where it stands, as in BM25F: occurrences in all fields are added up, weighted, before the
// sum is dampened once.
const (
	weightBody    = 1.0
	weightHeading = 3.0 // title of the chunk's own section
	weightTitle   = 4.0
	weightAlias   = 3.0
	weightTag     = 1.5
	weightPath    = 1.5
	saturation    = 1.2 // k1 of BM25
	lengthShare   = 0.6 // b of BM25
	usualLength   = 150 // words of a chunk as the chunker aims at
)

// The weight of an occurrence by how it matches.
const (
	asTypedWeight = 1.0
	humpWeight    = 0.8 // part of a camelCase word
	stemWeight    = 0.6
	insideWeight  = 0.4
	partWeight    = 0.2 // part of an identifier or of a CJK run
)

// What the whole adds to the words, as shares of the weight of all words.
const (
	titleShare     = 1.0 // the words are the title
	headingShare   = 0.7 // … the title of the section
	proximityShare = 0.4 // … stand side by side in the chunk
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
	needles  map[string][]needle // by first term, identifiers and prefixes left out
	idents   map[string][]needle
	prefixes []needle
	running  []text.Token // scratch
}

func newScorer(wanted []*wish, idf []float64) *scorer {
	c := &scorer{idf: idf, needles: map[string][]needle{}, idents: map[string][]needle{}}
	for k, w := range wanted {
		for _, u := range w.clause {
			if u.kind != unitFilter && !u.not {
				c.addUnit(k, u)
			}
		}
		for _, term := range w.stems {
			c.add(needle{wish: k, terms: []string{term}, weight: stemWeight})
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
	if u.kind == unitWord && !single {
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

// candidate is a chunk with what is needed to score it.
type candidate struct {
	ranked
	count          uint16
	path, body     string
	title, heading string
	tags, aliases  string // JSON
}

// score reads the chunks of the window and puts them in order.
func (o *order) score(head []ranked) ([]ranked, error) {
	candidates, err := o.read(head)
	if err != nil {
		return nil, err
	}
	c := newScorer(o.s.wanted, o.idf)
	names := map[int64][]float64{}
	for i := range candidates {
		if i%16 == 0 && o.s.v.ctx.Err() != nil {
			return nil, o.s.v.ctx.Err()
		}
		candidates[i].score = c.score(&candidates[i], names)
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path), cmp.Compare(a.id, b.id))
	})
	out := make([]ranked, len(candidates))
	for i, x := range candidates {
		out[i] = x.ranked
	}
	return out, nil
}

func (o *order) read(head []ranked) ([]candidate, error) {
	ids := make([]int64, len(head))
	for i, r := range head {
		ids[i] = r.id
	}
	out := make([]candidate, 0, len(head))
	err := o.s.v.each(`SELECT c.id, c.document_id, d.file_path, d.title, d.tags, d.aliases, coalesce(json_extract(d.headings, '$[' || c.node || ']'), ''),
			substr(CAST(d.content AS BLOB), c.byte_start + 1, c.byte_end - c.byte_start)
		FROM json_each(?) j JOIN chunks c ON c.id = j.value JOIN documents d ON d.id = c.document_id`, []any{jsonNumbers(ids)}, func(rows *sql.Rows) error {
		var x candidate
		err := rows.Scan(&x.id, &x.document, &x.path, &x.title, &x.tags, &x.aliases, &x.heading, &x.body)
		if i, ok := slices.BinarySearch(o.g.ids, x.id); ok {
			x.count = o.count[i]
		}
		out = append(out, x)
		return err
	})
	return out, err
}

// score is the BM25F of a chunk over its text and the names of its document, plus what the words say together. names
// keeps the part of each document.
func (c *scorer) score(x *candidate, names map[int64][]float64) float64 {
	all := 0.0
	for _, w := range c.idf {
		all += w
	}
	frequency, ok := names[x.document]
	if !ok {
		frequency = c.nameFrequencies(x)
		names[x.document] = frequency
	}
	frequency = slices.Clone(frequency)
	titled := frequency[len(c.idf)] // what nameFrequencies says of the title
	frequency = frequency[:len(c.idf)]
	headed := c.field(x.heading, weightHeading, frequency)
	together := c.body(x.body, frequency)
	score := 0.0
	for k, f := range frequency {
		score += c.idf[k] * f / (f + saturation)
	}
	return score + all*(titleShare*titled+headingShare*headed) + proximityShare*together
}

// nameFrequencies are the weighted occurrences of each wish in the names of a document, and last how well its title
// fits.
func (c *scorer) nameFrequencies(x *candidate) []float64 {
	frequency := make([]float64, len(c.idf), len(c.idf)+1)
	titled := c.field(x.title, weightTitle, frequency)
	for _, alias := range jsonStrings(x.aliases) {
		titled = max(titled, c.field(alias, weightAlias, frequency))
	}
	for _, tag := range jsonStrings(x.tags) {
		c.field(tag, weightTag, frequency)
	}
	_, inside, _ := strings.Cut(x.path, "/")
	c.field(inside, weightPath, frequency)
	return append(frequency, titled)
}

func jsonStrings(list string) []string {
	var out []string
	if list == "[]" || json.Unmarshal([]byte(list), &out) != nil {
		return nil
	}
	return out
}

// field adds the occurrences in a short field, each wish once, and returns how well field and query cover each other:
// 1 when they say the same.
func (c *scorer) field(s string, weight float64, frequency []float64) float64 {
	if s == "" {
		return 0
	}
	best := make([]float64, len(c.idf))
	covered := map[int]bool{}
	words := c.scan(s, func(m sighting) {
		best[m.wish] = max(best[m.wish], m.weight)
		if m.weight >= stemWeight {
			for i := m.word; i <= m.last; i++ {
				covered[i] = true
			}
		}
	})
	said, all := 0.0, 0.0
	for k, w := range best {
		frequency[k] += weight * w
		said += w * c.idf[k]
		all += c.idf[k]
	}
	if words == 0 || all == 0 {
		return 0
	}
	return said / all * min(1, float64(len(covered))/float64(words))
}

// body adds the occurrences in the text of a chunk and returns the weight of the wishes that stand together there.
func (c *scorer) body(s string, frequency []float64) float64 {
	inBody := make([]float64, len(c.idf))
	var seen []sighting
	words := c.scan(s, func(m sighting) {
		inBody[m.wish] += m.weight
		if m.weight >= stemWeight {
			seen = append(seen, m)
		}
	})
	norm := 1 - lengthShare + lengthShare*float64(words)/usualLength
	for k, f := range inBody {
		frequency[k] += weightBody * f / norm
	}
	return c.proximity(seen)
}

// proximity is the weight of the wishes in the tightest run of words that holds as many of them as the text does, less
// the more words stand between.
func (c *scorer) proximity(seen []sighting) float64 {
	slices.SortFunc(seen, func(a, b sighting) int { return cmp.Or(a.word-b.word, a.last-b.last) })
	present, distinct := make([]bool, len(c.idf)), 0
	for _, m := range seen {
		if !present[m.wish] {
			present[m.wish] = true
			distinct++
		}
	}
	if distinct < 2 {
		return 0
	}
	held := make([]int, len(c.idf))
	shortest, have, left := math.MaxInt, 0, 0
	for _, m := range seen {
		if held[m.wish]++; held[m.wish] == 1 {
			have++
		}
		for have == distinct {
			shortest = min(shortest, m.last-seen[left].word+1)
			if held[seen[left].wish]--; held[seen[left].wish] == 0 {
				have--
			}
			left++
		}
	}
	weight := 0.0
	for k, was := range present {
		if was {
			weight += c.idf[k]
		}
	}
	return weight * min(1, float64(distinct)/float64(shortest))
}
