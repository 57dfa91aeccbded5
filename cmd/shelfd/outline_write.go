package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelfd/internal/config"
	"shelfd/store"
)

// indexName is the file that an outline is written to, in a folder named like its document.
const indexName = "INDEX.md"

// writeOutlines renders an INDEX.md for each of the documents named, or for all. What stands there already byte for
// byte is left alone; nothing is ever removed, and no summary is changed.
func (p *program) writeOutlines(ctx context.Context, folder string, named []string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return usage("outline: %v", err)
	}
	return p.view(ctx, func(v *store.View) error {
		roots, err := rootsIn(v)
		if err != nil {
			return err
		}
		if err := outsideRoots("outline", folder, roots); err != nil {
			return err
		}
		documents, err := documentsNamed(v, named)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("outline: %w", err)
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return fmt.Errorf("outline: %w", err)
		}
		defer root.Close()
		return p.writeEach(v, root, roots, documents)
	})
}

func (p *program) writeEach(v *store.View, folder *os.Root, roots []string, documents []store.Document) error {
	written := 0
	for _, d := range documents {
		target := filepath.Join(filepath.FromSlash(d.Path), indexName)
		if err := outsideRoots("outline", filepath.Join(folder.Name(), target), roots); err != nil {
			return err
		}
		text, err := renderIndex(v, d)
		if err != nil {
			return err
		}
		changed, err := writeChanged(folder, target, text)
		if err != nil {
			return fmt.Errorf("outline: write %q: %w", filepath.Join(folder.Name(), target), err)
		}
		if changed {
			written++
		}
	}
	p.screen().line("%s in %s: %d written, %d as they were", count(len(documents), "outline"), folder.Name(), written, len(documents)-written)
	return nil
}

func rootsIn(v *store.View) ([]string, error) {
	shelves, err := v.Shelves()
	roots := make([]string, len(shelves))
	for i, s := range shelves {
		roots[i] = s.Root
	}
	return roots, err
}

// outsideRoots refuses a path inside a shelf root, by whatever name the root is reached.
func outsideRoots(command, path string, roots []string) error {
	resolved := config.Resolve(path)
	for _, root := range roots {
		if config.Inside(resolved, root) || reaches(resolved, root) {
			return usage("%s: %q is inside the shelf root %q, where shelfd never writes; name another place", command, path, root)
		}
	}
	return nil
}

// reaches says whether path or a folder above it is the same folder as root: file systems may fold names.
func reaches(path, root string) bool {
	wanted, err := os.Stat(root)
	if err != nil {
		return false
	}
	for ; ; path = filepath.Dir(path) {
		if stat, err := os.Stat(path); err == nil && os.SameFile(stat, wanted) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}

// documentsNamed are the documents at the paths and in the shelves and folders named, or all.
func documentsNamed(v *store.View, named []string) ([]store.Document, error) {
	if len(named) == 0 {
		return v.DocumentsBelow("")
	}
	var list []store.Document
	for _, name := range named {
		name = strings.TrimSuffix(name, "/")
		d, err := v.Document(name)
		if err == nil {
			list = append(list, d)
			continue
		}
		if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if folderExists(v, name) != nil {
			_, err := document(v, name) // says what is near
			return nil, err
		}
		below, err := v.DocumentsBelow(name)
		if err != nil {
			return nil, err
		}
		list = append(list, below...)
	}
	return list, nil
}

// writeChanged replaces a file in one step unless it holds text already.
func writeChanged(folder *os.Root, name, text string) (changed bool, err error) {
	if have, err := folder.ReadFile(name); err == nil && bytes.Equal(have, []byte(text)) {
		return false, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := folder.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return false, err
	}
	next := name + ".next"
	if err := folder.WriteFile(next, []byte(text), 0o600); err != nil {
		return false, err
	}
	return true, folder.Rename(next, name)
}
