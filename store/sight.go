package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Sight is what one reader may see: some shelves, and in each of them ranges of doc_paths. A nil *Sight sees everything.
//
// Invariant: a View that was opened with a Sight finds nothing else, whatever is asked of it (narrow.go).
type Sight struct {
	shelves []seenShelf // in name order
	rest    bool        // the others are seen as a whole
	spans   []span      // sorted and apart from each other
	key     string      // says shelves and spans: Sights with the same key see the same
	verdict *verdict    // of the disk; nil = it is not asked

	census atomic.Pointer[census] // of the last search
}

// ShelfSight is what is seen of one shelf. Of two rules the one with the longer path counts.
type ShelfSight struct {
	Name  string
	Blind bool // what no rule speaks of is not seen
	Rules []PathSight
}

// PathSight is a rule for a folder of a shelf and what is below it.
type PathSight struct {
	Path    string   // inside the shelf, "" = all of it
	All     bool     // everything is seen
	Folders []string // else what is inside these folders directly below
}

// Readable says of files, absolute paths, which the reader could read from the disk. It returns when ctx ends, though the
// disk hang.
type Readable func(ctx context.Context, files []string) ([]bool, error)

// Seen is what a Sight is made of. The zero value sees nothing.
type Seen struct {
	Shelves  []ShelfSight
	Rest     bool     // shelves that are not named are seen as well
	Readable Readable // asked for each file in addition, unless nil
}

// NewSight sees what is said.
func NewSight(o Seen) *Sight {
	s := &Sight{rest: o.Rest}
	if o.Rest {
		s.spans = []span{{"", endOfPaths}}
	}
	for _, shelf := range o.Shelves {
		spans := shelf.spans()
		whole := len(spans) == 1 && spans[0] == below(shelf.Name) && o.Readable == nil
		s.shelves = append(s.shelves, seenShelf{shelf.Name, whole})
		s.spans = append(cutOut(s.spans, below(shelf.Name)), spans...)
	}
	slices.SortFunc(s.shelves, func(a, b seenShelf) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(s.spans, func(a, b span) int { return strings.Compare(a.from, b.from) })
	var key strings.Builder
	key.WriteString(strconv.FormatBool(s.rest))
	for _, shelf := range s.shelves {
		key.WriteString(strconv.Quote(shelf.name) + strconv.FormatBool(shelf.whole))
	}
	for _, x := range s.spans {
		key.WriteString(strconv.Quote(x.from) + strconv.Quote(x.to))
	}
	if o.Readable != nil {
		s.verdict = newVerdict(o.Readable)
		key.WriteString("as reader " + rand.Text()) // no two of those who ask the disk share what they found
	}
	s.key = key.String()
	return s
}

// Sees says whether a document at that doc_path may be seen, as far as the rules go.
func (s *Sight) Sees(path string) bool {
	if s == nil {
		return true
	}
	i, _ := slices.BinarySearchFunc(s.spans, path, func(x span, path string) int {
		if x.from <= path {
			return -1
		}
		return 1
	})
	return i > 0 && path < s.spans[i-1].to
}

// Shows says whether the shelf itself may be seen, whatever of what is in it.
func (s *Sight) Shows(shelf string) bool {
	return s == nil || s.rest || slices.ContainsFunc(s.shelves, func(x seenShelf) bool { return x.name == shelf })
}

// Whole says whether all of a shelf may be seen.
func (s *Sight) Whole(shelf string) bool {
	if s == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(s.shelves, shelf, func(x seenShelf, name string) int { return cmp.Compare(x.name, name) })
	if !found {
		return s.rest && s.verdict == nil
	}
	return s.shelves[i].whole
}

type seenShelf struct {
	name  string
	whole bool
}

// span is a range of doc_paths: from ≤ path < to, bytewise.
type span struct{ from, to string }

// endOfPaths comes after every doc_path.
const endOfPaths = "\U0010FFFF"

// below is the range of what is inside a folder: '0' is the byte after '/'.
func below(folder string) span { return span{folder + "/", folder + "0"} }

// spans are the ranges seen of the shelf, in order.
func (s ShelfSight) spans() []span {
	var seen []span
	if !s.Blind {
		seen = []span{below(s.Name)}
	}
	rules := slices.Clone(s.Rules)
	slices.SortStableFunc(rules, func(a, b PathSight) int { return len(a.Path) - len(b.Path) })
	for _, rule := range rules {
		at := s.Name
		if rule.Path != "" {
			at += "/" + rule.Path
		}
		seen = cutOut(seen, below(at))
		if rule.All {
			seen = append(seen, below(at))
			continue
		}
		for _, folder := range slices.Compact(slices.Sorted(slices.Values(rule.Folders))) {
			seen = append(seen, below(at+"/"+folder))
		}
	}
	slices.SortFunc(seen, func(a, b span) int { return strings.Compare(a.from, b.from) })
	return joined(seen)
}

// cutOut cuts a range out of others.
func cutOut(spans []span, cut span) []span {
	var left []span
	for _, x := range spans {
		if x.to <= cut.from || cut.to <= x.from {
			left = append(left, x)
			continue
		}
		if x.from < cut.from {
			left = append(left, span{x.from, cut.from})
		}
		if cut.to < x.to {
			left = append(left, span{cut.to, x.to})
		}
	}
	return left
}

// joined makes one of sorted ranges that touch.
func joined(spans []span) []span {
	var out []span
	for _, x := range spans {
		if n := len(out); n > 0 && out[n-1].to >= x.from {
			out[n-1].to = max(out[n-1].to, x.to)
			continue
		}
		out = append(out, x)
	}
	return out
}
