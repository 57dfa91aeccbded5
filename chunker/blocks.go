package chunker

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// block is a child of the Document, or a paragraph of a file that is cut as plain text. Blocks are whole lines and
// follow each other without a gap: what stands between two nodes of the tree belongs to the one before. So nothing of
// the body is lost, whatever the tree leaves out.
type block struct {
	node ast.Node // nil in plain text
	Span
}

// treeBlocks are the blocks of a tree.
func (c *cutter) treeBlocks(root ast.Node, end int) []block {
	base := c.base
	blocks := make([]block, 0, root.ChildCount()+1)
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		pos := position(n)
		if pos < 0 {
			continue
		}
		start := max(c.lines.start(base+pos), base)
		if last := len(blocks) - 1; last >= 0 {
			if start <= blocks[last].Start {
				continue
			}
			blocks[last].End = start
		} else if strings.TrimSpace(c.doc.Text[base:start]) != "" {
			blocks = append(blocks, block{nil, Span{base, start}})
		}
		blocks = append(blocks, block{n, Span{start, end}})
	}
	if len(blocks) == 0 && strings.TrimSpace(c.doc.Text[base:end]) != "" {
		blocks = append(blocks, block{nil, Span{base, end}})
	}
	return blocks
}

// plainBlocks cuts text without a tree at blank lines.
func (c *cutter) plainBlocks(start, end int) []block {
	var blocks []block
	text := c.doc.Text
	for at := start; at < end; {
		stop := end
		if gap := blankLine(text[at:end]); gap > 0 {
			stop = at + gap
		}
		if s := trimBlank(text, Span{at, stop}); s.Start < s.End {
			if last := len(blocks) - 1; last >= 0 && stop-blocks[last].Start < minPlainBlock {
				blocks[last].End = stop
			} else {
				blocks = append(blocks, block{nil, Span{s.Start, stop}})
			}
		}
		at = stop
	}
	return blocks
}

// minPlainBlock joins tiny paragraphs of plain text: a million of them would cost more than their text.
const minPlainBlock = 256

// blankLine is the offset below the first blank line of s, 0 when there is none.
func blankLine(s string) int {
	ended := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' || c == '\r' && (i+1 == len(s) || s[i+1] != '\n'):
			if ended {
				return i + 1
			}
			ended = true
		case !isSpace(c):
			ended = false
		}
	}
	return 0
}

// position is the offset of the first byte of a block node, -1 when it has none.
func position(n ast.Node) int {
	switch n := n.(type) {
	case *extast.Table: // goldmark gives it the place of the paragraph that it was cut from
		if n.FirstChild() != nil {
			return n.FirstChild().Pos()
		}
	case *ast.Paragraph, *ast.TextBlock:
		if n.Lines().Len() == 0 {
			return -1
		}
	}
	return n.Pos()
}
