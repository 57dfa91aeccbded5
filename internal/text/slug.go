package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Slug turns a heading into one step of a node id: NFKC, lower case, letters, digits and marks kept, every other run
// one '-', trimmed; "section" when nothing is left.
func Slug(s string) string {
	var b strings.Builder
	gap := false
	// The second NFKC is for letters whose lower case decomposes, so that a slug is its own slug.
	for _, r := range norm.NFKC.String(strings.ToLower(norm.NFKC.String(s))) {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// Path turns the exact bytes of a slash separated path into the form that is shown: NFC, and %XX for each byte that is
// not UTF-8.
func Path(b string) string {
	if utf8.ValidString(b) {
		return norm.NFC.String(b)
	}
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRuneInString(b[i:])
		if r == utf8.RuneError && size == 1 {
			out.WriteByte('%')
			out.WriteByte(hex[b[i]>>4])
			out.WriteByte(hex[b[i]&15])
		} else {
			out.WriteString(b[i : i+size])
		}
		i += size
	}
	return norm.NFC.String(out.String())
}
