package store

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"shelfd/chunker"
	"shelfd/internal/text"
)

// Evidence is what a reader needs to quote a passage, and a viewer to point at it.
type Evidence struct {
	// Quote stands in the source word for word, once Markdown is removed; never a heading. "" when the chunk holds nothing else.
	Quote string
	// Highlight is the sentence, heading, cell or line of code that holds the most of the words looked for; "" without any.
	Highlight string
	// Ranges are those words in Highlight: [start, end) in characters, in order, apart from each other.
	Ranges [][2]int
	// Paragraph is the place of the quote's paragraph in Paragraphs, -1 without a quote.
	Paragraph int
	// Sheet and Cell are where a passage of a spreadsheet stands, as far as that can be told.
	Sheet, Cell string
	// Paragraphs are the blocks of the chunk without Markdown: headings, paragraphs, list items, rows, code.
	Paragraphs []string
}

const (
	quoteLongest  = 300 // characters; of a longer sentence the best part is taken
	quoteShortest = 20  // characters below which a sentence says little by itself
)

// line is a piece of a block that may be quoted: a sentence, a cell, a line of code.
type line struct {
	block   int
	kind    chunker.BlockKind
	text    string
	heading bool
	sights  float64 // weight of the words looked for that it holds
}

// evidence reads a chunk for the words that marks looks for.
func (m *marks) evidence(content string, span chunker.Span, trail []string) Evidence {
	blocks := chunker.Read(content, span)
	e := Evidence{Paragraph: -1}
	lines := linesOf(blocks, trail)
	for i := range lines {
		lines[i].sights = m.sights(lines[i].text)
	}
	for _, b := range blocks {
		e.Paragraphs = append(e.Paragraphs, b.Text)
	}
	quoted := m.quoteFrom(lines, content, span)
	if quoted >= 0 {
		e.Paragraph = lines[quoted].block
		e.Quote = m.cutLine(lines[quoted].text)
	}
	if shown := bestSighted(lines, quoted); shown >= 0 {
		e.Highlight = m.cutLine(lines[shown].text)
		e.Ranges = m.ranges(e.Highlight)
	}
	return e
}

// linesOf cuts blocks into what may be quoted. What says no more than one of the titles around is a heading as well, as
// the paragraphs are that open an article of a contract.
func linesOf(blocks []chunker.Block, trail []string) []line {
	var lines []line
	for i, b := range blocks {
		parts := b.Parts
		if parts == nil {
			parts = chunker.Sentences(b.Text)
		}
		heading := b.Kind == chunker.BlockHeading || slices.Contains(trail, b.Text)
		if heading {
			parts = []string{b.Text}
		}
		for _, s := range parts {
			lines = append(lines, line{block: i, kind: b.Kind, text: s, heading: heading || slices.Contains(trail, s)})
		}
	}
	return lines
}

