package indexer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"shelfd/correlate"
	"shelfd/store"
)

// AddParent states that a shelf extends another. A cycle, also over others, is a *correlate.CycleError. changed is 0
// when that was so already, else 1.
func (x *Indexer) AddParent(ctx context.Context, shelf, parent string) (changed int, err error) {
	return ask(ctx, x, func(ctx context.Context, r *run) (int, error) {
		return r.setParents(ctx, shelf, func(now []string) []string { return append(now, parent) })
	})
}

// RemoveParent takes back that a shelf extends another. What the configuration declares stays, and is an error.
func (x *Indexer) RemoveParent(ctx context.Context, shelf, parent string) (changed int, err error) {
	return ask(ctx, x, func(ctx context.Context, r *run) (int, error) {
		return r.setParents(ctx, shelf, func(now []string) []string {
			return slices.DeleteFunc(now, func(name string) bool { return name == parent })
		})
	})
}

// SetParents states all shelves that a shelf extends. Those that the configuration declares must be among them.
func (x *Indexer) SetParents(ctx context.Context, shelf string, parents []string) (changed int, err error) {
	return ask(ctx, x, func(ctx context.Context, r *run) (int, error) {
		return r.setParents(ctx, shelf, func([]string) []string { return parents })
	})
}

// setParents states the parents that wanted makes of those that hold now, declared ones included.
func (r *run) setParents(ctx context.Context, shelf string, wanted func(now []string) []string) (changed int, err error) {
	s := r.shelves[shelf]
	if s == nil {
		return 0, fmt.Errorf("indexer: shelf %q: %w", shelf, ErrUnknownShelf)
	}
	said := r.ledger.Said().Parents
	now := map[string]bool{}
	for _, name := range append(slices.Collect(maps.Keys(said[shelf])), s.Parents...) {
		now[name] = true
	}
	next := map[string]bool{}
	for _, name := range wanted(slices.Sorted(maps.Keys(now))) {
		next[name] = true
	}
	if err := r.checkParents(s, now, next); err != nil {
		return 0, err
	}
	var records []store.Record
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !next[name] {
			records = append(records, store.Record{Op: store.OpParentRemove, Shelf: shelf, To: name})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(next)) {
		if !now[name] {
			records = append(records, store.Record{Op: store.OpParentAdd, Shelf: shelf, To: name})
		}
	}
	if len(records) == 0 {
		return 0, nil
	}
	if err := r.ledger.Append(records...); err != nil {
		return 0, err
	}
	return len(records), r.applyParents(ctx)
}

// checkParents says why a shelf cannot have the parents next instead of now.
func (r *run) checkParents(s *shelf, now, next map[string]bool) error {
	for _, name := range s.Parents {
		if next[name] {
			continue
		}
		if s.ParentsAt != "" {
			return fmt.Errorf("indexer: parent %q of shelf %q is declared in %s; change it there", name, s.Name, s.ParentsAt)
		}
		return fmt.Errorf("indexer: parent %q of shelf %q is declared in the configuration; change it there", name, s.Name)
	}
	for name := range next {
		if !now[name] && r.shelves[name] == nil {
			return fmt.Errorf("indexer: parent %q: %w", name, ErrUnknownShelf)
		}
	}
	union := declaredParents(r.wanted())
	for child, list := range r.ledger.Said().Parents {
		if child != s.Name {
			union[child] = append(union[child], slices.Collect(maps.Keys(list))...)
		}
	}
	union[s.Name] = slices.Collect(maps.Keys(next))
	if _, err := correlate.NewHierarchy(union); err != nil {
		return fmt.Errorf("indexer: parents of shelf %q: %w", s.Name, err)
	}
	return nil
}

// applyParents makes the rows of the hierarchy what is declared and said, and puts down whom that concerns.
func (r *run) applyParents(ctx context.Context) error {
	return r.update(ctx, func(tx *store.Tx) error {
		if err := r.putParents(tx, r.wanted()); err != nil {
			return err
		}
		return r.checkSeals(tx)
	})
}

// ParentOrigins are the parents of each shelf with where they come from: "config", with ParentsAt, or "manual".
func (x *Indexer) ParentOrigins(ctx context.Context) (origins []ParentOrigin, err error) {
	return ask(ctx, x, func(_ context.Context, r *run) (origins []ParentOrigin, err error) {
		said := r.ledger.Said().Parents
		for _, child := range slices.Sorted(maps.Keys(r.shelves)) {
			s := r.shelves[child]
			all := map[string]ParentOrigin{}
			for parent := range said[child] {
				all[parent] = ParentOrigin{child, parent, "manual", ""}
			}
			for _, parent := range s.Parents {
				all[parent] = ParentOrigin{child, parent, "config", s.ParentsAt}
			}
			for _, parent := range slices.Sorted(maps.Keys(all)) {
				origins = append(origins, all[parent])
			}
		}
		return origins, nil
	})
}

// ParentOrigin is one pair of the hierarchy.
type ParentOrigin struct {
	Shelf, Parent string
	Origin        string // config | manual
	At            string // where the configuration declares it, "" = it does not or its file is not known
}
