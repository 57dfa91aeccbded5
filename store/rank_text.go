package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"
)

// candidate is a chunk with what is needed to score it.
type candidate struct {
	ranked
	path, body     string
	title, heading string
	tags, aliases  string // JSON
	called         string // JSON: the texts of links to its document
	links          int    // documents that link there
}

// score reads the chunks of the window and puts them in order.
func (o *order) score(head []ranked) ([]ranked, error) {
	candidates, err := o.read(head)
	if err != nil {
		return nil, err
	}
	c := newScorer(o.g.wishes, o.idf, false)
	known := map[int64]*documentScore{}
	for i := range candidates {
		if i%16 == 0 && o.s.v.ctx.Err() != nil {
			return nil, o.s.v.ctx.Err()
		}
		x := &candidates[i]
		if known[x.document] == nil {
			known[x.document] = c.names(x, o.spread(x.document))
		}
		x.score = c.score(x, known[x.document])
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path), cmp.Compare(a.id, b.id))
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
	err := o.s.v.each(`SELECT c.id, c.document_id, d.file_path, d.title, d.tags, d.aliases, coalesce(i.texts, '[]'), coalesce(i.links, 0),
			coalesce(json_extract(d.headings, '$[' || c.node || ']'), ''), substr(CAST(d.content AS BLOB), c.byte_start + 1, c.byte_end - c.byte_start)
		FROM json_each(?) j JOIN chunks c ON c.id = j.value JOIN documents d ON d.id = c.document_id LEFT JOIN inbound i ON i.document_id = d.id`,
		[]any{jsonNumbers(ids)}, func(rows *sql.Rows) error {
			var x candidate
			err := rows.Scan(&x.id, &x.document, &x.path, &x.title, &x.tags, &x.aliases, &x.called, &x.links, &x.heading, &x.body)
			out = append(out, x)
			return err
		})
	return out, err
}

// spread is the BM25 of a document over its chunks: in how many of them each wish stands.
func (o *order) spread(document int64) float64 {
	average := float64(o.s.index.chunks) / float64(max(1, len(o.s.index.documents)))
	score := 0.0
	for _, x := range o.s.index.of(postings{document}) {
		norm := spreadSaturation * (1 - spreadLength + spreadLength*float64(x.n)/average)
		for k, f := range o.g.sets {
			from, _ := slices.BinarySearch(f.in, x.first)
			to, _ := slices.BinarySearch(f.in, x.first+int64(x.n))
			score += o.idf[k] * float64(to-from) / (float64(to-from) + norm)
		}
	}
	return score
}

// k1 and b of BM25 where a chunk is what a word is elsewhere.
const (
	spreadSaturation = 2.0
	spreadLength     = 0.7
)

// documentScore is what all chunks of a document share.
type documentScore struct {
	frequency []float64 // weighted occurrences of each wish in the names
	fits      float64   // how well the best of the names says the query, weighted
	extra     float64   // what the document adds by itself
}

// names scores the names of a document.
func (c *scorer) names(x *candidate, spread float64) *documentScore {
	d := &documentScore{frequency: make([]float64, len(c.idf))}
	add := func(s string, weight, share float64) { d.fits = max(d.fits, share*c.field(s, weight, d.frequency)) }
	add(x.title, weightTitle, titleShare)
	for _, alias := range jsonStrings(x.aliases) {
		add(alias, weightAlias, titleShare)
	}
	for _, tag := range jsonStrings(x.tags) {
		add(tag, weightTag, 0)
	}
	name, folders := nameAndFolders(x.path)
	add(name, weightFile, fileShare)
	add(folders, weightFolder, 0)
	best := make([]float64, len(c.idf))
	for _, called := range jsonStrings(x.called) {
		one := make([]float64, len(c.idf))
		d.fits = max(d.fits, linkShare*c.field(called, weightLink, one))
		for k, f := range one {
			best[k] = max(best[k], f)
		}
	}
	for k, f := range best {
		d.frequency[k] += f
	}
	d.extra = spreadShare*spread + c.all()*min(popularMost, popularShare*math.Log1p(float64(x.links)))
	return d
}

// nameAndFolders parts a doc_path, its shelf and extension left out. An index is called as its folder is.
func nameAndFolders(docPath string) (name, folders string) {
	_, inside, _ := strings.Cut(docPath, "/")
	folders, name = path.Split(strings.TrimSuffix(inside, path.Ext(inside)))
	folders = strings.TrimSuffix(folders, "/")
	switch strings.ToLower(strings.TrimLeft(name, "_")) {
	case "index", "readme":
		if folders != "" {
			folders, name = path.Split(folders)
		}
	}
	return name, folders
}

// all is the weight of all words.
func (c *scorer) all() float64 {
	sum := 0.0
	for _, w := range c.idf {
		sum += w
	}
	return sum
}

// score is the BM25F of a chunk over its text and the names of its document, plus what the words say together.
func (c *scorer) score(x *candidate, d *documentScore) float64 {
	frequency := slices.Clone(d.frequency)
	headed := c.field(x.heading, weightHeading, frequency)
	together := c.body(x.body, frequency)
	score := 0.0
	for k, f := range frequency {
		score += c.idf[k] * f / (f + saturation)
	}
	return score + c.all()*(d.fits+headingShare*headed) + proximityShare*together + d.extra
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
// the more words stand between, and less in another order than that of the query.
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
	closest, have, left := 0.0, 0, 0
	for i, m := range seen {
		if held[m.wish]++; held[m.wish] == 1 {
			have++
		}
		for have == distinct {
			near := min(1, float64(distinct)/float64(m.last-seen[left].word+1))
			if !slices.IsSortedFunc(seen[left:i+1], func(a, b sighting) int { return a.wish - b.wish }) {
				near *= disorder
			}
			closest = max(closest, near)
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
	return weight * closest
}
