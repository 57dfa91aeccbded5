package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// SpareLink is a heuristic link that nobody sees who sees all: its source has as many better ones as it may have.
type SpareLink struct {
	HeuristicLink
	TargetPath string
	Version    string // correlate.Version that found it
}

// SpareLinks are those of a source, the best first.
func (v *View) SpareLinks(source int64) ([]SpareLink, error) {
	var list []SpareLink
	err := v.each(spareColumns+`WHERE s.source_document_id = ? ORDER BY s.place`, []any{source}, func(rows *sql.Rows) error {
		l, _, err := scanSpare(rows)
		list = append(list, l)
		return err
	})
	return list, err
}

// SpareSuitors are the documents that have a spare link to this one.
func (v *View) SpareSuitors(target int64) ([]int64, error) {
	return v.ints(`SELECT source_document_id FROM spare_links WHERE target_document_id = ? ORDER BY source_document_id`, target)
}

const spareColumns = `SELECT a.file_path, s.target_document_id, b.file_path, s.relation, s.score, s.confidence, s.rationale, s.heuristic_version, s.metadata_json
	FROM spare_links s JOIN documents a ON a.id = s.source_document_id JOIN documents b ON b.id = s.target_document_id `

func scanSpare(rows *sql.Rows) (l SpareLink, source string, err error) {
	var metadata string
	if err := rows.Scan(&source, &l.Target, &l.TargetPath, &l.Relation, &l.Score, &l.Confidence, &l.Rationale, &l.Version, &metadata); err != nil {
		return l, source, err
	}
	var m linkMetadata
	if err := json.Unmarshal([]byte(metadata), &m); err != nil {
		return l, source, fmt.Errorf("metadata of a spare link: %w", err)
	}
	l.Signals = m.Signals
	return l, source, nil
}

// SetSpareLinks replaces the spare links of a source, the best first. Those that stay the same are not written.
func (tx *Tx) SetSpareLinks(source int64, version string, links []HeuristicLink) error {
	before, err := tx.SpareLinks(source)
	same := func(a SpareLink, b HeuristicLink) bool {
		return a.Version == version && a.Target == b.Target && a.Relation == b.Relation && a.Score == b.Score && a.Confidence == b.Confidence &&
			a.Rationale == b.Rationale && maps.Equal(a.Signals, shownSignals(b.Signals))
	}
	if err != nil || slices.EqualFunc(before, links, same) {
		return err
	}
	if _, err := tx.exec(`DELETE FROM spare_links WHERE source_document_id = ?`, source); err != nil {
		return err
	}
	for place, l := range links {
		metadata, err := signalsJSON(l.Signals)
		if err != nil {
			return err
		}
		_, err = tx.exec(`INSERT INTO spare_links (source_document_id, place, target_document_id, relation, score, confidence, heuristic_version, rationale, metadata_json)
			VALUES (?,?,?,?,?,?,?,?,?)`, source, place, l.Target, l.Relation, l.Score, l.Confidence, version, l.Rationale, metadata)
		if err != nil {
			return err
		}
	}
	return nil
}

// signalsJSON is what metadata_json holds of a heuristic link.
func signalsJSON(signals map[string]float64) (string, error) {
	metadata, err := json.Marshal(linkMetadata{Signals: shownSignals(signals)})
	if err != nil {
		return "", fmt.Errorf("store: signals of a link: %w", err)
	}
	return string(metadata), nil
}

// shownSignals are those that say something.
func shownSignals(signals map[string]float64) map[string]float64 {
	signals = maps.Clone(signals)
	maps.DeleteFunc(signals, func(_ string, v float64) bool { return v == 0 })
	return signals
}

func (v *View) dumpSpare(out *json.Encoder, partial map[string]string) error {
	return v.each(spareColumns+`ORDER BY a.file_path, s.place`, nil, func(rows *sql.Rows) error {
		l, source, err := scanSpare(rows)
		if err != nil || partial[shelfOf(source)] != "" || partial[shelfOf(l.TargetPath)] != "" {
			return err
		}
		return out.Encode(dumpLink{
			Kind: "spare link", Source: source, Target: l.TargetPath, Relation: l.Relation, Origin: OriginHeuristic,
			Score: l.Score, Confidence: l.Confidence, Rationale: l.Rationale, Signals: l.Signals,
		})
	})
}
