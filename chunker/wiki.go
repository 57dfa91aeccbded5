package chunker

import (
	"bytes"
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxWikiLink bounds what is looked through for the end of a wiki link, which can't leave its line.
const maxWikiLink = 1 << 10

var kindReference = ast.NewNodeKind("Reference")

// reference is a link in a form that CommonMark doesn't know. It has no children; label is what the reader sees.
type reference struct {
	ast.BaseInline
	kind   LinkKind
	target string // with its fragment
	label  string
}

func (r *reference) Kind() ast.NodeKind            { return kindReference }
func (r *reference) Dump(source []byte, level int) { ast.DumpHelper(r, source, level, nil, nil) }

// wikiParser reads [[page]], [[page|text]], [[page#heading]] and ![[page]]. It stands before the link parser and
// behind code spans. What CommonMark reads as a link stays one: [[text]](target), [[label]] with a definition.
type wikiParser struct{}

func (wikiParser) Trigger() []byte { return []byte{'[', '!'} }

func (wikiParser) Parse(_ ast.Node, r gmtext.Reader, pc parser.Context) ast.Node {
	line, at := r.PeekLine()
	kind, open := LinkWiki, line
	if line[0] == '!' {
		kind, open = LinkEmbed, line[1:]
	}
	if !bytes.HasPrefix(open, []byte("[[")) {
		return nil
	}
	inner, ok := wikiInner(open[2:])
	if !ok {
		return nil
	}
	after := open[2+len(inner)+2:]
	if len(after) > 0 && (after[0] == '(' || after[0] == '[') {
		return nil
	}
	if _, defined := pc.Reference(util.ToLinkReference(inner)); defined {
		return nil
	}
	target, label := splitWiki(string(inner))
	if target == "" {
		return nil
	}
	node := &reference{kind: kind, target: target, label: label}
	node.SetPos(at.Start)
	r.Advance(len(line) - len(after))
	return node
}

// wikiInner is the text before "]]". Space behind the brackets is a shell's test, not a link.
func wikiInner(s []byte) ([]byte, bool) {
	s = s[:min(len(s), maxWikiLink)]
	end := bytes.Index(s, []byte("]]"))
	if end <= 0 || s[0] == ' ' || s[0] == '\t' || bytes.ContainsAny(s[:end], "[]\n\r") {
		return nil, false
	}
	return s[:end], true
}

// splitWiki separates page and text. In a table the bar between them is escaped.
func splitWiki(inner string) (target, label string) {
	target, label, named := strings.Cut(inner, "|")
	target = strings.TrimSpace(strings.TrimSuffix(target, `\`))
	if label = strings.TrimSpace(label); !named || label == "" {
		label = target
	}
	return target, label
}

// fileLinkParser reads <other.md> and <../a/b.md#part>, which CommonMark takes for text: an autolink needs a scheme.
type fileLinkParser struct{}

func (fileLinkParser) Trigger() []byte { return []byte{'<'} }

func (fileLinkParser) Parse(_ ast.Node, r gmtext.Reader, _ parser.Context) ast.Node {
	line, at := r.PeekLine()
	line = line[:min(len(line), maxWikiLink)]
	end := bytes.IndexAny(line[1:], "<> \t\r\n")
	if end <= 0 || line[1+end] != '>' {
		return nil
	}
	target := string(line[1 : 1+end])
	file, _, _ := strings.Cut(target, "#")
	if !isMarkdownName(file) || hasScheme(file) {
		return nil
	}
	node := &reference{kind: LinkAuto, target: target, label: target}
	node.SetPos(at.Start)
	r.Advance(end + 2)
	return node
}

// isMedia says whether an embedded file is shown, not read.
func isMedia(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".avif", ".mp3", ".wav", ".ogg", ".m4a", ".flac", ".mp4", ".webm", ".mov":
		return true
	}
	return false
}

// isMarkdownName says whether a path names a Markdown file.
func isMarkdownName(path string) bool {
	for _, ext := range []string{".md", ".markdown", ".mdx"} {
		if len(path) > len(ext) && strings.EqualFold(path[len(path)-len(ext):], ext) {
			return true
		}
	}
	return false
}
