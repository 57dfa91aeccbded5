package store

import (
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"shelfd/chunker"
	"shelfd/internal/text"
)

// BlocksFile is the list of blocks of a derived document's source, as it was read. The zero value: there is none.
type BlocksFile struct {
	Size       int64
	ModTime    int64 // unix nanoseconds
	ChangeTime int64 // unix nanoseconds
	Inode      uint64
	Hash       [32]byte // zero when it could not be read
}

// pack writes the list's facts for the column blocks.
func (b BlocksFile) pack() []byte {
	if b == (BlocksFile{}) {
		return []byte{}
	}
	packed := make([]byte, 0, 64)
	for _, n := range [...]uint64{uint64(b.Size), uint64(b.ModTime), uint64(b.ChangeTime), b.Inode} {
		packed = binary.BigEndian.AppendUint64(packed, n)
	}
	return append(packed, b.Hash[:]...)
}

func unpackBlocksFile(packed []byte) BlocksFile {
	var b BlocksFile
	if len(packed) != 64 {
		return b
	}
	n := func(i int) uint64 { return binary.BigEndian.Uint64(packed[8*i:]) }
	b.Size, b.ModTime, b.ChangeTime, b.Inode = int64(n(0)), int64(n(1)), int64(n(2)), n(3)
	copy(b.Hash[:], packed[32:])
	return b
}

// derivedExt is the extension that a derived text adds to the name of its source.
const derivedExt = ".md"

// sourceOf is the path of the source of a derived document, as it is shown.
func sourceOf(shelf, file string) string {
	return shelf + "/" + text.Path(strings.TrimSuffix(file, derivedExt))
}

// DerivedFrom is the document that is the text of a source, by the path of that, or ErrNotFound.
func (v *View) DerivedFrom(source string) (Document, error) {
	d, err := v.Document(source + derivedExt)
	if err == nil && d.Source != source {
		return Document{}, ErrNotFound
	}
	return d, err
}

// putBoxes replaces the boxes of a document's chunks.
func (tx *Tx) putBoxes(id int64, boxes [][]chunker.Box, old documentRow) error {
	if old.path != "" {
		if _, err := tx.exec(`DELETE FROM boxes WHERE document_id = ?`, id); err != nil {
			return err
		}
	}
	for i, list := range boxes {
		if len(list) == 0 {
			continue
		}
		b, err := json.Marshal(list)
		if err != nil {
			return fmt.Errorf("store: boxes of document %d: %w", id, err)
		}
		if _, err := tx.exec(`INSERT INTO boxes (document_id, ordinal, boxes) VALUES (?, ?, ?)`, id, i, string(b)); err != nil {
			return err
		}
	}
	return nil
}

// Boxes are where the chunks of a derived document stand on the pages of its source, by the chunk's place in the
// document. Documents without a list of blocks have none.
func (v *View) Boxes(document int64) (map[int][]chunker.Box, error) {
	return v.boxes(`WHERE document_id = ?`, document)
}

// ChunkBoxes are the boxes of one chunk, in the order of the blocks.
func (v *View) ChunkBoxes(document int64, ordinal int) ([]chunker.Box, error) {
	all, err := v.boxes(`WHERE document_id = ? AND ordinal = ?`, document, ordinal)
	return all[ordinal], err
}

func (v *View) boxes(where string, args ...any) (map[int][]chunker.Box, error) {
	all := map[int][]chunker.Box{}
	err := v.each(`SELECT ordinal, boxes FROM boxes `+where+` ORDER BY ordinal`, args, func(rows *sql.Rows) error {
		var ordinal int
		var raw sql.RawBytes
		if err := rows.Scan(&ordinal, &raw); err != nil {
			return err
		}
		var list []chunker.Box
		err := json.Unmarshal(raw, &list)
		all[ordinal] = list
		return err
	})
	return all, err
}

// BoxCounts says how many boxes the chunks of a document have, and on how many pages.
func (v *View) BoxCounts(document int64) (boxes, pages int, err error) {
	all, err := v.Boxes(document)
	seen := map[int]bool{}
	for _, list := range all {
		boxes += len(list)
		for _, b := range list {
			seen[b.Page] = true
		}
	}
	return boxes, len(seen), err
}
