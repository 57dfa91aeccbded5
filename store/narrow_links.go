package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
)

// What a hidden document does to the links of seen ones is undone here: a link of the text that could also mean a
// hidden document means what it would mean without, and a hidden target of a heuristic link leaves its place to the
// best spare one that is seen.

// seenLinksSchema belongs to seenSchema.
const seenLinksSchema = `
CREATE TEMP TABLE seen_text (id INTEGER PRIMARY KEY, source_document_id INTEGER, target_document_id INTEGER, metadata_json TEXT,
  UNIQUE (source_document_id, target_document_id)) STRICT;           -- links of texts as they are without hidden documents, where that differs
CREATE INDEX temp.seen_text_target ON seen_text(target_document_id);
`

// seenLinks are the links between seen documents. Ids of those that have no row of their own are below zero.
const seenLinks = `SELECT * FROM main.document_links l WHERE +source_document_id IN (SELECT id FROM temp.seen) AND +target_document_id IN (SELECT id FROM temp.seen)
	AND NOT (origin = 'text' AND EXISTS (SELECT 1 FROM temp.seen_text t WHERE t.source_document_id = l.source_document_id AND t.target_document_id = l.target_document_id))
UNION ALL
SELECT -2 * id, source_document_id, target_document_id, '` + relationText + `', NULL, NULL, 'text', NULL, NULL, NULL, metadata_json, 0, 0 FROM temp.seen_text
UNION ALL
SELECT -2 * id - 1, source_document_id, target_document_id, relation, score, confidence, 'heuristic', heuristic_version, NULL, rationale, metadata_json, 0, 0
	FROM main.spare_links s WHERE +source_document_id IN (SELECT id FROM temp.seen) AND +target_document_id IN (SELECT id FROM temp.seen)
	AND (SELECT count(*) FROM main.spare_links b WHERE b.source_document_id = s.source_document_id AND b.place < s.place AND +b.target_document_id IN (SELECT id FROM temp.seen))
	  < (SELECT count(*) FROM main.document_links h WHERE h.source_document_id = s.source_document_id AND h.origin = 'heuristic' AND +h.target_document_id NOT IN (SELECT id FROM temp.seen))`

// linkThroughHidden is a link of a seen document's text that leads to a hidden one, or could.
type linkThroughHidden struct {
	source int64
	path   string
	link   TextLink
}

// fillLinks finds the targets that such links have without the hidden documents.
func (v *View) fillLinks() error {
	list, err := v.linksThroughHidden()
	if err != nil {
		return err
	}
	found := map[[2]int64][]TextLink{}
	named := v.rememberNamed()
	for _, l := range list {
		seen, err := targets(l.path, l.link.Raw, named)
		if err != nil {
			return err
		}
		if len(seen) == 1 && seen[0].Document != l.source {
			pair := [2]int64{l.source, seen[0].Document}
			found[pair] = append(found[pair], l.link)
		}
	}
	for pair, links := range found {
		if err := v.fillTextLink(pair[0], pair[1], links); err != nil {
			return err
		}
	}
	return nil
}

// rememberNamed is Named that asks for each name once: many links lead to few documents.
func (v *View) rememberNamed() func(name string) ([]Named, error) {
	known := map[string][]Named{}
	return func(name string) ([]Named, error) {
		list, ok := known[name]
		if !ok {
			var err error
			if list, err = v.Named(name); err != nil {
				return nil, err
			}
			known[name] = list
		}
		return list, nil
	}
}

func (v *View) linksThroughHidden() ([]linkThroughHidden, error) {
	var list []linkThroughHidden
	err := v.each(`SELECT l.source_document_id, d.file_path, l.metadata_json FROM main.document_links l JOIN temp.seen s ON s.id = l.source_document_id
		JOIN main.documents d ON d.id = s.id WHERE l.origin = 'text' AND +l.target_document_id NOT IN (SELECT id FROM temp.seen)`, nil, func(rows *sql.Rows) error {
		var source int64
		var path, metadata string
		if err := rows.Scan(&source, &path, &metadata); err != nil {
			return err
		}
		var m linkMetadata
		if err := json.Unmarshal([]byte(metadata), &m); err != nil {
			return fmt.Errorf("metadata of a link of document %d: %w", source, err)
		}
		for _, l := range m.Links {
			list = append(list, linkThroughHidden{source, path, l})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = v.each(`SELECT u.source, d.file_path, u.kind, u.text, u.raw, u.fragment, u.line, u.place FROM main.unresolved_links u JOIN temp.seen s ON s.id = u.source
		JOIN main.documents d ON d.id = s.id WHERE u.candidates <> '[]' AND EXISTS (SELECT 1 FROM json_each(u.candidates) c
			WHERE NOT EXISTS (SELECT 1 FROM main.documents x JOIN temp.seen y ON y.id = x.id WHERE x.file_path = c.value))`, nil, func(rows *sql.Rows) error {
		var h linkThroughHidden
		l := &h.link
		err := rows.Scan(&h.source, &h.path, &l.Kind, &l.Text, &l.Raw, &l.Fragment, &l.Line, &l.Place)
		list = append(list, h)
		return err
	})
	return list, err
}

// fillTextLink puts links beside those that lead from the one document to the other anyway: one row a pair.
func (v *View) fillTextLink(source, target int64, links []TextLink) error {
	stored, err := v.strings(`SELECT metadata_json FROM main.document_links WHERE source_document_id = ? AND target_document_id = ? AND origin = 'text'`, source, target)
	if err != nil {
		return err
	}
	for _, metadata := range stored {
		var m linkMetadata
		if err := json.Unmarshal([]byte(metadata), &m); err != nil {
			return fmt.Errorf("metadata of a link of document %d: %w", source, err)
		}
		links = append(links, m.Links...)
	}
	slices.SortFunc(links, func(a, b TextLink) int { return a.Place - b.Place })
	metadata, err := json.Marshal(linkMetadata{Links: links})
	if err != nil {
		return fmt.Errorf("store: metadata of a link: %w", err)
	}
	return v.put(`INSERT INTO temp.seen_text (source_document_id, target_document_id, metadata_json) VALUES (?, ?, ?)`, source, target, string(metadata))
}
