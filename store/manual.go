package store

import "database/sql"

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

// manualStand says whether the manual links of a source are these.
func (tx *Tx) manualStand(source int64, links map[int64][]ManualLink) (bool, error) {
	before, err := tx.LinksOf(source, Out, []Origin{OriginManual})
	if err != nil {
		return false, err
	}
	type key struct {
		target   int64
		relation string
	}
	wanted := map[key]ManualLink{}
	for target, list := range links {
		for _, l := range list {
			wanted[key{target, l.Relation}] = l
		}
	}
	if len(wanted) != len(before) {
		return false, nil
	}
	for _, have := range before {
		l, ok := wanted[key{have.TargetID, have.Relation}]
		if !ok || l.Confidence != have.Confidence || l.Label != have.Label || l.Rationale != have.Rationale {
			return false, nil
		}
	}
	return true, nil
}

// ManualSources lists the documents that have manual links, in path order.
func (v *View) ManualSources() ([]string, error) {
	return v.strings(`SELECT DISTINCT d.file_path FROM document_links l JOIN documents d ON d.id = l.source_document_id WHERE l.origin = 'manual' ORDER BY d.file_path`)
}

// LinkQuery chooses links.
type LinkQuery struct {
	Shelf          string  // of the source, "" = any
	Source, Target int64   // document ids, 0 = any
	Origin         Origin  // "" = any
	MaxConfidence  float64 // with Weak
	Weak           bool    // only those of at most MaxConfidence
	Offset, Limit  int     // 0 = all
}

// Find lists links, the weakest first when weak ones are asked for, else as LinksOf ranks them; and how many there are.
func (v *View) Find(q LinkQuery) (links []Link, total int, err error) {
	const where = `WHERE (?1 = '' OR a.shelf_id = (SELECT id FROM shelves WHERE name = ?1)) AND (?2 = 0 OR l.source_document_id = ?2)
		AND (?3 = 0 OR l.target_document_id = ?3) AND (?4 = '' OR l.origin = ?4) AND (?5 = 0 OR l.confidence <= ?6)`
	order := linkRank
	if q.Weak {
		order = ` ORDER BY l.confidence, a.file_path, b.file_path, l.relation`
	}
	limit := q.Limit
	if limit == 0 {
		limit = -1
	}
	args := []any{q.Shelf, q.Source, q.Target, string(q.Origin), q.Weak, q.MaxConfidence}
	err = v.queryRow(`SELECT count(*) FROM document_links l JOIN documents a ON a.id = l.source_document_id `+where, args, &total)
	if err != nil {
		return nil, 0, err
	}
	err = v.each(linkColumns+where+order+` LIMIT ?7 OFFSET ?8`, append(args, limit, q.Offset), func(rows *sql.Rows) error {
		l, err := scanLink(rows)
		links = append(links, l)
		return err
	})
	return links, total, err
}
