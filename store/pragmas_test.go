package store

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
)

// What writer and readers rely on stands on their connections indeed: a pragma that is misspelt in a DSN is ignored.
func TestConnectionsHaveThePragmasTheyRelyOn(t *testing.T) {
	ctx := context.Background()
	s, _, err := Open(ctx, filepath.Join(t.TempDir(), "index.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, row := range []struct {
		name  string
		pool  *sql.DB
		wants map[string]string
	}{
		{"writer", s.writer, map[string]string{
			"journal_mode": "wal", "synchronous": "1", "foreign_keys": "1", "busy_timeout": "5000", "journal_size_limit": "8388608",
			"wal_autocheckpoint": "4000", "secure_delete": "1", "auto_vacuum": "2", "query_only": "0",
		}},
		{"reader", s.readers, map[string]string{"journal_mode": "wal", "busy_timeout": "5000", "query_only": "1", "mmap_size": "0"}},
		{"narrow reader", s.narrowPool(), map[string]string{"journal_mode": "wal", "busy_timeout": "5000"}},
	} {
		for pragma, want := range row.wants {
			var got string
			if err := row.pool.QueryRowContext(ctx, `PRAGMA `+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s: %s is %q, not %q (%v)", row.name, pragma, got, want, err)
			}
		}
	}
	for name, pool := range map[string]*sql.DB{"reader": s.readers, "narrow reader": s.narrowPool()} {
		if _, err := pool.ExecContext(ctx, `DELETE FROM main.meta`); err == nil {
			t.Errorf("a %s can write", name)
		}
	}
	if n := s.writer.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("there can be %d writers", n)
	}
}
