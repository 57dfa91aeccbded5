package store

import (
	"encoding/json"
	"path"
	"strings"

	"shelfd/chunker"
	"shelfd/internal/text"
)

// Prepared is a document ready to be written: everything that can be worked out outside the transaction.
type Prepared struct {
	Path     string // doc_path
	Shelf    string
	Document *chunker.Document
	Features []byte          // correlate.Features in binary form
	Boxes    [][]chunker.Box // of each chunk; nil = of none

	headings, tags, aliases, frontmatter string // JSON
	names                                documentTerms
	chunks                               []chunkTerms
	nodes                                []byte // packed
}

// documentTerms are the columns of a document_fts row but scope.
type documentTerms struct{ title, alias, tag, path, link, ident string }

// chunkTerms are the columns of a chunk_fts row but scope.
type chunkTerms struct{ heading, body, ident string }

// Prepare cuts the searchable text of a document into terms. It is pure and may run beside the writer.
func Prepare(shelf, docPath string, d *chunker.Document, features []byte) *Prepared {
	p := &Prepared{Path: docPath, Shelf: shelf, Document: d, Features: features}
	titles := make([]string, len(d.Nodes))
	for i, n := range d.Nodes {
		titles[i] = n.Title
	}
	p.nodes = packNodes(d.Nodes)
	p.headings, p.tags, p.aliases = jsonList(titles), jsonList(d.Tags), jsonList(d.Aliases)
	p.frontmatter = jsonObject(d.FrontMatter)
	p.names = nameTerms(shelf, docPath, d)
	p.chunks = make([]chunkTerms, len(d.Chunks))
	var words, idents []byte
	for i, c := range d.Chunks {
		p.chunks[i], words, idents = cutChunk(d, c, words[:0], idents[:0])
	}
	return p
}

// cutChunk returns the terms of one chunk; words and idents are scratch space handed back grown.
func cutChunk(d *chunker.Document, c chunker.Chunk, words, idents []byte) (t chunkTerms, _, _ []byte) {
	for _, title := range Trail(d.Nodes, c.Node) {
		words, idents = text.AppendTerms(words, idents, title)
	}
	t.heading = string(words)
	words = words[:0]
	if c.Prefix.End > c.Prefix.Start {
		words, idents = text.AppendTerms(words, idents, d.Text[c.Prefix.Start:c.Prefix.End])
	}
	words, idents = text.AppendTerms(words, idents, d.Text[c.Span.Start:c.Span.End])
	t.body, t.ident = string(words), string(idents)
	return t, words, idents
}

// Trail lists the titles of the sections around node, the top one first; none for the text before the first heading.
func Trail(nodes []chunker.Node, node int) []string {
	var trail []string
	for i := node; i >= 0; i = nodes[i].Parent {
		if nodes[i].Level > 0 {
			trail = append(trail, nodes[i].Title)
		}
	}
	for i, j := 0, len(trail)-1; i < j; i, j = i+1, j-1 {
		trail[i], trail[j] = trail[j], trail[i]
	}
	return trail
}

func nameTerms(shelf, docPath string, d *chunker.Document) documentTerms {
	var idents []byte
	cut := func(parts ...string) string {
		var words []byte
		for _, part := range parts {
			words, idents = text.AppendTerms(words, idents, part)
		}
		return string(words)
	}
	inside := strings.TrimPrefix(docPath, shelf+"/")
	t := documentTerms{
		title: cut(d.Title), alias: cut(d.Aliases...), tag: cut(d.Tags...),
		path: cut(strings.TrimSuffix(inside, path.Ext(inside))),
	}
	t.ident = string(idents)
	return t
}

func jsonList(list []string) string {
	if len(list) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(list) // strings always marshal
	return string(b)
}

// jsonObject is the canonical JSON of front matter; what JSON cannot hold (a NaN, say) is left out.
func jsonObject(m map[string]any) string {
	if len(m) == 0 {
		return "{}"
	}
	if b, err := json.Marshal(m); err == nil {
		return string(b)
	}
	kept := map[string]any{}
	for key, value := range m {
		if _, err := json.Marshal(value); err == nil {
			kept[key] = value
		}
	}
	b, _ := json.Marshal(kept)
	return string(b)
}
