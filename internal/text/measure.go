package text

import "unicode/utf8"

// Units is the size of s for cutting: one for a CJK character, two for any other word.
//
// A word is a run of letters, digits and marks: punctuation costs nothing and "don't" is two words, as in Segment.
func Units(s string) int {
	units, inside := 0, false
	for i := 0; i < len(s); {
		class, size := uint8(0), 1
		if b := s[i]; b < utf8.RuneSelf {
			class = ascii[b]
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if IsCJK(r) {
				units++
			} else {
				class = classOf(r)
			}
		}
		i += size
		if class == classMark {
			continue
		}
		letter := class&classAlnum != 0
		if letter && !inside {
			units += 2
		}
		inside = letter
	}
	return units
}

// Tokens estimates the language model tokens of s: one for a CJK character, one for four other characters, rounded up.
func Tokens(s string) int {
	dense, other := 0, 0
	for _, r := range s {
		if IsCJK(r) {
			dense++
		} else {
			other++
		}
	}
	return dense + (other+3)/4
}

// UTF16Len is the length of s in UTF-16 code units.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
