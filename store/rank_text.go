package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

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
