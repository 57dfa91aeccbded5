package chunker

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
)

// shallow is a parser of lists or quotes that opens none below maxDepth: the marker is read as text.
type shallow struct {
	parser.BlockParser
	list bool
}

func (s shallow) Open(parent ast.Node, reader gmtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for p := parent; p != nil; p = p.Parent() {
		depth++
	}
	if depth < maxDepth {
		return s.BlockParser.Open(parent, reader, pc)
	}
	if s.list { // it doesn't move the reader, and takes note of what the item parser told it
		if node, _ := s.BlockParser.Open(parent, reader, pc); node == nil {
			return nil, parser.NoChildren
		}
	}
	if m := meterOf(pc); m.deepAt == 0 {
		_, at := reader.Position()
		m.deepAt = at.Start + 1
	}
	return nil, parser.NoChildren
}

// htmlBlocks reads HTML blocks. Each kind has its regular expression, which runs through the whole line.
type htmlBlocks struct{ parser.BlockParser }

func (h htmlBlocks) Open(parent ast.Node, reader gmtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, at := reader.PeekLine()
	if m := meterOf(pc); len(line) > 4096 && (m.left < 0 || !m.charge(50*len(line), at.Start)) {
		return nil, parser.NoChildren
	}
	return h.BlockParser.Open(parent, reader, pc)
}

// definitions reads link reference definitions. goldmark takes each from the head of its paragraph and moves the lines
// below, so a long run is given to it in pieces that end before a line with a bracket.
type definitions struct{ parser.ParagraphTransformer }

const definitionLines = 128

func (d definitions) Transform(node *ast.Paragraph, reader gmtext.Reader, pc parser.Context) {
	if node.Lines().Len() <= definitionLines {
		d.ParagraphTransformer.Transform(node, reader, pc)
		return
	}
	src, parent, lines := reader.Source(), node.Parent(), node.Lines().Sliced(0, node.Lines().Len())
	for len(lines) > 0 && opensBracket(lines[0].Value(src)) {
		n := min(definitionLines, len(lines))
		for n < len(lines) && !opensBracket(lines[n].Value(src)) {
			n++
		}
		piece := ast.NewParagraph()
		piece.Lines().AppendAll(lines[:n])
		lines = lines[n:]
		parent.InsertBefore(parent, node, piece)
		d.ParagraphTransformer.Transform(piece, reader, pc)
		if piece.Parent() != nil { // text follows the last definition
			parent.RemoveChild(parent, piece)
			lines = append(piece.Lines().Sliced(0, piece.Lines().Len()), lines...)
			break
		}
	}
	if len(lines) == 0 {
		parent.RemoveChild(parent, node)
		return
	}
	rest := gmtext.NewSegments()
	rest.AppendAll(lines)
	node.SetLines(rest)
}

func opensBracket(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("["))
}

// tables reads tables, unless it would fill up too many short rows with empty cells.
type tables struct{ parser.ParagraphTransformer }

func (t tables) Transform(node *ast.Paragraph, reader gmtext.Reader, pc parser.Context) {
	lines := node.Lines()
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		row := bytes.TrimLeft(line.Value(reader.Source()), " \t")
		if len(row) == 0 || row[0] != '|' && row[0] != '-' && row[0] != ':' {
			continue
		}
		cells := (bytes.Count(row, []byte("|")) + 1) * (lines.Len() - i)
		if cells > 4096 && !meterOf(pc).charge(100*(cells-bytes.Count(row, []byte("|"))), line.Start) {
			return
		}
		break
	}
	t.ParagraphTransformer.Transform(node, reader, pc)
}
