package store

import (
	"maps"
	"slices"
	"strings"
)

// Said is what the statements of a ledger come to.
type Said struct {
	Shelves  map[string]SaidShelf       // by name: shelves made at run time
	Parents  map[string]map[string]bool // child → parents
	Links    map[string][]ManualLink    // by source path, in the order in which they were said
	IDs      map[string]int64           // path → id of documents that a statement names
	Settings map[string]Settings        // how links are worked out, by shelf or by path of their source
	Refused  map[string]map[string]bool // source path → target paths between which no link is worked out
	Gone     map[string]string          // path → hash of the last bytes of a document that went
	Outlines map[string]*Outline        // by path, never changed: replaced as a whole
}

// SaidShelf is a shelf made at run time.
type SaidShelf struct{ Root, Description string }

func newSaid() *Said {
	return &Said{
		Shelves: map[string]SaidShelf{}, Parents: map[string]map[string]bool{}, Links: map[string][]ManualLink{}, IDs: map[string]int64{},
		Settings: map[string]Settings{}, Refused: map[string]map[string]bool{}, Gone: map[string]string{}, Outlines: map[string]*Outline{},
	}
}

func (s *Said) clone() *Said {
	c := &Said{
		Shelves: maps.Clone(s.Shelves), Parents: cloneSets(s.Parents), Links: map[string][]ManualLink{}, IDs: maps.Clone(s.IDs),
		Settings: maps.Clone(s.Settings), Refused: cloneSets(s.Refused), Gone: maps.Clone(s.Gone), Outlines: maps.Clone(s.Outlines),
	}
	for source, links := range s.Links {
		c.Links[source] = slices.Clone(links)
	}
	return c
}

func cloneSets(sets map[string]map[string]bool) map[string]map[string]bool {
	c := make(map[string]map[string]bool, len(sets))
	for key, set := range sets {
		c[key] = maps.Clone(set)
	}
	return c
}

// Names says whether a statement names the document at path.
func (s *Said) Names(path string) bool {
	_, ok := s.IDs[path]
	return ok
}

// apply takes in one more statement. Unknown ones, of a newer program, are left alone.
func (s *Said) apply(r Record) (known bool) {
	switch r.Op {
	case OpShelfAdd:
		s.Shelves[r.Shelf] = SaidShelf{r.Root, r.Description}
	case OpShelfRemove:
		delete(s.Shelves, r.Shelf)
	case OpShelfRename:
		s.renameShelf(r.Shelf, r.To)
	case OpShelfForget:
		s.forgetShelf(r.Shelf)
	case OpParentAdd:
		addTo(s.Parents, r.Shelf, r.To)
	case OpParentRemove:
		removeFrom(s.Parents, r.Shelf, r.To)
	case OpDocumentID:
		s.IDs[r.Source] = r.ID
	case OpSummary:
		if r.Outline != nil {
			s.Outlines[r.Source] = r.Outline
		}
	case OpDocumentGone:
		s.Gone[r.Source] = r.Hash
	case OpDocumentMove:
		s.rename(func(path string) string {
			if to, ok := r.Moves[path]; ok {
				return to
			}
			return path
		})
	default:
		return s.applyLinks(r)
	}
	return true
}

// applyLinks takes in a statement about links between documents.
func (s *Said) applyLinks(r Record) (known bool) {
	switch r.Op {
	case OpLinkAdd:
		for _, l := range r.Links {
			s.addLink(l)
		}
	case OpLinkRemove:
		for _, l := range r.Links {
			s.removeLink(l)
		}
	case OpLinksReplace:
		delete(s.Links, r.Source)
		for _, l := range r.Links {
			s.addLink(l)
		}
	case OpCorrelate:
		if r.Settings != nil {
			key := r.Source
			if key == "" {
				key = r.Shelf
			}
			s.Settings[key] = s.Settings[key].With(*r.Settings)
		}
	case OpPairsRefuse:
		for _, target := range r.Targets {
			addTo(s.Refused, r.Source, target)
		}
	default:
		return false
	}
	return true
}

func addTo(sets map[string]map[string]bool, key, member string) {
	if sets[key] == nil {
		sets[key] = map[string]bool{}
	}
	sets[key][member] = true
}

