package store

import (
	"context"
	"database/sql"
	"fmt"
	"hash/maphash"
	"strings"

	"shelfd/chunker"
)

// Difference is one thing that Check found wrong.
type Difference struct {
	Where string // table, doc_path or shelf
	What  string

	Document int64 // to be cut again, which mends it; 0 = it is not one document's
	Stray    int64 // a row of the FTS table Where that is no document's and is to be dropped; 0 = it is another difference
}

func (d Difference) String() string { return d.Where + ": " + d.What }

// Check looks for whatever in the database contradicts itself and tells each difference to report: the pages, the FTS
// structures, foreign keys, and the terms of every chunk and document against the FTS index, both ways. (A contentless
// FTS table's own check sees only its own structure.) It reads only.
func (s *Store) Check(ctx context.Context, report func(Difference)) error {
	return s.View(ctx, func(v *View) error {
		for _, check := range []func(func(Difference)) error{v.checkPages, v.checkForeignKeys, v.checkChunkRanges, v.checkChunkTerms, v.checkNameTerms, v.checkSummaryTerms} {
			if err := check(report); err != nil {
				return err
			}
		}
		return nil
	})
}

// readStructures makes the connection read the structure of the FTS tables. A check of pages takes the one that an earlier
// picture left behind, and calls what was merged since corrupt; to open a cursor is what makes FTS5 look whether it has
// changed.
func (v *View) readStructures() error {
	var any int
	return v.queryRow(`SELECT (SELECT count(*) FROM (SELECT rowid FROM chunk_fts LIMIT 1)) + (SELECT count(*) FROM (SELECT rowid FROM document_fts LIMIT 1))
		+ (SELECT count(*) FROM (SELECT rowid FROM summary_fts LIMIT 1))`, nil, &any)
}

func (v *View) checkPages(report func(Difference)) error {
	if err := v.readStructures(); err != nil {
		return err
	}
	return v.each(`PRAGMA integrity_check`, nil, func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(&line)
		if line != "ok" {
			report(Difference{Where: "database", What: line})
		}
		return err
	})
}

func (v *View) checkForeignKeys(report func(Difference)) error {
	return v.each(`SELECT "table", coalesce(rowid, 0), parent FROM pragma_foreign_key_check`, nil, func(rows *sql.Rows) error {
		var table, parent string
		var row int64
		err := rows.Scan(&table, &row, &parent)
		report(Difference{Where: table, What: fmt.Sprintf("row %d refers to a row of %s that is not there", row, parent)})
		return err
	})
}

func (v *View) checkChunkRanges(report func(Difference)) error {
	return v.each(`SELECT d.id, d.file_path, d.chunk_count, count(c.id) FROM documents d
			LEFT JOIN chunks c ON c.id BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1 AND c.document_id = d.id
			GROUP BY d.id HAVING count(c.id) <> d.chunk_count
		UNION ALL SELECT 0, 'chunks', 0, count(*) FROM chunks c LEFT JOIN documents d ON d.id = c.document_id
			WHERE d.id IS NULL OR c.id NOT BETWEEN d.first_chunk AND d.first_chunk + d.chunk_count - 1 HAVING count(*) > 0`,
		nil, func(rows *sql.Rows) error {
			var d Difference
			var wanted, found int
			err := rows.Scan(&d.Document, &d.Where, &wanted, &found)
			d.What = fmt.Sprintf("%d chunks expected, %d found", wanted, found)
			report(d)
			return err
		})
}

// holder is whose a row of an FTS table is.
type holder struct {
	document int64
	name     string // as shown
}

// termSums are, by rowid, the sum over all terms of a row of a hash of (column, position, term): equal sums, equal rows.
type termSums struct {
	seed maphash.Seed
	sums map[int64]uint64
}

func newTermSums() termSums { return termSums{maphash.MakeSeed(), map[int64]uint64{}} }

func (t termSums) hash(column string, position int, term string) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	h.WriteString(column)
	h.WriteByte(byte(position))
	h.WriteByte(byte(position >> 8))
	h.WriteByte(byte(position >> 16))
	h.WriteString(term)
	return h.Sum64()
}

