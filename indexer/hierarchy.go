package indexer

import (
	"maps"
	"slices"

	"go.uber.org/zap"

	"shelfd/correlate"
	"shelfd/store"
)

// parents are the parents of each shelf, as they are written, in order.
type parents map[string][]string

func parentsIn(v *store.View) (parents, error) {
	shelves, err := v.Shelves()
	if err != nil {
		return nil, err
	}
	all := parents{}
	for _, s := range shelves {
		all[s.Name] = s.Parents
	}
	return all, nil
}

// declaredParents are those that the configuration declares.
func declaredParents(wanted map[string]Shelf) parents {
	all := parents{}
	for name, w := range wanted {
		all[name] = slices.Clone(w.Parents)
	}
	return all
}

// manualParents are those said at run time that make no cycle with the declared ones; the configuration may have
// changed since they were said. left are the others.
func manualParents(declared parents, said map[string]map[string]bool) (manual parents, left [][2]string) {
	union := maps.Clone(declared)
	manual = parents{}
	for _, child := range slices.Sorted(maps.Keys(said)) {
		for _, parent := range slices.Sorted(maps.Keys(said[child])) {
			before := union[child]
			union[child] = append(slices.Clone(before), parent)
			if _, err := correlate.NewHierarchy(union); err != nil {
				union[child] = before
				left = append(left, [2]string{child, parent})
				continue
			}
			manual[child] = append(manual[child], parent)
		}
	}
	return manual, left
}

// putParents writes the hierarchy: the union of what is configured and what was said at run time.
func (r *run) putParents(tx *store.Tx, wanted map[string]Shelf) error {
	manual, left := manualParents(declaredParents(wanted), r.ledger.Said().Parents)
	for _, pair := range left {
		r.log.Warn("a parent given at run time would make a cycle with those of the configuration and is left out", zap.String("shelf", pair[0]), zap.String("parent", pair[1]))
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		id := r.shelves[name].id
		for _, part := range []struct {
			names  []string
			origin string
		}{{nil, "manual"}, {wanted[name].Parents, "config"}, {manual[name], "manual"}} { // a row has one origin: the configuration's first
			if err := tx.SetParents(id, r.shelfIDs(part.names), part.origin); err != nil {
				return err
			}
		}
	}
	now, err := parentsIn(tx.View)
	if err == nil {
		r.links.hierarchyChanged(now)
	}
	return err
}

// hierarchyChanged lets go of what knows the hierarchy as it was.
func (c *correlation) hierarchyChanged(now parents) {
	if maps.EqualFunc(c.parents, now, slices.Equal[[]string]) {
		return
	}
	c.parents = now
	c.rest()
	c.hierarchy, c.stale = nil, c.loading
}
