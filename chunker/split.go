package chunker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"shelfd/internal/text"
)

// maxHeader bounds the rows of a table that are repeated, in bytes.
const maxHeader = 2 << 10

// expander gives a packer the atoms of a block: the block itself when it fits, else its rows, items, lines or
// sentences, and pieces of those that still don't fit.
type expander struct {
	p     *packer
	limit int // units that fit
	bytes int // bytes that fit
}

func (x *expander) fits(a atom) bool {
	return a.units <= x.limit && a.End-a.Start <= x.bytes
}

// span adds the atoms of a part of n's block.
func (x *expander) span(n ast.Node, s Span, header Span) {
	s = trimBlank(x.p.c.doc.Text, s)
	if s.Start < s.End {
		x.block(n, atom{Span: s, units: text.Units(x.p.c.doc.Text[s.Start:s.End]), header: header})
	}
}

func (x *expander) block(n ast.Node, a atom) {
	if x.fits(a) {
		x.p.add(a)
		return
	}
	switch n.(type) {
	case *ast.List, *ast.ListItem, *ast.Blockquote:
		x.container(n, a)
	case *extast.Table:
		x.table(n, a)
	case *extast.TableRow, *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		x.sentences(a)
	default: // code, HTML, definitions, plain text
		x.lines(a)
	}
}

// container cuts a list at its items, an item or a quote at its blocks. The first child takes the marker along.
func (x *expander) container(n ast.Node, a atom) {
	var child ast.Node
	start := a.Start
	for next := n.FirstChild(); next != nil; next = next.NextSibling() {
		pos := position(next)
		if pos < 0 {
			continue
		}
		at := x.p.c.lines.start(x.p.c.base + pos)
		if child != nil && at > start && at < a.End {
			x.span(child, Span{start, at}, Span{})
			start = at
		} else if child != nil && at <= start {
			continue
		}
		child = next
	}
	if child == nil {
		x.lines(a)
		return
	}
	x.span(child, Span{start, a.End}, Span{})
}

// table cuts at rows. The header stays with the first row; chunks that begin with a later one repeat it.
func (x *expander) table(n ast.Node, a atom) {
	start, header, first := a.Start, Span{}, true
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if row.PreviousSibling() == nil { // the header row
			continue
		}
		at := x.p.c.lines.start(x.p.c.base + row.Pos())
		if at <= start || at >= a.End {
			continue
		}
		if first {
			first = false
			if header = trimBlank(x.p.c.doc.Text, Span{a.Start, at}); header.End-header.Start > maxHeader {
				header = Span{}
			}
			continue
		}
		x.row(row, Span{start, at}, header)
		start = at
	}
	x.row(n.LastChild(), Span{start, a.End}, header)
}

// row adds one row; the one that begins with the header doesn't repeat it.
func (x *expander) row(n ast.Node, s, header Span) {
	if s.Start < header.End {
		header = Span{}
	}
	x.span(n, s, header)
}

// lines cuts a at line ends, sentences at the ends of sentences; what is still too large at sentences or characters.
func (x *expander) lines(a atom)     { x.pieces(a, textLine, true) }
func (x *expander) sentences(a atom) { x.pieces(a, sentence, false) }

func (x *expander) pieces(a atom, next func(string) int, lines bool) {
	doc := x.p.c.doc.Text
	for s := a.Span; s.Start < s.End; {
		end := s.Start + next(doc[s.Start:s.End])
		piece := atom{Span: trimBlank(doc, Span{s.Start, end}), header: a.header, units: a.units}
		if piece.Span != a.Span {
			piece.units = text.Units(doc[piece.Start:piece.End])
		}
		switch {
		case x.fits(piece):
			x.p.add(piece)
		case lines:
			x.sentences(piece)
		default:
			x.characters(piece)
		}
		s.Start = end
	}
}

// characters cuts a into pieces of about the upper end of the band, behind a space when there is one.
func (x *expander) characters(a atom) {
	doc := x.p.c.doc.Text
	for a.Start < a.End {
		end := a.Start + x.room(doc[a.Start:a.End])
		piece := atom{Span: trimBlank(doc, Span{a.Start, end}), header: a.header}
		piece.units = text.Units(doc[piece.Start:piece.End])
		x.p.add(piece)
		a.Start = end
	}
}

// room is the length of the longest beginning of s that makes a good piece.
func (x *expander) room(s string) int {
	want := min(x.p.c.limits.high, x.limit)
	n := min(len(s), x.bytes)
	for {
		n = runeBoundary(s, n)
		units := text.Units(s[:n])
		if units <= want || n <= utf8.UTFMax {
			break
		}
		n = max(utf8.UTFMax, min(n*want/units, n-1))
	}
	if n == len(s) {
		return n
	}
	if n = runeBoundary(s, n); n == 0 {
		_, n = utf8.DecodeRuneInString(s)
	}
	return niceCut(s, n)
}

// niceCut moves a cut at n back to the end of a word in the last third, else to before no mark and no half line end.
func niceCut(s string, n int) int {
	if i := strings.LastIndexAny(s[n-n/3:n], " \t\r\n"); i >= 0 {
		n = n - n/3 + i + 1
	} else {
		for back := 0; back < 32 && n > utf8.UTFMax; back++ {
			r, _ := utf8.DecodeRuneInString(s[n:])
			if !unicode.IsMark(r) && r != '\u200d' {
				break
			}
			n = runeBoundary(s, n-1)
		}
	}
	if n < len(s) && s[n-1] == '\r' && s[n] == '\n' {
		n++
	}
	return n
}

// textLine is the length of the first line of s with its end.
func textLine(s string) int {
	if i := strings.IndexAny(s, "\n\r"); i >= 0 {
		if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			i++
		}
		return i + 1
	}
	return len(s)
}

// sentence is the length of the first sentence of s with the space behind it. A Latin one ends with a space and no
// small letter or digit after it, so that "Art. 5" and "e.g. this" stay whole.
func sentence(s string) int {
	for i, r := range s {
		switch r {
		case '。', '！', '？', '；', '…':
			return i + skipClosers(s[i:])
		case '.', '!', '?':
			if i+1 < len(s) && s[i+1] == s[i] { // look only behind the last of a row
				continue
			}
			end := i + skipClosers(s[i:])
			after := strings.TrimLeft(s[end:min(len(s), end+16)], " \t\r\n")
			if end == len(s) || after == s[end:min(len(s), end+16)] {
				continue
			}
			if next, _ := utf8.DecodeRuneInString(after); unicode.IsLower(next) || unicode.IsDigit(next) {
				continue
			}
			for end < len(s) && isSpace(s[end]) {
				end++
			}
			return end
		}
	}
	return len(s)
}

// skipClosers is the length of the mark at the start of s with the marks, quotes and brackets that follow it.
func skipClosers(s string) int {
	s = s[:min(len(s), 32)]
	for i, r := range s {
		switch r {
		case '.', '!', '?', '…', '。', '！', '？', '；', '"', '\'', '”', '’', '」', '』', '）', ')', ']', '】', '*', '_', '`':
		default:
			return i
		}
	}
	return len(s)
}
