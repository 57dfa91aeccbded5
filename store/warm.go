package store

import "slices"

// warmTerms is how many of the commonest terms are looked up ahead: a few milliseconds each.
const warmTerms = 256

// Warm begins to read beside everything else what the first searches would wait for: the vocabularies and the postings
// of the commonest terms. It does nothing when that has been done or is under way, or when the store is only read:
// then it will not live long enough.
func (s *Store) Warm() {
	if s.readOnly || s.closing.Err() != nil || !s.warm.CompareAndSwap(false, true) {
		return
	}
	s.beside.Go(func() {
		if !s.warmUp() {
			s.warm.Store(false) // the next search tries again, and meets an error itself
		}
	})
}

func (s *Store) warmUp() bool {
	for _, l := range []*lexicon{&s.chunkWords, &s.nameWords} {
		err := s.View(s.closing, func(v *View) error {
			_, _, err := l.terms(v)
			return err
		})
		if _, _, ok := l.read(); err != nil || !ok {
			return false
		}
	}
	base, _, ok := s.chunkWords.read()
	if !ok {
		return false // the file was changed for another
	}
	for _, term := range base.commonest(warmTerms) {
		if s.View(s.closing, func(v *View) error { return v.keepCommon(term) }) != nil {
			return false
		}
	}
	return true
}

// keepCommon looks a term up wherever ranking asks for it.
func (v *View) keepCommon(term string) error {
	index, err := v.census()
	if err != nil || index.common.full() {
		return err
	}
	l := &lookup{v: v, index: index}
	word := clause{{kind: unitWord, text: term}}
	if _, err := l.match(termMatch(term)); err != nil {
		return err
	}
	if _, err := l.chunks(headingMatch(word)); err != nil {
		return err
	}
	_, err = l.documents(calledMatch(word), called)
	return err
}

// commonest are the terms in the most rows, n at most, those in fewer than commonFrom left out.
func (w *vocabulary) commonest(n int) []string {
	var terms []vocabularyTerm
	for i, rows := range w.rows {
		if rows >= commonFrom {
			terms = append(terms, vocabularyTerm{w.term(i), int(rows)})
		}
	}
	slices.SortFunc(terms, func(a, b vocabularyTerm) int { return b.chunks - a.chunks })
	list := make([]string, 0, n)
	for _, t := range terms[:min(n, len(terms))] {
		list = append(list, t.term)
	}
	return list
}
