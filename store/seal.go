package store

// Seal is what SetSeal noted of a shelf, "" = nothing.
func (v *View) Seal(shelf int64) (string, error) {
	var seal string
	err := v.queryRow(`SELECT coalesce(json_extract(options, '$.seal'), '') FROM shelves WHERE id = ?`, []any{shelf}, &seal)
	return seal, err
}

// SetSeal notes under which orders the heuristic links of a shelf's documents are worked out.
func (tx *Tx) SetSeal(shelf int64, seal string) error {
	_, err := tx.exec(`UPDATE shelves SET options = json_set(options, '$.seal', ?2) WHERE id = ?1 AND coalesce(json_extract(options, '$.seal'), '') <> ?2`, shelf, seal)
	return err
}
