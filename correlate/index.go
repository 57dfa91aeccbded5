package correlate

import (
	"slices"
	"strings"
	"sync"
)

// Index holds the features of all documents in memory and finds links among them.
//
// Methods that read may run side by side; Put and Remove need the Index alone.
type Index struct {
	hierarchy *Hierarchy
	ordinals  map[int64]uint32 // by document id
	entries   []entry          // by ordinal
	free      []uint32         // ordinals without a document
	shelves   []string         // by number; shelves are few and never forgotten
	shelfOf   map[string]uint32
	folders   map[string]string // one copy of each folder name

	titles, headings, tags lists
	mentions               mentions
	scratch                sync.Pool // *marks
}

// entry is a document in the Index: its Features in one piece, since there are many documents.
type entry struct {
	id     int64
	path   string
	folder string
	names  string // joined by commas
	said   string // those of names that its own text says, joined by commas
	echo   uint64
	hashes []uint64 // title, headings, tags, keywords, one behind the other
	ends   [3]uint32
	shelf  uint32
	used   bool
}

func (e *entry) pack(f Features) {
	e.hashes = make([]uint64, 0, len(f.Title)+len(f.Headings)+len(f.Tags)+len(f.Keywords))
	for i, part := range [...][]uint64{f.Title, f.Headings, f.Tags} {
		e.hashes = append(e.hashes, part...)
		e.ends[i] = uint32(len(e.hashes))
	}
	e.hashes = append(e.hashes, f.Keywords...)
	e.names, e.said, e.echo = strings.Join(f.Names, ","), strings.Join(f.Said, ","), f.Echo
	if e.said == e.names {
		e.said = e.names // one string for both
	}
}

// features are those that were packed, without names.
func (e *entry) features() Features {
	return Features{
		Title: e.hashes[:e.ends[0]], Headings: e.hashes[e.ends[0]:e.ends[1]], Tags: e.hashes[e.ends[1]:e.ends[2]],
		Keywords: e.hashes[e.ends[2]:], Echo: e.echo, Folder: e.folder,
	}
}

func (e *entry) eachName(f func(name string)) { eachIn(e.names, f) }

// eachIn calls f for every one of some joined names.
func eachIn(joined string, f func(name string)) {
	if joined == "" {
		return
	}
	for name := range strings.SplitSeq(joined, ",") {
		f(name)
	}
}

// NewIndex makes an Index without documents. A nil Hierarchy knows no parents.
func NewIndex(h *Hierarchy) *Index {
	return &Index{
		hierarchy: h,
		ordinals:  make(map[int64]uint32), shelfOf: make(map[string]uint32), folders: make(map[string]string),
		titles: newLists(), headings: newLists(), tags: newLists(), mentions: newMentions(),
	}
}

// Len is the number of documents.
func (ix *Index) Len() int { return len(ix.ordinals) }

// Put adds a document or replaces what is known of it. path is its doc_path, by which ties are ordered.
func (ix *Index) Put(doc int64, shelf, path string, f Features) {
	ix.Remove(doc)
	n := ix.ordinal()
	ix.ordinals[doc] = n
	e := &ix.entries[n]
	*e = entry{id: doc, path: path, folder: ix.folder(f.Folder), shelf: ix.shelf(shelf), used: true}
	e.pack(f)
	ix.lists(n, (*lists).add)
	e.eachName(func(name string) { ix.mentions.add(name, n) })
}

func (ix *Index) ordinal() uint32 {
	if n := len(ix.free); n > 0 {
		ordinal := ix.free[n-1]
		ix.free = ix.free[:n-1]
		return ordinal
	}
	ix.entries = append(ix.entries, entry{})
	return uint32(len(ix.entries) - 1)
}

func (ix *Index) folder(name string) string {
	if one, ok := ix.folders[name]; ok {
		return one
	}
	ix.folders[name] = name
	return name
}

func (ix *Index) shelf(name string) uint32 {
	n, ok := ix.shelfOf[name]
	if !ok {
		n = uint32(len(ix.shelves))
		ix.shelves = append(ix.shelves, name)
		ix.shelfOf[name] = n
	}
	return n
}

// lists applies change to the lists that lead to document n.
func (ix *Index) lists(n uint32, change func(l *lists, key uint64, doc uint32)) {
	f := ix.entries[n].features()
	for _, h := range f.Title {
		change(&ix.titles, h, n)
	}
	for _, h := range f.Headings {
		change(&ix.headings, h, n)
	}
	for _, h := range f.Tags {
		change(&ix.tags, h, n)
	}
}

// Features are those of a document, as they were put.
func (ix *Index) Features(doc int64) (Features, bool) {
	n, ok := ix.ordinals[doc]
	if !ok {
		return Features{}, false
	}
	f := ix.entries[n].features()
	ix.entries[n].eachName(func(name string) { f.Names = append(f.Names, name) })
	eachIn(ix.entries[n].said, func(name string) { f.Said = append(f.Said, name) })
	return f, true
}

// Remove forgets a document; one that is not there is no error.
func (ix *Index) Remove(doc int64) {
	n, ok := ix.ordinals[doc]
	if !ok {
		return
	}
	ix.lists(n, (*lists).remove)
	ix.entries[n].eachName(func(name string) { ix.mentions.remove(name, n) })
	ix.entries[n] = entry{}
	delete(ix.ordinals, doc)
	ix.free = append(ix.free, n)
}

// Mentioned lists the other documents that s, the text of source, names by title, alias or file name, as whole words,
// in id order. A name that the source has as well counts for nothing here: it is among the Said of its features.
func (ix *Index) Mentioned(source int64, s string) []int64 {
	var ids []int64
	ix.mentions.find(s, ix.ownKeys(source), func(doc uint32) {
		if id := ix.entries[doc].id; id != source {
			ids = append(ids, id)
		}
	})
	return unique(ids)
}

// marks is a set of ordinals that is cleared in no time: a document is in it when its mark is the current round.
type marks struct {
	round uint32
	of    []uint32
	list  []uint32
}

func (ix *Index) marks() *marks {
	m, _ := ix.scratch.Get().(*marks)
	if m == nil {
		m = new(marks)
	}
	if len(m.of) < len(ix.entries) {
		m.of = slices.Grow(m.of, len(ix.entries)-len(m.of))[:len(ix.entries)]
	}
	m.list = m.list[:0]
	if m.round++; m.round == 0 {
		clear(m.of)
		m.round = 1
	}
	return m
}

func (m *marks) add(doc uint32) {
	if m.of[doc] != m.round {
		m.of[doc] = m.round
		m.list = append(m.list, doc)
	}
}

// Place is the shelf and the doc_path of a document; false when it is not in the Index.
func (ix *Index) Place(doc int64) (shelf, path string, ok bool) {
	n, ok := ix.ordinals[doc]
	if !ok {
		return "", "", false
	}
	return ix.shelves[ix.entries[n].shelf], ix.entries[n].path, true
}
