package store

import (
	"database/sql"
	"os"
	"sort"
	"strings"

	"shelfd/internal/text"
)

// Folders lists the folders directly below folder ("" = the shelves), in name order. ErrNotFound when there is no such
// folder.
func (v *View) Folders(folder string) ([]Folder, error) {
	if folder == "" {
		shelves, err := v.CountedShelves()
		folders := make([]Folder, len(shelves))
		for i, s := range shelves {
			folders[i] = Folder{Name: s.Name, Path: s.Name, Documents: s.Documents}
		}
		return folders, err
	}
	below := map[string]int{}
	found := false
	err := v.each(`SELECT folder, count(*) FROM documents WHERE folder = ? OR (folder > ? AND folder < ?) GROUP BY folder`,
		[]any{folder, folder + "/", folder + "0"}, func(rows *sql.Rows) error { // '0' is the byte after '/'
			var path string
			var n int
			if err := rows.Scan(&path, &n); err != nil {
				return err
			}
			found = true
			if path != folder {
				name, _, _ := strings.Cut(path[len(folder)+1:], "/")
				below[name] += n
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	if !found && !v.emptyShelf(folder) {
		return nil, ErrNotFound
	}
	folders := make([]Folder, 0, len(below))
	for name, n := range below {
		folders = append(folders, Folder{Name: name, Path: folder + "/" + name, Documents: n})
	}
	sort.Slice(folders, func(i, j int) bool { return folders[i].Name < folders[j].Name })
	return folders, nil
}

// HasFolder says whether there is such a folder; shelves are folders.
func (v *View) HasFolder(folder string) (there bool, err error) {
	err = v.queryRow(`SELECT EXISTS (SELECT 1 FROM documents WHERE folder = ?1) OR EXISTS (SELECT 1 FROM documents WHERE folder > ?1 || '/' AND folder < ?1 || '0')`,
		[]any{folder}, &there) // '0' is the byte after '/'
	return there || err == nil && v.emptyShelf(folder), err
}

// emptyShelf says whether folder is a shelf, which exists without documents.
func (v *View) emptyShelf(folder string) bool {
	_, err := v.Shelf(folder)
	return err == nil
}

// Browse lists the documents directly inside folder and says how many there are.
func (v *View) Browse(folder string, order BrowseOrder, offset, limit int) ([]Document, int, error) {
	var total int
	if err := v.queryRow(`SELECT count(*) FROM documents WHERE folder = ?`, []any{folder}, &total); err != nil {
		return nil, 0, err
	}
	by := map[BrowseOrder]string{ByUpdated: `d.updated_at DESC, d.file_path`, ByTitle: `d.title COLLATE NOCASE, d.file_path`}[order]
	if by == "" {
		by = `d.file_path`
	}
	list, err := v.documents(`WHERE d.folder = ? ORDER BY `+by+` LIMIT ? OFFSET ?`, folder, limit, offset)
	return list, total, err
}

// Recent lists the documents changed last, newest first, below folder ("" = everywhere).
func (v *View) Recent(folder string, limit int) ([]Document, error) {
	const newest = ` ORDER BY d.updated_at DESC, d.file_path LIMIT ?`
	if folder == "" { // in the order of an index: only what is shown is read
		return v.documents(newest, limit)
	}
	return v.documents(`WHERE d.folder = ?1 OR (d.folder > ?1 || '/' AND d.folder < ?1 || '0')`+newest, folder, limit)
}

// DocumentsBelow lists the documents in a shelf or folder and below it ("" = everywhere), in path order.
func (v *View) DocumentsBelow(folder string) ([]Document, error) {
	return v.documents(`WHERE ?1 = '' OR d.folder = ?1 OR (d.folder > ?1 || '/' AND d.folder < ?1 || '0') ORDER BY d.file_path`, folder)
}

// NearPaths are the n doc_paths that resemble path most.
func (v *View) NearPaths(path string, n int) ([]string, error) {
	paths, err := v.strings(`SELECT file_path FROM documents`)
	return text.Nearest(path, paths, n), err
}

// NearFolders are the n folders that resemble folder most.
func (v *View) NearFolders(folder string, n int) ([]string, error) {
	folders, err := v.strings(`SELECT DISTINCT folder FROM documents UNION SELECT name FROM shelves WHERE origin <> 'reserved'`)
	return text.Nearest(folder, folders, n), err
}

func fileSize(path string) int64 {
	stat, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return stat.Size()
}
