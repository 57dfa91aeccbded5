package store

import (
	"database/sql"
	"strings"

	"shelfd/chunker"
)

// Words are the words of a query that a vector is to be made of: without filters and what is not wanted. "" = none.
func Words(query string) string {
	var words []string
	for _, c := range parse(query) {
		for _, u := range c {
			if !u.not && (u.kind != unitFilter || !isBuiltIn(u.key)) && hasTerms(u) {
				words = append(words, u.text)
			}
		}
	}
	return strings.Join(words, " ")
}

// ChunkHashes calls f with the hash of each chunk's key, document by document.
func (v *View) ChunkHashes(f func(document int64, hash uint64)) error {
	return v.each(`SELECT document_id, key_hash FROM chunks ORDER BY id`, nil, func(rows *sql.Rows) error {
		var document, hash int64
		err := rows.Scan(&document, &hash)
		f(document, uint64(hash))
		return err
	})
}

// NewestFirst lists all documents, those whose files changed last first.
func (v *View) NewestFirst() ([]int64, error) {
	return v.ints(`SELECT id FROM documents ORDER BY updated_at DESC, id DESC`)
}

// ChunkText is what the vector of a chunk is made of: a function of its key, so that the same key has the same vector.
type ChunkText struct {
	Hash     uint64 // of its key
	Language string // of its document
	Trail    string // the titles of the sections around it, the top one first
	Body     string
}

// ChunkTexts reads the chunks of a document; none when it is not there any longer.
func (v *View) ChunkTexts(document int64) ([]ChunkText, error) {
	chunks, err := v.Chunks(document)
	if err != nil || len(chunks) == 0 {
		return nil, err
	}
	d, err := v.DocumentByID(document)
	if err != nil {
		return nil, err
	}
	content, err := v.Content(document)
	if err != nil {
		return nil, err
	}
	nodes, err := v.Nodes(document)
	if err != nil {
		return nil, err
	}
	sections := make([]chunker.Node, len(nodes))
	for i, n := range nodes {
		sections[i] = chunker.Node{Title: n.Title, Level: n.Level, Parent: n.Parent}
	}
	texts := make([]ChunkText, len(chunks))
	for i, c := range chunks {
		texts[i] = ChunkText{c.Key.Hash, d.Language, strings.Join(Trail(sections, c.Node), " > "), content[c.Span.Start:c.Span.End]}
	}
	return texts, nil
}
