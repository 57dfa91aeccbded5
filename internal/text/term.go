package text

import "unicode/utf8"

// appendTerm appends the folded form of span, without the spaces and signs that folding may bring in.
func appendTerm(dst []byte, kind Kind, span string) []byte {
	start := len(dst)
	for i := 0; i < len(span); i++ {
		b := span[i]
		if b >= utf8.RuneSelf {
			return appendTermSlow(dst[:start], kind, span)
		}
		if b-'A' < 26 {
			b |= 0x20
		}
		dst = append(dst, b)
	}
	return dst
}

func appendTermSlow(dst []byte, kind Kind, span string) []byte {
	start := len(dst)
	if kind == Gram {
		if allPlainCJK(span) {
			return append(dst, span...)
		}
		return clean(appendGram(dst, span), start, kind)
	}
	dst = appendFold(dst, span)
	dst = clean(dst, start, kind)
	if kind == Ident && !hasAlnum(dst[start:]) {
		return dst[:start]
	}
	return dst
}

func hasAlnum(b []byte) bool {
	for _, c := range b {
		if isAlnumByte(c) {
			return true
		}
	}
	return false
}

// appendGram folds character by character, so that the term of two begins with the term of the first alone.
func appendGram(dst []byte, span string) []byte {
	c := cutter{src: span}
	var b [32]byte
	for i := 0; i < len(span); {
		end := c.characterEnd(i)
		dst = append(dst, appendFold(b[:0], span[i:end])...)
		i = end
	}
	return dst
}

func allPlainCJK(s string) bool {
	for _, r := range s {
		if !isPlainCJK(r) {
			return false
		}
	}
	return true
}

// clean removes from dst[start:] what is no part of a term: a compatibility form may unfold into a space or a bracket.
func clean(dst []byte, start int, kind Kind) []byte {
	out := dst[:start]
	for i := start; i < len(dst); {
		r, size := rune(dst[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(dst[i:])
		}
		if inTerm(r, kind) {
			out = append(out, dst[i:i+size]...)
		}
		i += size
	}
	return out
}

func inTerm(r rune, kind Kind) bool {
	if r >= utf8.RuneSelf {
		return IsCJK(r) || classOf(r) != classSpace
	}
	class := ascii[r]
	return class&classAlnum != 0 || class == classConnector && kind == Ident
}
