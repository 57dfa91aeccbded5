package store

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"shelfd/internal/text"
)

const (
	// correctedFrom is the length of a word from which one edit is allowed, twiceFrom that for two: most words of five
	// letters have others two edits away that mean something else.
	correctedFrom = 3
	twiceFrom     = 6
	correctedTo   = 32 // nobody mistypes longer words
	// corrections is how many words stand in for one, correctionsTried how many are looked up to find them in scope.
	corrections      = 3
	correctionsTried = 12
)

// edits is how many edits of a word are allowed: none when it is no plain Latin word.
func edits(word string) int {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return 0
		}
	}
	switch n := len(word); {
	case n < correctedFrom || n > correctedTo:
		return 0
	case n < twiceFrom:
		return 1
	}
	return 2
}

// lettersOf has a bit for each Latin letter of a term, and all bits for a term with anything else: it is no word.
func lettersOf(term string) uint32 {
	var set uint32
	for i := range len(term) {
		c := term[i] - 'a'
		if c >= 26 {
			return ^uint32(0)
		}
		set |= 1 << c
	}
	return set
}

// like are the terms a few edits away from a word, the nearest first, then the commonest. A wrong first letter costs one
// edit more: people get it right.
func (l *lexicon) like(v *View, word string) ([]vocabularyTerm, error) {
	base, added, err := l.terms(v)
	if err != nil {
		return nil, err
	}
	n := nearness{word: word, letters: lettersOf(word), most: edits(word)}
	for i, letters := range base.letters {
		n.take(letters, vocabularyTerm{base.term(i), int(base.rows[i])})
	}
	for _, t := range added {
		n.take(lettersOf(t.term), t)
	}
	slices.SortStableFunc(n.found, func(a, b nearTerm) int {
		return cmp.Or(a.distance-b.distance, b.chunks-a.chunks, strings.Compare(a.term, b.term))
	})
	var terms []vocabularyTerm
	for _, t := range n.found {
		terms = append(terms, t.vocabularyTerm)
	}
	return terms, nil
}

// nearness collects what is near a word.
type nearness struct {
	word    string
	letters uint32
	most    int
	found   []nearTerm
}

type nearTerm struct {
	vocabularyTerm
	distance int
}

// take looks at a term. Each edit changes two letters of the set at most; that and the length leave few.
func (n *nearness) take(letters uint32, t vocabularyTerm) {
	most := n.most
	if t.term == "" || letters == ^uint32(0) || bits.OnesCount32(letters^n.letters) > 2*most {
		return
	}
	extra := 0
	if t.term[0] != n.word[0] {
		extra = 1
	}
	most -= extra
	if most < 1 || bits.OnesCount32(letters^n.letters) > 2*most || abs(len(t.term)-len(n.word)) > most || t.term == n.word {
		return
	}
	if d := text.Distance(n.word, t.term, most); d <= most {
		n.found = append(n.found, nearTerm{t, d + extra})
	}
}

// correction is a word that may have been meant, and where it stands.
type correction struct {
	term     string
	distance int
	found
}

// corrected finds the words of the index that a word may have been meant for, the likeliest first.
func (l *lookup) corrected(word string) ([]correction, error) {
	if edits(word) == 0 || text.Stop(word) {
		return nil, nil
	}
	terms, err := l.v.s.chunkWords.like(l.v, word)
	if err != nil {
		return nil, err
	}
	names, err := l.v.s.nameWords.like(l.v, word)
	if err != nil {
		return nil, err
	}
	if terms, err = l.v.seenTerms(terms, inChunks); err != nil {
		return nil, err
	}
	if names, err = l.v.seenTerms(names, inNames); err != nil {
		return nil, err
	}
	var list []correction
	for _, t := range nearest(word, terms, names) {
		f, err := l.match(termMatch(t.term))
		if err != nil {
			return nil, err
		}
		if len(f.in)+len(f.by) > 0 { // else it stands elsewhere
			list = append(list, correction{t.term, t.distance, f})
		}
	}
	slices.SortStableFunc(list, func(a, b correction) int { // the vocabulary counts what stood there once
		return cmp.Or(a.distance-b.distance, len(b.answers())-len(a.answers()), strings.Compare(a.term, b.term))
	})
	return list[:min(len(list), corrections)], nil
}

