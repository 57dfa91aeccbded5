package chunker

import (
	"strings"

	"shelfd/internal/text"

	"github.com/yuin/goldmark/ast"
)

// Parse cuts src, the bytes of the file called name (its path inside the root, slash separated; used for the title of
// a file without one). It never fails and never panics: trouble is listed in Document.Problems.
// The zero Options are the defaults.
func Parse(name string, src []byte, o Options) *Document {
	doc := &Document{}
	doc.Text, doc.Problems = decode(src)
	doc.Tokens = text.Tokens(doc.Text)
	c := &cutter{doc: doc, lines: indexLines(doc.Text), limits: o.withDefaults()}
	doc.LineCount = len(c.lines)
	c.cut()
	for _, title := range []string{c.topTitle, c.anyTitle, nameInWords(name)} {
		if doc.Title == "" {
			doc.Title = title
		}
	}
	if doc.Language == "" {
		doc.Language = text.Language(doc.Text[doc.Body.Start:doc.Body.End])
	}
	return doc
}

// cutter holds what the steps of one Parse share.
type cutter struct {
	doc    *Document
	lines  lineIndex
	limits limits
	src    []byte // what goldmark reads: the text below the front matter
	base   int    // offset of src in the text
	capped bool   // too many headings have been reported

	// The first H1 and the first Markdown heading that have a text. Structure headings name parts, not the whole.
	topTitle, anyTitle string
}

// cut reads front matter, tree, sections, chunks and links.
func (c *cutter) cut() {
	doc := c.doc
	unix := unixLines(doc.Text)
	bom := 0
	if strings.HasPrefix(doc.Text, byteOrderMark) {
		bom = len(byteOrderMark)
	}
	f := readFront(unix[bom:])
	for _, p := range f.problems {
		c.problem(p.Stage, p.Reason, p.Line)
	}
	doc.FrontMatter = f.values
	doc.Body = Span{bom + f.end, len(doc.Text)}
	c.base = doc.Body.Start
	if f.broken {
		doc.Body.Start = bom
	}
	doc.describe()
	c.src = unix[c.base:]
	blocks := c.body()
	if f.broken {
		blocks = append([]block{{nil, Span{bom, c.base}}}, blocks...)
	}
	c.pack(c.sections(blocks, doc.Body.End))
	c.keys()
}

// body returns the blocks of the text below the front matter, and reads its links and tags.
func (c *cutter) body() []block {
	if heavy(c.src) {
		c.problem(StageParse, "too much markup to read in time; cut as plain text, without sections and links", 0)
		return c.plainBlocks(c.base, len(c.doc.Text))
	}
	root, m, err := parseMarkdown(c.src)
	if err != nil {
		c.problem(StageParse, err.Error()+"; cut as plain text, without sections and links", 0)
		return c.plainBlocks(c.base, len(c.doc.Text))
	}
	c.meterProblems(m)
	c.readInlines(root)
	return c.treeBlocks(root, len(c.doc.Text))
}

func (c *cutter) meterProblems(m *meter) {
	if m.deepAt > 0 {
		c.problem(StageParse, "lists or quotes nested too deep; those inside are read as text", c.lines.line(c.base+m.deepAt-1))
	}
	if m.spentAt > 0 {
		c.problem(StageParse, "too many brackets, code spans or emphasis marks; from here on they are read as text", c.lines.line(c.base+m.spentAt-1))
	}
}

func (c *cutter) readInlines(root ast.Node) {
	tags := tagList{seen: map[string]bool{}}
	for _, tag := range c.doc.Tags {
		tags.add(tag)
	}
	r := inlineReader{src: c.src, base: c.base, lines: c.lines, tags: &tags}
	r.read(root)
	c.doc.Links, c.doc.Tags = r.links, tags.list
}

func (c *cutter) problem(stage Stage, reason string, line int) {
	c.doc.Problems = append(c.doc.Problems, Problem{stage, reason, line})
}
