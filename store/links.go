package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
)

// linkMetadata is the JSON in document_links.metadata_json.
type linkMetadata struct {
	Links   []TextLink         `json:"links,omitempty"`
	Signals map[string]float64 `json:"signals,omitempty"`
}

// linkRank orders links of one depth: what someone said, what the author wrote, what was worked out; then confidence.
const linkRank = ` ORDER BY CASE l.origin WHEN 'manual' THEN 0 WHEN 'text' THEN 1 ELSE 2 END, l.confidence DESC, a.file_path, b.file_path, l.relation`

const linkColumns = `SELECT l.id, l.source_document_id, l.target_document_id, a.file_path, b.file_path, a.title, b.title, l.relation, l.origin,
	coalesce(l.score, 0), coalesce(l.confidence, 0), coalesce(l.heuristic_version, ''), coalesce(l.label, ''), coalesce(l.rationale, ''), coalesce(l.metadata_json, '')
	FROM document_links l JOIN documents a ON a.id = l.source_document_id JOIN documents b ON b.id = l.target_document_id `

func scanLink(rows *sql.Rows) (Link, error) {
	var l Link
	var metadata string
	err := rows.Scan(&l.ID, &l.SourceID, &l.TargetID, &l.Source, &l.Target, &l.SourceTitle, &l.TargetTitle, &l.Relation, &l.Origin,
		&l.Score, &l.Confidence, &l.Version, &l.Label, &l.Rationale, &metadata)
	if err != nil || metadata == "" {
		return l, err
	}
	var m linkMetadata
	if err := json.Unmarshal([]byte(metadata), &m); err != nil {
		return l, fmt.Errorf("metadata of link %d: %w", l.ID, err)
	}
	l.Mentions, l.Signals = m.Links, m.Signals
	return l, nil
}

// LinksOf are the links that touch a document in that direction, ranked. origins nil = all.
func (v *View) LinksOf(id int64, direction Direction, origins []Origin) ([]Link, error) {
	where := map[Direction]string{
		In:  `WHERE l.target_document_id = ?1`,
		Out: `WHERE l.source_document_id = ?1`,
	}[direction]
	if where == "" {
		where = `WHERE (l.source_document_id = ?1 OR l.target_document_id = ?1)`
	}
	var list []Link
	err := v.each(linkColumns+where+linkRank, []any{id}, func(rows *sql.Rows) error {
		l, err := scanLink(rows)
		if err == nil && hasOrigin(origins, l.Origin) {
			list = append(list, l)
		}
		return err
	})
	return list, err
}

func hasOrigin(origins []Origin, o Origin) bool {
	for _, wanted := range origins {
		if wanted == o {
			return true
		}
	}
	return len(origins) == 0
}

// Links is the neighbourhood of a document, ranked (depth, then origin manual, text, heuristic, then confidence, then
// path), and how many links there are in all.
func (v *View) Links(q Related) ([]Link, int, error) {
	seen := map[int64]bool{}
	visited := map[int64]bool{q.Document: true}
	frontier := []int64{q.Document}
	var all []Link
	for depth := 1; depth <= max(q.Depth, 1) && len(frontier) > 0; depth++ {
		layer, next, err := v.layer(frontier, q, seen, visited)
		if err != nil {
			return nil, 0, err
		}
		for i := range layer {
			layer[i].Depth = depth
		}
		all, frontier = append(all, layer...), next
	}
	total := len(all)
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return all, total, nil
}

// layer is one step of the neighbourhood: the links of the frontier not seen before, and the documents they reach.
func (v *View) layer(frontier []int64, q Related, seen, visited map[int64]bool) (links []Link, next []int64, err error) {
	for _, id := range frontier {
		list, err := v.LinksOf(id, q.Direction, q.Origins)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range list {
			if seen[l.ID] {
				continue
			}
			seen[l.ID] = true
			links = append(links, l)
			for _, end := range []int64{l.SourceID, l.TargetID} {
				if !visited[end] {
					visited[end] = true
					next = append(next, end)
				}
			}
		}
	}
	sort.SliceStable(links, func(i, j int) bool { return lessLink(links[i], links[j]) })
	return links, next, nil
}

func lessLink(a, b Link) bool {
	if x, y := originRank(a.Origin), originRank(b.Origin); x != y {
		return x < y
	}
	if a.Confidence != b.Confidence {
		return a.Confidence > b.Confidence
	}
	if a.Source != b.Source {
		return a.Source < b.Source
	}
	return a.Target < b.Target
}

func originRank(o Origin) int {
	switch o {
	case OriginManual:
		return 0
	case OriginText:
		return 1
	}
	return 2
}

