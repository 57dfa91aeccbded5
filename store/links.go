package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
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
