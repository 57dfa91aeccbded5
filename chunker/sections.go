package chunker

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"shelfd/internal/text"
)

const (
	// maxNodes bounds the sections of one document; headings beyond it open none. Each repeats the path above it.
	maxNodes = 20_000
	// maxTitle and maxSlug bound, in bytes, what a heading gives its section. The longest of 14,000 real documents has
	// 230; a heading of megabytes would be repeated in every id below it.
	maxTitle = 1000
	maxSlug  = 400
)

// section is a run of blocks under one heading, up to the next heading of any level.
type section struct {
	node   int
	blocks []block
	bare   bool // blocks[0] is a heading and nothing else
}

// opener is a heading of either sort.
type opener struct {
	title  string
	anchor string
	level  int  // of a Markdown heading, 0 of a structure heading
	rank   rank // of a structure heading
	bare   bool
}

// outline builds Document.Nodes while it walks the blocks. open is the stack of sections that contain the current one.
type outline struct {
	c    *cutter
	open []openSection
}

type openSection struct {
	node int
	opener
}

// sections groups blocks by heading and fills Document.Nodes.
func (c *cutter) sections(blocks []block, end int) []section {
	out := outline{c: c}
	var sections []section
	for i, b := range blocks {
		start := trimBlank(c.doc.Text, b.Span).Start
		o, ok := c.opener(b)
		if ok && len(c.doc.Nodes) < maxNodes {
			out.closeFor(o, start)
			sections = append(sections, section{node: out.add(o, start), blocks: blocks[i:i], bare: o.bare})
		} else if ok {
			c.tooManyHeadings(start)
		}
		if len(sections) == 0 {
			c.doc.Nodes = append(c.doc.Nodes, Node{ID: "~", Parent: -1, Span: Span{start, end}})
			sections = append(sections, section{blocks: blocks[i:i]})
		}
		last := &sections[len(sections)-1]
		last.blocks = last.blocks[:len(last.blocks)+1]
	}
	out.closeAll(end)
	c.nameNodes()
	return sections
}

func (c *cutter) tooManyHeadings(at int) {
	if c.capped {
		return
	}
	c.capped = true
	c.problem(StageParse, "more than "+strconv.Itoa(maxNodes)+" headings; those from here on open no section", c.lines.line(at))
}

// opener says which section a block opens.
func (c *cutter) opener(b block) (opener, bool) {
	switch n := b.node.(type) {
	case *ast.Heading:
		o := opener{level: n.Level, bare: true}
		o.title, o.anchor = c.headingTitle(n)
		if c.anyTitle == "" {
			c.anyTitle = o.title
		}
		if c.topTitle == "" && n.Level == 1 {
			c.topTitle = o.title
		}
		return o, true
	case *ast.Paragraph:
		if c.capped || !c.mayBeStructure(b) {
			return opener{}, false
		}
		h, ok := structureHeading(firstLine(n, c.src), n.Lines().Len() == 1)
		return opener{title: h.title, rank: h.rank, bare: h.alone}, ok
	}
	return opener{}, false
}

// mayBeStructure spares most paragraphs the writing of their first line.
func (c *cutter) mayBeStructure(b block) bool {
	s := strings.TrimLeft(c.doc.Text[b.Start:b.End], " *_")
	return s != "" && (strings.IndexByte("TCSA", s[0]) >= 0 || strings.HasPrefix(s, "第"))
}

// headingTitle is the plain text of a heading, without attributes at its end: {#id}, {.class}, {/*id*/}; and the id.
func (c *cutter) headingTitle(n *ast.Heading) (title, anchor string) {
	p := plainText{src: c.src, limit: len(c.src)}
	if lines := n.Lines(); lines.Len() > 0 {
		last := lines.At(lines.Len() - 1)
		raw := strings.TrimRight(string(last.Value(c.src)), " \t\r\n")
		if open := strings.LastIndexByte(raw, '{'); strings.HasSuffix(raw, "}") && open >= 0 {
			if inner := raw[open+1:]; strings.HasPrefix(inner, "#") || strings.HasPrefix(inner, ".") || strings.HasPrefix(inner, "/*") {
				p.limit = last.Start + open
				anchor = attributeID(inner[:len(inner)-1])
			}
		}
	}
	p.children(n)
	return clip(p.String(), maxTitle), anchor
}

