package correlate

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"shelfd/internal/text"
)

// Source is what Extract looks at.
type Source struct {
	Path     string // inside the root, slash separated, without the shelf
	Title    string
	Aliases  []string
	Tags     []string
	Headings []string // titles of the sections
	Anchors  []string // ids that the author gave them, "" = none; nil when no section has one
	Body     string   // text below the front matter
}

// Features is what one document brings to every comparison.
// Hashes are FNV-1a 64 of folded text, sorted, unique.
type Features struct {
	Title    []uint64 // tokens of the title, stop words left out
	Headings []uint64 // whole normalised headings, each by the id that its author gave it, else by its text
	Echo     uint64   // that one of Headings which is the title again, 0 = none
	Tags     []uint64
	Keywords []uint64 // the 30 most frequent terms of the body, stop words left out, ties in term order
	Folder   string   // folder inside the root, "" at its top
	Names    []string // what a mention looks like: folded title, aliases and file name as space separated terms, generic and too short ones left out; sorted
	Said     []string // those of Names that stand in the body: every text says its own title
}

// maxKeywords is how many terms of the body are kept.
const maxKeywords = 30

// Extract computes the features of one document.
func Extract(s Source) Features {
	f := Features{Folder: folder(s.Path), Names: names(s)}
	for _, term := range terms(ownTitle(s)) {
		if !text.Stop(term) {
			f.Title = append(f.Title, hash(term))
		}
	}
	title := normalHeading(s.Title)
	for i, heading := range s.Headings {
		normal := normalHeading(heading)
		if normal == "" {
			continue
		}
		name := hash(normal)
		if i < len(s.Anchors) { // what the heading is called in every language
			if id := normalHeading(s.Anchors[i]); id != "" {
				name = hash(id)
			}
		}
		f.Headings = append(f.Headings, name)
		if normal == title {
			f.Echo = name
		}
	}
	for _, tag := range s.Tags {
		if normal := strings.Join(strings.Fields(text.Fold(strings.TrimLeft(tag, "# "))), " "); normal != "" {
			f.Tags = append(f.Tags, hash(normal))
		}
	}
	f.Title, f.Headings, f.Tags = unique(f.Title), unique(f.Headings), unique(f.Tags)
	buffer, _ := text.AppendTerms(append(make([]byte, 0, 1+len(s.Body)+len(s.Body)/4), ' '), nil, s.Body)
	f.Keywords = keywords(buffer[1:])
	for _, name := range f.Names {
		if bytes.Contains(buffer, []byte(" "+name+" ")) {
			f.Said = append(f.Said, name)
		}
	}
	return f
}

func folder(p string) string {
	if dir := path.Dir(p); dir != "." && dir != "/" {
		return dir
	}
	return ""
}

func unique[T cmp.Ordered](s []T) []T {
	slices.Sort(s)
	return slices.Clip(slices.Compact(s))
}

// terms are the words of s and the bigrams of its CJK runs; a single character only where it is a run.
func terms(s string) (all []string) {
	gramEnd := -1
	text.Segment(s, func(t text.Token) {
		if t.Kind == text.Ident || t.Kind == text.Gram && t.End == gramEnd {
			return
		}
		if t.Kind == text.Gram {
			gramEnd = t.End
		}
		all = append(all, t.Term)
	})
	return all
}

// normalHeading is the heading as terms, less the numbers that count it.
func normalHeading(s string) string {
	all := terms(s)
	for i, term := range all {
		if !isNumber(term) {
			return strings.Join(all[i:], " ")
		}
	}
	return strings.Join(all, " ")
}

func isNumber(term string) bool {
	for i := 0; i < len(term); i++ {
		if term[i]-'0' > 9 {
			return false
		}
	}
	return true
}

// counted is a term of the body: where it stands in the buffer of terms and how often.
type counted struct {
	start, end int
	n          int
}

// keywords are the most frequent of the terms of a body, each followed by a space. Numbers and single letters say
// nothing and are left out.
func keywords(buffer []byte) []uint64 {
	found := make([]counted, 0, 256)
	place := make(map[uint64]int32, 256)
	gramEnd := false // whether the term before was a bigram, so that a single character only ends its run
	for start := 0; start < len(buffer); {
		end := start + bytes.IndexByte(buffer[start:], ' ')
		term := buffer[start:end]
		characters := cjkLen(term)
		if !gramEnd || characters != 1 {
			h := hash(term)
			if i, ok := place[h]; ok {
				found[i].n++
			} else {
				place[h] = int32(len(found))
				found = append(found, counted{start, end, 1})
			}
		}
		gramEnd = characters > 1
		start = end + 1
	}
	return top(buffer, found)
}

// top hashes the maxKeywords best of the found terms.
func top(buffer []byte, found []counted) []uint64 {
	hashes := make([]uint64, 0, maxKeywords)
	for least := frequent(found); ; least = 1 {
		rest := found[:0:0]
		for _, c := range found {
			if c.n >= least {
				rest = append(rest, c)
			}
		}
		slices.SortFunc(rest, func(a, b counted) int {
			if a.n != b.n {
				return cmp.Compare(b.n, a.n)
			}
			return bytes.Compare(buffer[a.start:a.end], buffer[b.start:b.end])
		})
		hashes = hashes[:0]
		for i := 0; i < len(rest) && len(hashes) < maxKeywords; i++ {
			if term := buffer[rest[i].start:rest[i].end]; telling(term) {
				hashes = append(hashes, hash(term))
			}
		}
		if len(hashes) == maxKeywords || least == 1 {
			return unique(hashes)
		}
	}
}

// frequent is a frequency that about three times maxKeywords terms reach, so that the many rare ones of a long text
// need not be sorted: two of three frequent terms are stop words. It is 1 when there are few terms.
func frequent(found []counted) int {
	var have [256]int
	for _, c := range found {
		have[min(c.n, len(have)-1)]++
	}
	sum := 0
	for n := len(have) - 1; n > 1; n-- {
		if sum += have[n]; sum >= 3*maxKeywords {
			return n
		}
	}
	return 1
}

func telling(term []byte) bool {
	return len(term) > 1 && !isNumber(string(term)) && !text.Stop(string(term))
}

// cjkLen is the number of characters of a CJK term, 0 for a word.
func cjkLen(term []byte) int {
	if len(term) < 3 || term[0] < 0xE1 { // the first byte of U+1000; CJK begins above
		return 0
	}
	if r, _ := utf8.DecodeRune(term); !text.IsCJK(r) {
		return 0
	}
	return utf8.RuneCount(term)
}

// hash is FNV-1a 64.
func hash[T string | []byte](s T) uint64 {
	const offset, prime = 0xcbf29ce484222325, 0x100000001b3
	h := uint64(offset)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}
