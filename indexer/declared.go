package indexer

import (
	"context"
	"fmt"
	"sort"

	"go.uber.org/zap"

	"shelfd/store"
	"shelfd/watcher"
)

// originLedger marks shelves that were made at run time.
const originLedger = "ledger"

// setDeclared takes in what the configuration declares.
func (r *run) setDeclared(ctx context.Context, shelves []Shelf) error {
	r.declared, r.announced = shelves, true
	err := r.applyShelves(ctx)
	if store.IsCorrupt(err) { // the database that is made next is given them
		return nil
	}
	r.beginEarly(ctx)
	return err
}

// beginEarly does what was asked before the shelves were known.
func (r *run) beginEarly(ctx context.Context) {
	early := r.early
	r.early = nil
	for _, begin := range early {
		begin(ctx, r)
	}
}

// wanted are the shelves that should be there: those declared, and those of the ledger that do not clash with them.
func (r *run) wanted() map[string]Shelf {
	wanted := map[string]Shelf{}
	for _, s := range r.declared {
		wanted[s.Name] = s
	}
	for name, said := range r.ledger.Said().Shelves {
		if declared, clash := wanted[name]; clash {
			if declared.ShelfSpec.Root != said.Root {
				r.log.Warn("a shelf made at run time has the name of a configured one and is left out", zap.String("shelf", name), zap.String("root", said.Root))
			}
			continue
		}
		wanted[name] = Shelf{ShelfSpec: store.ShelfSpec{Name: name, Description: said.Description, Root: said.Root, Origin: originLedger}}
	}
	for name, s := range wanted {
		s.Root.Shelf, s.Root.Path = s.Name, s.ShelfSpec.Root
		wanted[name] = s
	}
	return wanted
}

// applyShelves makes the rows and the watched roots those of the wanted shelves.
func (r *run) applyShelves(ctx context.Context) error {
	wanted := r.wanted()
	r.returning = true
	if err := r.dropShelves(ctx, wanted); err != nil {
		return err
	}
	names := make([]string, 0, len(wanted))
	for name := range wanted {
		names = append(names, name)
	}
	sort.Strings(names)
	var put []func() // what is known beside the rows changes with them: after the transaction
	err := r.update(ctx, func(tx *store.Tx) error {
		put = put[:0]
		for _, name := range names {
			known, err := r.putShelf(tx, wanted[name])
			if err != nil {
				return err
			}
			put = append(put, known)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, known := range put {
		known()
	}
	err = r.update(ctx, func(tx *store.Tx) error {
		if err := r.putParents(tx, wanted); err != nil {
			return err
		}
		return r.checkSeals(tx)
	})
	if err != nil {
		return err
	}
	roots := make([]watcher.Root, 0, len(names))
	for _, name := range names {
		roots = append(roots, wanted[name].Root)
	}
	if err := r.watcher.SetRoots(roots); err != nil {
		return fmt.Errorf("indexer: watch: %w", err)
	}
	return nil
}

// putShelf writes the row of a shelf and returns what makes it known to the loop.
func (r *run) putShelf(tx *store.Tx, w Shelf) (known func(), err error) {
	id, err := tx.PutShelf(w.ShelfSpec)
	if err != nil {
		return nil, err
	}
	if s := r.shelves[w.Name]; s != nil && s.ShelfSpec.Root == w.ShelfSpec.Root {
		return func() {
			if s.MaxFileSize != w.MaxFileSize { // the watcher has no part in it, so nobody else asks for a look
				s.looks[""] = lookNow()
			}
			s.Shelf = w
		}, nil
	}
	row, err := tx.Shelf(w.Name)
	if err == nil {
		err = tx.Count(&row)
	}
	if err != nil {
		return nil, err
	}
	s := r.newShelf(w, id)
	s.documents, s.problems, s.compared = row.Documents, row.Problems > 0, row.ReconciledAt
	return func() { r.shelves[w.Name] = s }, tx.SetShelfState(id, store.StateIndexing, "")
}

func (r *run) shelfIDs(names []string) []int64 {
	var ids []int64
	for _, name := range names {
		if s := r.shelves[name]; s != nil {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// dropShelves begins to remove the rows of shelves that are wanted no longer.
func (r *run) dropShelves(ctx context.Context, wanted map[string]Shelf) error {
	var rows []store.Shelf
	err := r.store.View(ctx, func(v *store.View) (err error) {
		rows, err = v.AllShelves()
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		w, stays := wanted[row.Name]
		if stays {
			r.stay(row.Name)
		}
		if stays && (row.Root == w.ShelfSpec.Root || row.Root == "") {
			continue
		}
		if stays { // another root under the same name: ids stay by path, so the rows do too
			if s := r.shelves[row.Name]; s != nil {
				delete(r.shelves, row.Name)
			}
			continue
		}
		if err := r.leave(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

// renameRows gives a shelf and its documents their new names; the documents are cut again for their new paths.
func (r *run) renameRows(ctx context.Context, from, to string) error {
	s := r.shelves[from]
	var news Changed
	err := r.update(ctx, func(tx *store.Tx) (err error) {
		if news, err = s.renaming(tx.View, to); err != nil {
			return err
		}
		return tx.RenameShelf(s.id, to)
	})
	if err != nil {
		return err
	}
	r.tell(news)
	delete(r.shelves, from)
	s.Name = to
	s.Root.Shelf = to
	r.shelves[to] = s
	return nil
}
