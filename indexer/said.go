package indexer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"shelfd/store"
)

// sayLinks writes the manual links of the documents that a commit made, moved or removed.
func (w *writing) sayLinks(tx *store.Tx) error {
	said := w.ledger.Said()
	if len(said.Links) == 0 {
		return nil
	}
	touched := map[string]bool{}
	for _, id := range w.changed {
		d, err := tx.DocumentByID(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		touched[d.Path] = true
	}
	return sayLinksOf(tx, said, func(l store.ManualLink) bool { return touched[l.Source] || touched[l.Target] })
}

// sayLinksOf writes the manual links of every source that has one for which wanted holds.
func sayLinksOf(tx *store.Tx, said *store.Said, wanted func(store.ManualLink) bool) error {
	sources := make([]string, 0, len(said.Links))
	for source, links := range said.Links {
		for _, l := range links {
			if wanted(l) {
				sources = append(sources, source)
				break
			}
		}
	}
	sort.Strings(sources)
	for _, source := range sources {
		if err := sayLinksFrom(tx, said, source); err != nil {
			return err
		}
	}
	return nil
}

// sayLinksFrom makes the manual links of one source what the ledger says, as far as both ends are there.
func sayLinksFrom(tx *store.Tx, said *store.Said, source string) error {
	d, err := tx.Document(source)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	links := map[int64][]store.ManualLink{}
	for _, l := range said.Links[source] {
		target, err := tx.Document(l.Target)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		links[target.ID] = append(links[target.ID], l)
	}
	return tx.SetManualLinks(d.ID, links)
}

// restore brings ids that the ledger knows into a database that does not know them.
func (r *run) restore(ctx context.Context) error {
	said := r.ledger.Said()
	return r.update(ctx, func(tx *store.Tx) error {
		var last int64
		for path, id := range said.IDs {
			last = max(last, id)
			if _, err := tx.DocumentByID(id); err == nil {
				continue
			} else if !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err := tx.Reserve(path, id); err != nil {
				return err
			}
		}
		return errors.Join(tx.KeepIDsAbove(last), r.restoreOutlines(tx), restoreLinks(tx, said))
	})
}

// AddShelf makes a shelf of a folder at run time, through the ledger, and returns after it was recorded (not indexed).
// name "" = the folder's own.
func (x *Indexer) AddShelf(ctx context.Context, name, folder, description string) (string, error) {
	root, err := shelfRoot(folder)
	if err != nil {
		return "", err
	}
	if name == "" {
		name = filepath.Base(root)
	}
	err = x.do(ctx, func(ctx context.Context, r *run) error {
		if err := r.admit(name, root); err != nil {
			return err
		}
		if err := r.ledger.Append(store.Record{Op: store.OpShelfAdd, Shelf: name, Root: root, Description: description}); err != nil {
			return err
		}
		return r.applyShelves(ctx)
	})
	return name, err
}

// RemoveShelf removes a shelf that was added at run time; its files stay where they are.
func (x *Indexer) RemoveShelf(ctx context.Context, name string) error {
	gone, err := ask(ctx, x, func(ctx context.Context, r *run) (<-chan error, error) {
		if err := r.mutable(name); err != nil {
			return nil, err
		}
		if err := r.ledger.Append(store.Record{Op: store.OpShelfRemove, Shelf: name}); err != nil {
			return nil, err
		}
		if err := r.applyShelves(ctx); err != nil {
			return nil, err
		}
		return r.going(name), nil
	})
	if err != nil {
		return err
	}
	return x.untilGone(ctx, gone)
}

// RenameShelf renames a shelf that was added at run time; ids, links and summaries go along.
func (x *Indexer) RenameShelf(ctx context.Context, from, to string) error {
	return x.do(ctx, func(ctx context.Context, r *run) error {
		if err := r.mutable(from); err != nil {
			return err
		}
		if err := validShelfName(to); err != nil {
			return err
		}
		if r.shelves[to] != nil {
			return fmt.Errorf("indexer: rename shelf %q: there is a shelf %q already", from, to)
		}
		if r.isLeaving(to) {
			return fmt.Errorf("indexer: rename shelf %q: a shelf %q is being removed; try again in a moment", from, to)
		}
		if err := r.ledger.Append(store.Record{Op: store.OpShelfRename, Shelf: from, To: to}); err != nil {
			return err
		}
		if err := r.renameRows(ctx, from, to); err != nil {
			return err
		}
		return r.applyShelves(ctx)
	})
}

// shelfRoot is the folder of a shelf: absolute, links resolved, and a folder indeed.
func shelfRoot(folder string) (string, error) {
	if !filepath.IsAbs(folder) {
		return "", fmt.Errorf("indexer: add shelf: %q is not an absolute path", folder)
	}
	root, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("indexer: add shelf: there is no folder %q", folder)
	}
	if err != nil {
		return "", fmt.Errorf("indexer: add shelf %q: %w", folder, err)
	}
	stat, err := os.Stat(root)
	if err != nil {
		return "", fmt.Errorf("indexer: add shelf %q: %w", folder, err)
	}
	if !stat.IsDir() {
		return "", fmt.Errorf("indexer: add shelf %q: it is a file; a shelf is a folder", folder)
	}
	return root, nil
}

func validShelfName(name string) error {
	if name == "" || strings.ContainsAny(name, "/\x00") || strings.HasPrefix(name, ".") {
		return fmt.Errorf("indexer: shelf name %q: a name is not empty, has no slash and no leading dot", name)
	}
	return nil
}

// admit says why a new shelf of that name and root cannot be, nil when it can.
func (r *run) admit(name, root string) error {
	if err := validShelfName(name); err != nil {
		return err
	}
	if s := r.shelves[name]; s != nil {
		return fmt.Errorf("indexer: add shelf %q: there is one already, of %q; choose another name", name, s.Root.Path)
	}
	for _, s := range r.shelves {
		if below(root, s.Root.Path) || below(s.Root.Path, root) {
			return fmt.Errorf("indexer: add shelf %q: %q overlaps the root of shelf %q, %q", name, root, s.Name, s.Root.Path)
		}
	}
	for _, ours := range []string{r.store.Path(), r.ledger.Path()} {
		if resolved, err := filepath.EvalSymlinks(ours); err == nil && below(resolved, root) {
			return fmt.Errorf("indexer: add shelf %q: %q holds shelfd's own %q", name, root, ours)
		}
	}
	return nil
}

// mutable says why a shelf cannot be changed at run time, nil when it can.
func (r *run) mutable(name string) error {
	s := r.shelves[name]
	if s == nil {
		return fmt.Errorf("indexer: shelf %q: %w", name, ErrUnknownShelf)
	}
	switch {
	case s.Origin == originLedger:
		return nil
	case s.Declared != "":
		return fmt.Errorf("indexer: shelf %q is declared in %s; change it there", name, s.Declared)
	case s.Origin == "command":
		return fmt.Errorf("indexer: shelf %q is declared on the command line of serve; change it there", name)
	}
	return fmt.Errorf("indexer: shelf %q is declared in the configuration file; change it there", name)
}
