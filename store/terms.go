package store

import "slices"

// ftsRow is a row of an FTS table to be written when everything else of the transaction has been.
//
// Between two FTS writes of one transaction no other statement may run: SQLite opens a savepoint for a statement that
// could fail half way, and FTS5 then flushes all it has gathered into a segment of its own — one a document, merged
// over and over. Gathered to the end, a transaction makes one segment.
type ftsRow struct {
	id      int64
	columns []any
}

// ftsWrites are the FTS rows that a transaction drops and makes: the last word on each id counts.
type ftsWrites struct {
	drops []int64
	rows  []ftsRow
	made  map[int64]int // id → place in rows
}

func (tx *Tx) dropChunkTerms(id int64)    { tx.chunkTerms.drop(id) }
func (tx *Tx) dropDocumentTerms(id int64) { tx.documentTerms.drop(id) }

func (tx *Tx) putChunkTerms(id int64, t chunkTerms, scope string) {
	tx.chunkTerms.put(id, t.body, t.heading, t.ident, scope)
}

func (tx *Tx) putDocumentTerms(id int64, t documentTerms, scope string) {
	tx.documentTerms.put(id, t.title, t.alias, t.tag, t.path, t.link, t.ident, scope)
}

func (w *ftsWrites) put(id int64, columns ...any) {
	if w.made == nil {
		w.made = map[int64]int{}
	}
	w.made[id] = len(w.rows)
	w.rows = append(w.rows, ftsRow{id, columns})
}

// drop drops a row, be it stored or only put.
func (w *ftsWrites) drop(id int64) {
	w.drops = append(w.drops, id)
	delete(w.made, id)
}

// standing are the rows that will be in the table: the last of each id that was not dropped afterwards.
func (w *ftsWrites) standing() []ftsRow {
	rows := make([]ftsRow, 0, len(w.made))
	for i, row := range w.rows {
		if last, stands := w.made[row.id]; stands && last == i {
			rows = append(rows, row)
		}
	}
	return rows
}

// flushTerms writes what was gathered.
func (tx *Tx) flushTerms() error {
	tx.written = [2][]ftsRow{tx.chunkTerms.standing(), tx.documentTerms.standing()}
	tx.change.drops, tx.change.nameDrops = sorted(slices.Clone(tx.chunkTerms.drops)), sorted(slices.Clone(tx.documentTerms.drops))
	err := tx.flush(&tx.chunkTerms, `DELETE FROM chunk_fts WHERE rowid = ?`,
		`INSERT INTO chunk_fts (rowid, body, heading, ident, scope) VALUES (?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	err = tx.flush(&tx.summaryTerms, `DELETE FROM summary_fts WHERE rowid = ?`,
		`INSERT INTO summary_fts (rowid, body, heading, ident, scope) VALUES (?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	return tx.flush(&tx.documentTerms, `DELETE FROM document_fts WHERE rowid = ?`,
		`INSERT INTO document_fts (rowid, title, alias, tag, path, link, ident, scope) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
}

func (tx *Tx) flush(w *ftsWrites, drop, insert string) error {
	for _, id := range w.drops {
		if _, err := tx.exec(drop, id); err != nil {
			return err
		}
	}
	for _, row := range w.standing() {
		if _, err := tx.exec(insert, append([]any{row.id}, row.columns...)...); err != nil {
			return err
		}
	}
	*w = ftsWrites{}
	return nil
}
