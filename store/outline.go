package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"shelfd/internal/text"
)

// Outline is what someone says a document and its sections are about: one set, saved and replaced as a whole. It is
// for finding the way, never evidence.
type Outline struct {
	SourceHash string           `json:"source_hash"` // SHA-256 of the file that was read, hex
	Version    string           `json:"version,omitempty"`
	Summary    string           `json:"summary"`
	Sections   []OutlineSection `json:"sections,omitempty"`
}

// OutlineSection is what one section is about.
type OutlineSection struct {
	NodeID    string   `json:"node_id"`
	Summary   string   `json:"summary"`
	KeyFacts  []string `json:"key_facts,omitempty"`
	ChunkKeys []string `json:"chunk_keys,omitempty"` // the chunks that it was drawn from, as written in citations
}

// OutlineKind says where an outline comes from.
type OutlineKind string

// The kinds of outline.
const (
	OutlineSaved      OutlineKind = "llm"        // by save_outline
	OutlineExtractive OutlineKind = "extractive" // the document's own sentences
)

// OutlineStatus says what an outline is worth now.
type OutlineStatus string

// The states of an outline. A stale one speaks of other bytes than the file has: it is shown and not searched.
const (
	OutlineNone  OutlineStatus = "none"
	OutlineReady OutlineStatus = "ready"
	OutlineStale OutlineStatus = "stale"
)

// IndexedOutline is the outline of a document in the index. Without one the status is OutlineNone and the rest empty.
type IndexedOutline struct {
	Outline
	Kind   OutlineKind
	Status OutlineStatus
}

