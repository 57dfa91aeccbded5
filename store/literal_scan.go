package store

import (
	"bytes"
	"cmp"
	"database/sql"
	"slices"
	"strings"
)

// spansAhead is the number of documents from which the spans of all chunks are read at once.
const spansAhead = 200

// unread is a document to be looked through: the chunks of it that the filters leave.
type unread struct {
	extent
	chunks postings
}

// matching finds the chunks with a match, in each document no more than are shown.
func (s *search) matching(f *finder) (postings, error) {
	all, err := s.all()
	if err != nil {
		return nil, err
	}
	left := s.left(all.chunks())
	var list []unread
	s.index.eachDocument(left, func(x extent, from, to int) { list = append(list, unread{x, left[from:to]}) })
	slices.SortFunc(list, func(a, b unread) int { return cmp.Compare(a.document, b.document) })
	scan := &textScan{search: s, finder: f}
	if 4*len(list) < len(s.index.documents) {
		err = scan.each(list)
	} else {
		err = scan.whole(list)
	}
	return sorted(scan.ids), err
}

// textScan looks through the stored text of documents.
type textScan struct {
	*search
	finder *finder
	ids    postings // chunks with a match

	asked int
	spans []chunkSpan // of all chunks, once many were asked for
}

// each reads one document after the other.
func (c *textScan) each(list []unread) error {
	for _, w := range list {
		content, err := c.v.Content(w.document)
		if err == nil {
			err = c.look(w, []byte(content))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// whole reads all documents in one go.
func (c *textScan) whole(list []unread) error {
	return c.v.each(`SELECT id, content FROM documents ORDER BY id`, nil, func(rows *sql.Rows) error {
		var id int64
		var content sql.RawBytes
		if err := rows.Scan(&id, &content); err != nil {
			return err
		}
		list = list[ahead(len(list), func(i int) bool { return list[i].document < id }):]
		if len(list) == 0 || list[0].document != id {
			return nil
		}
		return c.look(list[0], content)
	})
}

// look adds the first chunks of a document that match.
func (c *textScan) look(w unread, content []byte) error {
	if err := c.v.ctx.Err(); err != nil {
		return err
	}
	if !c.finder.needle.in(content) {
		return nil
	}
	spans, err := c.of(w.extent)
	if err != nil {
		return err
	}
	left := perDocument
	for _, span := range spans {
		if !w.chunks.has(span.id) || !c.finder.matches(content[span.start:span.end]) {
			continue
		}
		c.ids = append(c.ids, span.id)
		if left--; left == 0 && c.query.Path == "" {
			break
		}
	}
	return nil
}

// of are the spans of the chunks of a document.
func (c *textScan) of(x extent) ([]chunkSpan, error) {
	last := x.first + int64(x.n) - 1
	if c.asked++; c.asked < spansAhead {
		return c.v.chunkSpans(x.first, last)
	}
	if c.spans == nil {
		var err error
		if c.spans, err = c.v.chunkSpans(0, 1<<62); err != nil {
			return nil, err
		}
	}
	at := func(id int64) int {
		i, _ := slices.BinarySearchFunc(c.spans, id, func(s chunkSpan, id int64) int { return cmp.Compare(s.id, id) })
		return i
	}
	return c.spans[at(x.first):at(last+1)], nil
}

// matches says whether a line matches.
func (f *finder) matches(body []byte) bool {
	if !f.needle.in(body) {
		return false
	}
	for line := range bytes.Lines(body) {
		if f.re.Match(bytes.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return false
}

// chunkSpan is where a chunk stands in its document.
type chunkSpan struct {
	id         int64
	start, end int
}

// chunkSpans are the spans of the chunks with ids from first to last, in order.
func (v *View) chunkSpans(first, last int64) ([]chunkSpan, error) {
	var numbers []int64
	err := v.each(`SELECT group_concat(id || ',' || byte_start || ',' || byte_end) FROM chunks WHERE id BETWEEN ? AND ?`, []any{first, last}, func(rows *sql.Rows) error {
		var list sql.RawBytes
		err := rows.Scan(&list)
		parsePostings(list, func(n int64) { numbers = append(numbers, n) })
		return err
	})
	spans := make([]chunkSpan, 0, len(numbers)/3)
	for i := 0; i+2 < len(numbers); i += 3 {
		spans = append(spans, chunkSpan{numbers[i], int(numbers[i+1]), int(numbers[i+2])})
	}
	slices.SortFunc(spans, func(a, b chunkSpan) int { return cmp.Compare(a.id, b.id) })
	return spans, err
}

// asciiNeedle is a text that is looked for whatever the case of its ASCII letters; "" is everywhere.
type asciiNeedle struct {
	text         string // in lower case
	at           int    // of its rarest byte
	lower, upper byte   // that byte
}

// commonFirst is the letters of prose, the rarest last; what is no letter is rarer, but for the space.
const commonFirst = " etaoinsrhldcumfpgwybvkxjqz"

func newNeedle(s string) asciiNeedle {
	n := asciiNeedle{text: strings.Map(lowerASCII, s)}
	rarest := -1
	for i := range len(n.text) {
		rank := strings.IndexByte(commonFirst, n.text[i])
		if rank < 0 {
			rank = len(commonFirst)
		}
		if rank > rarest {
			rarest, n.at, n.lower = rank, i, n.text[i]
		}
	}
	n.upper = n.lower
	if n.lower >= 'a' && n.lower <= 'z' {
		n.upper -= 'a' - 'A'
	}
	return n
}

func lowerASCII(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}

// in looks for the rarest byte in either case and compares what is around it.
func (n asciiNeedle) in(s []byte) bool {
	if n.text == "" {
		return true
	}
	if n.stands(s, n.lower) {
		return true
	}
	return n.upper != n.lower && n.stands(s, n.upper)
}

func (n asciiNeedle) stands(s []byte, anchor byte) bool {
	for at := n.at; at < len(s); at++ {
		i := bytes.IndexByte(s[at:], anchor)
		if i < 0 {
			return false
		}
		at += i
		start := at - n.at
		if start+len(n.text) > len(s) {
			return false
		}
		if sameLetters(s[start:start+len(n.text)], n.text) {
			return true
		}
	}
	return false
}

// sameLetters compares with a text in lower case.
func sameLetters(s []byte, lower string) bool {
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