// quoteFrom chooses the line to be quoted: prose with the most of the words looked for, else a row or HTML with any of
// them, else what is most distinctive, prose before rows before code; -1 when there are only headings.
func (m *marks) quoteFrom(lines []line, content string, span chunker.Span) int {
	source := strings.Join(strings.Fields(content[span.Start:span.End]), " ")
	best, bestWorth := -1, []float64{}
	var rarity *rarity
	for i, l := range lines {
		if l.heading {
			continue
		}
		sights := l.sights
		if l.kind == chunker.BlockCode {
			sights = 0
		}
		worth := []float64{boolean(sights > 0), -quotable(l.kind), sights, 0}
		if best >= 0 && slices.Compare(worth[:3], bestWorth[:3]) < 0 {
			continue
		}
		if rarity == nil {
			rarity = newRarity(content, span)
		}
		worth[3] = rarity.worth(l.text)
		if !strings.Contains(source, l.text) {
			worth[3] *= 0.7 // marks inside: a viewer may read them in another way
		}
		if best < 0 || slices.Compare(worth, bestWorth) > 0 {
			best, bestWorth = i, worth
		}
	}
	return best
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// quotable orders kinds of block by how well they can be quoted.
func quotable(k chunker.BlockKind) float64 {
	if k == chunker.BlockEntry {
		return float64(chunker.BlockProse)
	}
	return float64(k)
}

// bestSighted is the line with the most of the words looked for, the quoted one among equals; -1 without any.
func bestSighted(lines []line, quoted int) int {
	best := -1
	for i, l := range lines {
		if l.sights > 0 && (best < 0 || l.sights > lines[best].sights || l.sights == lines[best].sights && i == quoted) {
			best = i
		}
	}
	return best
}

// cutLine is a line, or the best part of a long one, cut between words.
func (m *marks) cutLine(s string) string {
	if utf8.RuneCountInString(s) <= quoteLongest {
		return s
	}
	start, end := bestStretch(s, m.scorer, quoteLongest)
	return strings.TrimSpace(s[start:end])
}

// rarity weighs words by how much they are the chunk's own: said often in it and little in the rest of the document.
type rarity struct{ here, everywhere map[string]float64 }

// rarityReach is how much of a long document around the chunk is looked at, in bytes each way.
const rarityReach = 100_000

func newRarity(content string, span chunker.Span) *rarity {
	start, end := max(0, span.Start-rarityReach), min(len(content), span.End+rarityReach)
	return &rarity{frequencies(content[span.Start:span.End]), frequencies(content[start:end])}
}

func frequencies(s string) map[string]float64 {
	n := map[string]float64{}
	text.Segment(s, func(t text.Token) {
		if t.Kind != text.Ident && !text.Stop(t.Term) {
			n[t.Term]++
		}
	})
	return n
}

// worth is the weight of a sentence's words over the root of their number, so that length alone is no merit.
func (r *rarity) worth(s string) float64 {
	sum, terms := 0.0, wordSet(s)
	counted := 0.0
	for term := range terms {
		if f := r.here[term]; f > 0 {
			sum += math.Round(1024*math.Log1p(f)*f/max(r.everywhere[term], f)) / 1024 // exact, whatever the order
			counted++
		}
	}
	worth := sum / math.Sqrt(4+counted)
	if utf8.RuneCountInString(s) < quoteShortest && text.Units(s) < quoteShortest/2 {
		worth /= 4
	}
	return worth
}

// marks are the words of a query as they are looked for in texts.
type marks struct{ *scorer }

// sights is the weight of the wishes that s holds.
func (m *marks) sights(s string) float64 {
	best := map[int]float64{}
	m.scan(s, func(x sighting) { best[x.wish] = max(best[x.wish], x.weight) })
	sum := 0.0
	for _, k := range sortedKeys(best) {
		sum += best[k] * (0.1 + m.idf[k])
	}
	return sum
}

func sortedKeys(set map[int]float64) []int {
	var keys []int
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ranges are the places in s where words looked for stand, in characters, those that overlap as one. Parts of an
// identifier count where it does not stand as a whole.
func (m *marks) ranges(s string) [][2]int {
	var seen []sighting
	best := map[int]float64{}
	m.scan(s, func(x sighting) {
		seen = append(seen, x)
		best[x.wish] = max(best[x.wish], x.weight)
	})
	seen = slices.DeleteFunc(seen, func(x sighting) bool { return x.weight <= partWeight && best[x.wish] > partWeight })
	slices.SortFunc(seen, func(a, b sighting) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	out := [][2]int{}
	at, characters := 0, 0
	upTo := func(i int) int {
		characters += utf8.RuneCountInString(s[at:i])
		at = i
		return characters
	}
	for i := 0; i < len(seen); {
		start, end := seen[i].start, seen[i].end
		for i++; i < len(seen) && seen[i].start < end; i++ {
			end = max(end, seen[i].end)
		}
		from := upTo(start)
		out = append(out, [2]int{from, upTo(end)})
	}
	return out
}