// nearest joins two lists, which are sorted, into the few words that are worth a look.
func nearest(word string, lists ...[]vocabularyTerm) []nearTerm {
	var all []nearTerm
	seen := map[string]bool{}
	for _, list := range lists {
		for _, t := range list[:min(len(list), 4*correctionsTried)] {
			if seen[t.term] || text.Stop(t.term) {
				continue
			}
			seen[t.term] = true
			d := text.Distance(word, t.term, 2)
			if t.term[0] != word[0] {
				d++
			}
			all = append(all, nearTerm{t, d})
		}
	}
	slices.SortStableFunc(all, func(a, b nearTerm) int {
		return cmp.Or(a.distance-b.distance, b.chunks-a.chunks, strings.Compare(a.term, b.term))
	})
	return all[:min(len(all), correctionsTried)]
}

// fuzzily looks for words like those that are nowhere. It is the last resort: only where nothing else was found. What
// stands in quotes is meant as it stands.
func (s *search) fuzzily() error {
	if err := s.correct(); err != nil || len(s.seen) > 0 {
		return err
	}
	g := group{match: MatchFuzzy, wishes: s.wanted}
	some := clause{}
	for _, w := range s.wanted {
		either := w.wide
		for _, c := range w.meant {
			either = either.or(c.found)
			some = append(some, unit{kind: unitWord, text: c.term})
		}
		g.sets = append(g.sets, either)
		if !w.stop {
			g.count = append(g.count, either.answers())
			g.ids = union(g.ids, union(either.in, intersect(either.by, s.index.firsts)))
		}
	}
	if len(some) == 0 {
		return nil
	}
	s.add(g)
	s.ran = append(s.ran, expression(append([]clause{some}, s.filters()...)).String())
	return nil
}

// correct looks for what may have been meant by words that are nowhere.
func (s *search) correct() error {
	for _, w := range s.wanted {
		word, ok := stemmable(w.clause[0])
		if !ok || len(w.clause) > 1 || w.stop || !w.nowhere() {
			continue
		}
		var err error
		if w.meant, err = s.corrected(word); err != nil {
			return err
		}
	}
	return nil
}

// nowhere says whether no attempt found a wish.
func (w *wish) nowhere() bool {
	for _, f := range []found{w.wide, w.part, w.inside} {
		if len(f.in)+len(f.by) > 0 {
			return false
		}
	}
	return true
}

// suggestion is a query with its unknown words corrected, and how many chunks hold all of it.
type suggestion struct {
	query  string
	chunks int
}

// suggestions are the query with each unknown word corrected, as far as that finds all of it; of several words the ones
// that stand together most often first.
func (s *search) suggestions() []string {
	var list []suggestion
	for i := range corrections {
		if g, ok := s.suggestion(i); ok {
			list = append(list, g)
		}
	}
	if len(s.wanted) > 1 {
		slices.SortStableFunc(list, func(a, b suggestion) int { return b.chunks - a.chunks })
	}
	var queries []string
	for _, g := range list {
		queries = append(queries, g.query)
	}
	return queries
}

// suggestion takes the i-th correction of each unknown word, or its last one.
func (s *search) suggestion(i int) (suggestion, bool) {
	var sets []found
	e, changed := slices.Clone(s.expression), false
	for _, w := range s.wanted {
		if len(w.meant) == 0 {
			sets = append(sets, w.wide)
			continue
		}
		changed = changed || i < len(w.meant)
		c := w.meant[min(i, len(w.meant)-1)]
		sets = append(sets, c.found)
		for at := range e {
			if e[at].String() == w.clause.String() {
				e[at] = clause{{kind: unitWord, text: c.term}}
			}
		}
	}
	if !changed {
		return suggestion{}, false
	}
	n := len(s.left(every(sets, s.index.firsts)))
	return suggestion{e.String(), n}, n > 0
}
