package store

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"shelfd/internal/text"
)

// Mentions lists the documents that a document's text cites by name, in id order.
func (v *View) Mentions(source int64) ([]int64, error) {
	var b []byte
	err := v.queryRow(`SELECT mentions FROM features WHERE document_id = ?`, []any{source}, &b)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return UnpackIDs(b), err
}

// Body is the stored text of a document below its front matter.
func (v *View) Body(id int64) (string, error) {
	var content string
	var start int
	err := v.queryRow(`SELECT content, body_start FROM documents WHERE id = ?`, []any{id}, &content, &start)
	if err != nil {
		return "", err
	}
	return content[start:], nil
}

// SetMentions replaces the documents that a document's text cites by name; targets are in id order.
func (tx *Tx) SetMentions(source int64, targets []int64) error {
	_, err := tx.exec(`UPDATE features SET mentions = ?2 WHERE document_id = ?1 AND mentions <> ?2`, source, packIDs(targets))
	return err
}

// packIDs writes ids, which are in order, as varints of the distance from one to the next.
func packIDs(ids []int64) []byte {
	b := make([]byte, 0, 2*len(ids))
	last := int64(0)
	for _, id := range ids {
		b, last = AppendID(b, last, id), id
	}
	return b
}

// AppendID adds an id to packed ones, of which last is the last, 0 = there is none.
func AppendID(packed []byte, last, id int64) []byte {
	return binary.AppendUvarint(packed, uint64(id-last))
}

// UnpackIDs lists packed ids; of damaged ones those before the damage.
func UnpackIDs(b []byte) []int64 {
	var ids []int64
	last := int64(0)
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		if n <= 0 {
			return ids
		}
		last += int64(step)
		ids = append(ids, last)
		b = b[n:]
	}
	return ids
}

// holdingTerms is how many terms of a name are looked up: the longest are the rarest, and the text is read anyway.
const holdingTerms = 3

// Citing are the documents whose text may hold a name, by how that can be told.
type Citing struct {
	Sure   []int64 // the index of chunks tells it: a name of one term, or a document of one chunk
	Inside []int64 // a chunk of several holds it, which may begin with words from elsewhere: to be read
	Across []int64 // its terms are held, but by no chunk together: only where chunks meet, see Seams
}

// Citing lists the documents whose text may hold a name (space separated terms, as text.Segment gives them).
func (v *View) Citing(name string) (c Citing, err error) {
	terms := strings.Fields(name)
	if len(terms) == 0 {
		return c, nil
	}
	if len(terms) == 1 {
		c.Sure, err = v.ints(holdingChunk, phrase(name))
		return c, err
	}
	const whole = `SELECT DISTINCT d.id, d.chunk_count > 1 FROM chunk_fts f JOIN chunks c ON c.id = f.rowid JOIN documents d ON d.id = c.document_id WHERE chunk_fts MATCH ? ORDER BY d.id`
	err = v.each(whole, []any{phrase(name)}, func(rows *sql.Rows) error {
		var id int64
		var several bool
		err := rows.Scan(&id, &several)
		if several {
			c.Inside = append(c.Inside, id)
		} else {
			c.Sure = append(c.Sure, id)
		}
		return err
	})
	if err != nil {
		return c, err
	}
	slices.SortStableFunc(terms, func(a, b string) int { return len(b) - len(a) })
	terms = slices.Compact(terms[:min(len(terms), holdingTerms)])
	args := make([]any, len(terms))
	for i, term := range terms {
		args[i] = phrase(term)
	}
	holding := strings.TrimSuffix(strings.Repeat(holdingChunk+" INTERSECT ", len(terms)), " INTERSECT ")
	c.Across, err = v.ints(`SELECT d.id FROM documents d WHERE d.chunk_count > 1 AND d.id IN (`+holding+`)`, args...)
	c.Across = slices.DeleteFunc(c.Across, func(id int64) bool {
		_, inside := slices.BinarySearch(c.Inside, id)
		return inside
	})
	return c, err
}

const holdingChunk = `SELECT DISTINCT c.document_id FROM chunk_fts f JOIN chunks c ON c.id = f.rowid WHERE chunk_fts MATCH ?`

// phrase asks for terms in this order in the running text.
func phrase(terms string) string { return `body : "` + terms + `"` }

// Seams is the text of a document where its chunks meet, so that it holds every run of up to n terms that lies in more
// than one chunk.
func (v *View) Seams(id int64, n int) (string, error) {
	var content string
	var start int
	var first, count int64
	err := v.queryRow(`SELECT content, body_start, first_chunk, chunk_count FROM documents WHERE id = ?`, []any{id}, &content, &start, &first, &count)
	if err != nil {
		return "", err
	}
	cuts, err := v.ints(`SELECT byte_start FROM chunks WHERE id > ?1 AND id < ?1 + ?2 ORDER BY id`, first, count)
	if err != nil {
		return "", err
	}
	for i := range cuts {
		cuts[i] -= int64(start)
	}
	return seams(content[start:], cuts, n), nil
}

// seam stands between two pieces of text that are not beside each other: no name has this term.
const seam = " 0seam0 "

// seams are the pieces of body around the cuts, with n terms before and after each at least.
func seams(body string, cuts []int64, n int) string {
	var b strings.Builder
	end := 0 // of what was taken
	for _, cut := range cuts {
		at := min(max(int(cut), 0), len(body))
		from, to := before(body, at, n), after(body, at, n)
		if from > end {
			b.WriteString(seam)
		}
		from = max(from, end)
		b.WriteString(body[from:max(from, to)])
		end = max(end, to)
	}
	return b.String()
}

// A term and what stands around it is 12 bytes of most texts; where it is more, the piece is doubled until it holds n.
const termLength = 12

// before is where n whole terms before at begin, at least.
func before(body string, at, n int) int {
	for length := termLength * (n + 1); ; length *= 2 {
		from := at - length
		if from <= 0 {
			return 0
		}
		from = strings.LastIndexAny(body[:from], " \n") + 1 // a word that is cut would be another word
		if countTerms(body[from:at]) > n {
			return from
		}
	}
}

// after is where n whole terms from at on end, at least.
func after(body string, at, n int) int {
	for length := termLength * (n + 1); ; length *= 2 {
		to := at + length
		if to >= len(body) {
			return len(body)
		}
		space := strings.IndexAny(body[to:], " \n")
		if space < 0 {
			return len(body)
		}
		to += space
		if countTerms(body[at:to]) > n {
			return to
		}
	}
}

func countTerms(s string) int {
	terms, _ := text.AppendTerms(nil, nil, s)
	return bytes.Count(terms, []byte{' '})
}
