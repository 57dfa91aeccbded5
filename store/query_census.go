package store

import (
	"cmp"
	"database/sql"
	"slices"
)

// census is what searches want to know of the index as a whole. It is kept from search to search, and taken again when
// the index has changed.
//
// The stamp is the structure record of chunk_fts, which FTS5 writes anew with every change of the index: equal stamps
// mean the same chunks with the same text, so a census is never older than the picture it is used with.
type census struct {
	stamp     string
	documents extents  // by id; those without chunks may be missing
	places    extents  // by first chunk
	firsts    postings // the first chunks of all documents
	chunks    int      // how many there are
}

// structureRecord is the id of the structure record in the table behind an FTS5 index (FTS5_STRUCTURE_ROWID).
const structureRecord = 10

// census takes the census, unless the last one still holds.
func (v *View) census() (*census, error) {
	var stamp string
	if err := v.queryRow(`SELECT block FROM chunk_fts_data WHERE id = ?`, []any{structureRecord}, &stamp); err != nil {
		return nil, err
	}
	if last := v.s.census.Load(); last != nil && last.stamp == stamp && !v.writer {
		return last, nil
	}
	documents, err := v.extents()
	if err != nil {
		return nil, err
	}
	c := &census{stamp: stamp, documents: documents, places: documents.inPlace(), firsts: documents.firsts()}
	for _, x := range documents {
		c.chunks += x.n
	}
	if !v.writer { // what a write transaction sees may never come to be
		v.s.census.Store(c)
	}
	return c, nil
}

// extents reads where the chunks of each document are.
func (v *View) extents() (extents, error) {
	var numbers []int64
	var list sql.RawBytes
	err := v.each(`SELECT group_concat(id || ',' || first_chunk || ',' || chunk_count) FROM documents INDEXED BY documents_chunks`, nil, func(rows *sql.Rows) error {
		err := rows.Scan(&list)
		parsePostings(list, func(n int64) { numbers = append(numbers, n) })
		return err
	})
	out := make(extents, 0, len(numbers)/3)
	for i := 0; i+2 < len(numbers); i += 3 {
		out = append(out, extent{numbers[i], numbers[i+1], int(numbers[i+2])})
	}
	slices.SortFunc(out, func(a, b extent) int { return cmp.Compare(a.document, b.document) })
	return out, err
}

// of are the extents of documents.
func (c *census) of(documents postings) extents {
	out := make(extents, 0, len(documents))
	for _, id := range documents {
		i, ok := slices.BinarySearchFunc(c.documents, id, func(x extent, id int64) int { return cmp.Compare(x.document, id) })
		if ok {
			out = append(out, c.documents[i])
		}
	}
	return out
}

// document is the document that a chunk belongs to.
func (c *census) document(chunk int64) int64 {
	i, ok := slices.BinarySearchFunc(c.places, chunk, func(x extent, id int64) int { return cmp.Compare(x.first, id) })
	if !ok {
		i--
	}
	if i < 0 {
		return 0
	}
	return c.places[i].document
}
