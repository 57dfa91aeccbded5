package text

// Units is the size of s for cutting: one for a CJK character, two for any other word.
func Units(s string) int { panic("stub") }

// Tokens estimates the language model tokens of s: one for a CJK character, one for four other characters, rounded up.
func Tokens(s string) int { panic("stub") }

// IsCJK says whether r is a Chinese, Japanese or Korean letter (ideographs, kana, bopomofo, hangul).
func IsCJK(r rune) bool { panic("stub") }

// UTF16Len is the length of s in UTF-16 code units.
func UTF16Len(s string) int { panic("stub") }

// Distance is the optimal string alignment distance between a and b in characters; any value above max comes back as
// max+1.
func Distance(a, b string, max int) int { panic("stub") }
