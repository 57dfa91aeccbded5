package chunker

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
)

// meterKey finds the meter in the context of a parse.
var meterKey = parser.NewContextKey()

// meter counts the steps of one parse. When none are left, inline markup stays text.
type meter struct {
	left int

	block      ast.Node // the block whose inlines are being read
	delimiters int      // emphasis delimiters seen in block
	brackets   []int    // offsets of the open brackets of block

	spentAt, deepAt int // offset + 1 of the first refusal, 0 = none
}

func meterOf(pc parser.Context) *meter { return pc.Get(meterKey).(*meter) }

// charge takes steps for work at an offset and says whether there were enough.
func (m *meter) charge(steps, at int) bool {
	m.left -= steps
	if m.left < 0 && m.spentAt == 0 {
		m.spentAt = at + 1
	}
	return m.left >= 0
}

func (m *meter) enter(block ast.Node) {
	if m.block != block {
		m.block, m.delimiters, m.brackets = block, 0, m.brackets[:0]
	}
}

// metered is an inline parser that pays a price each time.
type metered struct {
	parser.InlineParser
	cost func(m *meter, r gmtext.Reader) int
}

func (p metered) Parse(parent ast.Node, r gmtext.Reader, pc parser.Context) ast.Node {
	m := meterOf(pc)
	m.enter(parent)
	_, at := r.Position()
	if m.left < 0 || !m.charge(p.cost(m, r), at.Start) {
		return nil
	}
	return p.InlineParser.Parse(parent, r, pc)
}

// chargeDelimiter: at the end of a block each delimiter may look at all before it.
func chargeDelimiter(m *meter, _ gmtext.Reader) int {
	m.delimiters++
	if m.delimiters < maxDepth {
		return 1
	}
	return m.delimiters
}

// chargeTag: a tag is matched by a regular expression, rune by rune; without an end in sight, to the end of the line.
func chargeTag(_ *meter, r gmtext.Reader) int {
	line, _ := r.PeekLine()
	end := bytes.IndexByte(line, '>')
	if end < 0 {
		end = len(line)
	}
	return 60 + 10*end
}

// codeSpans reads code spans. One without an end has looked at the rest of its block in vain.
type codeSpans struct{ parser.InlineParser }

func (p codeSpans) Parse(parent ast.Node, r gmtext.Reader, pc parser.Context) ast.Node {
	m := meterOf(pc)
	_, at := r.Position()
	if m.left < 0 {
		return nil
	}
	node := p.InlineParser.Parse(parent, r, pc)
	if _, literal := node.(*ast.Text); literal {
		lines := parent.Lines()
		m.charge(lines.At(lines.Len()-1).Stop-at.Start, at.Start)
	}
	return node
}

// links reads inline and reference links, and pays for each closing bracket.
type links struct{ parser.InlineParser }

func (p links) Parse(parent ast.Node, r gmtext.Reader, pc parser.Context) ast.Node {
	m := meterOf(pc)
	m.enter(parent)
	_, at := r.Position()
	if m.left < 0 || !m.charge(m.bracket(parent, r, pc, at.Start), at.Start) {
		return nil
	}
	return p.InlineParser.Parse(parent, r, pc)
}

// CloseBlock turns the brackets left open into text.
func (p links) CloseBlock(parent ast.Node, block gmtext.Reader, pc parser.Context) {
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// bracket keeps the stack of open brackets and returns what goldmark does at one. Closing looks at all nodes since the
// opening, copies the label, finds its line from the end of the block, reads a destination as far as it goes, and looks back for
// the first emphasis mark of the label.
func (m *meter) bracket(block ast.Node, r gmtext.Reader, pc parser.Context, at int) int {
	line, _ := r.PeekLine()
	if line[0] == '!' {
		if len(line) < 2 || line[1] != '[' {
			return 0
		}
		at++
	}
	if line[0] != ']' {
		m.brackets = append(m.brackets, at)
		return 1
	}
	if len(m.brackets) == 0 {
		return 1
	}
	open := m.brackets[len(m.brackets)-1]
	m.brackets = m.brackets[:len(m.brackets)-1]
	n, _ := r.Position()
	steps := at - open + 2*(block.Lines().Len()-n) + destinationLength(line[1:])
	if last := pc.LastDelimiter(); last != nil && last.Segment.Start > open {
		steps += block.ChildCount()
	}
	return steps
}

// destinationLength is how far goldmark reads "(destination": to a space or the parenthesis that closes it.
func destinationLength(line []byte) int {
	if len(line) == 0 || line[0] != '(' {
		return 0
	}
	depth := 0
	for i, c := range line {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		case ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(line)
}