func removeFrom(sets map[string]map[string]bool, key, member string) {
	if delete(sets[key], member); len(sets[key]) == 0 {
		delete(sets, key)
	}
}

// addLink adds a link in place of one with the same target and relation.
func (s *Said) addLink(l ManualLink) {
	s.dropLinks(l.Source, func(have ManualLink) bool { return have.Target == l.Target && have.Relation == l.Relation })
	s.Links[l.Source] = append(s.Links[l.Source], l)
}

func (s *Said) removeLink(l ManualLink) {
	s.dropLinks(l.Source, func(have ManualLink) bool {
		return have.Target == l.Target && (l.Relation == "" || have.Relation == l.Relation)
	})
}

func (s *Said) dropLinks(source string, gone func(ManualLink) bool) {
	s.Links[source] = slices.DeleteFunc(s.Links[source], gone)
	if len(s.Links[source]) == 0 {
		delete(s.Links, source)
	}
}

func (s *Said) renameShelf(from, to string) {
	if shelf, ok := s.Shelves[from]; ok {
		delete(s.Shelves, from)
		s.Shelves[to] = shelf
	}
	renamed := func(name string) string {
		if name == from {
			return to
		}
		return name
	}
	s.Parents = renameSets(s.Parents, renamed)
	s.Settings = renameKeys(s.Settings, renamed)
	s.rename(func(path string) string {
		if rest, ok := strings.CutPrefix(path, from+"/"); ok {
			return to + "/" + rest
		}
		return path
	})
}

// rename gives every path that statements name the form that to returns. What was said of a path that another one
// comes to is joined with what was said of that; where only one can hold, it is what was said of the one that moved.
func (s *Said) rename(to func(string) string) {
	s.IDs, s.Settings, s.Gone = renameKeys(s.IDs, to), renameKeys(s.Settings, to), renameKeys(s.Gone, to)
	s.Outlines = renameKeys(s.Outlines, to)
	s.Refused = renameSets(s.Refused, to)
	before := s.Links
	s.Links = map[string][]ManualLink{}
	for _, source := range movedLast(before, to) {
		for _, l := range before[source] {
			l.Source, l.Target = to(l.Source), to(l.Target)
			s.addLink(l)
		}
	}
}

func renameKeys[V any](m map[string]V, to func(string) string) map[string]V {
	renamed := make(map[string]V, len(m))
	for _, key := range movedLast(m, to) {
		renamed[to(key)] = m[key]
	}
	return renamed
}

func renameSets(sets map[string]map[string]bool, to func(string) string) map[string]map[string]bool {
	renamed := make(map[string]map[string]bool, len(sets))
	for key, set := range sets {
		for member := range set {
			addTo(renamed, to(key), to(member))
		}
	}
	return renamed
}

// movedLast are the keys of m in order, those that to changes behind the others.
func movedLast[V any](m map[string]V, to func(string) string) []string {
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int { return rank(to(a) != a) - rank(to(b) != b) })
	return keys
}

func rank(second bool) int {
	if second {
		return 1
	}
	return 0
}

// forgetShelf drops a shelf and all that was said about it and its documents.
func (s *Said) forgetShelf(name string) {
	inside := func(path string) bool { return path == name || strings.HasPrefix(path, name+"/") }
	delete(s.Shelves, name)
	s.Parents, s.Refused = without(s.Parents, inside), without(s.Refused, inside)
	maps.DeleteFunc(s.IDs, func(path string, _ int64) bool { return inside(path) })
	maps.DeleteFunc(s.Settings, func(key string, _ Settings) bool { return inside(key) })
	maps.DeleteFunc(s.Gone, func(path, _ string) bool { return inside(path) })
	maps.DeleteFunc(s.Outlines, func(path string, _ *Outline) bool { return inside(path) })
	for source := range s.Links {
		s.dropLinks(source, func(l ManualLink) bool { return inside(l.Source) || inside(l.Target) })
	}
}

// without leaves out keys and members for which gone holds.
func without(sets map[string]map[string]bool, gone func(string) bool) map[string]map[string]bool {
	left := map[string]map[string]bool{}
	for key, set := range sets {
		for member := range set {
			if !gone(key) && !gone(member) {
				addTo(left, key, member)
			}
		}
	}
	return left
}
