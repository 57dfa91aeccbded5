package store

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shelfd/chunker"
	"shelfd/internal/text"
)

// Reference is what a citation names, and what it says should light up.
type Reference struct {
	Document int64 // id
	Key      chunker.Key
	Terms    []string // hint: the words that were looked for
	Text     string   // hint: the sentence that held them
}

// KeyString is the written form of a chunk key: sixteen hexadecimal digits, and "-2", "-3" … for later occurrences.
func KeyString(k chunker.Key) string {
	if k.Seq > 1 {
		return fmt.Sprintf("%016x-%d", k.Hash, k.Seq)
	}
	return fmt.Sprintf("%016x", k.Hash)
}

// Citation is the stable reference to a chunk.
func Citation(document int64, k chunker.Key) string {
	return fmt.Sprintf("kb://doc/%d/chunk/%s", document, KeyString(k))
}

// CitationWithHints is a citation that tells a viewer what to light up: term=, repeated, then text= and ranges=, these as
// start-end,start-end in characters of text. Hints that would make it longer than limit bytes are left out.
func CitationWithHints(document int64, k chunker.Key, terms []string, e Evidence, limit int) string {
	citation, sign := Citation(document, k), "?"
	add := func(hint string) {
		if len(citation)+len(sign)+len(hint) <= limit {
			citation += sign + hint
			sign = "&"
		}
	}
	for _, term := range terms {
		add("term=" + url.QueryEscape(term))
	}
	if e.Highlight != "" && len(e.Ranges) > 0 {
		ranges := make([]string, len(e.Ranges))
		for i, r := range e.Ranges {
			ranges[i] = fmt.Sprintf("%d-%d", r[0], r[1])
		}
		add("text=" + url.QueryEscape(e.Highlight) + "&ranges=" + url.QueryEscape(strings.Join(ranges, ",")))
	}
	return citation
}

var (
	writtenKey      = regexp.MustCompile(`^([0-9a-f]{16})(?:-([1-9][0-9]{0,8}))?$`)
	writtenCitation = regexp.MustCompile(`^kb://doc/([1-9][0-9]{0,18})/chunk/([^/?#]+)/?(?:\?([^#]*))?(?:#.*)?$`)
)

// ParseKey reads the written form of a chunk key.
func ParseKey(s string) (chunker.Key, bool) {
	m := writtenKey.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return chunker.Key{}, false
	}
	hash, err := strconv.ParseUint(m[1], 16, 64)
	if err != nil {
		return chunker.Key{}, false
	}
	k := chunker.Key{Hash: hash, Seq: 1}
	if m[2] != "" {
		k.Seq, err = strconv.Atoi(m[2])
	}
	return k, err == nil
}

// ParseCitation reads a citation, with or without hints. Hints that it doesn't know, or that are broken, are left out.
// Of one whose key is none the document is told all the same.
func ParseCitation(s string) (Reference, bool) {
	m := writtenCitation.FindStringSubmatch(strings.Trim(strings.TrimSpace(s), "<>[]()"))
	if m == nil {
		return Reference{}, false
	}
	key, ok := ParseKey(m[2])
	id, err := strconv.ParseInt(m[1], 10, 64)
	if !ok || err != nil {
		return Reference{Document: id}, false
	}
	hints, _ := url.ParseQuery(m[3]) // what could be read of them
	return Reference{Document: id, Key: key, Terms: hints["term"], Text: hints.Get("text")}, true
}

// Resolve finds the chunk that a citation names: in its document, else with the only document that holds it, which is
// moved. Without one it returns ErrNotFound.
func (v *View) Resolve(r Reference) (c Chunk, moved bool, err error) {
	holders, err := v.holders(r.Key)
	if err != nil {
		return Chunk{}, false, err
	}
	if i := slices.IndexFunc(holders, func(c Chunk) bool { return c.DocumentID == r.Document }); i >= 0 {
		return holders[i], false, nil
	}
	if len(holders) == 1 {
		return holders[0], true, nil
	}
	return Chunk{}, false, ErrNotFound
}

const chunkColumns = `c.id, c.document_id, c.node, c.line_start, c.line_end, c.byte_start, c.byte_end, c.prefix_start, c.prefix_end, c.key_hash, c.key_seq`

func (v *View) chunksWhere(rest string, args ...any) ([]Chunk, error) {
	var list []Chunk
	err := v.each(`SELECT `+chunkColumns+` FROM chunks c `+rest, args, func(rows *sql.Rows) error {
		c, err := scanChunk(rows.Scan)
		list = append(list, c)
		return err
	})
	return list, err
}

// holders are the chunks with that key, in document order.
func (v *View) holders(k chunker.Key) ([]Chunk, error) {
	return v.chunksWhere(`WHERE c.key_hash = ? AND c.key_seq = ? ORDER BY c.document_id`, int64(k.Hash), k.Seq)
}

// maxCandidates is how many chunks are offered in place of one that is gone.
const maxCandidates = 5

// Candidates are the chunks that may stand for one that is gone, the likeliest first: all that hold the key, when
// several do; the same text elsewhere in the document; those that now stand in its section, or close to where it stood;
// those that share most of the words of the hint. None when the document is gone as well.
func (v *View) Candidates(r Reference) ([]Chunk, error) {
	list, err := v.holders(r.Key)
	if err != nil || len(list) > 0 {
		return list[:min(len(list), maxCandidates)], err
	}
	chunks, err := v.Chunks(r.Document)
	if errors.Is(err, ErrNotFound) || len(chunks) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, c := range chunks {
		if c.Key.Hash == r.Key.Hash {
			list = append(list, c)
		}
	}
	if len(list) == 0 && r.Text != "" {
		if list, err = v.alike(r.Document, chunks, r.Text); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		list, err = v.inItsPlace(r, chunks)
	}
	return list[:min(len(list), maxCandidates)], err
}

