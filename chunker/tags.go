package chunker

import (
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
)

// maxTag bounds a tag in bytes; longer runs are not meant as one.
const maxTag = 128

var kindTag = ast.NewNodeKind("Tag")

// inlineTag is a #tag in running text.
type inlineTag struct {
	ast.BaseInline
	name string // without '#'
}

func (t *inlineTag) Kind() ast.NodeKind            { return kindTag }
func (t *inlineTag) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// tagParser reads #tags: '#' behind a space or at the start of a line, then letters, digits, '_', '-' and '/', of which
// one isn't a digit. Code is read before it, the fragment of a URL has no space before '#', #123 is an issue.
type tagParser struct{}

func (tagParser) Trigger() []byte { return []byte{'#'} }

func (tagParser) Parse(_ ast.Node, r gmtext.Reader, _ parser.Context) ast.Node {
	if before := r.PrecendingCharacter(); !unicode.IsSpace(before) {
		return nil
	}
	line, at := r.PeekLine()
	name := tagName(line[1:])
	if name == "" {
		return nil
	}
	node := &inlineTag{name: name}
	node.SetPos(at.Start)
	r.Advance(1 + len(name))
	return node
}

// tagName is the tag at the start of s, "" when there is none.
func tagName(s []byte) string {
	end, word := 0, false
	for end < len(s) {
		r, size := utf8.DecodeRune(s[end:])
		letter := unicode.IsLetter(r) || unicode.IsMark(r) || r == '_'
		if !letter && r != '-' && r != '/' && !unicode.IsDigit(r) {
			break
		}
		word = word || letter
		end += size
	}
	for end > 0 && (s[end-1] == '-' || s[end-1] == '/') {
		end--
	}
	if !word || end > maxTag || s[0] == '-' || s[0] == '/' {
		return ""
	}
	return string(s[:end])
}
