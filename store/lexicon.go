package store

import (
	"database/sql"
	"hash/maphash"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
)

// lexicon is the vocabulary of an FTS table, for looking inside words and for words like others. It is read once, which
// takes longer than a search may, and then follows what is written. Terms that went with their last document stay in it:
// they find nothing.
type lexicon struct {
	table string     // the fts5vocab table to read from
	once  sync.Mutex // held while it is read

	mu    sync.Mutex
	base  *vocabulary      // nil until read
	known *termSet         // what base and added hold
	added map[string]int32 // terms written since that base does not hold, and how many rows had them; nil before it is read
	order []vocabularyTerm // added in order, never changed; nil when it is to be made
}

// lexiconGrowth is how many new terms are kept beside the vocabulary before they are merged into it: after each save they
// are sorted once.
const lexiconGrowth = 5_000

// follow takes in the terms of rows that a transaction has written.
func (l *lexicon) follow(rows []ftsRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.added == nil {
		return
	}
	for _, row := range rows {
		for _, column := range row.columns[:len(row.columns)-1] { // the last one is the scope
			l.learn(column.(string))
		}
	}
	if l.base != nil && len(l.added) > lexiconGrowth {
		l.base, l.added = l.base.with(l.added), map[string]int32{}
	}
}

func (l *lexicon) learn(terms string) {
	for len(terms) > 0 {
		term, rest, _ := strings.Cut(terms, " ")
		if terms = rest; term == "" {
			continue
		}
		if _, isNew := l.added[term]; isNew || l.known.add(term) {
			l.added[strings.Clone(term)]++
			l.order = nil
		}
	}
}

// read is the vocabulary if it has been read, and, sorted, the terms written since.
func (l *lexicon) read() (*vocabulary, []vocabularyTerm, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil {
		return nil, nil, false
	}
	if l.order == nil {
		l.order = make([]vocabularyTerm, 0, len(l.added))
		for _, term := range slices.Sorted(maps.Keys(l.added)) {
			l.order = append(l.order, vocabularyTerm{term, int(l.added[term])})
		}
	}
	return l.base, l.order, true
}

// terms are the vocabulary and, sorted, the terms written since. It is read if it has not been.
func (l *lexicon) terms(v *View) (*vocabulary, []vocabularyTerm, error) {
	if base, added, ok := l.read(); ok {
		return base, added, nil
	}
	l.once.Lock()
	defer l.once.Unlock()
	if base, added, ok := l.read(); ok {
		return base, added, nil
	}
	l.listen(true)
	current := v.commits == v.s.commits.Load() // else the picture lacks what was written before we listened
	base, err := v.vocabulary(l.table)
	if err != nil || !current {
		l.listen(false)
		return base, nil, err
	}
	l.take(base)
	base, added, _ := l.read()
	return base, added, nil
}

// listen begins to note what is written, or stops.
func (l *lexicon) listen(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known, l.added, l.order = nil, nil, nil
	if on {
		l.known, l.added = newTermSet(), map[string]int32{}
	}
}

// take makes base the vocabulary; what was written while it was read stands beside it.
func (l *lexicon) take(base *vocabulary) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.base, l.known, l.order = base, base.set(), nil
	for term := range l.added {
		if !l.known.add(term) {
			delete(l.added, term)
		}
	}
}

// containing are the terms that hold a part inside, and more than that.
func (l *lexicon) containing(v *View, part string) ([]vocabularyTerm, error) {
	base, added, err := l.terms(v)
	if err != nil {
		return nil, err
	}
	terms := base.containing(part)
	for _, t := range added {
		if len(t.term) > len(part) && strings.Contains(t.term, part) {
			terms = append(terms, t)
		}
	}
	return terms, nil
}

// from are the terms that begin with start; false when the vocabulary has not been read.
func (l *lexicon) from(start string) ([]vocabularyTerm, bool) {
	base, added, ok := l.read()
	if !ok {
		return nil, false
	}
	terms := base.from(start)
	for _, t := range added {
		if strings.HasPrefix(t.term, start) {
			terms = append(terms, t)
		}
	}
	return terms, true
}

// vocabulary is all terms of an FTS table in order and the number of rows that hold each. The terms stand in one text
// with line feeds between, which is what they are looked through as. It is never changed.
type vocabulary struct {
	text    string // "\nterm\nterm\n"
	starts  []int32
	rows    []int32
	letters []uint32 // which letters a term has, see lettersOf
	pairs   []uint32 // and which pairs of bytes, see pairsOf
}