// attributeID is the id among the attributes of a heading, "" = none.
func attributeID(attributes string) string {
	if id, found := strings.CutPrefix(attributes, "/*"); found {
		return clip(strings.TrimSpace(strings.TrimSuffix(id, "*/")), maxTitle)
	}
	for attribute := range strings.FieldsSeq(attributes) {
		if id, found := strings.CutPrefix(attribute, "#"); found {
			return clip(id, maxTitle)
		}
	}
	return ""
}

// clip cuts s to at most n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimSpace(s[:runeBoundary(s, n)])
}

// closeFor ends the sections that the new one isn't part of. A Markdown heading ends every structure section and the
// Markdown sections of its level and below; a structure heading ends those of its rank and below.
func (o *outline) closeFor(next opener, at int) {
	for len(o.open) > 0 {
		top := o.open[len(o.open)-1]
		if next.level > 0 && top.level > 0 && top.level < next.level {
			return
		}
		if next.level == 0 && (top.level > 0 || top.rank < next.rank) {
			return
		}
		o.close(at)
	}
	if nodes := o.c.doc.Nodes; len(nodes) == 1 && nodes[0].ID == "~" {
		nodes[0].Span.End = at
	}
}

func (o *outline) close(at int) {
	top := o.open[len(o.open)-1]
	o.c.doc.Nodes[top.node].Span.End = at
	o.open = o.open[:len(o.open)-1]
}

func (o *outline) closeAll(at int) {
	for len(o.open) > 0 {
		o.close(at)
	}
	for i := range o.c.doc.Nodes {
		n := &o.c.doc.Nodes[i]
		n.Lines = o.c.lines.lines(n.Span)
	}
}

// add opens a section and returns its index.
func (o *outline) add(next opener, start int) int {
	n := Node{Title: next.title, Anchor: next.anchor, Level: next.level, Parent: -1, Span: Span{start, start}}
	if len(o.open) > 0 {
		n.Parent = o.open[len(o.open)-1].node
	}
	if next.level == 0 {
		n.Level = 1
		if n.Parent >= 0 {
			n.Level = o.c.doc.Nodes[n.Parent].Level + 1
		}
	}
	o.c.doc.Nodes = append(o.c.doc.Nodes, n)
	o.open = append(o.open, openSection{len(o.c.doc.Nodes) - 1, next})
	return len(o.c.doc.Nodes) - 1
}

// sibling is a slug below a parent.
type sibling struct {
	parent int
	slug   string
}

// nameNodes gives the nodes their ids. The second section of a name gets -2 unless a sibling is really called that:
// then the next free number. So a heading that stands once keeps its own slug whatever its siblings are called.
func (c *cutter) nameNodes() {
	nodes := c.doc.Nodes
	slugs := make([]string, len(nodes))
	taken := make(map[sibling]int, len(nodes)) // the number of the last section of that slug, 0 = none yet
	for i := range nodes {
		if nodes[i].ID == "" {
			slugs[i] = clipSlug(text.Slug(nodes[i].Title))
			taken[sibling{nodes[i].Parent, slugs[i]}] = 0
		}
	}
	for i := range nodes {
		n := &nodes[i]
		if n.ID != "" {
			continue
		}
		own := sibling{n.Parent, slugs[i]}
		id := own
		for number := taken[own] + 1; ; number++ {
			if number > 1 {
				id.slug = own.slug + "-" + strconv.Itoa(number)
			}
			if _, real := taken[id]; number == 1 || !real {
				taken[own] = number
				break
			}
		}
		n.ID = id.slug
		if n.Parent >= 0 {
			n.ID = nodes[n.Parent].ID + "/" + id.slug
		}
	}
}

func clipSlug(slug string) string {
	return strings.TrimRight(clip(slug, maxSlug), "-")
}

// runeBoundary is the last offset up to i at which a character begins.
func runeBoundary(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
