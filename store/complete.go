package store

import (
	"database/sql"
	"strings"

	"shelfd/internal/text"
)

// DocumentsAfter are up to n documents in path order whose path comes after path ("" = from the first).
func (v *View) DocumentsAfter(path string, n int) ([]Document, error) {
	return v.documents(`WHERE d.file_path > ? ORDER BY d.file_path LIMIT ?`, path, n)
}

// CompletePaths are up to n doc_paths that begin with prefix and go on with what was typed or, after those, hold it
// anywhere, each in path order; total counts all. Case and accents of what was typed don't matter.
func (v *View) CompletePaths(prefix, typed string, n int) (paths []string, total int, err error) {
	return v.complete(`SELECT file_path FROM documents WHERE file_path >= ? ORDER BY file_path`, prefix, typed, n)
}

// CompleteFolders does for folders, shelves among them, what CompletePaths does for documents.
func (v *View) CompleteFolders(typed string, n int) (folders []string, total int, err error) {
	return v.complete(`SELECT folder FROM (SELECT folder FROM documents UNION SELECT name FROM shelves WHERE origin <> 'reserved') WHERE folder >= ? ORDER BY folder`, "", typed, n)
}

// CompleteShelves does for the names of shelves what CompletePaths does for documents.
func (v *View) CompleteShelves(typed string, n int) (names []string, total int, err error) {
	return v.complete(`SELECT name FROM shelves WHERE origin <> 'reserved' AND name >= ? ORDER BY name`, "", typed, n)
}

func (v *View) complete(query, prefix, typed string, n int) (found []string, total int, err error) {
	typed = text.Fold(typed)
	var holding []string
	err = v.each(query, []any{prefix}, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			return nil
		}
		switch rest = text.Fold(rest); {
		case strings.HasPrefix(rest, typed):
			found = append(found, name)
		case strings.Contains(rest, typed):
			holding = append(holding, name)
		}
		return nil
	})
	found = append(found, holding...)
	return found[:min(len(found), n)], len(found), err
}