// ChunkKeys are the chunks that the sections were drawn from, in the order of the sections, each once.
func (o Outline) ChunkKeys() []string {
	var keys []string
	seen := map[string]bool{}
	for _, s := range o.Sections {
		for _, key := range s.ChunkKeys {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// Outline is what is said about a document.
func (v *View) Outline(document int64) (IndexedOutline, error) {
	o := IndexedOutline{Status: OutlineNone}
	var current bool
	err := v.queryRow(`SELECT o.kind, o.version, o.source_hash, o.source_hash = lower(hex(f.hash)) FROM outlines o JOIN files f ON f.document_id = o.document_id
		WHERE o.document_id = ?`, []any{document}, &o.Kind, &o.Version, &o.SourceHash, &current)
	if errors.Is(err, ErrNotFound) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	o.Status = OutlineStale
	if current {
		o.Status = OutlineReady
	}
	rows, err := v.summaryRows(document)
	for _, r := range rows {
		if r.node == "" {
			o.Summary = r.summary
			continue
		}
		o.Sections = append(o.Sections, r.section())
	}
	return o, err
}

// HasOutlines says whether anything is said about any document.
func (v *View) HasOutlines() (bool, error) {
	var any bool
	err := v.queryRow(`SELECT EXISTS (SELECT 1 FROM outlines)`, nil, &any)
	return any, err
}

// Outlined lists the documents that an outline of that kind is about: path → id.
func (v *View) Outlined(kind OutlineKind) (map[string]int64, error) {
	list := map[string]int64{}
	err := v.each(`SELECT d.file_path, d.id FROM outlines o JOIN documents d ON d.id = o.document_id WHERE o.kind = ?`, []any{string(kind)}, func(rows *sql.Rows) error {
		var path string
		var id int64
		err := rows.Scan(&path, &id)
		list[path] = id
		return err
	})
	return list, err
}

// summaryRow is a row of summaries.
type summaryRow struct {
	id                                 int64
	node, summary, keyFacts, chunkKeys string // the last two as JSON
	searched                           bool
}

func (r summaryRow) section() OutlineSection {
	s := OutlineSection{NodeID: r.node, Summary: r.summary}
	_ = json.Unmarshal([]byte(r.keyFacts), &s.KeyFacts) // written by jsonList
	_ = json.Unmarshal([]byte(r.chunkKeys), &s.ChunkKeys)
	return s
}

func (v *View) summaryRows(document int64) ([]summaryRow, error) {
	var list []summaryRow
	err := v.each(`SELECT id, node_id, summary, key_facts, chunk_keys, searched FROM summaries WHERE document_id = ? ORDER BY ordinal`,
		[]any{document}, func(rows *sql.Rows) error {
			var r summaryRow
			err := rows.Scan(&r.id, &r.node, &r.summary, &r.keyFacts, &r.chunkKeys, &r.searched)
			list = append(list, r)
			return err
		})
	return list, err
}

// PutOutline makes an outline the one of a document, which must have been written before: whether the outline is stale
// and where its sections stand is taken from there.
func (tx *Tx) PutOutline(document int64, kind OutlineKind, o Outline) error {
	if err := tx.DropOutline(document); err != nil {
		return err
	}
	if _, err := tx.exec(`INSERT INTO outlines (document_id, kind, version, source_hash) VALUES (?, ?, ?, ?)`,
		document, string(kind), o.Version, o.SourceHash); err != nil {
		return err
	}
	terms, err := tx.outlineTerms(document, o)
	if err != nil {
		return err
	}
	sections := append([]OutlineSection{{Summary: o.Summary}}, o.Sections...)
	for i, s := range sections {
		if err := tx.putSummary(document, i, s, terms); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) putSummary(document int64, ordinal int, s OutlineSection, terms outlineTerms) error {
	t, searched := terms.of(s)
	var id int64
	err := tx.queryRow(`INSERT INTO summaries (document_id, ordinal, node_id, summary, key_facts, chunk_keys, searched) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		[]any{document, ordinal, s.NodeID, s.Summary, jsonList(s.KeyFacts), jsonList(s.ChunkKeys), searched}, &id)
	if err == nil && searched {
		tx.summaryTerms.put(id, t.body, t.heading, t.ident, terms.scope)
	}
	return err
}

// DropOutline removes what is said about a document, if anything is.
func (tx *Tx) DropOutline(document int64) error {
	rows, err := tx.summaryRows(document)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.searched {
			tx.summaryTerms.drop(r.id)
		}
	}
	_, err = tx.exec(`DELETE FROM outlines WHERE document_id = ?`, document) // the summaries go along
	return err
}

// outlineTerms cut the summaries of one document.
type outlineTerms struct {
	stale  bool
	title  string
	trails map[string][]string // node id → titles from the top to it
	scope  string
}

func (v *View) outlineTerms(document int64, o Outline) (outlineTerms, error) {
	d, err := v.DocumentByID(document)
	if err != nil || d.Hash != o.SourceHash {
		return outlineTerms{stale: true}, err
	}
	nodes, err := v.Nodes(document)
	t := outlineTerms{title: d.Title, trails: trailsByID(nodes), scope: scopeTerms(d.Shelf, d.Path, d.Language, document)}
	return t, err
}

// of are the terms of a summary; false when it is not to be searched.
func (t outlineTerms) of(s OutlineSection) (chunkTerms, bool) {
	titles, there := t.trails[s.NodeID]
	if s.NodeID == "" {
		titles, there = []string{t.title}, true
	}
	if t.stale || !there {
		return chunkTerms{}, false
	}
	var words, idents []byte
	for _, title := range titles {
		words, idents = text.AppendTerms(words, idents, title)
	}
	heading := string(words)
	words, idents = text.AppendTerms(words[:0], idents, strings.Join(append([]string{s.Summary}, s.KeyFacts...), "\n"))
	return chunkTerms{heading: heading, body: string(words), ident: string(idents)}, true
}

// trailsByID are the titles around each node.
func trailsByID(nodes []Node) map[string][]string {
	trails := make(map[string][]string, len(nodes))
	byOrdinal := make([][]string, len(nodes))
	for i, n := range nodes {
		var above []string
		if n.Parent >= 0 && n.Parent < i {
			above = byOrdinal[n.Parent]
		}
		if n.Level > 0 {
			above = append(above[:len(above):len(above)], n.Title)
		}
		byOrdinal[i], trails[n.ID] = above, above
	}
	return trails
}

// checkSummaryTerms compares summary_fts with the summaries.
func (v *View) checkSummaryTerms(report func(Difference)) error {
	t, places := newTermSums(), map[int64]holder{}
	var documents []int64
	err := v.each(`SELECT document_id FROM outlines`, nil, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		documents = append(documents, id)
		return err
	})
	for _, id := range documents {
		if err == nil {
			err = v.wantSummaries(t, id, places)
		}
	}
	if err == nil {
		err = v.found(t, "summary_instances")
	}
	if err != nil {
		return err
	}
	return t.differences(report, "summary_fts", places)
}

func (v *View) wantSummaries(t termSums, document int64, places map[int64]holder) error {
	o, err := v.Outline(document)
	if err != nil {
		return err
	}
	terms, err := v.outlineTerms(document, o.Outline)
	if err != nil {
		return err
	}
	rows, err := v.summaryRows(document)
	for _, r := range rows {
		places[r.id] = holder{document, fmt.Sprintf("summary of %q in document %d", r.node, document)}
		if wanted, searched := terms.of(r.section()); searched {
			t.wanted(r.id, "body", wanted.body)
			t.wanted(r.id, "heading", wanted.heading)
			t.wanted(r.id, "ident", wanted.ident)
			t.wanted(r.id, "scope", terms.scope)
		}
	}
	return err
}
