package text

import (
	"unicode"
	"unicode/utf8"
)

// compound takes the run src[a:b] that holds connectors: the whole, its elements (between / : @ & #), their parts
// (between full stops), each as an identifier where it has a connector of its own, and the words inside.
func (c *cutter) compound(a, b int) {
	wholeStart, wholeEnd := c.identifier(a, b, -1, -1)
	for a < b {
		end := c.elementEnd(a, b)
		if start, stop := c.identifier(a, end, wholeStart, wholeEnd); start < stop {
			c.parts(a, end, start, stop)
		}
		a = end + 1
	}
}

// parts takes the element src[a:b], trimmed to src[start:stop], cut at full stops.
func (c *cutter) parts(a, b, start, stop int) {
	c.unversioned(start, stop)
	for a < b {
		end := a + 1
		for end < b && c.src[end] != '.' {
			end++
		}
		c.identifier(a, end, start, stop)
		c.pieces(a, end)
		a = end + 1
	}
}

// identifier puts src[a:b] as an identifier, trimmed, unless it is the span just put, too long, or a plain word. It
// returns the trimmed span.
func (c *cutter) identifier(a, b, parentStart, parentEnd int) (start, end int) {
	start, end = c.trim(a, b)
	if start == end || start == parentStart && end == parentEnd {
		return start, end
	}
	if end-start <= termMax && c.connected(start, end) {
		c.put(Ident, start, end)
	}
	return start, end
}

// unversioned puts the name before a version that is written against it: c++ of c++11, c# of c#12.
func (c *cutter) unversioned(a, b int) {
	for i := a + 1; i < b-1 && i-a < 8; i++ {
		if c.src[i] == '#' && i == a+1 || c.src[i] == '+' && c.src[i-1] == '+' && i > a+1 {
			if ascii[c.src[i+1]&0x7F] == classDigit {
				c.put(Ident, a, i+1)
			}
			return
		}
	}
}

func (c *cutter) connected(a, b int) bool {
	for i := a; i < b; i++ {
		if isConnector(c.src[i]) {
			return true
		}
	}
	return false
}

// elementEnd finds the end of the element that begins at a.
func (c *cutter) elementEnd(a, b int) int {
	i := a
	for i < b && !isAlnumByte(c.src[i]) { // a sign at the start belongs to the element: @scope, --flag
		i++
	}
	for i < b && !c.strong(i, a, b) {
		i++
	}
	return i
}

// strong says whether the sign at i parts elements in an element that began at start. C# and F# keep theirs.
func (c *cutter) strong(i, start, end int) bool {
	switch c.src[i] {
	case '/', ':', '&':
		return true
	case '@':
		return i > start
	case '#':
		return i > start+1 && i+1 < end && isAlnumByte(c.src[i+1])
	}
	return false
}

func isAlnumByte(b byte) bool { return b >= utf8.RuneSelf || ascii[b]&classAlnum != 0 }

// trim cuts off the punctuation around an identifier. It keeps @x #x .x -x --x in front and + ++ # behind.
func (c *cutter) trim(a, b int) (start, end int) {
	for b > a && !isAlnumByte(c.src[b-1]) && !c.keepsTail(a, b) {
		b--
	}
	for a < b && !isAlnumByte(c.src[a]) && !c.keepsHead(a, b) {
		a++
	}
	return a, b
}

func (c *cutter) keepsTail(a, b int) bool {
	last := c.src[b-1]
	if b-a >= 3 && last == '+' && c.src[b-2] == '+' {
		return isAlnumByte(c.src[b-3])
	}
	return b-a >= 2 && (last == '+' || last == '#') && isAlnumByte(c.src[b-2])
}

func (c *cutter) keepsHead(a, b int) bool {
	switch c.src[a] {
	case '-':
		if a+2 < b && c.src[a+1] == '-' {
			return isAlnumByte(c.src[a+2])
		}
		return a+1 < b && isAlnumByte(c.src[a+1])
	case '@', '#', '.':
		return a+1 < b && isAlnumByte(c.src[a+1])
	}
	return false
}

// humps puts the parts of a camelCase word, those of two bytes and more: HTTPServer gives http and server. A word
// without a hump inside has none.
func (c *cutter) humps(a, b int) {
	start := a
	var before uint8
	for i := a; i < b; {
		class, size := c.classAt(i, b)
		if class == classUpper && i > a && c.opensHump(i+size, b, before) {
			c.hump(start, i)
			start = i
		}
		if class != classMark {
			before = class
		}
		i += size
	}
	if start > a {
		c.hump(start, b)
	}
}

func (c *cutter) hump(a, b int) {
	if b-a >= 2 {
		c.put(Ident, a, b)
	}
}

// opensHump says whether a capital after a character of class before, followed by src[next:b], opens a hump: after a
// small letter always; after another capital when a small letter follows (the S of HTTPServer), save the s of URLs.
func (c *cutter) opensHump(next, b int, before uint8) bool {
	if before == classLower {
		return true
	}
	if next >= b || c.src[next:b] == "s" {
		return false
	}
	following, _ := c.classAt(next, b)
	return following == classLower
}

func (c *cutter) classAt(i, b int) (class uint8, size int) {
	if c.src[i] < utf8.RuneSelf {
		return ascii[c.src[i]], 1
	}
	r, size := utf8.DecodeRuneInString(c.src[i:b])
	if unicode.IsTitle(r) {
		return classUpper, size
	}
	return classOf(r), size
}
