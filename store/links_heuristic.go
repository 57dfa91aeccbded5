package store

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
	metadata, err := signalsJSON(l.Signals)
	if err != nil {
		return err
	}
	_, err = tx.exec(`INSERT INTO document_links (source_document_id, target_document_id, relation, origin, score, confidence, heuristic_version, rationale, metadata_json, created_at, updated_at)
		VALUES (?1, ?2, ?3, 'heuristic', ?4, ?5, ?6, ?7, ?8, ?9, ?9)
		ON CONFLICT (source_document_id, target_document_id, relation, origin) DO UPDATE SET score = excluded.score,
			confidence = excluded.confidence, heuristic_version = excluded.heuristic_version, rationale = excluded.rationale, metadata_json = excluded.metadata_json, updated_at = excluded.updated_at
		WHERE score IS NOT excluded.score OR confidence IS NOT excluded.confidence OR heuristic_version IS NOT excluded.heuristic_version
			OR rationale IS NOT excluded.rationale OR metadata_json IS NOT excluded.metadata_json`,
		source, l.Target, l.Relation, l.Score, l.Confidence, version, l.Rationale, metadata, tx.now)
	return err
}