// LinkCounts counts the links that point to and come from a document.
func (v *View) LinkCounts(id int64) (in, out int, err error) {
	err = v.queryRow(`SELECT (SELECT count(*) FROM document_links WHERE target_document_id = ?1),
		(SELECT count(*) FROM document_links WHERE source_document_id = ?1)`, []any{id}, &in, &out)
	return in, out, err
}

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

// putLink writes a link unless the same row stands already: an unchanged link is not written again.
func (tx *Tx) putLink(source, target int64, relation string, origin Origin, confidence, label, rationale any, m linkMetadata) error {
	metadata, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("store: metadata of a link: %w", err)
	}
	_, err = tx.exec(`INSERT INTO document_links (source_document_id, target_document_id, relation, origin, confidence, label, rationale, metadata_json, created_at, updated_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
		ON CONFLICT (source_document_id, target_document_id, relation, origin) DO UPDATE SET
			confidence = excluded.confidence, label = excluded.label, rationale = excluded.rationale, metadata_json = excluded.metadata_json, updated_at = excluded.updated_at
		WHERE confidence IS NOT excluded.confidence OR label IS NOT excluded.label OR rationale IS NOT excluded.rationale OR metadata_json IS NOT excluded.metadata_json`,
		source, target, relation, origin, confidence, label, rationale, string(metadata), tx.now)
	return err
}

// HeuristicLink is a link that was worked out.
type HeuristicLink struct {
	Target     int64
	Relation   string
	Score      float64
	Confidence float64
	Rationale  string
	Signals    map[string]float64
}

// SetHeuristicLinks replaces the worked-out links of a source. Rows that stay the same are not written.
func (tx *Tx) SetHeuristicLinks(source int64, version string, links []HeuristicLink) error {
	type key struct {
		target   int64
		relation string
	}
	wanted := map[key]bool{}
	for _, l := range links {
		wanted[key{l.Target, l.Relation}] = true
	}
	before, err := tx.LinksOf(source, Out, []Origin{OriginHeuristic})
	if err != nil {
		return err
	}
	for _, l := range before {
		if !wanted[key{l.TargetID, l.Relation}] {
			if _, err := tx.exec(`DELETE FROM document_links WHERE id = ?`, l.ID); err != nil {
				return err
			}
		}
	}
	for _, l := range links {
		if err := tx.putHeuristic(source, version, l); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) putHeuristic(source int64, version string, l HeuristicLink) error {
	signals := maps.Clone(l.Signals)
	maps.DeleteFunc(signals, func(_ string, v float64) bool { return v == 0 })
	metadata, err := json.Marshal(linkMetadata{Signals: signals})
	if err != nil {
		return fmt.Errorf("store: signals of a link: %w", err)
	}
	_, err = tx.exec(`INSERT INTO document_links (source_document_id, target_document_id, relation, origin, score, confidence, heuristic_version, rationale, metadata_json, created_at, updated_at)
		VALUES (?1, ?2, ?3, 'heuristic', ?4, ?5, ?6, ?7, ?8, ?9, ?9)
		ON CONFLICT (source_document_id, target_document_id, relation, origin) DO UPDATE SET score = excluded.score,
			confidence = excluded.confidence, heuristic_version = excluded.heuristic_version, rationale = excluded.rationale, metadata_json = excluded.metadata_json, updated_at = excluded.updated_at
		WHERE score IS NOT excluded.score OR confidence IS NOT excluded.confidence OR heuristic_version IS NOT excluded.heuristic_version
			OR rationale IS NOT excluded.rationale OR metadata_json IS NOT excluded.metadata_json`,
		source, l.Target, l.Relation, l.Score, l.Confidence, version, l.Rationale, string(metadata), tx.now)
	return err
}

// ManualLink is a link that someone made.
type ManualLink struct {
	Source     string  `json:"source"` // doc_path
	Target     string  `json:"target"` // doc_path
	Relation   string  `json:"relation"`
	Confidence float64 `json:"confidence"`
	Label      string  `json:"label,omitempty"`
	Rationale  string  `json:"rationale,omitempty"`
}

// SetManualLinks replaces the manual links of a source; targets are ids. Nothing is written when they stand already.
func (tx *Tx) SetManualLinks(source int64, links map[int64][]ManualLink) error {
	if stand, err := tx.manualStand(source, links); err != nil || stand {
		return err
	}
	if _, err := tx.exec(`DELETE FROM document_links WHERE source_document_id = ? AND origin = 'manual'`, source); err != nil {
		return err
	}
	for target, list := range links {
		for _, l := range list {
			if err := tx.putLink(source, target, l.Relation, OriginManual, l.Confidence, nullable(l.Label), nullable(l.Rationale), linkMetadata{}); err != nil {
				return err
			}
		}
	}
	return nil
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}
