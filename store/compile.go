package store

import (
	"strings"
	"unicode/utf8"

	"shelfd/internal/text"
)

// The columns in which phrases are looked for: running text. Identifiers stand in no order, and single terms are looked
// for in every column.
const (
	chunkWords     = "{heading body}"
	documentWords  = "{title alias tag path link}"
	identColumn    = "ident"
	headingColumn  = "heading"
	titleColumn    = "title"
	calledColumns  = "{title alias link}"
	tagColumn      = "tag"
	scopeColumn    = "scope"
	wordsPerPhrase = 64 // of a longer phrase the first are looked up: FTS5 keeps a cursor for each
)

// pieces is a text cut for looking up.
type pieces struct {
	running []string // words and grams, in order
	whole   string   // the identifier that covers the text, "" without one
	lone    []string // identifiers with one word inside (C++, .NET): their words alone say little
}

func cut(s string) pieces {
	var p pieces
	var idents, running []text.Token
	text.SegmentQuery(s, func(t text.Token) {
		if t.Kind == text.Ident {
			idents = append(idents, t)
		} else if len(running) < wordsPerPhrase {
			running = append(running, t)
			p.running = append(p.running, t.Term)
		}
	})
	for _, ident := range idents {
		inside := wordsInside(ident, running)
		switch {
		case inside == 0: // a hump of a camelCase word
		case inside == len(running) && p.whole == "":
			p.whole = ident.Term
		}
		if inside == 1 {
			p.lone = append(p.lone, ident.Term)
		}
	}
	return p
}

// wordsInside counts the words that an identifier is made of; none when it is itself part of a word.
func wordsInside(ident text.Token, running []text.Token) int {
	n := 0
	for _, w := range running {
		if w.Start >= ident.Start && w.End <= ident.End {
			n++
		} else if w.Start < ident.End && w.End > ident.Start {
			return 0
		}
	}
	return n
}

// match is a unit as MATCH expressions, one for each FTS table; "" matches nothing.
//
// Invariant: every term in it is quoted, and terms hold no quotes: nothing of the user's text is FTS syntax.
type match struct {
	chunk, document string
	common          commonTerm // of a single term, for which postings may be kept
}

// compileUnit writes a word, phrase or prefix as typed. It is empty when the unit holds nothing that could be found.
func compileUnit(u unit) match {
	p := cut(u.text)
	switch {
	case len(p.running) == 0:
		return match{}
	case u.kind == unitPhrase:
		return compilePhrase(p)
	case u.kind == unitPrefix:
		return compilePrefix(p)
	case p.whole != "" && len(p.running) == 1:
		return identMatch(p.whole)
	case p.whole != "":
		return identMatch(p.whole).or(runningMatch(p.running))
	}
	return runningMatch(p.running)
}

// compilePhrase wants the words in a row, and identifiers like C++ with their signs.
func compilePhrase(p pieces) match {
	if len(p.running) == 1 && len(p.lone) > 0 {
		return identMatch(p.lone[0])
	}
	var idents []match
	for _, ident := range p.lone {
		idents = append(idents, identMatch(ident))
	}
	return runningMatch(p.running).and(idents...)
}

func compilePrefix(p pieces) match {
	m := prefixMatch(p.running)
	if p.whole != "" {
		star := quote(p.whole) + " *"
		m = m.or(match{chunk: identColumn + " : " + star, document: identColumn + " : " + star})
	}
	return m
}

// runningMatch wants terms in a row in the running text; a single one may be an identifier's part as well.
func runningMatch(terms []string) match {
	if len(terms) > 1 {
		return match{chunk: chunkWords + " : " + quote(terms...), document: documentWords + " : " + quote(terms...)}
	}
	if isSingleCJK(terms[0]) {
		return prefixMatch(terms) // each CJK character begins a gram
	}
	return termMatch(terms[0])
}

func termMatch(term string) match {
	return match{chunk: quote(term), document: quote(term), common: commonTerm{term: term}}
}

func prefixMatch(terms []string) match {
	star := quote(terms...) + " *"
	if len(terms) > 1 {
		return match{chunk: chunkWords + " : " + star, document: documentWords + " : " + star}
	}
	return match{chunk: star, document: star, common: commonTerm{term: terms[0], open: true}}
}

func identMatch(term string) match {
	return match{chunk: identColumn + " : " + quote(term), document: identColumn + " : " + quote(term)}
}

// anyOf wants one of several terms. The list is flat: nested brackets would overflow the stack of FTS5's parser.
func anyOf(terms []string) match {
	list := alternatives(terms)
	return match{chunk: list, document: list}
}

func alternatives(terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = quote(term)
	}
	return "(" + strings.Join(quoted, " OR ") + ")"
}

func isSingleCJK(term string) bool {
	r, size := utf8.DecodeRuneInString(term)
	return size == len(term) && text.IsCJK(r)
}

// quote writes terms as one FTS5 string. Terms hold no quotes; doubling them keeps that no assumption.
func quote(terms ...string) string {
	return `"` + strings.ReplaceAll(strings.Join(terms, " "), `"`, `""`) + `"`
}

func (m match) or(others ...match) match {
	chunks, documents := []string{m.chunk}, []string{m.document}
	for _, other := range others {
		chunks, documents = append(chunks, other.chunk), append(documents, other.document)
	}
	return match{chunk: orMatch(chunks...), document: orMatch(documents...)}
}

func (m match) and(others ...match) match {
	chunks, documents := []string{m.chunk}, []string{m.document}
	for _, other := range others {
		chunks, documents = append(chunks, other.chunk), append(documents, other.document)
	}
	return match{chunk: andMatch(chunks...), document: andMatch(documents...)}
}

// scoped restricts both expressions to a scope; "" does not.
func (m match) scoped(scope string) match {
	if scope == "" {
		return m
	}
	m.common = commonTerm{}
	if m.chunk != "" {
		m.chunk = andMatch(scope, m.chunk)
	}
	if m.document != "" {
		m.document = andMatch(scope, m.document)
	}
	return m
}

func orMatch(parts ...string) string { return joinMatches(parts, " OR ") }

func andMatch(parts ...string) string { return joinMatches(parts, " AND ") }

// joinMatches joins expressions side by side: the stack of FTS5's parser holds only about a hundred brackets. Empty ones
// are left out.
func joinMatches(parts []string, operator string) string {
	var kept []string
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	if len(kept) == 1 {
		return kept[0]
	}
	for i, part := range kept {
		kept[i] = "(" + part + ")"
	}
	return strings.Join(kept, operator)
}

// scopeMatch wants one of several scope terms.
func scopeMatch(terms ...string) string {
	return scopeColumn + " : " + alternatives(terms)
}
