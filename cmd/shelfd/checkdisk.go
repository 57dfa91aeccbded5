package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"shelfd/internal/config"
	"shelfd/internal/text"
	"shelfd/store"
	"shelfd/watcher"
)

// checkDisk compares what the index holds with the files themselves, by content: times can lie. Shelves that are
// offline are left out; their files are elsewhere for now.
func (p *program) checkDisk(ctx context.Context, v *store.View, report func(store.Difference)) error {
	declared, err := p.declaredByName()
	if err != nil {
		return err
	}
	shelves, err := v.Shelves()
	if err != nil {
		return err
	}
	for _, s := range shelves {
		if s.State == store.StateOffline {
			continue
		}
		rules, known := declared[s.Name]
		if !known {
			rules = config.DefaultShelf(s.Name, s.Root)
		}
		if err := checkShelf(ctx, v, s, rules, report); err != nil {
			return err
		}
	}
	return nil
}

// declaredByName are the shelves of the configuration, whose rules say which files are documents.
func (p *program) declaredByName() (map[string]config.Shelf, error) {
	paths, err := p.paths()
	if err != nil {
		return nil, err
	}
	c, err := p.config(paths)
	if err != nil {
		return nil, err
	}
	byName := map[string]config.Shelf{}
	for _, s := range c.All() {
		byName[s.Name] = s
	}
	return byName, nil
}

func checkShelf(ctx context.Context, v *store.View, s store.Shelf, rules config.Shelf, report func(store.Difference)) error {
	listing, err := watcher.List(ctx, indexerShelf(rules).Root, nil)
	if err != nil {
		return err
	}
	files, err := v.Files(s.ID, "")
	if err != nil {
		return err
	}
	known := make(map[string]store.File, len(files))
	for _, f := range files {
		known[f.File] = f
	}
	differs := func(file, what string) {
		report(store.Difference{Where: s.Name + "/" + text.Path(file), What: what})
	}
	for _, e := range listing.Entries {
		f, indexed := known[e.Path]
		delete(known, e.Path)
		switch hash, err := hashFile(filepath.Join(s.Root, e.Path)); {
		case errors.Is(err, fs.ErrNotExist):
		case e.Size > rules.MaxFileSize:
		case err != nil:
			differs(e.Path, err.Error())
		case !indexed:
			differs(e.Path, "is on disk and not in the index")
		case hash != f.Hash:
			differs(e.Path, "the index holds another text than the disk")
		}
	}
	for _, f := range files {
		if _, left := known[f.File]; left && !hidden(f.File, listing.Faults) {
			differs(f.File, "is in the index and not on disk")
		}
	}
	return ctx.Err()
}

// hidden says whether a file lies below something that could not be looked at.
func hidden(file string, faults []watcher.Fault) bool {
	for _, fault := range faults {
		if fault.Path == "" || file == fault.Path || strings.HasPrefix(file, fault.Path+"/") {
			return true
		}
	}
	return false
}

// hashFile reads a file as the indexer does: without waiting, should a FIFO have taken its place.
func hashFile(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	h.Sum(sum[:0])
	return sum, nil
}
