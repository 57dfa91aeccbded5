package store

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
)

// Mentions lists the documents that a document's text cites by name, in id order.
func (v *View) Mentions(source int64) ([]int64, error) {
	var b []byte
	err := v.queryRow(`SELECT mentions FROM features WHERE document_id = ?`, []any{source}, &b)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return unpackIDs(b), err
}

// Body is the stored text of a document below its front matter.
func (v *View) Body(id int64) (string, error) {
	var content string
	var start int
	err := v.queryRow(`SELECT content, body_start FROM documents WHERE id = ?`, []any{id}, &content, &start)
	if err != nil {
		return "", err
	}
	return content[start:], nil
}

// SetMentions replaces the documents that a document's text cites by name; targets are in id order.
func (tx *Tx) SetMentions(source int64, targets []int64) error {
	_, err := tx.exec(`UPDATE features SET mentions = ?2 WHERE document_id = ?1 AND mentions <> ?2`, source, packIDs(targets))
	return err
}

// packIDs writes ids, which are in order, as varints of the distance from one to the next.
func packIDs(ids []int64) []byte {
	b := make([]byte, 0, 2*len(ids))
	last := int64(0)
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	return b
}

func unpackIDs(b []byte) []int64 {
	var ids []int64
	last := int64(0)
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		if n <= 0 {
			return ids
		}
		last += int64(step)
		ids = append(ids, last)
		b = b[n:]
	}
	return ids
}

// holdingTerms is how many terms of a name are looked up: the longest are the rarest, and the text is read anyway.
const holdingTerms = 3

// Citing lists the documents whose text may hold a name (space separated terms, as text.Segment gives them). In sure
// are those that do, as the index of chunks tells: all that hold a name of one term, and those of one chunk that hold it
// as a phrase. In perhaps are others that hold its longest terms; between two chunks the index cannot see.
func (v *View) Citing(name string) (sure, perhaps []int64, err error) {
	terms := strings.Fields(name)
	if len(terms) == 0 {
		return nil, nil, nil
	}
	if len(terms) == 1 {
		sure, err = v.ints(holdingChunk, phrase(name))
		return sure, nil, err
	}
	sure, err = v.ints(`SELECT d.id FROM chunk_fts f JOIN documents d ON d.first_chunk = f.rowid AND d.chunk_count = 1 WHERE chunk_fts MATCH ?`, phrase(name))
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(terms, func(a, b string) int { return len(b) - len(a) })
	terms = slices.Compact(terms[:min(len(terms), holdingTerms)])
	args := make([]any, len(terms))
	for i, term := range terms {
		args[i] = phrase(term)
	}
	holding := strings.TrimSuffix(strings.Repeat(holdingChunk+" INTERSECT ", len(terms)), " INTERSECT ")
	perhaps, err = v.ints(`SELECT d.id FROM documents d WHERE d.chunk_count > 1 AND d.id IN (`+holding+`)`, args...)
	return sure, perhaps, err
}

const holdingChunk = `SELECT DISTINCT c.document_id FROM chunk_fts f JOIN chunks c ON c.id = f.rowid WHERE chunk_fts MATCH ?`

// phrase asks for terms in this order in the running text.
func phrase(terms string) string { return `body : "` + terms + `"` }
