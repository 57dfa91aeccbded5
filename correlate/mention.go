package correlate

import (
	"bytes"
	"slices"
	"strings"

	"shelfd/internal/text"
)

// mentions finds names in texts. A name is a run of terms; each of its beginnings has a key, so that a text is read
// once and every place in it is followed only as far as some name goes.
type mentions struct {
	beginnings map[uint64]uint32 // key of the first terms of a name → how many names begin so
	names      lists             // key of all terms of a name → documents
}

func newMentions() mentions {
	return mentions{beginnings: make(map[uint64]uint32), names: newLists()}
}

// follow is the key of a run of terms from the key of the run without its last one.
func follow(key, term uint64) uint64 {
	key = (key ^ term) * 0x9E3779B97F4A7C15
	return key ^ key>>29
}

func (m *mentions) add(name string, doc uint32) {
	key := uint64(0)
	for term := range strings.SplitSeq(name, " ") {
		key = follow(key, hash(term))
		m.beginnings[key]++
	}
	m.names.add(key, doc)
}

func (m *mentions) remove(name string, doc uint32) {
	key := uint64(0)
	for term := range strings.SplitSeq(name, " ") {
		key = follow(key, hash(term))
		if m.beginnings[key]--; m.beginnings[key] == 0 {
			delete(m.beginnings, key)
		}
	}
	m.names.remove(key, doc)
}

// nameKey is the key of all terms of a name.
func nameKey(name string) uint64 {
	key := uint64(0)
	for term := range strings.SplitSeq(name, " ") {
		key = follow(key, hash(term))
	}
	return key
}

// find calls f for every document whose name stands in s, once for each place. Names with one of the keys in own are as
// if they did not stand there.
func (m *mentions) find(s string, own []uint64, f func(doc uint32)) {
	buffer, _ := text.AppendTerms(make([]byte, 0, len(s)+len(s)/4), nil, s)
	all := make([]uint64, 0, len(buffer)/4)
	for start := 0; start < len(buffer); {
		end := start + bytes.IndexByte(buffer[start:], ' ')
		all = append(all, hash(buffer[start:end]))
		start = end + 1
	}
	for i := range all {
		key := uint64(0)
		for _, term := range all[i:] {
			key = follow(key, term)
			if m.beginnings[key] == 0 {
				break
			}
			if !slices.Contains(own, key) {
				m.names.each(key, f)
			}
		}
	}
}

// Cites says whether s, the text of source, names a document: whether Mentioned would list it. It is cheaper where only
// one document is in question.
func (ix *Index) Cites(source int64, s string, doc int64) bool {
	n, ok := ix.ordinals[doc]
	if !ok || ix.entries[n].names == "" || source == doc {
		return false
	}
	own := ix.ownKeys(source)
	buffer, _ := text.AppendTerms(append(make([]byte, 0, 1+len(s)+len(s)/4), ' '), nil, s)
	cites := false
	ix.entries[n].eachName(func(name string) {
		cites = cites || !slices.Contains(own, nameKey(name)) && bytes.Contains(buffer, []byte(" "+name+" "))
	})
	return cites
}

// Bears says whether a document has a name, as the index writes it.
func (ix *Index) Bears(doc int64, name string) (bears bool) {
	if n, ok := ix.ordinals[doc]; ok {
		ix.entries[n].eachName(func(own string) { bears = bears || own == name })
	}
	return bears
}

// ownKeys are the keys of a document's own names.
func (ix *Index) ownKeys(doc int64) (keys []uint64) {
	if n, ok := ix.ordinals[doc]; ok {
		ix.entries[n].eachName(func(name string) { keys = append(keys, nameKey(name)) })
	}
	return keys
}
