package chunker

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// inlineReader collects the links and tags of a tree, in document order.
type inlineReader struct {
	src   []byte
	base  int // offset of src in the text
	lines lineIndex
	links []Link
	tags  *tagList
}

func (r *inlineReader) read(n ast.Node) {
	switch n := n.(type) {
	case *ast.Link:
		kind := LinkInline
		if n.Reference != nil {
			kind = LinkReference
		}
		r.destination(kind, n, n.Destination)
	case *ast.Image:
		path, _, _ := strings.Cut(string(n.Destination), "#")
		if isMarkdownName(path) {
			r.destination(LinkEmbed, n, n.Destination)
		}
	case *ast.AutoLink:
		if dest := n.URL(r.src); n.AutoLinkType == ast.AutoLinkURL {
			r.add(LinkAuto, n.Pos(), string(n.Label(r.src)), string(dest))
		}
	case *reference:
		r.reference(n)
	case *inlineTag:
		r.tags.add(n.name)
	case *ast.CodeSpan:
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.read(c)
	}
}

func (r *inlineReader) destination(kind LinkKind, n ast.Node, dest []byte) {
	r.add(kind, n.Pos(), plain(n, r.src), string(unescape(dest)))
}

// reference adds a wiki link or a file in angle brackets. A page name isn't a URL: '%' and '?' are letters in it.
func (r *inlineReader) reference(n *reference) {
	if n.kind == LinkAuto {
		r.add(n.kind, n.Pos(), n.label, n.target)
		return
	}
	target, fragment, _ := strings.Cut(n.target, "#")
	if strings.Contains(target, "://") || n.kind == LinkEmbed && isMedia(target) {
		return
	}
	r.links = append(r.links, Link{
		Kind: n.kind, Text: n.label, Target: strings.TrimSpace(target), Fragment: strings.TrimSpace(fragment),
		Line: r.lines.line(r.base + n.Pos()),
	})
}

func (r *inlineReader) add(kind LinkKind, pos int, label, dest string) {
	target, fragment, ok := splitDestination(dest)
	if ok {
		r.links = append(r.links, Link{kind, label, target, fragment, r.lines.line(r.base + pos)})
	}
}

// splitDestination takes a URL apart: path and fragment, percent decoded. It is false for what leaves the file system
// and for an empty destination.
func splitDestination(dest string) (target, fragment string, ok bool) {
	if rest, file := strings.CutPrefix(dest, "file://"); file {
		dest = strings.TrimPrefix(rest, "localhost")
	}
	if hasScheme(dest) || strings.HasPrefix(dest, "//") {
		return "", "", false
	}
	target, fragment, _ = strings.Cut(dest, "#")
	target, _, _ = strings.Cut(target, "?")
	target, fragment = percentDecoded(target), percentDecoded(fragment)
	return target, fragment, target != "" || fragment != ""
}

// percentDecoded leaves what isn't well encoded, or no text once decoded, as it is.
func percentDecoded(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if out, err := url.PathUnescape(s); err == nil && utf8.ValidString(out) && strings.IndexByte(out, 0) < 0 {
		return out
	}
	return s
}

// hasScheme says whether a destination begins with a URL scheme. One letter is the drive of a Windows path.
func hasScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		switch {
		case c >= 'a' && c <= 'z':
		case i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.'):
		default:
			return s[i] == ':' && i > 1
		}
	}
	return false
}
