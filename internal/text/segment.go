package text

// Kind says which stream a Token belongs to.
type Kind uint8

// The kinds of token. Words and Grams together are the running text, in order: a phrase of the source is a run of
// them. Idents stand outside that order: whole identifiers (C++, .NET, ISO-27001, foo_bar.baz, v1.2.3, --dry-run) and
// the parts of camelCase words.
const (
	Word  Kind = iota // a word or a part of an identifier, folded
	Gram              // two neighbouring CJK characters; one where a run ends
	Ident             // a whole identifier with its punctuation, folded; or a camelCase part
)

// Token is one indexable piece of a text.
type Token struct {
	Term       string // folded; holds no space, no control character, no quote
	Start, End int    // byte span in the text it was cut from
	Kind       Kind
}

// Segment cuts s and calls emit for each token in order of Start, an Ident before the words inside it.
func Segment(s string, emit func(Token)) {
	c := cutter{src: s, emit: emit}
	c.walk()
}

// SegmentQuery cuts s as Segment does, for looking up: the single last character of a CJK run that ends s is left out
// when the run has more than one character, so that the rest is a run of bigrams that stands in any text holding s.
func SegmentQuery(s string, emit func(Token)) {
	c := cutter{src: s, emit: emit, query: true}
	c.walk()
}

// AppendTerms appends the terms of s, each followed by a space: the running text to words, identifiers to idents. It
// is Segment for building an index: no token is allocated.
func AppendTerms(words, idents []byte, s string) ([]byte, []byte) {
	c := cutter{src: s, words: words, idents: idents}
	c.walk()
	return c.words, c.idents
}
