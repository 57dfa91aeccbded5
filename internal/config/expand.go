package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// All are the shelves of the configuration with those of shelf_folders as they stand on disk now, in the order of the
// file and then of name.
func (c *Config) All() []Shelf {
	shelves := slices.Clone(c.Shelves)
	for i, folder := range c.ShelfFolders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // Missing now: its shelves appear when it does, as Load warned.
		}
		for _, entry := range entries {
			root := filepath.Join(folder, entry.Name())
			if !shelfFolder(root, entry.Name()) || slices.ContainsFunc(shelves, func(s Shelf) bool { return s.Root == root }) {
				continue
			}
			s := DefaultShelf(freeName(entry.Name(), shelves), root)
			s.Origin = fmt.Sprintf("%s: shelf_folders[%d]", c.File, i)
			shelves = append(shelves, s)
		}
	}
	return shelves
}

// shelfFolder says whether a subfolder is one that somebody would call a shelf. Symlinks are not: what they point to
// may overlap with anything.
func shelfFolder(path, name string) bool {
	stat, err := os.Lstat(path)
	return err == nil && stat.IsDir() && CheckName(name) == nil && name != "node_modules" && name != "__pycache__"
}

// freeName is name, or name-2, name-3 … if shelves have it already.
func freeName(name string, shelves []Shelf) string {
	free := name
	for n := 2; slices.ContainsFunc(shelves, func(s Shelf) bool { return s.Name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// WithFolders adds shelves of folders named on the command line. A folder that is a root already stays what it is. It
// does not look at the disk: a folder that was there at the start may be away for a while.
func WithFolders(shelves, folders []Shelf) ([]Shelf, error) {
	all := slices.Clone(shelves)
	for _, f := range folders {
		if slices.ContainsFunc(all, func(s Shelf) bool { return s.Root == f.Root }) {
			continue
		}
		for _, other := range all {
			if reason := Overlap(f.Root, fmt.Sprintf("the root of shelf %q,", other.Name), other.Root); reason != "" {
				return nil, fmt.Errorf("config: %s", reason)
			}
		}
		f.Name = freeName(f.Name, all)
		all = append(all, f)
	}
	return all, nil
}

// Folder is a folder named on the command line as a root, and the name its shelf would have.
func Folder(folder string) (root, name string, err error) {
	if folder == "" { // an unset variable, and never the folder one stands in
		return "", "", errors.New(`config: the name of a folder is empty; say "." for the one you are in`)
	}
	abs, err := expandAbs(folder)
	if err != nil {
		return "", "", fmt.Errorf("config: %w", err)
	}
	stat, err := os.Stat(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("config: there is no folder %q; check how it is written", folder)
	}
	if err != nil {
		return "", "", fmt.Errorf("config: %w", err)
	}
	if !stat.IsDir() {
		return "", "", fmt.Errorf("config: %q is a file; name the folder it is in", folder)
	}
	return Resolve(abs), nameOf(abs), nil
}

// nameOf makes a shelf's name of a folder's: the leading dots that a name must not have go.
func nameOf(folder string) string {
	name := strings.TrimSpace(strings.TrimLeft(filepath.Base(folder), "."))
	if CheckName(name) != nil {
		return "documents"
	}
	return name
}
