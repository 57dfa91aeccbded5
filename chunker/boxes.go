package chunker

import (
	"slices"
	"strings"
	"unicode"

	"shelfd/internal/text"
)

// Box is where a block of the source stands on its page.
type Box struct {
	Page       int        `json:"page"` // as the blocks number them
	BBox       [4]float64 `json:"bbox"` // left, top, right, bottom
	Space      Space      `json:"space"`
	PageWidth  float64    `json:"page_width,omitempty"`
	PageHeight float64    `json:"page_height,omitempty"`
	Type       string     `json:"type,omitempty"`
	BlockIndex int        `json:"block_index"`
	Occurrence *int       `json:"occurrence,omitempty"`
	Confidence *float64   `json:"confidence,omitempty"` // 0-1
	// Approximate: whoever read the page was not sure of it, or the text stands in the document in other words.
	Approximate bool `json:"approximate,omitempty"`
}

// Space is what the numbers of a box measure.
type Space string

// The spaces.
const (
	SpaceNormalized Space = "normalized" // shares of the page, or thousandths
	SpacePoints     Space = "points"     // 1/72 inch
)

// sureFrom is the confidence from which a box is exact.
const sureFrom = 0.8

// boxesAChunk bounds the boxes of one chunk, which every answer that shows it reads. A chunk has 800 characters or 400
// words, so that no list which tells each place once has more.
const boxesAChunk = 1000

// Locate finds the blocks of a source in the text that was made of it, and returns the boxes of each chunk in the order
// of the blocks. A block that runs over several chunks is a box of each; one whose text the document does not hold is
// left out. Only letters and digits are compared, so that marks, spaces and line ends may differ.
func Locate(d *Document, blocks []SourceBlock) [][]Box {
	l := newLocator(d, blocks)
	for _, b := range blocks {
		l.place(b)
	}
	return l.boxes
}

func newLocator(d *Document, blocks []SourceBlock) *locator {
	l := &locator{doc: d, stream: streamOf(d), boxes: make([][]Box, len(d.Chunks)), scan: scanBudget}
	l.fromZero = slices.ContainsFunc(blocks, func(b SourceBlock) bool { return b.Occurrence != nil && *b.Occurrence == 0 })
	l.taken = make([]bool, len(l.stream.text))
	return l
}

// stream is the letters and digits of a document's body, folded, without anything between them.
type stream struct {
	text  string
	at    []uint32 // byte of text → byte of the document's body
	start []bool   // byte of text: a word or CJK character begins here
}

func streamOf(d *Document) stream {
	body := d.Text[d.Body.Start:d.Body.End]
	s := stream{at: make([]uint32, 0, len(body)), start: make([]bool, 0, len(body))}
	var b strings.Builder
	b.Grow(len(body))
	folds := map[rune]string{}
	inside, tag := false, false // a word; a tag of HTML
	for i, r := range body {
		tag = tag && r != '>' || r == '<' && tagStarts(body[i:])
		if tag || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			inside = false
			continue
		}
		folded := foldRune(r, folds)
		for k := range len(folded) {
			s.at = append(s.at, uint32(i))
			s.start = append(s.start, k == 0 && (!inside || text.IsCJK(r)))
		}
		b.WriteString(folded)
		inside = !text.IsCJK(r)
	}
	s.text = b.String()
	return s
}

// tagStarts says whether s begins with a tag that ends soon: a lone "<" is a sign like others.
func tagStarts(s string) bool {
	s = s[:min(len(s), 512)]
	if len(s) < 2 || s[1] != '/' && s[1] != '!' && !isASCIILetter(s[1]) {
		return false
	}
	end := strings.IndexAny(s[1:], "<>")
	return end >= 0 && s[1+end] == '>'
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// foldRune is text.Fold of one character; known remembers those that take long.
func foldRune(r rune, known map[rune]string) string {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9', text.IsCJK(r) && unicode.Is(unicode.Han, r):
		return string(r)
	case 'A' <= r && r <= 'Z':
		return string(r + 'a' - 'A')
	}
	folded, ok := known[r]
	if !ok {
		folded = text.Fold(string(r))
		known[r] = folded
	}
	return folded
}

// squeeze is the stream of a text by itself.
func squeeze(s string) string {
	return streamOf(&Document{Text: s, Body: Span{0, len(s)}}).text
}

// locator puts blocks in place one after another.
type locator struct {
	doc      *Document
	stream   stream
	boxes    [][]Box
	taken    []bool // bytes of the stream at which a block begins that was placed
	cursor   int    // behind the last block that was placed
	fromZero bool   // occurrences are counted from 0
	scan     int    // bytes that may still be looked through for blocks that are not where they should be
}

const (
	// scanBudget is how much is looked through for blocks that are not where they should be, in bytes: well under half
	// a second. Hostile lists would look through the whole document once a block.
	scanBudget = 256 << 20
	// probeCost is what a place that turns out to be none costs of it.
	probeCost = 64
	// scanNear is what is looked through when the budget is spent: the page behind the block before.
	scanNear = 4 << 10
	// probesNear is how many places are tried then.
	probesNear = 16
	// partLength is how much of a text must be found at both its ends when the whole is not.
	partLength = 24
)