// pairsOf has a bit for each pair of neighbouring bytes, several pairs to a bit: a term has all bits of what it holds.
func pairsOf(term string) uint32 {
	var set uint32
	for i := 1; i < len(term); i++ {
		set |= 1 << ((uint32(term[i-1])<<8 | uint32(term[i])) * 0x9e3779b1 >> 27)
	}
	return set
}

// vocabulary reads the terms of an index but those of scopes, which begin with "~". It takes a while: FTS5 counts the
// places of every term.
func (v *View) vocabulary(table string) (*vocabulary, error) {
	words, text := &vocabulary{}, []byte{'\n'}
	var term sql.RawBytes
	var n int32
	for _, part := range []string{`term < '~'`, `term >= char(127)`} {
		err := v.each(`SELECT term, doc FROM `+table+` WHERE `+part+` ORDER BY term`, nil, func(rows *sql.Rows) error {
			err := rows.Scan(&term, &n)
			text = words.append(text, string(term), n)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	words.text = string(text)
	return words, nil
}

func (w *vocabulary) append(text []byte, term string, rows int32) []byte {
	w.starts = append(w.starts, int32(len(text)))
	w.rows = append(w.rows, rows)
	w.letters = append(w.letters, lettersOf(term))
	w.pairs = append(w.pairs, pairsOf(term))
	return append(append(text, term...), '\n')
}

// with is the vocabulary with more terms.
func (w *vocabulary) with(added map[string]int32) *vocabulary {
	merged, text := &vocabulary{}, append(make([]byte, 0, len(w.text)+16*len(added)), '\n')
	more := slices.Sorted(maps.Keys(added))
	for n := range w.starts {
		term := w.term(n)
		for len(more) > 0 && more[0] < term {
			text = merged.append(text, more[0], added[more[0]])
			more = more[1:]
		}
		text = merged.append(text, term, w.rows[n])
	}
	for _, term := range more {
		text = merged.append(text, term, added[term])
	}
	merged.text = string(text)
	return merged
}

func (w *vocabulary) set() *termSet {
	set := newTermSet()
	for n := range w.starts {
		set.add(w.term(n))
	}
	return set
}

func (w *vocabulary) term(n int) string {
	end := len(w.text)
	if n+1 < len(w.starts) {
		end = int(w.starts[n+1])
	}
	return w.text[w.starts[n] : end-1]
}

// from are the terms that begin with start.
func (w *vocabulary) from(start string) []vocabularyTerm {
	n := sort.Search(len(w.starts), func(i int) bool { return w.term(i) >= start })
	var terms []vocabularyTerm
	for ; n < len(w.starts) && strings.HasPrefix(w.term(n), start); n++ {
		terms = append(terms, vocabularyTerm{w.term(n), int(w.rows[n])})
	}
	return terms
}

// containing are the terms that hold a part inside, and more than that.
func (w *vocabulary) containing(part string) []vocabularyTerm {
	var terms []vocabularyTerm
	wanted := pairsOf(part)
	for n, pairs := range w.pairs {
		if pairs&wanted != wanted {
			continue
		}
		if term := w.term(n); len(term) > len(part) && strings.Contains(term, part) {
			terms = append(terms, vocabularyTerm{term, int(w.rows[n])})
		}
	}
	return terms
}

// termSet is a set of terms by their hashes: two terms with one hash of 64 bits are taken for one.
type termSet struct {
	seed  maphash.Seed
	slots []uint64 // open addressing, 0 = free; never more than half full
	n     int
}

func newTermSet() *termSet { return &termSet{seed: maphash.MakeSeed()} }

// add puts a term in and says whether it was not there.
func (s *termSet) add(term string) bool {
	if 2*(s.n+1) > len(s.slots) {
		s.grow()
	}
	if !s.insert(max(1, maphash.String(s.seed, term))) {
		return false
	}
	s.n++
	return true
}

func (s *termSet) insert(hash uint64) bool {
	for i := hash; ; i++ {
		slot := &s.slots[i&uint64(len(s.slots)-1)]
		switch *slot {
		case hash:
			return false
		case 0:
			*slot = hash
			return true
		}
	}
}

func (s *termSet) grow() {
	before := s.slots
	s.slots = make([]uint64, max(1024, 2*len(before)))
	for _, hash := range before {
		if hash != 0 {
			s.insert(hash)
		}
	}
}
