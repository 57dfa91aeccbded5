package indexer

import (
	"context"
	"fmt"
	"slices"
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
	return r.applyShelves(ctx)
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
	err := r.update(ctx, func(tx *store.Tx) error {
		for _, name := range names {
			if err := r.putShelf(tx, wanted[name]); err != nil {
				return err
			}
		}
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

func (r *run) putShelf(tx *store.Tx, w Shelf) error {
	id, err := tx.PutShelf(w.ShelfSpec)
	if err != nil {
		return err
	}
	s := r.shelves[w.Name]
	if s != nil && s.ShelfSpec.Root == w.ShelfSpec.Root {
		if s.MaxFileSize != w.MaxFileSize { // the watcher has no part in it, so nobody else asks for a look
			s.looks[""] = lookNow()
		}
		s.Shelf = w
		return nil
	}
	s = r.newShelf(w, id)
	row, err := tx.Shelf(w.Name)
	if err != nil {
		return err
	}
	s.documents, s.problems = row.Documents, row.Problems > 0
	r.shelves[w.Name] = s
	return tx.SetShelfState(id, store.StateIndexing, "")
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

// dropShelves removes the rows of shelves that are wanted no longer, a slice of documents at a time.
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
		if stays && (row.Root == w.ShelfSpec.Root || row.Root == "") {
			continue
		}
		if stays { // another root under the same name: ids stay by path, so the rows do too
			if s := r.shelves[row.Name]; s != nil {
				delete(r.shelves, row.Name)
			}
			continue
		}
		if err := r.dropShelf(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) dropShelf(ctx context.Context, row store.Shelf) error {
	r.log.Info("shelf leaves the index", zap.String("shelf", row.Name), zap.Int("documents", row.Documents))
	s := r.newShelf(Shelf{ShelfSpec: store.ShelfSpec{Name: row.Name}}, row.ID)
	for {
		var files []store.File
		err := r.store.View(ctx, func(v *store.View) (err error) {
			files, err = v.Files(row.ID, "")
			return err
		})
		if err != nil {
			return err
		}
		if len(files) == 0 {
			break
		}
		for slice := range slices.Chunk(files, removeSlice) {
			if err := r.commitRemoval(ctx, s, slice); err != nil {
				return err
			}
		}
	}
	delete(r.shelves, row.Name)
	return r.update(ctx, func(tx *store.Tx) error { return tx.DeleteShelf(row.ID) })
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
