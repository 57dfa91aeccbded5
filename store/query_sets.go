package store

import (
	"cmp"
	"database/sql"
	"slices"
)

// postings are ids in ascending order, each once.
type postings []int64

// parsePostings reads the comma separated numbers that group_concat makes, which is several times faster than reading
// as many rows, and calls take for each.
func parsePostings(list []byte, take func(n int64)) {
	n, digits := int64(0), false
	for _, b := range list {
		if b == ',' {
			take(n)
			n, digits = 0, false
			continue
		}
		n, digits = n*10+int64(b-'0'), true
	}
	if digits {
		take(n)
	}
}

func sorted(p postings) postings {
	if !slices.IsSorted(p) {
		slices.Sort(p)
	}
	return slices.Compact(p)
}

func (p postings) has(id int64) bool {
	_, ok := slices.BinarySearch(p, id)
	return ok
}

func union(a, b postings) postings {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	out := make(postings, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			out = append(out, a[i])
			i++
		case a[i] > b[j]:
			out = append(out, b[j])
			j++
		default:
			out = append(out, a[i])
			i, j = i+1, j+1
		}
	}
	return append(append(out, a[i:]...), b[j:]...)
}

func intersect(a, b postings) postings {
	if len(a) > len(b) {
		a, b = b, a
	}
	out := make(postings, 0, len(a))
	if len(b) > 16*len(a) {
		for _, id := range a {
			if b.has(id) {
				out = append(out, id)
			}
		}
		return out
	}
	j := 0
	for _, id := range a {
		for j < len(b) && b[j] < id {
			j++
		}
		if j < len(b) && b[j] == id {
			out = append(out, id)
		}
	}
	return out
}

func subtract(a, b postings) postings {
	if len(b) == 0 {
		return a
	}
	out := make(postings, 0, len(a))
	j := 0
	for _, id := range a {
		for j < len(b) && b[j] < id {
			j++
		}
		if j == len(b) || b[j] != id {
			out = append(out, id)
		}
	}
	return out
}

// extent is a document with the chunks it has: ids first to first+n-1.
type extent struct {
	document, first int64
	n               int
	language        uint8 // see languageNumber
}

// extents are documents in the order of their ids.
type extents []extent

// chunks are the chunks of all the documents.
func (e extents) chunks() postings {
	total := 0
	for _, x := range e {
		total += x.n
	}
	out := make(postings, 0, total)
	for _, x := range e.inPlace() {
		for i := range x.n {
			out = append(out, x.first+int64(i))
		}
	}
	return out
}

// firsts are the first chunks of the documents that have any.
func (e extents) firsts() postings {
	return e.inPlace().heads()
}

// heads are the first chunks of documents that are in place.
func (e extents) heads() postings {
	out := make(postings, len(e))
	for i, x := range e {
		out[i] = x.first
	}
	return out
}

// inPlace are the documents with chunks, in the order of these.
func (e extents) inPlace() extents {
	e = slices.DeleteFunc(slices.Clone(e), func(x extent) bool { return x.n == 0 })
	slices.SortFunc(e, byFirst)
	return e
}

func byFirst(a, b extent) int { return cmp.Compare(a.first, b.first) }

// with is e without some of it and with others, all of them in one order.
func (e extents) with(gone, come extents, by func(a, b extent) int) extents {
	out := make(extents, 0, len(e)-len(gone)+len(come))
	upTo := func(x extent) { // takes over what comes before x
		n, _ := slices.BinarySearchFunc(e, x, by)
		out, e = append(out, e[:n]...), e[n:]
	}
	for len(gone)+len(come) > 0 {
		if len(come) == 0 || len(gone) > 0 && by(gone[0], come[0]) <= 0 {
			upTo(gone[0])
			e, gone = e[1:], gone[1:]
			continue
		}
		upTo(come[0])
		out, come = append(out, come[0]), come[1:]
	}
	return append(out, e...)
}

// chunkPostings are the chunks that a MATCH expression finds; "" finds none.
func (v *View) chunkPostings(match string) (postings, error) {
	chunks, err := v.postings(`SELECT group_concat(rowid) FROM chunk_fts WHERE chunk_fts MATCH ?`, match)
	if err != nil || v.sight == nil {
		return chunks, err
	}
	return v.seenChunks(chunks)
}

// documentPostings are the documents whose names a MATCH expression finds; "" finds none.
func (v *View) documentPostings(match string) (postings, error) {
	if v.sight != nil {
		return v.seenDocuments(match)
	}
	return v.postings(`SELECT group_concat(rowid) FROM document_fts WHERE document_fts MATCH ?`, match)
}

func (v *View) postings(query, match string) (postings, error) {
	if match == "" {
		return nil, nil
	}
	var list sql.RawBytes
	var out postings
	err := v.each(query, []any{match}, func(rows *sql.Rows) error {
		err := rows.Scan(&list)
		out = make(postings, 0, len(list)/5)
		parsePostings(list, func(n int64) { out = append(out, n) })
		return err
	})
	return sorted(out), err
}
