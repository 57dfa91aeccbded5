package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Rows that moved to other pages leave bytes behind, which tidying overwrites without harm to the file.
func TestTidyingClearsWhatRowsThatMovedLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	s, _, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	step := func(f func(*Tx) error) {
		if err := s.Update(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	const rows = 30000
	step(func(tx *Tx) error {
		for n := range rows { // scattered, so that pages are split and balanced
			if _, err := tx.exec(`INSERT INTO reserved_ids (file_path, id) VALUES (?, ?)`, fmt.Sprintf("%d/%0*d/secret", n*7919%rows, n%300, n), n+1); err != nil {
				return err
			}
		}
		return nil
	})
	step(func(tx *Tx) error {
		_, err := tx.exec(`DELETE FROM reserved_ids WHERE id % 29 <> 0`)
		return err
	})
	if gaps(t, s, path) == 0 {
		t.Fatal("nothing stands in any gap to begin with")
	}
	step(func(tx *Tx) error { return tx.callTidy() })
	steps := 0
	for done := false; !done; steps++ {
		step(func(tx *Tx) (err error) { done, err = tx.Tidy(); return err })
	}
	if n := gaps(t, s, path); n > 0 {
		t.Errorf("%d stand in gaps after %d steps", n, steps)
	}
	var sound string
	var left int
	if err := s.writer.QueryRow(`SELECT integrity_check, (SELECT count(*) FROM reserved_ids) + (SELECT count(*) FROM pending) FROM pragma_integrity_check`).Scan(&sound, &left); err != nil || sound != "ok" || left != rows/29 {
		t.Errorf("%s, %d rows, %v", sound, left, err)
	}
}

// gaps counts the secrets that stand between cell pointers and cells; pointers of deleted cells stay there too.
func gaps(t *testing.T, s *Store, path string) (n int) {
	t.Helper()
	if emptied, err := s.Checkpoint(t.Context()); err != nil || !emptied {
		t.Fatal(emptied, err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(file); at += 4096 {
		page := file[at : at+4096]
		before := bytes.Count(page, []byte("secret"))
		clearGap(page, int64(at/4096+1))
		n += before - bytes.Count(page, []byte("secret"))
	}
	return n
}
