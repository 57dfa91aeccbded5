package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// baseline builds an FTS5 unicode61 table of the same files with the sqlite3 shell, which is SQLite in C, and prints
// how long that takes. 0 when there is no sqlite3.
func baseline(ctx context.Context, work string, c corpus) (time.Duration, error) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		fmt.Println("C SQLite             left out: no sqlite3 shell is installed")
		return 0, nil
	}
	// The shell's mode "ascii" ends a row with the record separator, which no path holds.
	list := filepath.Join(work, "files.txt")
	if err := os.WriteFile(list, []byte(strings.Join(c.files, "\x1e")+"\x1e"), 0o600); err != nil {
		return 0, err
	}
	database := filepath.Join(work, "baseline.db")
	script := `PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA cache_size = -65536;
CREATE TABLE list (path TEXT);
.mode ascii
.import ` + list + ` list
BEGIN;
CREATE VIRTUAL TABLE text USING fts5(path UNINDEXED, content, tokenize = 'unicode61');
INSERT INTO text SELECT path, CAST(readfile(path) AS TEXT) FROM list;
COMMIT;
PRAGMA wal_checkpoint(TRUNCATE);
`
	command := exec.CommandContext(ctx, shell, database)
	command.Stdin = strings.NewReader(script)
	start := time.Now()
	out, err := command.CombinedOutput()
	took := time.Since(start)
	if err != nil || strings.Contains(string(out), "Error") {
		return 0, fmt.Errorf("sqlite3: %w: %s", err, out)
	}
	stat, err := os.Stat(database)
	if err != nil {
		return 0, err
	}
	rate("C SQLite", took, c, fmt.Sprintf(", database %.2f of the text", float64(stat.Size())/float64(c.bytes)))
	return took, nil
}
