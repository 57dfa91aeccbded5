package chunker

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// plainText writes what a reader sees of inline nodes: no markup, no HTML, escapes and entities resolved.
type plainText struct {
	src       []byte
	limit     int  // offset in src from which nothing is seen
	oneLine   bool // stop at the first line break
	keepLines bool // write line breaks as such
	finished  bool
	b         strings.Builder
}

// plain is the visible text of the children of n in one line.
func plain(n ast.Node, src []byte) string {
	p := plainText{src: src, limit: len(src)}
	p.children(n)
	return p.String()
}

// firstLine is the visible text of the first line of a paragraph.
func firstLine(n ast.Node, src []byte) string {
	p := plainText{src: src, limit: len(src), oneLine: true}
	p.children(n)
	return p.String()
}

func (p *plainText) String() string { return strings.Join(strings.Fields(p.b.String()), " ") }

func (p *plainText) children(n ast.Node) {
	for c := n.FirstChild(); c != nil && !p.finished; c = c.NextSibling() {
		p.node(c)
	}
}

func (p *plainText) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.text(n)
	case *ast.String:
		p.b.Write(n.Value)
	case *ast.CodeSpan:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				p.b.Write(t.Segment.Value(p.src))
			}
		}
	case *ast.AutoLink:
		p.b.Write(n.Label(p.src))
	case *reference:
		p.b.WriteString(n.label)
	case *inlineTag:
		p.b.WriteString("#" + n.name)
	case *ast.RawHTML:
	default:
		p.children(n)
	}
}

func (p *plainText) text(t *ast.Text) {
	seg := t.Segment
	if seg.Start >= p.limit {
		p.finished = true
		return
	}
	if seg.Stop > p.limit {
		seg.Stop, p.finished = p.limit, true
	}
	p.b.Write(unescape(seg.Value(p.src)))
	if t.SoftLineBreak() || t.HardLineBreak() {
		p.finished = p.oneLine
		if p.keepLines {
			p.b.WriteByte('\n')
			return
		}
		p.b.WriteByte(' ')
	}
}

// unescape resolves backslash escapes and entities.
func unescape(b []byte) []byte {
	if bytes.IndexByte(b, '\\') >= 0 {
		b = util.UnescapePunctuations(b)
	}
	if bytes.IndexByte(b, '&') >= 0 {
		b = util.ResolveEntityNames(util.ResolveNumericReferences(b))
	}
	return b
}
