package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ShelfSpec is what a shelf is declared to be.
type ShelfSpec struct {
	Name        string
	Description string
	Root        string
	Origin      string // config | command | ledger
	Labels      map[string]string
	Contexts    map[string]string
}

// PutShelf makes or updates a shelf and returns its id.
func (tx *Tx) PutShelf(s ShelfSpec) (int64, error) {
	options, err := json.Marshal(shelfOptions{Labels: s.Labels, Contexts: s.Contexts})
	if err != nil {
		return 0, fmt.Errorf("store: options of shelf %q: %w", s.Name, err)
	}
	var id int64
	err = tx.queryRow(`INSERT INTO shelves (name, description, commonRoot, origin, options, since, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6)
		ON CONFLICT (name) DO UPDATE SET description = excluded.description, commonRoot = excluded.commonRoot, origin = excluded.origin,
			options = json_set(excluded.options, '$.seal', json_extract(options, '$.seal')), updated_at = excluded.updated_at,
			device = CASE WHEN commonRoot IN (excluded.commonRoot, '') THEN device ELSE ?7 END
		RETURNING id`, []any{s.Name, s.Description, s.Root, s.Origin, string(options), tx.now, int64(OtherRoot)}, &id)
	return id, err
}

// OtherRoot is the Device of a shelf whose root is another than the one that was listed: what is known of its files
// says nothing about what should stand there.
const OtherRoot = math.MaxInt64

// RenameShelf gives a shelf another name. All its documents are to be cut again, for their new paths.
func (tx *Tx) RenameShelf(id int64, name string) error {
	if _, err := tx.exec(`UPDATE shelves SET name = ?, updated_at = ? WHERE id = ?`, name, tx.now, id); err != nil {
		return err
	}
	return tx.RecutShelf(id)
}

// RecutShelf puts down that all documents of a shelf are to be cut again.
func (tx *Tx) RecutShelf(id int64) error {
	_, err := tx.exec(`UPDATE files SET version = 0 WHERE shelf_id = ?`, id)
	return err
}

// DeleteShelf removes a shelf that holds no documents any more.
func (tx *Tx) DeleteShelf(id int64) error {
	if _, err := tx.exec(`DELETE FROM shelves WHERE id = ?`, id); err != nil {
		return err
	}
	return tx.callTidy()
}

// SetShelfState records the state of a shelf; since moves only when state or reason changes.
func (tx *Tx) SetShelfState(id int64, state ShelfState, reason string) error {
	_, err := tx.exec(`UPDATE shelves SET state = ?2, reason = ?3, since = ?4 WHERE id = ?1 AND (state <> ?2 OR reason <> ?3)`, id, string(state), reason, tx.now)
	return err
}

// SetSecondLooks records how many files of a shelf are not believed yet.
func (tx *Tx) SetSecondLooks(id int64, n int) error {
	_, err := tx.exec(`UPDATE shelves SET second_looks = ?2 WHERE id = ?1 AND second_looks <> ?2`, id, n)
	return err
}

// SetReconciled records a complete look at a shelf's root and the device it stands on.
func (tx *Tx) SetReconciled(id int64, device uint64) error {
	_, err := tx.exec(`UPDATE shelves SET reconciled_at = ?, device = ? WHERE id = ?`, tx.now, int64(device), id)
	return err
}

// SetParents replaces the parents of a shelf that come from one origin (config or manual); both hold ids.
func (tx *Tx) SetParents(child int64, parents []int64, origin string) error {
	if _, err := tx.exec(`DELETE FROM shelf_links WHERE child_shelf_id = ? AND origin = ?`, child, origin); err != nil {
		return err
	}
	for _, parent := range parents {
		if _, err := tx.exec(`INSERT OR IGNORE INTO shelf_links (parent_shelf_id, child_shelf_id, origin, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)`,
			parent, child, origin, tx.now); err != nil {
			return err
		}
	}
	return nil
}

// Files lists what is known of a shelf's files, or of those at and below one path, sorted by File bytewise.
func (v *View) Files(shelf int64, under string) ([]File, error) {
	query, args := `SELECT `+fileColumns+` FROM files WHERE shelf_id = ? ORDER BY file`, []any{shelf}
	if under != "" {
		query = `SELECT ` + fileColumns + ` FROM files WHERE shelf_id = ?1 AND file = ?2
			UNION ALL SELECT ` + fileColumns + ` FROM files WHERE shelf_id = ?1 AND file > ?3 AND file < ?4 ORDER BY file`
		args = append(args, around(under)...)
	}
	var list []File
	err := v.each(query, args, func(rows *sql.Rows) error {
		f, err := scanFile(rows.Scan)
		list = append(list, f)
		return err
	})
	return list, err
}

// around are a path and what the paths below it lie between.
func around(path string) []any {
	return []any{[]byte(path), []byte(path + "/"), []byte(path + "0")} // '0' is the byte after '/'
}

const fileColumns = `document_id, file, size, mtime, ctime, inode, device, read_at, hash, version, number, derived, blocks`

func scanFile(scan func(...any) error) (File, error) {
	var f File
	var file, hash, blocks sql.RawBytes
	var inode, device int64
	err := scan(&f.Document, &file, &f.Size, &f.ModTime, &f.ChangeTime, &inode, &device, &f.ReadAt, &hash, &f.Version, &f.Number, &f.Derived, &blocks)
	f.Blocks = unpackBlocksFile(blocks)
	f.File, f.Inode, f.Device = string(file), uint64(inode), uint64(device)
	copy(f.Hash[:], hash)
	return f, err
}

