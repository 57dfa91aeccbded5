package chunker

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// BlockKind says what a Block is to a reader.
type BlockKind uint8

// The kinds of block, those first whose sentences are worth quoting.
const (
	BlockProse   BlockKind = iota // a paragraph
	BlockEntry                    // the text of a list item
	BlockRow                      // a row of a table
	BlockHTML                     // what stands between tags
	BlockCode                     // fenced or indented
	BlockHeading                  // a heading
)

// Block is one block of Markdown as a reader sees it: without marks, on one line, each run of white space one space.
type Block struct {
	Kind  BlockKind
	Text  string
	Parts []string // the cells of a row, the lines of code; nil otherwise
}

// Read turns a piece of Markdown into blocks in order; blocks without text are left out. The piece may begin and end
// anywhere in the document: before is what stands in front of it, and link definitions are looked for in all of
// document. It depends on nothing else.
func Read(document string, piece Span) []Block {
	definitions := definitionsIn(document)
	src := unixLines(definitions + openFence(document[:piece.Start]) + document[piece.Start:piece.End])
	if heavy(src) {
		return plainBlocks(document[piece.Start:piece.End])
	}
	root, _, err := parseMarkdown(src)
	if err != nil {
		return plainBlocks(document[piece.Start:piece.End])
	}
	var blocks []Block
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Pos() >= len(definitions) { // what stands before only looked like a definition
			blocks = append(blocks, blocksBelow(n, src)...)
		}
	}
	return blocks
}

func blocksBelow(n ast.Node, src []byte) []Block {
	var blocks []Block
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		list, leaf := blocksOf(n, src)
		blocks = append(blocks, list...)
		if leaf {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return blocks
}

// blocksOf are the blocks that a node is; leaf: nothing below it is a block.
func blocksOf(n ast.Node, src []byte) (list []Block, leaf bool) {
	switch n := n.(type) {
	case *ast.Heading:
		return oneBlock(BlockHeading, plain(n, src)), true
	case *ast.Paragraph, *ast.TextBlock:
		if lines := n.Lines(); lines.Len() > 0 && src[lines.At(0).Start] == '|' {
			return rowsOf(n, src), true // the rest of a table that was split
		}
		kind := BlockProse
		if _, ok := n.Parent().(*ast.ListItem); ok {
			kind = BlockEntry
		}
		return oneBlock(kind, plain(n, src)), true
	case *extast.TableHeader, *extast.TableRow:
		return oneRow(cellsOf(n, src)), true
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return codeOf(n, src), true
	case *ast.HTMLBlock:
		return oneBlock(BlockHTML, withoutTags(string(n.Lines().Value(src)))), true
	}
	return nil, false
}

func oneBlock(kind BlockKind, text string) []Block {
	if text == "" {
		return nil
	}
	return []Block{{Kind: kind, Text: text}}
}

func oneRow(cells []string) []Block {
	list := oneBlock(BlockRow, strings.Join(cells, " | "))
	for i := range list {
		list[i].Parts = cells
	}
	return list
}

func cellsOf(row ast.Node, src []byte) []string {
	var cells []string
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		if s := plain(c, src); s != "" {
			cells = append(cells, s)
		}
	}
	return cells
}

// rowsOf reads the lines of a paragraph as rows.
func rowsOf(n ast.Node, src []byte) []Block {
	var blocks []Block
	for line := range strings.Lines(plainLines(n, src)) {
		var cells []string
		for cell := range strings.SplitSeq(line, "|") {
			if cell = strings.Join(strings.Fields(cell), " "); strings.Trim(cell, "-: ") != "" {
				cells = append(cells, cell)
			}
		}
		blocks = append(blocks, oneRow(cells)...)
	}
	return blocks
}

// plainLines is plain with its line breaks.
func plainLines(n ast.Node, src []byte) string {
	p := plainText{src: src, limit: len(src), keepLines: true}
	p.children(n)
	return p.b.String()
}

func codeOf(n ast.Node, src []byte) []Block {
	var lines []string
	for line := range strings.Lines(string(n.Lines().Value(src))) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	list := oneBlock(BlockCode, strings.Join(lines, " "))
	for i := range list {
		list[i].Parts = lines
	}
	return list
}

// anyTag is a tag or comment of HTML.
var anyTag = regexp.MustCompile(`(?s)<!--.*?-->|</?[A-Za-z][^<>]*>`)

func withoutTags(s string) string {
	return strings.Join(strings.Fields(string(unescape([]byte(anyTag.ReplaceAllString(s, " "))))), " ")
}

// plainBlocks reads what is too heavy for a tree: a block a line.
func plainBlocks(s string) []Block {
	var blocks []Block
	for line := range strings.Lines(s) {
		blocks = append(blocks, oneBlock(BlockProse, strings.Join(strings.Fields(line), " "))...)
	}
	return blocks
}

// openFence is the line that opens the code block in which text ends, "" when it ends in none.
func openFence(text string) string {
	open := ""
	for i := 0; i < len(text); {
		line, _, _ := strings.Cut(text[i:], "\n")
		i += len(line) + 1
		mark := fenceMark(line)
		switch {
		case mark == "":
		case open == "":
			open = mark
		case strings.HasPrefix(mark, open) && strings.TrimSpace(strings.TrimLeft(line, " >\t"+mark[:1])) == "":
			open = ""
		}
	}
	if open == "" {
		return ""
	}
	return open + "\n"
}

// fenceMark is the run of backticks or tildes that a line begins with, "" when they make no fence.
func fenceMark(line string) string {
	s := strings.TrimLeft(line, " >\t") // fences in lists and quotes count too
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return ""
	}
	mark := s[:len(s)-len(strings.TrimLeft(s, s[:1]))]
	if mark[0] == '`' && strings.Contains(s[len(mark):], "`") {
		return ""
	}
	return mark
}

// definition is the beginning of a link reference definition.
var definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]+\]:[ \t]*\S[^\n]*$`)

// maxDefinitions bounds the definitions that a piece is read with.
const maxDefinitions = 200

// definitionsIn are the link definitions of a document, fit to stand before a piece of it.
func definitionsIn(document string) string {
	if !strings.Contains(document, "]:") {
		return ""
	}
	return strings.Join(definition.FindAllString(document, maxDefinitions), "\n") + "\n\n"
}

// Sentences cuts the text of a block where its sentences end.
func Sentences(text string) []string {
	var list []string
	for text != "" {
		n := sentence(text)
		if s := strings.TrimSpace(text[:n]); s != "" {
			list = append(list, s)
		}
		text = text[n:]
	}
	return list
}
