package store

import "fmt"

// muchRemoved is how many documents of one transaction are worth tidying up after. Fewer leave with later merges.
const muchRemoved = 100

// What one step of tidying may do: each is to take some tens of milliseconds, for which an edit waits.
const (
	tidyPages = 256  // of FTS data to be written
	tidyFree  = 512  // pages to be given back to the disk
	tidyRead  = 1024 // pages to be looked at for what they hold beside their cells
)

// Tidy makes one step of having removed text leave the file. The words of removed rows stand in the FTS indexes until
// they are merged, pages that become free stay in the file, and rows that moved leave their bytes behind. done: there is no more to do.
func (tx *Tx) Tidy() (done bool, err error) {
	down, err := tx.IsCalled(TaskTidy, Everything)
	if err != nil || !down {
		return true, err
	}
	for _, table := range []string{"chunk_fts", "document_fts", "summary_fts"} {
		if merged, err := tx.mergeSome(table); err != nil {
			return false, err
		} else if merged {
			return false, tx.gapsAnew()
		}
	}
	free, err := tx.freePages()
	if err != nil {
		return false, err
	}
	if free > 0 {
		left, err := tx.giveBack(tidyFree)
		if err != nil {
			return false, err
		}
		if left < free {
			return false, tx.gapsAnew()
		}
	}
	if cleared, err := tx.clearGaps(); err != nil || !cleared {
		return false, err
	}
	return true, tx.Done(TaskTidy, Everything)
}

// mergeSome merges all segments of an FTS index into one, a step at a time; false: they are one. FTS5 tells the end by
// changing less than two rows.
func (tx *Tx) mergeSome(table string) (bool, error) {
	before, err := tx.totalChanges()
	if err != nil {
		return false, err
	}
	if _, err := tx.exec(`INSERT INTO `+table+` (`+table+`, rank) VALUES ('merge', ?)`, -tidyPages); err != nil {
		return false, err
	}
	after, err := tx.totalChanges()
	return after-before >= 2, err
}

func (tx *Tx) totalChanges() (n int64, err error) {
	err = tx.queryRow(`SELECT total_changes()`, nil, &n)
	return n, err
}

func (v *View) freePages() (n int, err error) {
	err = v.queryRow(`SELECT freelist_count FROM pragma_freelist_count`, nil, &n)
	return n, err
}

// giveBack cuts up to n free pages off the file and returns how many are left.
func (tx *Tx) giveBack(n int) (int, error) {
	rows, err := tx.sql.QueryContext(tx.ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, n))
	if err != nil {
		return 0, fmt.Errorf("store: give pages back: %w", err)
	}
	defer rows.Close()
	for rows.Next() { // a step is a page
	}
	if err := rows.Err(); err != nil {
		return 0, fmt.Errorf("store: give pages back: %w", err)
	}
	return tx.freePages()
}

// callTidy puts tidying down, from the beginning.
func (tx *Tx) callTidy() error {
	if err := tx.gapsAnew(); err != nil {
		return err
	}
	return tx.Call(TaskTidy, Everything)
}