// FileAt is what is known of one file of a shelf, or ErrNotFound.
func (v *View) FileAt(shelf int64, file string) (File, error) {
	var f File
	var name, hash, blocks []byte
	var inode, device int64
	err := v.queryRow(`SELECT `+fileColumns+` FROM files WHERE shelf_id = ? AND file = ?`, []any{shelf, []byte(file)},
		&f.Document, &name, &f.Size, &f.ModTime, &f.ChangeTime, &inode, &device, &f.ReadAt, &hash, &f.Version, &f.Number, &f.Derived, &blocks)
	f.Blocks = unpackBlocksFile(blocks)
	f.File, f.Inode, f.Device = string(name), uint64(inode), uint64(device)
	copy(f.Hash[:], hash)
	return f, err
}

// AllShelves lists the rows of shelves as they are, those kept only for their ids included.
func (v *View) AllShelves() ([]Shelf, error) {
	var shelves []Shelf
	err := v.each(`SELECT `+shelfColumns+` FROM shelves s ORDER BY s.name`, nil, func(rows *sql.Rows) error {
		s, err := scanShelf(rows)
		shelves = append(shelves, s)
		return err
	})
	return shelves, err
}

// Features are the features of all documents, by id, in binary form, and whom each text cites.
func (v *View) Features(each func(document, shelf int64, path string, features []byte, mentions []int64) error) error {
	return v.each(`SELECT x.document_id, d.shelf_id, d.file_path, x.features, x.mentions FROM features x JOIN documents d ON d.id = x.document_id ORDER BY x.document_id`,
		nil, func(rows *sql.Rows) error {
			var document, shelf int64
			var path string
			var features, mentions []byte
			if err := rows.Scan(&document, &shelf, &path, &features, &mentions); err != nil {
				return err
			}
			return each(document, shelf, path, features, UnpackIDs(mentions))
		})
}

// FeaturesOf are the features of one document in binary form.
func (v *View) FeaturesOf(id int64) ([]byte, error) {
	var b []byte
	err := v.queryRow(`SELECT features FROM features WHERE document_id = ?`, []any{id}, &b)
	return b, err
}

// SetProblems replaces the problems of one file.
func (tx *Tx) SetProblems(shelf int64, file, path string, problems []Problem) error {
	if err := tx.AddProblems(shelf, file, path, problems); err != nil {
		return err
	}
	return tx.dropProblems(shelf, file, func(p Problem) bool {
		return !slices.ContainsFunc(problems, func(stays Problem) bool { return stays.Stage == p.Stage && stays.Line == p.Line })
	})
}

// ClearProblems removes the problems of some stages of one file.
func (tx *Tx) ClearProblems(shelf int64, file string, stages ...string) error {
	return tx.dropProblems(shelf, file, func(p Problem) bool { return slices.Contains(stages, p.Stage) })
}

// AddProblems adds to the problems of one file.
func (tx *Tx) AddProblems(shelf int64, file, path string, problems []Problem) error {
	for _, p := range problems {
		if _, err := tx.exec(`INSERT INTO problems (shelf_id, file, path, stage, line, reason, since) VALUES (?,?,?,?,?,?,?)
			ON CONFLICT (shelf_id, file, stage, line) DO UPDATE SET reason = excluded.reason, path = excluded.path`,
			shelf, []byte(file), path, p.Stage, p.Line, p.Reason, tx.now); err != nil {
			return err
		}
	}
	return nil
}

// dropProblems removes those problems of a file for which gone holds.
func (tx *Tx) dropProblems(shelf int64, file string, gone func(Problem) bool) error {
	var drop []Problem
	err := tx.each(`SELECT stage, line FROM problems WHERE shelf_id = ? AND file = ?`, []any{shelf, []byte(file)}, func(rows *sql.Rows) error {
		var p Problem
		err := rows.Scan(&p.Stage, &p.Line)
		if gone(p) {
			drop = append(drop, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, p := range drop {
		if _, err := tx.exec(`DELETE FROM problems WHERE shelf_id = ? AND file = ? AND stage = ? AND line = ?`, shelf, []byte(file), p.Stage, p.Line); err != nil {
			return err
		}
	}
	return nil
}

// ProblemFiles lists the files of a shelf that have problems, exact bytes, sorted: all, or those at and below one path.
func (v *View) ProblemFiles(shelf int64, under string) ([]string, error) {
	query, args := `SELECT DISTINCT file FROM problems WHERE shelf_id = ? ORDER BY file`, []any{shelf}
	if under != "" {
		query = `SELECT file FROM problems WHERE shelf_id = ?1 AND file = ?2 UNION SELECT file FROM problems WHERE shelf_id = ?1 AND file > ?3 AND file < ?4 ORDER BY file`
		args = append(args, around(under)...)
	}
	var list []string
	err := v.each(query, args, func(rows *sql.Rows) error {
		var file sql.RawBytes
		err := rows.Scan(&file)
		list = append(list, string(file))
		return err
	})
	return list, err
}

// FileOf is the file of the document at a doc_path, exact bytes below the root; "" without one.
func (v *View) FileOf(docPath string) (string, error) {
	var file []byte
	err := v.queryRow(`SELECT f.file FROM documents d JOIN files f ON f.document_id = d.id WHERE d.file_path = ?`, []any{docPath}, &file)
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return string(file), err
}

// Place is a file of a shelf.
type Place struct {
	Shelf int64
	File  string // exact bytes below the root
}

// SameFile lists the known files that are one on the disk. It looks at every file: links beside the first are rare.
func (v *View) SameFile(device, inode uint64) ([]Place, error) {
	var places []Place
	err := v.each(`SELECT shelf_id, file FROM files WHERE inode = ? AND device = ?`, []any{int64(inode), int64(device)}, func(rows *sql.Rows) error {
		var p Place
		var file sql.RawBytes
		err := rows.Scan(&p.Shelf, &file)
		p.File = string(file)
		places = append(places, p)
		return err
	})
	return places, err
}
