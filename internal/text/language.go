package text

// Language guesses the language of s from its script and commonest words: a BCP 47 primary subtag ("en", "it", "zh",
// "de", "fr", "es", "pt", "nl", "ru", "ja", "ko" …), "" when unsure. It looks at the first few kilobytes only.
func Language(s string) string { panic("stub") }

// Stem is the Snowball stem of a folded word in that language; the word itself for languages without a stemmer.
func Stem(language, word string) string { panic("stub") }

// Stemmed lists the languages that Stem knows, sorted.
func Stemmed() []string { panic("stub") }

// Stop says whether a folded term is a stop word of English, Italian or Chinese.
func Stop(term string) bool { panic("stub") }
