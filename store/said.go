package store

import (
	"maps"
	"slices"
	"strings"
)

// Said is what the statements of a ledger come to.
type Said struct {
	Shelves map[string]SaidShelf       // by name: shelves made at run time
	Parents map[string]map[string]bool // child → parents
	Links   map[string][]ManualLink    // by source path, in the order in which they were said
	IDs     map[string]int64           // path → id of documents that a statement names
}

// SaidShelf is a shelf made at run time.
type SaidShelf struct{ Root, Description string }

func newSaid() *Said {
	return &Said{Shelves: map[string]SaidShelf{}, Parents: map[string]map[string]bool{}, Links: map[string][]ManualLink{}, IDs: map[string]int64{}}
}

func (s *Said) clone() *Said {
	c := &Said{Shelves: maps.Clone(s.Shelves), Parents: map[string]map[string]bool{}, Links: map[string][]ManualLink{}, IDs: maps.Clone(s.IDs)}
	for child, parents := range s.Parents {
		c.Parents[child] = maps.Clone(parents)
	}
	for source, links := range s.Links {
		c.Links[source] = slices.Clone(links)
	}
	return c
}

// Names says whether a statement names the document at path.
func (s *Said) Names(path string) bool {
	_, ok := s.IDs[path]
	return ok
}

// apply takes in one more statement. Unknown ones, of a newer program, are left alone.
func (s *Said) apply(r Record) {
	switch r.Op {
	case OpShelfAdd:
		s.Shelves[r.Shelf] = SaidShelf{r.Root, r.Description}
	case OpShelfRemove:
		delete(s.Shelves, r.Shelf)
	case OpShelfRename:
		s.renameShelf(r.Shelf, r.To)
	case OpParentAdd:
		if s.Parents[r.Shelf] == nil {
			s.Parents[r.Shelf] = map[string]bool{}
		}
		s.Parents[r.Shelf][r.To] = true
	case OpParentRemove:
		delete(s.Parents[r.Shelf], r.To)
	case OpLinkAdd:
		for _, l := range r.Links {
			s.removeLink(l)
			s.Links[l.Source] = append(s.Links[l.Source], l)
		}
	case OpLinkRemove:
		for _, l := range r.Links {
			s.removeLink(l)
		}
	case OpLinksReplace:
		s.Links[r.Source] = slices.Clone(r.Links)
	case OpDocumentID:
		s.IDs[r.Source] = r.ID
	case OpDocumentMove:
		s.rename(func(path string) string {
			if to, ok := r.Moves[path]; ok {
				return to
			}
			return path
		})
	}
}

func (s *Said) removeLink(l ManualLink) {
	s.Links[l.Source] = slices.DeleteFunc(s.Links[l.Source], func(have ManualLink) bool {
		return have.Target == l.Target && (l.Relation == "" || have.Relation == l.Relation)
	})
	if len(s.Links[l.Source]) == 0 {
		delete(s.Links, l.Source)
	}
}

func (s *Said) renameShelf(from, to string) {
	if shelf, ok := s.Shelves[from]; ok {
		delete(s.Shelves, from)
		s.Shelves[to] = shelf
	}
	parents := map[string]map[string]bool{}
	renamed := func(name string) string {
		if name == from {
			return to
		}
		return name
	}
	for child, list := range s.Parents {
		moved := map[string]bool{}
		for parent := range list {
			moved[renamed(parent)] = true
		}
		parents[renamed(child)] = moved
	}
	s.Parents = parents
	s.rename(func(path string) string {
		if rest, ok := strings.CutPrefix(path, from+"/"); ok {
			return to + "/" + rest
		}
		return path
	})
}

// rename gives every path that statements name the form that to returns.
func (s *Said) rename(to func(string) string) {
	ids := map[string]int64{}
	for path, id := range s.IDs {
		ids[to(path)] = id
	}
	links := map[string][]ManualLink{}
	for source, list := range s.Links {
		for _, l := range list {
			l.Source, l.Target = to(l.Source), to(l.Target)
			links[to(source)] = append(links[to(source)], l)
		}
	}
	s.IDs, s.Links = ids, links
}
