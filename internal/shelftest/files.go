package shelftest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"shelfd/store"
)

// Path is where a doc_path stands on the disk, for shelves with their root below Folder.
func (l *Library) Path(docPath string) string { return filepath.Join(l.Folder, docPath) }

// Write makes or overwrites a file, with the folders above it.
func (l *Library) Write(docPath, text string) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.Path(docPath)), 0o755))
	l.must(os.WriteFile(l.Path(docPath), []byte(text), 0o644))
}

// Save replaces a file as careful editors do: a new file beside it takes its name.
func (l *Library) Save(docPath, text string) {
	l.t.Helper()
	next := filepath.Join(filepath.Dir(l.Path(docPath)), ".next")
	l.must(os.WriteFile(next, []byte(text), 0o644))
	l.must(os.Rename(next, l.Path(docPath)))
}

// Append adds to a file.
func (l *Library) Append(docPath, text string) {
	l.t.Helper()
	f, err := os.OpenFile(l.Path(docPath), os.O_APPEND|os.O_WRONLY, 0)
	l.must(err)
	_, err = f.WriteString(text)
	l.must(errors.Join(err, f.Close()))
}

// Move renames a file or folder.
func (l *Library) Move(from, to string) {
	l.t.Helper()
	l.must(os.MkdirAll(filepath.Dir(l.Path(to)), 0o755))
	l.must(os.Rename(l.Path(from), l.Path(to)))
}

// Remove deletes files or folders.
func (l *Library) Remove(docPaths ...string) {
	l.t.Helper()
	for _, p := range docPaths {
		l.must(os.RemoveAll(l.Path(p)))
	}
}

// Exists says whether something stands at a path on the disk.
func (l *Library) Exists(docPath string) bool {
	_, err := os.Lstat(l.Path(docPath))
	return !errors.Is(err, fs.ErrNotExist)
}

// ID is the id of a document, 0 when it is not in the index.
func (l *Library) ID(docPath string) int64 {
	l.t.Helper()
	var id int64
	l.View(func(v *store.View) error {
		d, err := v.Document(docPath)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		id = d.ID
		return err
	})
	return id
}

// Shelf is the row of a shelf.
func (l *Library) Shelf(name string) store.Shelf {
	l.t.Helper()
	var s store.Shelf
	l.View(func(v *store.View) (err error) {
		if s, err = v.Shelf(name); err == nil {
			err = v.Count(&s)
		}
		return err
	})
	return s
}

// Finds says how many passages a query finds.
func (l *Library) Finds(query string) int {
	l.t.Helper()
	var total int
	l.View(func(v *store.View) error {
		answer, err := v.Search(store.Query{Text: query, Limit: 50, Mode: store.ModeFTS})
		total = answer.Total
		return err
	})
	return total
}
