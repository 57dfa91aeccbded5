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
		shelves, err := v.Shelves()
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
	return v.documents(`WHERE ?1 = '' OR d.folder = ?1 OR (d.folder > ?1 || '/' AND d.folder < ?1 || '0')
		ORDER BY d.updated_at DESC, d.file_path LIMIT ?2`, folder, limit)
}

// DocumentsBelow lists the documents in a shelf or folder and below it ("" = everywhere), in path order.
func (v *View) DocumentsBelow(folder string) ([]Document, error) {
	return v.documents(`WHERE ?1 = '' OR d.folder = ?1 OR (d.folder > ?1 || '/' AND d.folder < ?1 || '0') ORDER BY d.file_path`, folder)
}

// NearPaths are up to n doc_paths that resemble path, closest first: those that end alike, then those with a file name
// a few letters away.
func (v *View) NearPaths(path string, n int) ([]string, error) {
	paths, err := v.strings(`SELECT file_path FROM documents`)
	return near(path, paths, n), err
}

// NearFolders are up to n folders that resemble folder, closest first.
func (v *View) NearFolders(folder string, n int) ([]string, error) {
	folders, err := v.strings(`SELECT DISTINCT folder FROM documents UNION SELECT name FROM shelves WHERE origin <> 'reserved'`)
	return near(folder, folders, n), err
}

// near ranks candidates by how they resemble want and keeps the best n.
func near(want string, candidates []string, n int) []string {
	const tooFar = 1 << 20
	folded := text.Fold(want)
	name := lastStep(folded)
	type rated struct {
		path  string
		score int
	}
	var list []rated
	for _, c := range candidates {
		f := text.Fold(c)
		score := tooFar
		switch {
		case f == folded:
			score = 0
		case lastStep(f) == name:
			score = 1
		case strings.HasPrefix(lastStep(f), stem(name)+"."):
			score = 2
		default:
			limit := 2 + len(name)/6
			if d := text.Distance(lastStep(f), name, limit); d <= limit {
				score = 10 + d
			} else if s := stem(name); len(s) >= 3 && strings.Contains(f, s) {
				score = 100
			}
		}
		if score < tooFar {
			list = append(list, rated{c, score})
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].score != list[j].score {
			return list[i].score < list[j].score
		}
		return list[i].path < list[j].path
	})
	if len(list) > n {
		list = list[:n]
	}
	paths := make([]string, len(list))
	for i, r := range list {
		paths[i] = r.path
	}
	return paths
}

func lastStep(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func stem(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
}

func fileSize(path string) int64 {
	stat, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return stat.Size()
}
