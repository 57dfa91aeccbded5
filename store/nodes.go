package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"shelfd/chunker"
	"shelfd/internal/text"
)

// packNodes writes the sections of a document, titles left out, as varints: for each the level, how many sections ago
// its parent was (0 = it has none), where it starts after the one before and how long it is, in lines and in bytes, and
// its slug: 0 when that is the title's own, else its length and its bytes.
//
// One value a document instead of a row a section: a quarter of the size, and a document is read and written as a whole.
func packNodes(nodes []chunker.Node) []byte {
	b := make([]byte, 0, 10*len(nodes))
	line, start := 0, 0
	for i, n := range nodes {
		ago := 0
		if n.Parent >= 0 {
			ago = i - n.Parent
		}
		slug := n.ID[strings.LastIndexByte(n.ID, '/')+1:]
		for _, v := range [...]int{n.Level, ago, n.Lines.Start - line, n.Lines.End - n.Lines.Start + 1, n.Span.Start - start, n.Span.End - n.Span.Start} {
			b = binary.AppendVarint(b, int64(v))
		}
		line, start = n.Lines.Start, n.Span.Start
		if n.Level > 0 && slug == text.Slug(n.Title) {
			b = binary.AppendVarint(b, 0)
			continue
		}
		b = append(binary.AppendVarint(b, int64(len(slug))), slug...)
	}
	return b
}

var errPacked = errors.New("packed nodes are damaged")

// unpackNodes reads what packNodes wrote. titles are those of the sections.
func unpackNodes(b []byte, titles []string) ([]Node, error) {
	nodes := make([]Node, 0, len(titles))
	line, start := 0, 0
	for i, title := range titles {
		var v [7]int
		for k := range v {
			n, size := binary.Varint(b)
			if size <= 0 {
				return nil, errPacked
			}
			v[k], b = int(n), b[size:]
		}
		line, start = line+v[2], start+v[4]
		n := Node{
			Ordinal: i, Parent: -1, Level: v[0], Title: title,
			Lines: chunker.Lines{Start: line, End: line + v[3] - 1}, Span: chunker.Span{Start: start, End: start + v[5]},
		}
		slug := text.Slug(title)
		if v[6] < 0 || v[6] > len(b) || v[1] > i {
			return nil, errPacked
		}
		if v[6] > 0 || n.Level == 0 {
			slug, b = string(b[:v[6]]), b[v[6]:]
		}
		n.ID = slug
		if v[1] > 0 {
			n.Parent = i - v[1]
			n.ID = nodes[n.Parent].ID + "/" + slug
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// Nodes are the sections of a document in document order.
func (v *View) Nodes(id int64) ([]Node, error) {
	var headings string
	var packed []byte
	err := v.queryRow(`SELECT d.headings, n.packed FROM documents d JOIN nodes n ON n.document_id = d.id WHERE d.id = ?`, []any{id}, &headings, &packed)
	if err != nil {
		return nil, err
	}
	var titles []string
	if err := json.Unmarshal([]byte(headings), &titles); err != nil {
		return nil, fmt.Errorf("store: headings of document %d: %w", id, err)
	}
	nodes, err := unpackNodes(packed, titles)
	if err != nil {
		return nil, fmt.Errorf("store: nodes of document %d: %w", id, err)
	}
	return nodes, nil
}

func (tx *Tx) putNodes(id int64, p *Prepared, old documentRow) error {
	if old.path != "" {
		_, err := tx.exec(`UPDATE nodes SET packed = ?2 WHERE document_id = ?1 AND packed <> ?2`, id, p.nodes)
		return err
	}
	_, err := tx.exec(`INSERT INTO nodes (document_id, packed) VALUES (?, ?)`, id, p.nodes)
	return err
}
