package store

import "errors"

// Task is work on a document that may be done after the transaction that calls for it, and must not be forgotten.
type Task int

// The tasks.
const (
	TaskResolve   Task = 1 // find the targets of the links of its text
	TaskCorrelate Task = 2 // work out its links again
	TaskNames     Task = 3 // as TaskCorrelate, and its names are new or changed: others may cite it now
	TaskTidy      Task = 4 // down for Everything: much was removed, which is to leave the file as well (Tidy); any other number: up to which page gaps are cleared
)

// Everything stands for all documents: put down in their place while most of them change.
const Everything int64 = 0

// CallEverything replaces Everything, if it is down for a task, by the documents that it stands for.
func (tx *Tx) CallEverything(task Task) error {
	down, err := tx.IsCalled(task, Everything)
	if err != nil || !down {
		return err
	}
	from := `files`
	if task == TaskResolve {
		from = `(SELECT DISTINCT source AS document_id FROM link_names)`
	}
	if _, err := tx.exec(`INSERT OR IGNORE INTO pending (task, document_id) SELECT ?, document_id FROM `+from, task); err != nil {
		return err
	}
	return tx.Done(task, Everything)
}

// Call puts documents down for a task.
func (tx *Tx) Call(task Task, documents ...int64) error {
	for _, id := range documents {
		if _, err := tx.exec(`INSERT OR IGNORE INTO pending (task, document_id) VALUES (?, ?)`, task, id); err != nil {
			return err
		}
	}
	return nil
}

// CallShelf puts all documents of a shelf down for a task.
func (tx *Tx) CallShelf(task Task, shelf int64) error {
	_, err := tx.exec(`INSERT OR IGNORE INTO pending (task, document_id) SELECT ?, document_id FROM files WHERE shelf_id = ?`, task, shelf)
	return err
}

// Done strikes documents off a task.
func (tx *Tx) Done(task Task, documents ...int64) error {
	for _, id := range documents {
		if _, err := tx.exec(`DELETE FROM pending WHERE task = ? AND document_id = ?`, task, id); err != nil {
			return err
		}
	}
	return nil
}

// Called lists up to limit documents that are down for a task, in id order.
func (v *View) Called(task Task, limit int) ([]int64, error) {
	return v.ints(`SELECT document_id FROM pending WHERE task = ? ORDER BY document_id LIMIT ?`, task, limit)
}

// IsCalled says whether a document is down for a task.
func (v *View) IsCalled(task Task, document int64) (bool, error) {
	var one int
	err := v.queryRow(`SELECT 1 FROM pending WHERE task = ? AND document_id = ?`, []any{task, document}, &one)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// CallAll puts all documents down for a task.
func (tx *Tx) CallAll(task Task) error {
	_, err := tx.exec(`INSERT OR IGNORE INTO pending (task, document_id) SELECT ?, document_id FROM files`, task)
	return err
}

// CalledCount counts the documents that are down for a task.
func (v *View) CalledCount(task Task) (int, error) {
	var n int
	err := v.queryRow(`SELECT count(*) FROM pending WHERE task = ?`, []any{task}, &n)
	return n, err
}