// inItsPlace are the chunks of the section in which a chunk stood when it was last seen, those closest to its line
// first; without memory of it, the first chunks of the document.
func (v *View) inItsPlace(r Reference, chunks []Chunk) ([]Chunk, error) {
	var node string
	var line int
	err := v.queryRow(`SELECT node_id, line FROM past_chunks WHERE key_hash = ? AND key_seq = ? AND document_id = ? ORDER BY id DESC LIMIT 1`,
		[]any{int64(r.Key.Hash), r.Key.Seq, r.Document}, &node, &line)
	if errors.Is(err, ErrNotFound) {
		return chunks, nil
	}
	if err != nil {
		return nil, err
	}
	nodes, err := v.Nodes(r.Document)
	if err != nil {
		return nil, err
	}
	here := chunksBelow(chunks, nodes, node)
	slices.SortStableFunc(here, func(a, b Chunk) int { return distanceTo(a, line) - distanceTo(b, line) })
	return here, nil
}

// chunksBelow are the chunks of a section, or of the innermost one around it that is still there and has any; else all.
func chunksBelow(chunks []Chunk, nodes []Node, id string) []Chunk {
	for id != "" {
		var here []Chunk
		for _, c := range chunks {
			if c.Node < len(nodes) && (nodes[c.Node].ID == id || strings.HasPrefix(nodes[c.Node].ID, id+"/")) {
				here = append(here, c)
			}
		}
		if len(here) > 0 {
			return here
		}
		i := strings.LastIndexByte(id, '/')
		if i < 0 {
			break
		}
		id = id[:i]
	}
	return slices.Clone(chunks)
}

// distanceTo is how many lines a chunk is away from one.
func distanceTo(c Chunk, line int) int {
	return max(c.Lines.Start-line, line-c.Lines.End, 0)
}

// alike are the chunks that hold at least half of the words of s, those with most of them first.
func (v *View) alike(document int64, chunks []Chunk, s string) ([]Chunk, error) {
	content, err := v.Content(document)
	if err != nil {
		return nil, err
	}
	wanted := wordSet(s)
	type rated struct {
		Chunk
		shared int
	}
	var list []rated
	for _, c := range chunks {
		shared := 0
		for term := range wordSet(content[c.Span.Start:c.Span.End]) {
			if wanted[term] {
				shared++
			}
		}
		if shared > 0 && 2*shared >= len(wanted) {
			list = append(list, rated{c, shared})
		}
	}
	slices.SortStableFunc(list, func(a, b rated) int { return b.shared - a.shared })
	var out []Chunk
	for _, x := range list {
		out = append(out, x.Chunk)
	}
	return out, nil
}

// wordSet are the terms of the running text of s.
func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	text.Segment(s, func(t text.Token) {
		if t.Kind != text.Ident {
			set[t.Term] = true
		}
	})
	return set
}

// ChunkAt finds the chunk that holds a line of a document. lineText is the text that the line had when it was noted,
// "" when that is not known: where the file has moved on, the line that says the same is taken, the closest to where it
// stood. Without one it returns ErrNotFound. A line between chunks belongs to the one behind it, or the last.
func (v *View) ChunkAt(d Document, line int, lineText string) (Chunk, error) {
	chunks, err := v.Chunks(d.ID)
	if err != nil || len(chunks) == 0 {
		return Chunk{}, cmpErr(err, ErrNotFound)
	}
	if strings.TrimSpace(lineText) != "" {
		content, err := v.Content(d.ID)
		if err != nil {
			return Chunk{}, err
		}
		if line = lineSaying(content, line, lineText); line == 0 {
			return Chunk{}, ErrNotFound
		}
	}
	i, _ := slices.BinarySearchFunc(chunks, line, func(c Chunk, line int) int {
		if c.Lines.End < line {
			return -1
		}
		return 1
	})
	return chunks[min(i, len(chunks)-1)], nil
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// lineSaying is the number of the line with the text wanted that is closest to line: white space aside; else Markdown,
// case and punctuation aside; else the one that shares most words, three in five at least. 0 without one.
func lineSaying(content string, line int, wanted string) int {
	best, bestWorth := 0, 0.0
	exact, terms := strings.Join(strings.Fields(wanted), " "), wordSet(wanted)
	number := 0
	for s := range strings.Lines(content) {
		number++
		worth := 0.0
		switch here := strings.Join(strings.Fields(s), " "); {
		case here == exact:
			worth = 3
		case len(terms) > 0:
			worth = likeness(terms, wordSet(here))
		}
		if worth >= 0.6 && (worth > bestWorth || worth == bestWorth && abs(number-line) < abs(best-line)) {
			best, bestWorth = number, worth
		}
	}
	return best
}

// likeness is the share of words that two lines have in common, 2 when they hold the same.
func likeness(a, b map[string]bool) float64 {
	shared := 0
	for term := range b {
		if a[term] {
			shared++
		}
	}
	if shared == len(a) && shared == len(b) {
		return 2
	}
	return float64(shared) / float64(max(len(a), len(b), 1))
}

func abs(n int) int { return max(n, -n) }
