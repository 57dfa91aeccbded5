package chunker

import (
	"unicode/utf8"

	"shelfd/internal/text"
)

// maxChunkBytes bounds a chunk whatever its units: a line of base64 is one word.
const maxChunkBytes = 8 << 10

// limits are the Options with their defaults: the units of a chunk, the band around the target, and the overlap.
type limits struct {
	low, high, minimum, maximum, overlap int
}

func (o Options) withDefaults() limits {
	target := positive(o.Target, 425)
	l := limits{
		low: target * 14 / 17, high: target * 20 / 17, // 350 and 500 around 425
		minimum: positive(o.Min, 150), maximum: positive(o.Max, 800), overlap: positive(o.Overlap, 60),
	}
	l.maximum = max(l.maximum, 4) // a word and a CJK character always fit
	l.high = min(l.high, l.maximum)
	l.low = min(l.low, l.high)
	l.minimum = min(l.minimum, l.low)
	return l
}

func positive(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// atom is what a chunk is packed from: a whole block, or a piece of one that is too large.
type atom struct {
	Span
	units  int
	header Span // rows to repeat when a chunk begins with this one
	glued  bool // a heading: never the end of a chunk
}

// packer packs the atoms of one section, in order, into chunks.
type packer struct {
	c     *cutter
	node  int
	first int // index of the section's first chunk
	open  bool
	units int
	last  int // units of the chunk before the open one
	cur   Chunk
	glued bool
}

// pack fills Document.Chunks.
func (c *cutter) pack(sections []section) {
	for _, s := range sections {
		p := packer{c: c, node: s.node, first: len(c.doc.Chunks)}
		room := c.limits.maximum
		for i, b := range s.blocks {
			bare := i == 0 && s.bare
			a := atom{Span: trimBlank(c.doc.Text, b.Span), glued: bare}
			a.units = text.Units(c.doc.Text[a.Start:a.End])
			x := expander{p: &p, limit: room, bytes: maxChunkBytes}
			if i == 1 && p.glued { // the heading travels with the text below it
				x.limit = max(room-p.units, room/2)
				x.bytes = max(maxChunkBytes-(a.Start-p.cur.Span.Start), maxChunkBytes/2)
			}
			x.block(b.node, a)
		}
		p.finish()
	}
}

// add puts an atom into the open chunk, or closes that and opens another.
func (p *packer) add(a atom) {
	if a.Start >= a.End {
		return
	}
	if p.open && !p.fits(a) {
		p.flush()
	}
	if !p.open {
		p.open, p.units = true, 0
		p.cur = Chunk{Node: p.node, Span: a.Span, Prefix: p.prefix(a)}
	}
	p.cur.Span.End = a.End
	p.units += a.units
	p.glued = a.glued
}

// fits says whether the open chunk is better with a than without: below the minimum always, inside the band always,
// and from below the band when that comes closer to it.
func (p *packer) fits(a atom) bool {
	l, sum := p.c.limits, p.units+a.units
	switch {
	case a.End-p.cur.Span.Start > maxChunkBytes:
		return false
	case sum > l.maximum:
		return false
	case sum <= l.high || p.units < l.minimum || p.glued:
		return true
	}
	return p.units < l.low && sum-l.high < l.low-p.units
}

// prefix is what is indexed before a chunk that begins with a: the header of its table, else the end of the chunk before.
func (p *packer) prefix(a atom) Span {
	if a.header.Start < a.header.End {
		return a.header
	}
	chunks := p.c.doc.Chunks
	if len(chunks) == p.first {
		return Span{}
	}
	return p.c.overlap(chunks[len(chunks)-1].Span)
}

func (p *packer) flush() {
	if p.open {
		p.c.doc.Chunks = append(p.c.doc.Chunks, p.cur)
		p.last, p.open = p.units, false
	}
}

// finish closes the last chunk of the section; one below the minimum joins the chunk before it.
func (p *packer) finish() {
	chunks := p.c.doc.Chunks
	if p.open && p.units < p.c.limits.minimum && len(chunks) > p.first {
		before := &chunks[len(chunks)-1]
		if p.last+p.units <= p.c.limits.maximum && p.cur.Span.End-before.Span.Start <= maxChunkBytes {
			before.Span.End = p.cur.Span.End
			p.open = false
		}
	}
	p.flush()
	for i := p.first; i < len(p.c.doc.Chunks); i++ {
		p.c.doc.Chunks[i].Lines = p.c.lines.lines(p.c.doc.Chunks[i].Span)
	}
}

// overlap is the end of a span: the last characters, from the beginning of a word when there is one among them.
func (c *cutter) overlap(s Span) Span {
	start, end := s.End, s.End
	for n := 0; n < c.limits.overlap && start > s.Start; n++ {
		_, size := utf8.DecodeLastRuneInString(c.doc.Text[s.Start:start])
		start -= size
	}
	if start > s.Start && !isSpace(c.doc.Text[start-1]) {
		for i := start; i < end; i++ {
			if isSpace(c.doc.Text[i]) {
				start = i
				break
			}
		}
	}
	for start < end && isSpace(c.doc.Text[start]) {
		start++
	}
	return Span{start, end}
}
