package store

import (
	"fmt"
	"slices"
)

// Recut puts documents down to be cut again, whatever their files say: all that hangs on them is then written anew.
func (tx *Tx) Recut(documents ...int64) error {
	for _, id := range documents {
		if _, err := tx.exec(`UPDATE files SET version = 0 WHERE document_id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

// DropStray drops rows of an FTS table that are no document's, as Check tells them.
func (tx *Tx) DropStray(table string, rows ...int64) error {
	if !slices.Contains([]string{"chunk_fts", "document_fts", "summary_fts"}, table) {
		return fmt.Errorf("store: drop rows of %q: no FTS table", table)
	}
	for _, row := range rows {
		if _, err := tx.exec(`DELETE FROM `+table+` WHERE rowid = ?`, row); err != nil {
			return err
		}
	}
	return nil
}
