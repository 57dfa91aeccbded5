package chunker

import (
	"crypto/sha256"
	"encoding/binary"

	"golang.org/x/text/unicode/norm"
)

// keys fills the Key of each chunk: the first eight bytes of SHA-256 over the digest of its heading trail and its text.
// The digest of a trail is SHA-256 over the digest of the trail above, if there is one, and the title. Titles and text
// are NFC, with every run of white space one space.
func (c *cutter) keys() {
	seen := make(map[uint64]int, len(c.doc.Chunks))
	trails := make([][sha256.Size]byte, len(c.doc.Nodes))
	var b []byte
	for i, n := range c.doc.Nodes {
		b = b[:0]
		if n.Parent >= 0 {
			b = append(b, trails[n.Parent][:]...)
		}
		trails[i] = sha256.Sum256(appendNormal(b, n.Title))
	}
	for i := range c.doc.Chunks {
		chunk := &c.doc.Chunks[i]
		b = append(b[:0], trails[chunk.Node][:]...)
		b = appendNormal(b, c.doc.Text[chunk.Span.Start:chunk.Span.End])
		sum := sha256.Sum256(b)
		hash := binary.BigEndian.Uint64(sum[:])
		seen[hash]++
		chunk.Key = Key{Hash: hash, Seq: seen[hash]}
	}
}

// appendNormal appends s in the form that is hashed.
func appendNormal(b []byte, s string) []byte {
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	start := len(b)
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && !isSpace(s[end]) {
			end++
		}
		if end > i && len(b) > start {
			b = append(b, ' ')
		}
		b = append(b, s[i:end]...)
		i = end + 1
	}
	return b
}
