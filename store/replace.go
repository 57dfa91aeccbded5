package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// replaceUnreadable moves a file that SQLite cannot read aside and makes a new one. Nothing is deleted.
func replaceUnreadable(ctx context.Context, path string, cause error) (*Store, Notice, error) {
	aside, err := moveAside(path, "unreadable")
	if err != nil {
		return nil, "", err
	}
	s, err := create(ctx, path)
	return s, movedNotice(cause, aside), err
}

func movedNotice(cause error, aside string) Notice {
	return Notice(fmt.Sprintf("the index could not be read (%v); it was moved to %q, which holds the text of the documents: delete it when you need it no more; the index is being rebuilt", cause, aside))
}

// replaceOlder makes a new file of the present layout, gives it the ids of the old one and moves that aside.
func replaceOlder(ctx context.Context, path string) (*Store, Notice, error) {
	known, err := readIDs(ctx, path)
	if err != nil {
		return replaceUnreadable(ctx, path, err)
	}
	if err := renew(ctx, path, known); err != nil {
		return nil, "", err
	}
	s, err := openExisting(ctx, path, false)
	return s, Notice("the index has the layout of an earlier version and is being rebuilt; ids are kept"), err
}

// renew puts a new file that knows these ids in the place of the one at path, in one step: at no time are they lost.
func renew(ctx context.Context, path string, known ids) error {
	next := path + ".next"
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(next + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: renew %q: %w", path, err)
		}
	}
	s, err := create(ctx, next)
	if err != nil {
		return err
	}
	err = s.Update(ctx, func(tx *Tx) error { return tx.reserve(known) })
	if err = errors.Join(err, s.Close()); err != nil { // closed, it has no companions
		return err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: renew %q: %w", path, err)
		}
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("store: renew %q: %w", path, err)
	}
	return nil
}

// SetAside moves a database that turned out to be damaged out of the way, so that the next Open makes a new one. It must
// be closed. It returns the new name.
func SetAside(path string) (string, error) { return moveAside(path, "damaged") }

// moveAside renames the database and its companions out of the way and returns the new name of the main file. Of all
// that were ever moved it keeps this one only: each holds the text of all documents, those of shelves removed since too.
func moveAside(path, why string) (string, error) {
	aside := fmt.Sprintf("%s.%s-%d", path, why, time.Now().Unix())
	if err := os.Rename(path, aside); err != nil {
		return "", fmt.Errorf("store: move %q aside: %w", path, err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("store: move %q aside: %w", path+suffix, err)
		}
	}
	dropOlderAside(path, aside)
	return aside, nil
}

// dropOlderAside removes as much as it can: what it cannot must not keep the index from being built.
func dropOlderAside(path, aside string) {
	folder, name := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Clean(folder))
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), name)
		older := ours && !strings.HasPrefix(folder+e.Name(), aside)
		if older && (strings.HasPrefix(rest, ".damaged-") || strings.HasPrefix(rest, ".unreadable-")) {
			_ = os.Remove(folder + e.Name())
		}
	}
}

// ids are those that a database gave: of shelves by name, of documents by path, and the last of documents that ever was.
type ids struct {
	shelves, documents map[string]int64
	last               int64
}

// plausible says whether they can be ids at all: a damaged file may be readable and say anything.
func (k ids) plausible() bool {
	sane := func(id int64) bool { return id > 0 && id < 1<<40 }
	for _, list := range []map[string]int64{k.shelves, k.documents} {
		seen := make(map[int64]bool, len(list))
		for _, id := range list {
			if !sane(id) || seen[id] {
				return false
			}
			seen[id] = true
		}
	}
	return k.last == 0 || sane(k.last)
}

// readIDs reads what every layout keeps: id and name of shelves, id and file_path of documents, which has a sequence.
func readIDs(ctx context.Context, path string) (known ids, err error) {
	db := openPool(path, "_pragma=busy_timeout(5000)")
	defer db.Close()
	return idsIn(ctx, db)
}

func idsIn(ctx context.Context, db *sql.DB) (known ids, err error) {
	if known.shelves, err = readPairs(ctx, db, `SELECT name, id FROM shelves`); err != nil {
		return known, err
	}
	if known.documents, err = readPairs(ctx, db, `SELECT file_path, id FROM documents`); err != nil {
		return known, err
	}
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'documents'`).Scan(&known.last)
	return known, err
}

func readPairs(ctx context.Context, db *sql.DB, query string) (map[string]int64, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	pairs := map[string]int64{}
	for rows.Next() {
		var name string
		var id int64
		if err := rows.Scan(&name, &id); err != nil {
			return nil, err
		}
		pairs[name] = id
	}
	return pairs, rows.Err()
}
