package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
)

// NameKind says what kind of name a document answers to.
type NameKind int

// The kinds of name, in the order in which a link tries them.
const (
	NamePath  NameKind = 1 // the doc_path
	NameFile  NameKind = 2 // the file name without folder and extension, folded
	NameTitle NameKind = 3 // the title, folded
	NameAlias NameKind = 4 // an alias, folded
)

// Name is one name of a document.
type Name struct {
	Kind NameKind
	Text string
}

// NameHash is the key of a name in the index of names.
func NameHash(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// Named is a document that answers to a name.
type Named struct {
	Kind     NameKind
	Document int64
	Path     string
}

// Named lists the documents that answer to a name, in path order.
func (v *View) Named(name string) ([]Named, error) {
	var list []Named
	err := v.each(`SELECT n.kind, n.document_id, d.file_path FROM document_names n JOIN documents d ON d.id = n.document_id
		WHERE n.name = ? ORDER BY d.file_path`, []any{NameHash(name)}, func(rows *sql.Rows) error {
		var n Named
		err := rows.Scan(&n.Kind, &n.Document, &n.Path)
		list = append(list, n)
		return err
	})
	return list, err
}

// Seekers lists the documents whose links look for a name.
func (v *View) Seekers(nameHash int64) ([]int64, error) {
	return v.ints(`SELECT source FROM link_names WHERE name = ?`, nameHash)
}

func (v *View) ints(query string, args ...any) ([]int64, error) {
	var list []int64
	err := v.each(query, args, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		list = append(list, n)
		return err
	})
	return list, err
}

// PutNames makes a document answer to names, and no longer to those in gone.
func (tx *Tx) PutNames(id int64, names, gone []Name) error {
	for _, n := range gone {
		if _, err := tx.exec(`DELETE FROM document_names WHERE name = ? AND kind = ? AND document_id = ?`, NameHash(n.Text), n.Kind, id); err != nil {
			return err
		}
	}
	for _, n := range names {
		if _, err := tx.exec(`INSERT OR IGNORE INTO document_names (name, kind, document_id) VALUES (?, ?, ?)`, NameHash(n.Text), n.Kind, id); err != nil {
			return err
		}
	}
	return nil
}

// PutSought makes the links of a document look for names, and no longer for those in gone.
func (tx *Tx) PutSought(source int64, names, gone []string) error {
	for _, name := range gone {
		if _, err := tx.exec(`DELETE FROM link_names WHERE name = ? AND source = ?`, NameHash(name), source); err != nil {
			return err
		}
	}
	for _, name := range names {
		if _, err := tx.exec(`INSERT OR IGNORE INTO link_names (name, source) VALUES (?, ?)`, NameHash(name), source); err != nil {
			return err
		}
	}
	return nil
}
