package text

import (
	"maps"
	"slices"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers holds the Snowball algorithm of each language. They keep no state but the environment they are given.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"da": danish.Stem,
	"de": german.Stem,
	"en": english.Stem,
	"es": spanish.Stem,
	"fi": finnish.Stem,
	"fr": french.Stem,
	"hu": hungarian.Stem,
	"it": italian.Stem,
	"nl": dutch.Stem,
	"no": norwegian.Stem,
	"pt": portuguese.Stem,
	"ro": romanian.Stem,
	"ru": russian.Stem,
	"sv": swedish.Stem,
	"tr": turkish.Stem,
}

// Stem is the Snowball stem of a folded word in that language; the word itself for languages without a stemmer.
//
// The word has lost its accents, which Snowball's rules know: some endings are missed, in text and query alike.
func Stem(language, word string) string {
	stem, ok := stemmers[language]
	if !ok || len(word) < 3 || len(word) > termMax {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	if env.Current() == "" {
		return word
	}
	return env.Current()
}

// Stemmed lists the languages that Stem knows, sorted.
func Stemmed() []string { return slices.Sorted(maps.Keys(stemmers)) }
