package store

// withoutStrangers leaves vectors alone where they are of the library's own words and no document holds any of the
// query's: a model may remember words of documents that are gone, and takes what words are made of (characters of
// Chinese, stems of another language) for words.
func (s *search) withoutStrangers() error {
	if s.query.Near == nil || !s.query.Near.OwnWords {
		return nil
	}
	for _, w := range s.wanted {
		if len(w.typed.answers()) > 0 {
			return nil
		}
	}
	held, err := s.everywhere().held()
	if !held {
		s.query.Near = nil
	}
	return err
}

// everywhere is a search for the same words without scope and filters.
func (s *search) everywhere() *search {
	all := &search{lookup: &lookup{v: s.v, index: s.index}, query: s.query}
	for _, w := range s.wanted {
		all.expression = append(all.expression, w.clause)
	}
	return all
}

// held says whether any document holds one of the words, as typed, by its stem, or a part of it that is a word.
func (s *search) held() (bool, error) {
	if err := s.prepare(); err != nil {
		return false, err
	}
	for _, w := range s.wanted {
		if err := s.widen(w); err != nil {
			return false, err
		}
		if _, err := s.breakUp(w); err != nil {
			return false, err
		}
		if len(w.part.answers()) > 0 {
			return true, nil
		}
	}
	return false, nil
}
