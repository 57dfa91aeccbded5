package store

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

const shelfColumns = `s.id, s.name, s.description, s.commonRoot, s.origin, s.state, s.reason, s.since, s.device, s.reconciled_at, s.options`

// Shelves lists all shelves in name order, without the counts of what is in them.
func (v *View) Shelves() ([]Shelf, error) {
	var shelves []Shelf
	err := v.each(`SELECT `+shelfColumns+` FROM shelves s WHERE s.origin <> 'reserved' ORDER BY s.name`, nil, func(rows *sql.Rows) error {
		s, err := scanShelf(rows)
		shelves = append(shelves, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range shelves {
		v.s.markPaused(&shelves[i])
		if shelves[i].Parents, err = v.parents(shelves[i].ID); err != nil {
			return nil, err
		}
	}
	return shelves, nil
}

// CountedShelves lists all shelves in name order. It looks at every document.
func (v *View) CountedShelves() ([]Shelf, error) {
	shelves, err := v.Shelves()
	for i := range shelves {
		if err == nil {
			err = v.Count(&shelves[i])
		}
	}
	return shelves, err
}

// Count counts what is in a shelf: documents, chunks, files with problems. It looks at every document of it.
func (v *View) Count(s *Shelf) error {
	return v.queryRow(`SELECT
		(SELECT count(*) FROM files f WHERE f.shelf_id = ?1),
		(SELECT coalesce(sum(d.chunk_count), 0) FROM files f JOIN documents d ON d.id = f.document_id WHERE f.shelf_id = ?1),
		(SELECT count(DISTINCT p.file) FROM problems p WHERE p.shelf_id = ?1)`, []any{s.ID}, &s.Documents, &s.Chunks, &s.Problems)
}

// Shelf is the shelf of that name without its counts, or ErrNotFound.
func (v *View) Shelf(name string) (Shelf, error) {
	shelves, err := v.Shelves()
	if err != nil {
		return Shelf{}, err
	}
	for _, s := range shelves {
		if s.Name == name {
			return s, nil
		}
	}
	return Shelf{}, ErrNotFound
}

func scanShelf(rows *sql.Rows) (Shelf, error) {
	var s Shelf
	var since, reconciled, device int64
	var options string
	err := rows.Scan(&s.ID, &s.Name, &s.Description, &s.Root, &s.Origin, &s.State, &s.Reason, &since, &device, &reconciled, &options)
	if err != nil {
		return s, err
	}
	s.Since, s.ReconciledAt, s.Device = unixTime(since), unixTime(reconciled), uint64(device)
	var o shelfOptions
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		return s, fmt.Errorf("options of shelf %q: %w", s.Name, err)
	}
	s.Labels, s.Contexts = o.Labels, o.Contexts
	return s, nil
}

// shelfOptions is the JSON in shelves.options.
type shelfOptions struct {
	Labels   map[string]string `json:"labels,omitempty"`
	Contexts map[string]string `json:"contexts,omitempty"`
}

func (v *View) parents(shelf int64) ([]string, error) {
	return v.strings(`SELECT DISTINCT p.name FROM shelf_links l JOIN shelves p ON p.id = l.parent_shelf_id WHERE l.child_shelf_id = ? ORDER BY p.name`, shelf)
}

// strings collects the one text column of a SELECT.
func (v *View) strings(query string, args ...any) ([]string, error) {
	var list []string
	err := v.each(query, args, func(rows *sql.Rows) error {
		var s string
		err := rows.Scan(&s)
		list = append(list, s)
		return err
	})
	return list, err
}

const documentColumns = `d.id, d.shelf_id, s.name, d.file_path, f.file, d.title, d.description, d.tags, d.aliases, d.frontmatter, d.language,
	d.date, d.bytes, d.body_start, d.lines, d.tokens, f.hash, d.updated_at, d.first_chunk, d.chunk_count, f.derived`

const documentTables = ` FROM documents d JOIN shelves s ON s.id = d.shelf_id JOIN files f ON f.document_id = d.id `

func scanDocument(scan func(...any) error) (Document, error) {
	var d Document
	var file, hash []byte
	var tags, aliases, frontmatter string
	var date, updated int64
	var derived bool
	err := scan(&d.ID, &d.ShelfID, &d.Shelf, &d.Path, &file, &d.Title, &d.Description, &tags, &aliases, &frontmatter, &d.Language,
		&date, &d.Bytes, &d.Body, &d.Lines, &d.Tokens, &hash, &updated, &d.FirstChunk, &d.Chunks, &derived)
	if err != nil {
		return d, err
	}
	if derived {
		d.Source = sourceOf(d.Shelf, string(file))
	}
	d.File, d.Hash, d.Date, d.Updated = string(file), hex.EncodeToString(hash), time.Unix(0, date), time.Unix(0, updated)
	for _, column := range []struct {
		json string
		into any
	}{{tags, &d.Tags}, {aliases, &d.Aliases}, {frontmatter, &d.FrontMatter}} {
		if err := json.Unmarshal([]byte(column.json), column.into); err != nil {
			return d, fmt.Errorf("document %q: %w", d.Path, err)
		}
	}
	return d, nil
}

// Document is the document at that doc_path, or ErrNotFound.
func (v *View) Document(path string) (Document, error) {
	return v.document(`d.file_path = ?`, path)
}

// DocumentByID is the document with that id, or ErrNotFound.
func (v *View) DocumentByID(id int64) (Document, error) {
	return v.document(`d.id = ?`, id)
}

func (v *View) document(where string, arg any) (Document, error) {
	return scanDocument(func(into ...any) error {
		return v.queryRow(`SELECT `+documentColumns+documentTables+`WHERE `+where, []any{arg}, into...)
	})
}

func (v *View) documents(rest string, args ...any) ([]Document, error) {
	var list []Document
	err := v.each(`SELECT `+documentColumns+documentTables+rest, args, func(rows *sql.Rows) error {
		d, err := scanDocument(rows.Scan)
		list = append(list, d)
		return err
	})
	return list, err
}

// Content is the stored text of a document; line 1 is its first line.
func (v *View) Content(id int64) (string, error) {
	var content string
	err := v.queryRow(`SELECT content FROM documents WHERE id = ?`, []any{id}, &content)
	return content, err
}

// Chunks are the chunks of a document in document order.
func (v *View) Chunks(id int64) ([]Chunk, error) {
	var first int64
	var n int
	if err := v.queryRow(`SELECT first_chunk, chunk_count FROM documents WHERE id = ?`, []any{id}, &first, &n); err != nil {
		return nil, err
	}
	chunks := make([]Chunk, 0, n)
	err := v.each(`SELECT id, document_id, node, line_start, line_end, byte_start, byte_end, prefix_start, prefix_end, key_hash, key_seq
		FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id`, []any{first, first + int64(n) - 1}, func(rows *sql.Rows) error {
		c, err := scanChunk(rows.Scan)
		chunks = append(chunks, c)
		return err
	})
	return chunks, err
}

func scanChunk(scan func(...any) error) (Chunk, error) {
	var c Chunk
	var hash int64
	err := scan(&c.ID, &c.DocumentID, &c.Node, &c.Lines.Start, &c.Lines.End, &c.Span.Start, &c.Span.End, &c.Prefix.Start, &c.Prefix.End, &hash, &c.Key.Seq)
	c.Key.Hash = uint64(hash)
	return c, err
}

// Problems lists problems of a shelf ("" = all), in path order.
func (v *View) Problems(shelf string) ([]Problem, error) {
	var list []Problem
	err := v.each(`SELECT s.name, p.path, p.file, p.stage, p.line, p.reason, p.since FROM problems p JOIN shelves s ON s.id = p.shelf_id
		WHERE ?1 = '' OR s.name = ?1 ORDER BY p.path, p.stage, p.line`, []any{shelf}, func(rows *sql.Rows) error {
		p, err := scanProblem(rows.Scan)
		list = append(list, p)
		return err
	})
	return list, err
}

func scanProblem(scan func(...any) error) (Problem, error) {
	var p Problem
	var file []byte
	var since int64
	err := scan(&p.Shelf, &p.Path, &file, &p.Stage, &p.Line, &p.Reason, &since)
	p.File, p.Since = string(file), unixTime(since)
	return p, err
}

// ProblemOf is the first problem of the document at that doc_path, nil without one.
func (v *View) ProblemOf(path string) (*Problem, error) {
	shelf, _, _ := strings.Cut(path, "/")
	list, err := v.Problems(shelf)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Path == path {
			return &list[i], nil
		}
	}
	return nil, nil
}

// Counts are the totals.
func (v *View) Counts() (Counts, error) {
	var c Counts
	err := v.queryRow(`SELECT (SELECT count(*) FROM shelves WHERE origin <> 'reserved'), (SELECT count(*) FROM files), (SELECT count(*) FROM chunks),
		(SELECT count(*) FROM (SELECT DISTINCT shelf_id, file FROM problems)), (SELECT count(*) FROM document_links),
		(SELECT coalesce(sum(size), 0) FROM files)`, nil, &c.Shelves, &c.Documents, &c.Chunks, &c.Problems, &c.Links, &c.ContentBytes)
	if err != nil {
		return c, err
	}
	c.DatabaseBytes, c.WALBytes = fileSize(v.s.path), fileSize(v.s.path+"-wal")
	return c, nil
}

// nanoseconds is a time as it is stored. Those before 1678 and after 2262 do not fit and become the nearest that does:
// they are compared rightly with all others.
func nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

func unixTime(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}
