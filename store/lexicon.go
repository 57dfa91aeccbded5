package store

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
	"sync"
)

// lexicon is the vocabulary of an FTS table, for looking inside words. It is read when first asked for and then follows
// what is written, since reading it takes longer than a search may. Terms that went with their last document stay in it:
// they find nothing.
type lexicon struct {
	mu    sync.Mutex
	moves int              // rows written while there was no base: one read meanwhile may lack them
	base  *vocabulary      // nil until asked for
	added map[string]int32 // terms written since that base does not hold
}

const (
	// lexiconGrowth is how many new terms are kept beside the vocabulary before it is read again.
	lexiconGrowth = 20_000
	// lexiconRows is how many rows a transaction may write and still be followed: a build is not.
	lexiconRows = 500
)

// follow takes in the terms of rows that a transaction has written.
func (l *lexicon) follow(rows []ftsRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil {
		l.moves++
		return
	}
	if len(rows) > lexiconRows || len(l.added) > lexiconGrowth {
		l.base, l.added = nil, nil
		return
	}
	for _, row := range rows {
		for _, column := range row.columns[:len(row.columns)-1] { // the last one is the scope
			l.learn(column.(string))
		}
	}
}

func (l *lexicon) learn(terms string) {
	for len(terms) > 0 {
		term, rest, _ := strings.Cut(terms, " ")
		if terms = rest; term == "" || l.base.has(term) {
			continue
		}
		l.added[strings.Clone(term)]++
	}
}

// containing are the terms that hold a part inside, and more than that. table is the fts5vocab table to read from.
func (l *lexicon) containing(v *View, table, part string) ([]vocabularyTerm, error) {
	l.mu.Lock()
	base, moves := l.base, l.moves
	l.mu.Unlock()
	if base == nil {
		// A picture of its own, taken after moves was read: what is written from here on is followed or counted.
		err := v.s.View(v.ctx, func(now *View) (err error) {
			base, err = now.vocabulary(table)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil && l.moves == moves {
		l.base, l.added = base, map[string]int32{}
	}
	terms := base.containing(part)
	for _, term := range slices.Sorted(maps.Keys(l.added)) {
		if len(term) > len(part) && strings.Contains(term, part) {
			terms = append(terms, vocabularyTerm{term, int(l.added[term])})
		}
	}
	return terms, nil
}

// vocabulary is all terms of an FTS table in order and the number of rows that hold each. The terms stand in one text
// with line feeds between, which is what they are looked through as.
type vocabulary struct {
	text   string // "\nterm\nterm\n"
	starts []int32
	rows   []int32
}

// vocabulary reads the terms of an index. It takes a while: FTS5 counts the places of every term.
func (v *View) vocabulary(table string) (*vocabulary, error) {
	words, text := &vocabulary{}, []byte{'\n'}
	var term sql.RawBytes
	var n int32
	err := v.each(`SELECT term, doc FROM `+table, nil, func(rows *sql.Rows) error {
		err := rows.Scan(&term, &n)
		words.starts = append(words.starts, int32(len(text)))
		words.rows = append(words.rows, n)
		text = append(append(text, term...), '\n')
		return err
	})
	words.text = string(text)
	return words, err
}

// has says whether a term is there.
func (w *vocabulary) has(term string) bool {
	low, high := 0, len(w.starts)
	for low < high {
		middle := (low + high) / 2
		switch found := w.term(middle); {
		case found == term:
			return true
		case found < term:
			low = middle + 1
		default:
			high = middle
		}
	}
	return false
}

func (w *vocabulary) term(n int) string {
	start := int(w.starts[n])
	return w.text[start : start+strings.IndexByte(w.text[start:], '\n')]
}

// containing are the terms that hold a part inside, and more than that.
func (w *vocabulary) containing(part string) []vocabularyTerm {
	var terms []vocabularyTerm
	for at := 0; ; {
		i := strings.Index(w.text[at:], part)
		if i < 0 {
			return terms
		}
		at += i
		n, exact := slices.BinarySearch(w.starts, int32(at))
		if !exact {
			n--
		}
		start := int(w.starts[n])
		end := start + strings.IndexByte(w.text[start:], '\n')
		if end-start > len(part) {
			terms = append(terms, vocabularyTerm{w.text[start:end], int(w.rows[n])})
		}
		at = end
	}
}
