package text

import "unicode"

// The classes of a character, as bits: a run is described by the union of its characters' classes.
const (
	classSpace     uint8 = 0         // ends every run: white space, control, quotes, brackets, any other sign
	classLower     uint8 = 1 << iota // a letter that is not a capital, or any letter outside ASCII that has no case
	classUpper                       // a capital
	classDigit                       // any number
	classConnector                   // a sign that may stand inside an identifier
	classMark                        // joins the word before it, begins none

	classAlnum = classLower | classUpper | classDigit
)

// ascii gives the class of each ASCII character.
var ascii = asciiClasses()

func asciiClasses() (t [128]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] = classLower
		t[c-'a'+'A'] = classUpper
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = classDigit
	}
	for _, c := range "._-+#/:@&" {
		t[c] = classConnector
	}
	return t
}

// classOf gives the class of a character outside ASCII that is not CJK.
func classOf(r rune) uint8 {
	switch {
	case ignorable(r):
		return classMark
	case unicode.IsUpper(r):
		return classUpper
	case unicode.IsLetter(r):
		return classLower
	case unicode.IsNumber(r):
		return classDigit
	case unicode.IsMark(r):
		return classMark
	}
	return classSpace
}

// ignorable characters are invisible inside a word: soft hyphen, joiners, byte order mark, variation selectors.
func ignorable(r rune) bool {
	switch {
	case r == 0xAD, r == 0x200C, r == 0x200D, r == 0x2060, r == 0xFEFF:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return false
}

// cjk lists the letters of Chinese, Japanese and Korean as closed ranges in order. Sound marks (3099, 309A, FF9E,
// FF9F) are in: they never stand alone.
var cjk = [...][2]rune{
	{0x1100, 0x11FF}, // hangul jamo
	{0x2E80, 0x2FDF}, // radicals
	{0x3005, 0x3007},
	{0x3021, 0x3029},
	{0x3031, 0x3035},
	{0x3038, 0x303C},
	{0x3041, 0x3096},
	{0x3099, 0x309A},
	{0x309D, 0x309F}, // hiragana
	{0x30A1, 0x30FA},
	{0x30FC, 0x30FF}, // katakana
	{0x3105, 0x312F},
	{0x3131, 0x318E},
	{0x31A0, 0x31BF},
	{0x31F0, 0x31FF},
	{0x3400, 0x4DBF},
	{0x4E00, 0x9FFF}, // ideographs
	{0xA960, 0xA97C},
	{0xAC00, 0xD7A3},
	{0xD7B0, 0xD7FB}, // hangul
	{0xF900, 0xFAFF},
	{0xFF66, 0xFFDC}, // half-width kana and hangul
	{0x1B000, 0x1B16F},
	{0x20000, 0x3FFFD},
}

// IsCJK says whether r is a Chinese, Japanese or Korean letter (ideographs, kana, bopomofo, hangul).
func IsCJK(r rune) bool {
	if r < 0x1100 {
		return false
	}
	if r >= 0x4E00 && r <= 0x9FFF {
		return true
	}
	for _, span := range cjk {
		if r <= span[1] {
			return r >= span[0]
		}
	}
	return false
}

// extendsCJK says whether r belongs to the CJK character before it: a sound mark, a vowel or final of decomposed
// hangul, a variation selector.
func extendsCJK(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r >= 0x1160 && r <= 0x11FF, r >= 0xD7B0 && r <= 0xD7FB, r == 0xFF9E, r == 0xFF9F:
		return true
	case r >= 0x4E00 && r <= 0xD7A3:
		return false
	}
	return ignorable(r) || unicode.Is(unicode.Mn, r)
}
