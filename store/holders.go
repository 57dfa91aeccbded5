package store

import (
	"database/sql"
	"encoding/hex"
	"slices"
	"strings"
)

// Holder is a document that holds some content.
type Holder struct {
	Path string // doc_path
	File File
}

// Holders are the documents whose content has a hash (hex) that is wanted, by hash, in path order. It looks at every
// document.
func (v *View) Holders(wanted func(hash string) bool) (map[string][]Holder, error) {
	holders := map[string][]Holder{}
	var found []File
	err := v.each(`SELECT `+fileColumns+` FROM files`, nil, func(rows *sql.Rows) error {
		f, err := scanFile(rows.Scan)
		if err == nil && wanted(hex.EncodeToString(f.Hash[:])) {
			found = append(found, f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	paths, err := v.paths(found)
	if err != nil {
		return nil, err
	}
	for _, h := range paths {
		hash := hex.EncodeToString(h.File.Hash[:])
		holders[hash] = append(holders[hash], h)
	}
	return holders, nil
}

// paths names the documents of files, in path order.
func (v *View) paths(files []File) ([]Holder, error) {
	holders := make([]Holder, 0, len(files))
	for _, f := range files {
		var path string
		if err := v.queryRow(`SELECT file_path FROM documents WHERE id = ?`, []any{f.Document}, &path); err != nil {
			return nil, err
		}
		holders = append(holders, Holder{path, f})
	}
	slices.SortFunc(holders, func(a, b Holder) int { return strings.Compare(a.Path, b.Path) })
	return holders, nil
}
