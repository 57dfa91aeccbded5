package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold brings s to the form in which it is compared: NFKC, full case folding, accents removed from Latin, Greek and
// Cyrillic letters, full-width forms narrowed. "perché" and "PERCHE" fold alike.
//
// Strokes and ligatures that Unicode does not decompose go the same way (ł to l, ø to o, æ to ae, œ to oe): who looks
// for them often has no key for them. The Cyrillic й stays, it is a letter of its own and no accented и.
func Fold(s string) string {
	if folded(s) {
		return s
	}
	return string(appendFold(make([]byte, 0, len(s)+8), s))
}

// folded says whether s is ASCII without a capital, so that Fold has nothing to do.
func folded(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf || s[i]-'A' < 26 {
			return false
		}
	}
	return true
}

// foldTableEnd is the end of the characters whose folding is looked up: Latin, Greek, Cyrillic.
const foldTableEnd = 0x530

// foldTable holds the folding of single characters below foldTableEnd.
var foldTable = buildFoldTable()

func buildFoldTable() *[foldTableEnd]string {
	var t [foldTableEnd]string
	for r := rune(0); r < foldTableEnd; r++ {
		t[r] = string(foldSlow(nil, string(r)))
	}
	return &t
}

// appendFold appends Fold(s) to dst.
func appendFold(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c-'A' < 26 {
				c |= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		end, plain := clusterEnd(s, i)
		if plain {
			dst = appendPlain(dst, s[i:end])
		} else {
			dst = foldSlow(dst, s[i:end])
		}
		i = end
	}
	return dst
}

// clusterEnd finds the end of what begins at i and must be folded as one. A plain cluster is one character that
// appendPlain knows, with nothing behind it that would change it.
func clusterEnd(s string, i int) (end int, plain bool) {
	r, size := utf8.DecodeRuneInString(s[i:])
	end = i + size
	plain = r < 0x300 || r >= 0x370 && r < foldTableEnd || isPlainCJK(r) || r == utf8.RuneError && size == 1
	for end < len(s) && s[end] >= utf8.RuneSelf {
		next, size := utf8.DecodeRuneInString(s[end:])
		if !extendsCJK(next) && !unicode.IsMark(next) {
			break
		}
		plain = false
		end += size
	}
	return end, plain
}

// isPlainCJK holds for the characters that stand for themselves: ideographs, hangul syllables, kana.
func isPlainCJK(r rune) bool {
	return r >= 0x3400 && r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 ||
		r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r == 0x30FC
}

func appendPlain(dst []byte, s string) []byte {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return utf8.AppendRune(dst, utf8.RuneError)
	case r < foldTableEnd:
		return append(dst, foldTable[r]...)
	}
	return append(dst, s...)
}

// foldSlow is the definition: decompose, fold case, drop accents, compose.
func foldSlow(dst []byte, s string) []byte {
	var decomposed, bare [64]byte
	d := norm.NFKD.AppendString(decomposed[:0], s)
	out := bare[:0]
	strip := true // whether marks go: the base before them is no letter, or Latin, Greek or Cyrillic
	for len(d) > 0 {
		r, size := utf8.DecodeRune(d)
		d = d[size:]
		switch {
		case ignorable(r):
		case unicode.Is(unicode.Me, r):
		case unicode.Is(unicode.Mn, r) && strip:
			if r == 0x306 && endsInCyrillicI(out) {
				out = append(out[:len(out)-len("и")], "й"...)
			}
		default:
			strip = strips(r, strip)
			out = appendCase(out, r)
		}
	}
	return norm.NFC.Append(dst, out...)
}

func endsInCyrillicI(b []byte) bool {
	r, _ := utf8.DecodeLastRune(b)
	return r == 'и'
}

// strips says whether marks after r are dropped; was is the answer for the character before r.
func strips(r rune, was bool) bool {
	switch {
	case r < 0x300:
		return true
	case unicode.IsMark(r):
		return was
	}
	return !unicode.IsLetter(r) || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

// appendCase appends the full case folding of a decomposed character, and what strokes and ligatures become.
func appendCase(dst []byte, r rune) []byte {
	r = unicode.ToLower(r)
	switch r {
	case 'ß':
		return append(dst, "ss"...)
	case 'ς':
		return append(dst, "σ"...)
	case 'æ':
		return append(dst, "ae"...)
	case 'œ':
		return append(dst, "oe"...)
	case 'ø':
		return append(dst, 'o')
	case 'ł':
		return append(dst, 'l')
	case 'đ':
		return append(dst, 'd')
	case 'ħ':
		return append(dst, 'h')
	case 'ŧ':
		return append(dst, 't')
	case 'ı':
		return append(dst, 'i')
	}
	return utf8.AppendRune(dst, r)
}