// wanted adds what a column should hold.
func (t termSums) wanted(row int64, column, terms string) {
	sum := t.sums[row]
	position := 0
	for len(terms) > 0 {
		term, rest, _ := strings.Cut(terms, " ")
		if terms = rest; term == "" {
			continue
		}
		sum += t.hash(column, position, asciiLower(term))
		position++
	}
	t.sums[row] = sum
}

// found subtracts what the index holds.
func (v *View) found(t termSums, vocabulary string) error {
	return v.each(`SELECT term, doc, col, offset FROM `+vocabulary, nil, func(rows *sql.Rows) error {
		var term, column sql.RawBytes
		var row int64
		var position int
		if err := rows.Scan(&term, &row, &column, &position); err != nil {
			return err
		}
		t.sums[row] -= t.hash(string(column), position, string(term))
		return nil
	})
}

// asciiLower is what the ascii tokenizer does to a term.
func asciiLower(s string) string {
	for i := range len(s) {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					return r + 'a' - 'A'
				}
				return r
			}, s)
		}
	}
	return s
}

func (v *View) checkChunkTerms(report func(Difference)) error {
	t := newTermSums()
	places := map[int64]holder{}
	documents, err := v.documents(`ORDER BY d.id`)
	if err != nil {
		return err
	}
	for _, d := range documents {
		if err := v.wantChunks(t, d, places); err != nil {
			return err
		}
	}
	if err := v.found(t, "chunk_instances"); err != nil {
		return err
	}
	return t.differences(report, "chunk_fts", places)
}

func (v *View) wantChunks(t termSums, d Document, places map[int64]holder) error {
	content, err := v.Content(d.ID)
	if err != nil {
		return err
	}
	nodes, err := v.Nodes(d.ID)
	if err != nil {
		return err
	}
	chunks, err := v.Chunks(d.ID)
	if err != nil {
		return err
	}
	doc := &chunker.Document{Text: content, Nodes: make([]chunker.Node, len(nodes))}
	for i, n := range nodes {
		doc.Nodes[i] = chunker.Node{Title: n.Title, Level: n.Level, Parent: n.Parent}
	}
	scope := scopeTerms(d.Shelf, d.Path, d.Language, d.ID)
	var words, idents []byte
	for _, c := range chunks {
		var terms chunkTerms
		terms, words, idents = cutChunk(doc, chunker.Chunk{Node: c.Node, Span: c.Span, Prefix: c.Prefix}, words[:0], idents[:0])
		t.wanted(c.ID, "heading", terms.heading)
		t.wanted(c.ID, "body", terms.body)
		t.wanted(c.ID, "ident", terms.ident)
		t.wanted(c.ID, "scope", scope)
		places[c.ID] = holder{d.ID, d.Path}
	}
	return nil
}

func (v *View) checkNameTerms(report func(Difference)) error {
	t := newTermSums()
	places := map[int64]holder{}
	documents, err := v.documents(`ORDER BY d.id`)
	if err != nil {
		return err
	}
	for _, d := range documents {
		in, err := v.countInbound(d.ID)
		if err != nil {
			return err
		}
		names := nameTerms(d.Shelf, d.Path, namesOf(d)).withLinks(in.Texts)
		t.wanted(d.ID, "title", names.title)
		t.wanted(d.ID, "alias", names.alias)
		t.wanted(d.ID, "tag", names.tag)
		t.wanted(d.ID, "path", names.path)
		t.wanted(d.ID, "link", names.link)
		t.wanted(d.ID, "ident", names.ident)
		t.wanted(d.ID, "scope", scopeTerms(d.Shelf, d.Path, d.Language, d.ID))
		places[d.ID] = holder{d.ID, d.Path}
	}
	if err := v.found(t, "document_instances"); err != nil {
		return err
	}
	return t.differences(report, "document_fts", places)
}

func (t termSums) differences(report func(Difference), table string, places map[int64]holder) error {
	for row, sum := range t.sums {
		if sum == 0 {
			continue
		}
		at, known := places[row]
		d := Difference{Where: table, Document: at.document}
		if !known {
			at.name, d.Stray = "a row that is not there", row
		}
		d.What = fmt.Sprintf("the terms of row %d (%s) are not those of its text", row, at.name)
		report(d)
	}
	return nil
}
