package chunker

import (
	"crypto/sha256"
	"encoding/binary"

	"golang.org/x/text/unicode/norm"
)

// keys fills the Key of each chunk: the first eight bytes of SHA-256 over the titles of its sections, outermost first,
// each ended by a NUL, and its text; both NFC, with every run of white space one space.
func (c *cutter) keys() {
	seen := make(map[uint64]int, len(c.doc.Chunks))
	var b []byte
	trail, prefix := -1, 0
	for i := range c.doc.Chunks {
		chunk := &c.doc.Chunks[i]
		if chunk.Node != trail {
			b = c.appendTrail(b[:0], chunk.Node)
			trail, prefix = chunk.Node, len(b)
		}
		b = appendNormal(b[:prefix], c.doc.Text[chunk.Span.Start:chunk.Span.End])
		sum := sha256.Sum256(b)
		hash := binary.BigEndian.Uint64(sum[:])
		seen[hash]++
		chunk.Key = Key{Hash: hash, Seq: seen[hash]}
	}
}

func (c *cutter) appendTrail(b []byte, node int) []byte {
	if node < 0 {
		return b
	}
	b = c.appendTrail(b, c.doc.Nodes[node].Parent)
	return append(appendNormal(b, c.doc.Nodes[node].Title), 0)
}

func appendNormal(b []byte, s string) []byte {
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	gap := false
	start := len(b)
	for i := 0; i < len(s); i++ {
		if isSpace(s[i]) {
			gap = true
			continue
		}
		if gap && len(b) > start {
			b = append(b, ' ')
		}
		gap = false
		b = append(b, s[i])
	}
	return b
}
