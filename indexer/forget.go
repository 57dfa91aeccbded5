package indexer

import (
	"context"
	"fmt"
	"os"
	"strings"

	"shelfd/store"
)

// ForgetShelf removes a shelf that was added at run time and whose folder is gone, with the documents that were kept
// of it and all that was said about it and them. A name of a shelf that is no more, of which statements are left, can
// be forgotten as well. It says how many documents went. A shelf whose folder stands is to be removed instead: what
// was said about it is then kept for its return.
func (x *Indexer) ForgetShelf(ctx context.Context, name string) (documents int, err error) {
	type forgotten struct {
		documents int
		gone      <-chan error
	}
	f, err := ask(ctx, x, func(ctx context.Context, r *run) (f forgotten, err error) {
		if f.documents, err = r.forgettable(ctx, name); err != nil {
			return f, err
		}
		if err := r.ledger.Append(store.Record{Op: store.OpShelfForget, Shelf: name}); err != nil {
			return f, err
		}
		err = r.applyShelves(ctx)
		f.gone = r.going(name)
		return f, err
	})
	if err != nil {
		return 0, err
	}
	return f.documents, x.untilGone(ctx, f.gone)
}

// forgettable says why a shelf cannot be forgotten, else how many documents it has.
func (r *run) forgettable(ctx context.Context, name string) (documents int, err error) {
	s := r.shelves[name]
	if s == nil {
		if !speaksOf(r.ledger.Said(), name) {
			return 0, fmt.Errorf("indexer: shelf %q: %w", name, ErrUnknownShelf)
		}
		return 0, nil
	}
	if err := r.mutable(name); err != nil {
		return 0, err
	}
	if stat, err := os.Stat(s.Root.Path); err == nil && stat.IsDir() && s.offline == "" {
		return 0, fmt.Errorf("indexer: forget shelf %q: its folder %q is there; remove the shelf instead, or move the folder away first", name, s.Root.Path)
	}
	err = r.store.View(ctx, func(v *store.View) error {
		row, err := v.Shelf(name)
		if err == nil {
			err = v.Count(&row)
		}
		documents = row.Documents
		return err
	})
	return documents, err
}

// speaksOf says whether statements name a shelf or documents in it.
func speaksOf(said *store.Said, shelf string) bool {
	if len(said.Parents[shelf]) > 0 {
		return true
	}
	if _, has := said.Settings[shelf]; has {
		return true
	}
	for path := range said.IDs {
		if strings.HasPrefix(path, shelf+"/") {
			return true
		}
	}
	return false
}
