package store

import (
	"context"
	"database/sql"
	"strings"
)

// Sees says which of some doc_paths a reader may hear of: those of documents that are seen, and of those that are gone
// the ones that were.
func (s *Store) Sees(ctx context.Context, sight *Sight, paths []string) (map[string]bool, error) {
	seen := make(map[string]bool, len(paths))
	for _, path := range paths {
		if sight.Sees(path) {
			seen[path] = sight == nil || sight.verdict == nil || sight.verdict.showed(path)
		}
	}
	if sight == nil || sight.verdict == nil || len(seen) == 0 {
		return seen, nil
	}
	var there, files []string
	err := s.View(ctx, func(v *View) error {
		return v.each(`SELECT d.file_path, s.commonRoot, f.file FROM json_each(?) j JOIN documents d ON d.file_path = j.value
			JOIN files f ON f.document_id = d.id JOIN shelves s ON s.id = d.shelf_id`, []any{jsonList(paths)}, func(rows *sql.Rows) error {
			var path, root string
			var file []byte
			err := rows.Scan(&path, &root, &file)
			if _, ruled := seen[path]; ruled {
				there, files = append(there, path), append(files, onDisk(root, file))
			}
			return err
		})
	})
	if err != nil || len(files) == 0 {
		return seen, err
	}
	readable, _, err := sight.verdict.of(ctx, files)
	for i, ok := range readable {
		seen[there[i]] = ok
	}
	return seen, err
}

// onDisk is the absolute path of a file.
func onDisk(root string, file []byte) string {
	return strings.TrimSuffix(root, "/") + "/" + string(file)
}
