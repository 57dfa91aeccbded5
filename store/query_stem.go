package store

import (
	"cmp"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelfd/internal/text"
)

const (
	// stemTerms bounds the words taken for a stem: the shortest. Beyond them are words run together.
	stemTerms = 32
	// stemRoot is the shortest beginning whose words are looked through.
	stemRoot = 3
)

// stemmed finds a word by its stem in the documents of each language that is present, as typed included, and returns
// the words that it stood for. A phrase, a prefix and an identifier have no stem.
func (l *lookup) stemmed(u unit, typed found) (found, []string, error) {
	word, ok := stemmable(u)
	if !ok {
		return typed, nil, nil
	}
	var words []string
	byTerms := map[string][]uint8{} // the languages in which these terms share the stem
	for _, language := range l.index.languages {
		terms, err := l.stemmates(text.Stemmed()[language-1], word)
		if err != nil {
			return found{}, nil, err
		}
		if len(terms) > 0 {
			key := strings.Join(terms, " ")
			byTerms[key] = append(byTerms[key], language)
			words = append(words, terms...)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byTerms)) {
		f, err := l.match(anyOf(strings.Split(key, " ")))
		if err != nil {
			return found{}, nil, err
		}
		typed = typed.or(found{in: l.index.speaking(f.in, byTerms[key]), by: l.index.speaking(f.by, byTerms[key])})
	}
	slices.Sort(words)
	return typed, slices.Compact(words), nil
}

// stemmable is the term of a word that may have inflections.
func stemmable(u unit) (string, bool) {
	if u.kind != unitWord {
		return "", false
	}
	p := cut(u.text)
	if len(p.running) != 1 || p.whole != "" {
		return "", false
	}
	word := p.running[0]
	r, _ := utf8.DecodeRuneInString(word)
	return word, !text.Stop(word) && utf8.RuneCountInString(word) >= stemRoot && !text.IsCJK(r) && !strings.ContainsAny(word, "0123456789")
}

// stemmates are the other words of the index with the same stem in a language, none when no document has it.
func (l *lookup) stemmates(language, word string) ([]string, error) {
	if !slices.Contains(l.index.languages, languageNumber(language)) {
		return nil, nil
	}
	stem := text.Stem(language, word)
	terms, err := l.termsFrom(stemStart(stem, word))
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(slices.Clone(terms), func(t vocabularyTerm) bool {
		return t.term == word || !onlyLetters(t.term) || text.Stem(language, t.term) != stem
	})
	if kept, err = l.v.seenTerms(kept, inChunks); err != nil {
		return nil, err
	}
	return shortest(kept, stemTerms), nil
}

// onlyLetters says whether a term is a word that could be inflected: most terms that begin with "http" are none, and
// stemming takes a microsecond.
func onlyLetters(term string) bool {
	for _, r := range term {
		if r != '\'' && r != '’' && !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
	}
	return true
}

// shortest are the n shortest terms, in alphabetical order.
func shortest(terms []vocabularyTerm, n int) []string {
	slices.SortFunc(terms, func(a, b vocabularyTerm) int {
		return cmp.Or(len(a.term)-len(b.term), strings.Compare(a.term, b.term))
	})
	var list []string
	for _, t := range terms[:min(n, len(terms))] {
		list = append(list, t.term)
	}
	slices.Sort(list)
	return list
}

// stemStart is how all words of a stem begin: what stem and word share, less one character, since the last one may
// change (library, libraries).
func stemStart(stem, word string) string {
	n := 0
	for n < len(stem) && n < len(word) && stem[n] == word[n] {
		n++
	}
	start := strings.ToValidUTF8(word[:n], "")
	if utf8.RuneCountInString(start) > stemRoot {
		_, size := utf8.DecodeLastRuneInString(start)
		start = start[:len(start)-size]
	}
	return start
}

// vocabularyTerm is a term of the chunks and the number of chunks that hold it.
type vocabularyTerm struct {
	term   string
	chunks int
}

// termsFrom are the terms that begin with start. Languages mostly ask for the same.
func (l *lookup) termsFrom(start string) ([]vocabularyTerm, error) {
	if terms, ok := l.terms[start]; ok {
		return terms, nil
	}
	if l.terms == nil {
		l.terms = map[string][]vocabularyTerm{}
	}
	if terms, ok := l.v.s.chunkWords.from(start); ok {
		l.terms[start] = terms
		return terms, nil
	}
	l.v.s.Warm()
	var terms []vocabularyTerm
	err := l.v.each(`SELECT term, doc FROM chunk_terms WHERE term >= ?1 AND term < ?1 || char(0x10FFFF)`, []any{start}, func(rows *sql.Rows) error {
		var t vocabularyTerm
		err := rows.Scan(&t.term, &t.chunks)
		terms = append(terms, t)
		return err
	})
	l.terms[start] = terms
	return terms, err
}

// commonest are the n terms in the most chunks, in alphabetical order.
func commonest(terms []vocabularyTerm, n int) []string {
	slices.SortFunc(terms, func(a, b vocabularyTerm) int {
		return cmp.Or(b.chunks-a.chunks, strings.Compare(a.term, b.term))
	})
	var list []string
	for _, t := range terms[:min(n, len(terms))] {
		list = append(list, t.term)
	}
	slices.Sort(list)
	return list
}

// substringTerms bounds the words that a part of a word stands for.
const substringTerms = 64

// containing finds what holds a folded part of a word inside: words of the chunks, the commonest ones, and names of
// documents.
func (l *lookup) containing(part string) (found, []string, error) {
	inside, err := l.v.s.chunkWords.containing(l.v, part)
	if err != nil {
		return found{}, nil, err
	}
	named, err := l.v.s.nameWords.containing(l.v, part)
	if err != nil {
		return found{}, nil, err
	}
	if inside, err = l.v.seenTerms(inside, inChunks); err != nil {
		return found{}, nil, err
	}
	if named, err = l.v.seenTerms(named, inNames); err != nil {
		return found{}, nil, err
	}
	words, names := commonest(inside, substringTerms), commonest(named, substringTerms)
	var m match
	if len(words) > 0 {
		m.chunk = anyOf(words).chunk
	}
	if len(names) > 0 {
		m.document = anyOf(names).document
	}
	f, err := l.match(m)
	return f, words, err
}
