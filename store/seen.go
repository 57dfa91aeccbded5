package store

import "fmt"

// place is where a term or a row of an FTS table stands.
type place int

const (
	inChunks place = iota
	inNames
	inSummaries
)

// only is the condition of an FTS statement that a row is seen; "" when all are. The sign before rowid keeps FTS5 from
// being asked about one row after the other.
func (v *View) only(where place) string {
	if v.sight == nil {
		return ""
	}
	switch where {
	case inNames:
		return ` AND +rowid IN (SELECT id FROM temp.seen) AND +rowid NOT IN (SELECT id FROM temp.seen_called)`
	case inSummaries:
		return ` AND EXISTS (SELECT 1 FROM summaries WHERE id = summary_fts.rowid)`
	}
	return ` AND EXISTS (SELECT 1 FROM chunks WHERE id = chunk_fts.rowid)`
}

// seenChunks are those of the chunks that are seen.
func (v *View) seenChunks(chunks postings) (postings, error) {
	index, err := v.census()
	if err != nil {
		return nil, err
	}
	return intersect(chunks, index.seen), nil
}

// seenDocuments are the documents whose names a MATCH expression finds, as those who are seen call them.
func (v *View) seenDocuments(match string) (postings, error) {
	return v.postings(`SELECT group_concat(id) FROM (
		SELECT rowid AS id FROM document_fts WHERE document_fts MATCH ?1`+v.only(inNames)+`
		UNION ALL SELECT rowid FROM temp.seen_names WHERE seen_names MATCH ?1)`, match)
}

// seenTerms are those of the terms of the whole vocabulary that stand in something seen, with the numbers of rows there.
func (v *View) seenTerms(terms []vocabularyTerm, where place) ([]vocabularyTerm, error) {
	if v.sight == nil {
		return terms, nil
	}
	var seen []vocabularyTerm
	for _, t := range terms {
		if err := v.ctx.Err(); err != nil {
			return nil, err
		}
		find, m := v.chunkPostings, termMatch(t.term)
		expr := m.chunk
		if where == inNames {
			find, expr = v.documentPostings, m.document
		}
		rows, err := find(expr)
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			seen = append(seen, vocabularyTerm{t.term, len(rows)})
		}
	}
	return seen, nil
}

// seenCensus takes the census of what is seen. stamp is that of the whole index.
func (v *View) seenCensus(stamp string) (*census, error) {
	stamp += fmt.Sprint(" ", v.s.opened, " ", v.seen) // a Sight outlives the file
	if last := v.sight.census.Load(); last != nil && last.stamp == stamp {
		return last, nil
	}
	documents, err := v.extents()
	if err != nil {
		return nil, err
	}
	c := newCensus(stamp, documents, &commonPostings{})
	c.seen = documents.chunks()
	v.sight.census.Store(c)
	return c, nil
}
