package store

import (
	"database/sql"
	"encoding/json"
	"slices"
	"sort"
)

// Unresolved lists dead and ambiguous links below folder ("" = everywhere), in path order.
func (v *View) Unresolved(folder string) ([]Unresolved, error) {
	var list []Unresolved
	err := v.each(unresolvedColumns+`WHERE ?1 = '' OR d.folder = ?1 OR (d.folder > ?1 || '/' AND d.folder < ?1 || '0') ORDER BY d.file_path, u.place`,
		[]any{folder}, func(rows *sql.Rows) error {
			u, err := scanUnresolved(rows)
			if len(u.Candidates) != 1 { // one is itself: neither dead nor ambiguous
				list = append(list, u)
			}
			return err
		})
	return list, err
}

const unresolvedColumns = `SELECT d.file_path, u.kind, u.text, u.raw, u.fragment, u.line, u.place, u.candidates
	FROM unresolved_links u JOIN documents d ON d.id = u.source `

func scanUnresolved(rows *sql.Rows) (Unresolved, error) {
	var u Unresolved
	var candidates string
	if err := rows.Scan(&u.Source, &u.Kind, &u.Text, &u.Raw, &u.Fragment, &u.Line, &u.Place, &candidates); err != nil {
		return u, err
	}
	return u, json.Unmarshal([]byte(candidates), &u.Candidates)
}

// TextLinks are all links that a document's author wrote, resolved or not, in document order.
func (v *View) TextLinks(id int64) ([]TextLink, error) {
	var list []TextLink
	linked, err := v.LinksOf(id, Out, []Origin{OriginText})
	if err != nil {
		return nil, err
	}
	for _, l := range linked {
		list = append(list, l.Mentions...)
	}
	unresolved, err := v.unresolvedOf(id)
	for _, u := range unresolved {
		list = append(list, u.TextLink)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Place < list[j].Place })
	return list, err
}

// unresolvedOf are the links of one document without exactly one target, in document order.
func (v *View) unresolvedOf(id int64) ([]Unresolved, error) {
	var list []Unresolved
	err := v.each(unresolvedColumns+`WHERE u.source = ? ORDER BY u.place`, []any{id}, func(rows *sql.Rows) error {
		u, err := scanUnresolved(rows)
		list = append(list, u)
		return err
	})
	return list, err
}

// relationText is the relation of links that authors wrote.
const relationText = "links_to"

// SetTextLinks replaces what the links of a document's author lead to: one row a target, and the rest unresolved.
func (tx *Tx) SetTextLinks(source int64, resolved map[int64][]TextLink, unresolved []Unresolved) error {
	before, err := tx.LinksOf(source, Out, []Origin{OriginText})
	if err != nil {
		return err
	}
	stood := map[int64][]TextLink{}
	for _, l := range before {
		stood[l.TargetID] = l.Mentions
		if _, stays := resolved[l.TargetID]; !stays {
			tx.names.touch(l.TargetID)
			if _, err := tx.exec(`DELETE FROM document_links WHERE id = ?`, l.ID); err != nil {
				return err
			}
		}
	}
	targets := make([]int64, 0, len(resolved))
	for target := range resolved {
		targets = append(targets, target)
	}
	sort.Slice(targets, func(i, j int) bool { return targets[i] < targets[j] })
	for _, target := range targets {
		if !slices.EqualFunc(stood[target], resolved[target], sayTheSame) {
			tx.names.touch(target)
		}
		if err := tx.putLink(source, target, relationText, OriginText, nil, nil, nil, linkMetadata{Links: resolved[target]}); err != nil {
			return err
		}
	}
	return tx.setUnresolved(source, unresolved)
}

func (tx *Tx) setUnresolved(source int64, list []Unresolved) error {
	before, err := tx.unresolvedOf(source)
	if err != nil || slices.EqualFunc(before, list, sameUnresolved) {
		return err
	}
	if _, err := tx.exec(`DELETE FROM unresolved_links WHERE source = ?`, source); err != nil {
		return err
	}
	for _, u := range list {
		if err := tx.putUnresolved(source, u); err != nil {
			return err
		}
	}
	return nil
}

func sameUnresolved(a, b Unresolved) bool {
	return a.TextLink == b.TextLink && slices.Equal(a.Candidates, b.Candidates)
}

func (tx *Tx) putUnresolved(source int64, u Unresolved) error {
	_, err := tx.exec(`INSERT INTO unresolved_links (source, place, text, raw, fragment, kind, line, candidates) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (source, place) DO NOTHING`,
		source, u.Place, u.Text, u.Raw, u.Fragment, u.Kind, u.Line, jsonList(u.Candidates))
	return err
}

// LoosenTextLinks makes the authors' links to a document unresolved, since it goes: their rows would go with it. It
// returns the documents that have such links.
func (tx *Tx) LoosenTextLinks(target int64) ([]int64, error) {
	links, err := tx.LinksOf(target, In, []Origin{OriginText})
	if err != nil {
		return nil, err
	}
	tx.names.touch(target)
	var sources []int64
	for _, l := range links {
		for _, m := range l.Mentions {
			if err := tx.putUnresolved(l.SourceID, Unresolved{TextLink: m}); err != nil {
				return nil, err
			}
		}
		if _, err := tx.exec(`DELETE FROM document_links WHERE id = ?`, l.ID); err != nil {
			return nil, err
		}
		sources = append(sources, l.SourceID)
	}
	return sources, nil
}
