package correlate

import (
	"maps"
	"slices"
	"strings"
)

// Hierarchy says which shelf extends which. The zero value and nil know no parents. It does not change.
type Hierarchy struct {
	ancestors map[string][]string // of each shelf with parents, sorted
}

// CycleError says that a shelf would extend itself. Shelves begins and ends with the same name.
type CycleError struct{ Shelves []string }

func (e *CycleError) Error() string {
	return "correlate: shelf parents: cycle: " + strings.Join(e.Shelves, " → ")
}

// NewHierarchy takes the parents of each shelf. A cycle is a *CycleError.
func NewHierarchy(parents map[string][]string) (*Hierarchy, error) {
	h := &Hierarchy{ancestors: make(map[string][]string)}
	for _, shelf := range slices.Sorted(maps.Keys(parents)) {
		if _, err := h.climb(shelf, parents, nil); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// climb finds the ancestors of shelf; below are the shelves on the way to it.
func (h *Hierarchy) climb(shelf string, parents map[string][]string, below []string) ([]string, error) {
	if known, ok := h.ancestors[shelf]; ok {
		return known, nil
	}
	if i := slices.Index(below, shelf); i >= 0 {
		return nil, &CycleError{append(slices.Clone(below[i:]), shelf)}
	}
	below = append(below, shelf)
	var all []string
	for _, parent := range slices.Sorted(slices.Values(parents[shelf])) {
		above, err := h.climb(parent, parents, below)
		if err != nil {
			return nil, err
		}
		all = append(append(all, parent), above...)
	}
	if all != nil {
		h.ancestors[shelf] = unique(all)
	}
	return h.ancestors[shelf], nil
}

// Ancestors are the shelves that shelf extends, directly or not, in name order.
func (h *Hierarchy) Ancestors(shelf string) []string {
	if h == nil {
		return nil
	}
	return h.ancestors[shelf]
}

// extends says whether shelf extends ancestor, directly or not.
func (h *Hierarchy) extends(shelf, ancestor string) bool {
	_, ok := slices.BinarySearch(h.Ancestors(shelf), ancestor)
	return ok
}

// route says whether documents of one shelf may link to those of another.
func (h *Hierarchy) route(source, target string, scope Scope) bool {
	switch {
	case source == target:
		return true
	case h.extends(source, target):
		return scope != ScopeShelf
	}
	return scope == ScopeCrossShelf && !h.extends(target, source)
}

// relation names the link between two documents, the first that fits.
func (h *Hierarchy) relation(source, target string, s Signals) string {
	switch {
	case h.extends(source, target) && s.Title >= 0.5:
		return RelationExtendsStandard
	case h.extends(source, target):
		return RelationReferencesStandard
	case s.Mention > 0 && s.Title == 0 && s.Heading == 0 && s.Tag == 0 && s.Keyword == 0:
		return RelationMentions
	case len(h.Ancestors(target)) > 0:
		return RelationReferencesCustom
	}
	return RelationRelated
}
