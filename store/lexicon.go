package store

import (
	"database/sql"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
)

// lexicon is the vocabulary of an FTS table, for looking inside words and for words like others. It is read when first
// asked for, which takes longer than a search may, and then follows what is written. Terms that went with their last
// document stay in it: they find nothing.
type lexicon struct {
	mu    sync.Mutex
	moves int              // rows written while there was no base: one read meanwhile may lack them
	base  *vocabulary      // nil until asked for
	known *termSet         // what base and added hold
	added map[string]int32 // terms written since that base does not hold, and how many rows had them
}

// lexiconGrowth is how many new terms are kept beside the vocabulary before they are merged into it.
const lexiconGrowth = 20_000

// follow takes in the terms of rows that a transaction has written.
func (l *lexicon) follow(rows []ftsRow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil {
		l.moves++
		return
	}
	for _, row := range rows {
		for _, column := range row.columns[:len(row.columns)-1] { // the last one is the scope
			l.learn(column.(string))
		}
	}
	if len(l.added) > lexiconGrowth {
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
		}
	}
}

// terms are the vocabulary and, sorted, the terms written since. table is the fts5vocab table to read from.
func (l *lexicon) terms(v *View, table string) (*vocabulary, []vocabularyTerm, error) {
	l.mu.Lock()
	base, moves := l.base, l.moves
	l.mu.Unlock()
	if base == nil {
		// A picture of its own, taken after moves was read: what is written from here on is followed or counted.
		err := v.s.innerView(v.ctx, func(now *View) (err error) {
			l.mu.Lock()
			base, moves = l.base, l.moves
			l.mu.Unlock()
			if base == nil { // nobody has read it while this one waited
				base, err = now.vocabulary(table)
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.base == nil && l.moves == moves {
		l.base, l.known, l.added = base, base.set(), map[string]int32{}
	}
	if l.base == nil {
		return base, nil, nil
	}
	added := make([]vocabularyTerm, 0, len(l.added))
	for _, term := range slices.Sorted(maps.Keys(l.added)) {
		added = append(added, vocabularyTerm{term, int(l.added[term])})
	}
	return l.base, added, nil
}

// containing are the terms that hold a part inside, and more than that.
func (l *lexicon) containing(v *View, table, part string) ([]vocabularyTerm, error) {
	base, added, err := l.terms(v, table)
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

// vocabulary is all terms of an FTS table in order and the number of rows that hold each. The terms stand in one text
// with line feeds between, which is what they are looked through as. It is never changed.
type vocabulary struct {
	text    string // "\nterm\nterm\n"
	starts  []int32
	rows    []int32
	letters []uint32 // which letters a term has, see lettersOf
}

// vocabulary reads the terms of an index. It takes a while: FTS5 counts the places of every term.
func (v *View) vocabulary(table string) (*vocabulary, error) {
	words, text := &vocabulary{}, []byte{'\n'}
	var term sql.RawBytes
	var n int32
	err := v.each(`SELECT term, doc FROM `+table, nil, func(rows *sql.Rows) error {
		err := rows.Scan(&term, &n)
		text = words.append(text, string(term), n)
		return err
	})
	words.text = string(text)
	return words, err
}

func (w *vocabulary) append(text []byte, term string, rows int32) []byte {
	w.starts = append(w.starts, int32(len(text)))
	w.rows = append(w.rows, rows)
	w.letters = append(w.letters, lettersOf(term))
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
	set := &termSet{seed: maphash.MakeSeed()}
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

// containing are the terms that hold a part inside, and more than that.
func (w *vocabulary) containing(part string) []vocabularyTerm {
	var terms []vocabularyTerm
	for at := 0; ; {
		i := strings.Index(w.text[at:], part)
		if i < 0 {
			return terms
		}
		n, exact := slices.BinarySearch(w.starts, int32(at+i))
		if !exact {
			n--
		}
		term := w.term(n)
		if len(term) > len(part) {
			terms = append(terms, vocabularyTerm{term, int(w.rows[n])})
		}
		at = int(w.starts[n]) + len(term)
	}
}

// termSet is a set of terms by their hashes: two terms with one hash of 64 bits are taken for one.
type termSet struct {
	seed  maphash.Seed
	slots []uint64 // open addressing, 0 = free; never more than half full
	n     int
}

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
