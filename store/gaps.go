package store

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// pendingByte is where SQLite locks; the page there is never used.
const pendingByte = 0x40000000

// mostPages is how many pages a file may have for the first byte of a page number, with which overflow pages and those
// of the list of free ones begin, never to be that of a b-tree page: 128 GiB.
const mostPages = 0x02000000

// clearGaps overwrites the unallocated bytes of some b-tree pages, going on where the last step ended; done: of all.
// secure_delete overwrites cells that are deleted, but not the place that a cell leaves when b-trees are balanced.
func (tx *Tx) clearGaps() (done bool, err error) {
	var from, pages int64
	if err := tx.queryRow(`SELECT coalesce(max(document_id), 0), (SELECT page_count FROM pragma_page_count) FROM pending WHERE task = ?`, []any{TaskTidy}, &from, &pages); err != nil {
		return false, err
	}
	if pages >= mostPages {
		return true, nil
	}
	to := min(from+tidyRead, pages)
	cleared, to, err := tx.gaps(from, to)
	if err != nil {
		return false, err
	}
	for number, page := range cleared {
		if _, err := tx.exec(`UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?`, page, number); err != nil {
			return false, err
		}
	}
	if err := tx.gapsAnew(); err != nil || to >= pages {
		return err == nil, err
	}
	return false, tx.Call(TaskTidy, to)
}

// gapsAnew has clearGaps begin with the first page.
func (tx *Tx) gapsAnew() error {
	_, err := tx.exec(`DELETE FROM pending WHERE task = ? AND document_id <> ?`, TaskTidy, Everything)
	return err
}

// gaps reads pages after from up to to, and less if many have gaps to be cleared: those it returns cleared, with the
// last page that it read.
func (v *View) gaps(from, to int64) (cleared map[int64][]byte, last int64, err error) {
	cleared = map[int64][]byte{}
	for number := from + 1; number <= to && len(cleared) < tidyPages; number++ {
		var page []byte
		err := v.queryRow(`SELECT data FROM sqlite_dbpage WHERE pgno = ?`, []any{number}, &page)
		if errors.Is(err, ErrNotFound) {
			return cleared, to, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("store: read page %d: %w", number, err)
		}
		if clearGap(page, number) {
			cleared[number] = page
		}
		from = number
	}
	return cleared, from, nil
}

// clearGap overwrites what is between the cell pointers of a b-tree page and its cells; false: there was nothing. See
// "B-tree Pages" and "Pointer Map or Ptrmap Pages" in SQLite's description of its file format.
func clearGap(page []byte, number int64) bool {
	size := int64(len(page))
	if number >= 2 && (number-2)%(size/5+1) == 0 || number == pendingByte/size+1 {
		return false
	}
	start := 0
	if number == 1 {
		start = 100
	}
	header := 8
	switch page[start] {
	case 2, 5: // inner ones
		header = 12
	case 10, 13:
	default:
		return false
	}
	cells, content := int(binary.BigEndian.Uint16(page[start+3:])), int(binary.BigEndian.Uint16(page[start+5:]))
	begin := start + header + 2*cells
	if content > len(page) || begin >= content {
		return false
	}
	found := false
	for i := begin; i < content; i++ {
		found = found || page[i] != 0
		page[i] = 0
	}
	return found
}
