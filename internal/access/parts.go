package access

import (
	"fmt"
	"slices"
)

// Part is a folder of a shelf and what is below it, as far as no part with a longer path speaks of it.
type Part struct {
	Path     string // inside the shelf, "" = all of it
	Readers  string // documents with the same readers are seen by the same users
	ByFolder bool   // each folder directly below has readers of its own; what lies in Path itself has none
}

// Parts tells apart which documents of the shelf are seen by the same users, whoever they are. None: nobody sees any but
// those who see everything.
func (s Shelf) Parts() []Part {
	if len(s.Access.Users)+len(s.Access.Groups) == 0 {
		return nil
	}
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	readers := fmt.Sprintf("%q %q", sorted(s.Access.Users), sorted(s.Access.Groups))
	parts := []Part{{Readers: readers}}
	for _, scope := range s.Scopes {
		part := Part{Path: scope.Path, Readers: readers}
		if scope.Kind != Global {
			part.Readers, part.ByFolder = readers+" "+scope.Kind, true
		}
		parts = append(parts, part)
	}
	return parts
}
