package store

import (
	"slices"
	"strings"
)

// MentionedBy lists the documents whose text cites a document by name, in id order.
func (v *View) MentionedBy(target int64) ([]int64, error) {
	return v.ints(`SELECT source_id FROM mentions WHERE target_id = ? ORDER BY source_id`, target)
}

// Mentions lists the documents that a document's text cites by name, in id order.
func (v *View) Mentions(source int64) ([]int64, error) {
	return v.ints(`SELECT target_id FROM mentions WHERE source_id = ? ORDER BY target_id`, source)
}

// SetMentions replaces the documents that a document's text cites by name; targets are in id order.
func (tx *Tx) SetMentions(source int64, targets []int64) error {
	before, err := tx.Mentions(source)
	if err != nil {
		return err
	}
	for _, t := range before {
		if _, stays := slices.BinarySearch(targets, t); !stays {
			if _, err := tx.exec(`DELETE FROM mentions WHERE source_id = ? AND target_id = ?`, source, t); err != nil {
				return err
			}
		}
	}
	for _, t := range targets {
		if _, had := slices.BinarySearch(before, t); had || t == source {
			continue
		}
		if _, err := tx.exec(`INSERT OR IGNORE INTO mentions (source_id, target_id) VALUES (?, ?)`, source, t); err != nil {
			return err
		}
	}
	return nil
}

// holdingTerms is how many terms of a name are looked up: the longest are the rarest, and the text is read anyway.
const holdingTerms = 3

// Holding lists the documents that hold the longest terms of a name (space separated, as text.Segment gives them):
// those that may cite it, and some that do not.
func (v *View) Holding(name string) ([]int64, error) {
	terms := strings.Fields(name)
	slices.SortStableFunc(terms, func(a, b string) int { return len(b) - len(a) })
	terms = slices.Compact(terms[:min(len(terms), holdingTerms)])
	if len(terms) == 0 {
		return nil, nil
	}
	var query strings.Builder
	args := make([]any, len(terms))
	for i, term := range terms {
		if i > 0 {
			query.WriteString(" INTERSECT ")
		}
		query.WriteString(`SELECT c.document_id FROM chunk_fts f JOIN chunks c ON c.id = f.rowid WHERE chunk_fts MATCH ?`)
		args[i] = `body : "` + term + `"`
	}
	return v.ints(query.String(), args...)
}