func (l *locator) place(b SourceBlock) {
	needle := squeeze(b.Text)
	if needle == "" {
		return
	}
	from, to, exact := l.find(needle, b.Occurrence)
	if from < 0 {
		return
	}
	l.taken[from], l.cursor = true, to
	box := b.Box
	box.Approximate = box.Approximate || !exact || box.Confidence != nil && *box.Confidence < sureFrom
	span := Span{l.byteAt(from), l.byteAt(to-1) + 1}
	first, _ := slices.BinarySearchFunc(l.doc.Chunks, span.Start, func(c Chunk, start int) int {
		if c.Span.End <= start {
			return -1
		}
		return 1
	})
	for i := first; i < len(l.doc.Chunks) && l.doc.Chunks[i].Span.Start < span.End; i++ {
		if len(l.boxes[i]) < boxesAChunk {
			l.boxes[i] = append(l.boxes[i], box)
		}
	}
}

// byteAt is the byte of the document at which a byte of the stream stands.
func (l *locator) byteAt(i int) int { return l.doc.Body.Start + int(l.stream.at[i]) }

// find is where a text stands in the stream, -1 when nowhere: its occurrence when that is known; else the first place
// behind the block before that no other block has; else the first one of all; else where its ends stand.
func (l *locator) find(needle string, occurrence *int) (from, to int, exact bool) {
	if occurrence != nil {
		n := *occurrence
		if l.fromZero {
			n++
		}
		if from := l.nth(needle, n); from >= 0 {
			return from, from + len(needle), true
		}
	}
	if from := l.free(needle, edges{true, true}); from >= 0 {
		return from, from + len(needle), true
	}
	return l.byEnds(needle)
}

// nth is the nth place of a text, from 1.
func (l *locator) nth(needle string, n int) int {
	at := 0
	for n > 0 {
		i := l.index(needle, at, len(l.stream.text), edges{true, true})
		if i < 0 {
			return -1
		}
		if n--; n == 0 {
			return i
		}
		if at = i + len(needle); l.scan <= 0 {
			return -1
		}
	}
	return -1
}

func (l *locator) free(needle string, e edges) int {
	for _, at := range [...]int{l.cursor, 0} {
		for {
			i := l.index(needle, at, len(l.stream.text), e)
			if i < 0 {
				break
			}
			if !l.taken[i] {
				return i
			}
			if at = i + 1; l.scan <= 0 {
				break
			}
		}
	}
	return -1
}

// byEnds finds a text by its beginning and its end, about as far from each other as they should be.
func (l *locator) byEnds(needle string) (from, to int, exact bool) {
	if len(needle) < 3*partLength {
		return -1, 0, false
	}
	head, tail := cutAt(needle, partLength), needle[len(cutAt(needle, len(needle)-partLength)):]
	from = l.free(head, edges{begins: true})
	if from < 0 {
		return -1, 0, false
	}
	last := l.index(tail, from+len(head), min(len(l.stream.text), from+2*len(needle)), edges{ends: true})
	if last < 0 {
		return -1, 0, false
	}
	return from, last + len(tail), false
}

// cutAt is the beginning of s, n bytes or a few less: whole characters.
func cutAt(s string, n int) string { return s[:runeBoundary(s, min(n, len(s)))] }

// edges says at which ends a text must not be in the middle of a word.
type edges struct{ begins, ends bool }

// index is the first place of a text between two places. Every look is paid for from the budget.
func (l *locator) index(needle string, from, to int, e edges) int {
	probes := len(l.stream.text)
	if l.scan <= 0 {
		to, probes = min(to, from+scanNear+len(needle)), probesNear
	}
	for ; from < to && probes > 0; probes-- {
		i := strings.Index(l.stream.text[from:to], needle)
		if i < 0 {
			l.scan -= to - from
			return -1
		}
		l.scan -= i + probeCost
		i += from
		if end := i + len(needle); (!e.begins || l.stream.start[i]) && (!e.ends || end == len(l.stream.text) || l.stream.start[end]) {
			return i
		}
		from = i + 1
	}
	return -1
}

// UnionBoxes joins boxes to one a page, in page order: the rectangle around all of them. Boxes that measure otherwise
// than the first of their page are brought to its measure where the size of the page is known, and left out where not.
func UnionBoxes(boxes []Box) []Box {
	var pages []Box
	for _, b := range boxes {
		i := slices.IndexFunc(pages, func(p Box) bool { return p.Page == b.Page })
		if i < 0 {
			pages = append(pages, Box{
				Page: b.Page, BBox: b.BBox, Space: b.Space, PageWidth: b.PageWidth, PageHeight: b.PageHeight,
				BlockIndex: b.BlockIndex, Approximate: b.Approximate,
			})
			continue
		}
		p := &pages[i]
		p.Approximate = p.Approximate || b.Approximate
		if rect, ok := b.in(p.Space); ok {
			p.BBox = around(p.BBox, rect)
		} else {
			p.Approximate = true
		}
	}
	slices.SortStableFunc(pages, func(a, b Box) int { return a.Page - b.Page })
	return pages
}

// in is the rectangle of a box in a space.
func (b Box) in(space Space) ([4]float64, bool) {
	r := b.BBox
	if b.Space == space {
		return r, true
	}
	if b.PageWidth <= 0 || b.PageHeight <= 0 {
		return r, false
	}
	w, h := b.PageWidth, b.PageHeight
	if space == SpaceNormalized {
		w, h = 1/w, 1/h
	}
	return [4]float64{r[0] * w, r[1] * h, r[2] * w, r[3] * h}, true
}

func around(a, b [4]float64) [4]float64 {
	return [4]float64{min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
}
