package text

import "unicode/utf8"

const (
	// termMax is the length in bytes at which a word is cut and above which a run is no identifier. Longer ones are
	// hashes, encoded bytes and separators, which nobody types.
	termMax = 64
	// junkMax is the length in bytes above which a run that looks like base64 is indexed only up to termMax.
	junkMax = 256
)

// cutter walks over a text once. Segment and AppendTerms are both this walk, so that they cannot differ.
type cutter struct {
	src           string
	words, idents []byte      // where terms go when emit is nil
	emit          func(Token) // where tokens go otherwise
	scratch       []byte
	query         bool // see SegmentQuery
}

func (c *cutter) walk() {
	src := c.src
	for i := 0; i < len(src); {
		b := src[i]
		if b >= utf8.RuneSelf {
			i = c.beyondASCII(i)
			continue
		}
		class := ascii[b]
		if class == classSpace {
			i++
			continue
		}
		i = c.fromASCII(i, class)
	}
}

// fromASCII takes the run that begins with the ASCII character at i. Most are plain words, which end here.
func (c *cutter) fromASCII(i int, class uint8) int {
	if class == classConnector {
		return c.run(i)
	}
	src, inner := c.src, uint8(0)
	j := i + 1
	for j < len(src) && src[j] < utf8.RuneSelf {
		next := ascii[src[j]]
		if next&classAlnum == 0 {
			break
		}
		inner |= next
		j++
	}
	if !c.endsWord(j) {
		return c.run(i)
	}
	c.word(i, j, inner&classUpper != 0 && (class|inner)&classLower != 0)
	return j
}

// endsWord says whether a plain word ends at j: at the end, before a space, or before a full stop and a space.
func (c *cutter) endsWord(j int) bool {
	if j == len(c.src) {
		return true
	}
	b := c.src[j]
	if b >= utf8.RuneSelf {
		return false
	}
	if ascii[b] == classSpace {
		return true
	}
	return (b == '.' || b == ':') && j+1 < len(c.src) && c.src[j+1] < utf8.RuneSelf && ascii[c.src[j+1]] == classSpace
}

// beyondASCII takes what begins with the non-ASCII character at i.
func (c *cutter) beyondASCII(i int) int {
	r, size := utf8.DecodeRuneInString(c.src[i:])
	if IsCJK(r) {
		return c.grams(i)
	}
	if classOf(r)&classAlnum != 0 {
		return c.run(i)
	}
	return i + size
}

// grams takes the CJK run at i: each two neighbours, then the last one alone, so that every character begins a term.
func (c *cutter) grams(i int) int {
	first, last := i, i
	end := c.characterEnd(i)
	for end < len(c.src) {
		r, _ := utf8.DecodeRuneInString(c.src[end:])
		if !IsCJK(r) {
			break
		}
		next := c.characterEnd(end)
		c.put(Gram, last, next)
		last, end = end, next
	}
	if !c.query || last == first || end < len(c.src) {
		c.put(Gram, last, end)
	}
	return end
}

// characterEnd is the end of the CJK character at i with its sound marks and decomposed parts.
func (c *cutter) characterEnd(i int) int {
	_, size := utf8.DecodeRuneInString(c.src[i:])
	for i += size; i < len(c.src) && c.src[i] >= utf8.RuneSelf; i += size {
		var r rune
		if r, size = utf8.DecodeRuneInString(c.src[i:]); !extendsCJK(r) {
			break
		}
	}
	return i
}

// run takes the longest stretch from i without spaces and CJK.
func (c *cutter) run(i int) int {
	j, classes := c.runEnd(i)
	switch {
	case classes&classAlnum == 0:
	case classes&classConnector == 0:
		c.piece(i, j)
	case j-i > junkMax && looksEncoded(c.src[i:j]):
		c.plainPieces(i, i+termMax)
	default:
		c.compound(i, j)
	}
	return j
}

func (c *cutter) runEnd(i int) (end int, classes uint8) {
	for i < len(c.src) {
		class, size := uint8(0), 1
		if b := c.src[i]; b < utf8.RuneSelf {
			class = ascii[b]
		} else {
			var r rune
			if r, size = utf8.DecodeRuneInString(c.src[i:]); !IsCJK(r) {
				class = classOf(r)
			}
		}
		if class == classSpace {
			break
		}
		classes |= class
		i += size
	}
	return i, classes
}

// looksEncoded holds for a stretch of the base64 alphabet with all of lower case, capitals and digits.
func looksEncoded(s string) bool {
	classes := uint8(0)
	for i := 0; i < len(s); i++ {
		b := s[i]
		if b >= utf8.RuneSelf || ascii[b] == classConnector && b != '+' && b != '/' && b != '-' && b != '_' {
			return false
		}
		classes |= ascii[b]
	}
	return classes&classAlnum == classAlnum
}

// pieces takes the words of src[a:b], which is part of a run.
func (c *cutter) pieces(a, b int) {
	for a < b {
		end := a
		for end < b && !isConnector(c.src[end]) {
			end++
		}
		if end > a {
			c.piece(a, end)
		}
		a = end + 1
	}
}

// plainPieces takes the words of src[a:b] without looking for camelCase: in encoded bytes it is chance.
func (c *cutter) plainPieces(a, b int) {
	for i := a; i <= b; i++ {
		if i == b || isConnector(c.src[i]) {
			if i > a {
				c.word(a, i, false)
			}
			a = i + 1
		}
	}
}

func isConnector(b byte) bool { return b < utf8.RuneSelf && ascii[b] == classConnector }

// piece takes the word src[a:b], less the marks that it begins with.
func (c *cutter) piece(a, b int) {
	for a < b && c.src[a] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(c.src[a:b])
		if classOf(r)&classAlnum != 0 {
			break
		}
		a += size
	}
	if a < b {
		c.word(a, b, true)
	}
}

// word puts the word src[a:b]; humped says that it may be written in camelCase.
func (c *cutter) word(a, b int, humped bool) {
	if b-a > termMax {
		c.put(Word, a, cutAt(c.src, a, termMax))
		return
	}
	c.put(Word, a, b)
	if humped {
		c.humps(a, b)
	}
}

// cutAt is the last rune boundary of src in a+1 … a+n.
func cutAt(src string, a, n int) int {
	end := a + n
	for end > a+1 && !utf8.RuneStart(src[end]) {
		end--
	}
	return end
}

// put hands over the term of src[a:b], if anything is left of it after folding.
func (c *cutter) put(kind Kind, a, b int) {
	if c.emit != nil {
		c.token(kind, a, b)
		return
	}
	if kind == Ident {
		c.idents = closeTerm(appendTerm(c.idents, kind, c.src[a:b]), len(c.idents))
		return
	}
	c.words = closeTerm(appendTerm(c.words, kind, c.src[a:b]), len(c.words))
}

// closeTerm puts the space behind the term that begins at start; without a term there is none.
func closeTerm(dst []byte, start int) []byte {
	if len(dst) == start {
		return dst
	}
	return append(dst, ' ')
}

func (c *cutter) token(kind Kind, a, b int) {
	span := c.src[a:b]
	if !folded(span) {
		c.scratch = appendTerm(c.scratch[:0], kind, span)
		if len(c.scratch) == 0 {
			return
		}
		span = string(c.scratch)
	}
	c.emit(Token{Term: span, Start: a, End: b, Kind: kind})
}
