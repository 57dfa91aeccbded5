package main

import (
	"errors"
	"fmt"
	"strings"

	"shelfd/internal/text"
	"shelfd/store"
)

// canonical is a path as doc_paths are: a terminal completes names as they stand on the disk, in another form of Unicode
// or none.
func canonical(path string) string { return text.Path(strings.Trim(path, "/")) }

// document finds a document by its doc_path and names the nearest when there is none.
func document(v *store.View, path string) (store.Document, error) {
	path = canonical(path)
	d, err := v.Document(path)
	if !errors.Is(err, store.ErrNotFound) {
		return d, err
	}
	near, nearErr := v.NearPaths(path, 3)
	if nearErr != nil {
		return d, nearErr
	}
	return d, fmt.Errorf("no document %q%s", path, closeTo(near))
}

// folderExists is nil for a shelf, a folder inside one, and "".
func folderExists(v *store.View, folder string) error {
	if folder == "" {
		return nil
	}
	there, err := v.HasFolder(folder)
	if err != nil || there {
		return err
	}
	near, nearErr := v.NearFolders(folder, 3)
	if nearErr != nil {
		return nearErr
	}
	noun := "folder"
	if !strings.Contains(folder, "/") {
		noun = "shelf"
	}
	return fmt.Errorf("no %s %q%s", noun, folder, closeTo(near))
}

// node finds a section of a document.
func node(nodes []store.Node, d store.Document, id string) (store.Node, error) {
	var near []string
	for _, n := range nodes {
		if n.ID == id {
			return n, nil
		}
		if strings.Contains(n.ID, id) || strings.Contains(id, n.ID) {
			near = append(near, n.ID)
		}
	}
	if len(near) > 3 {
		near = near[:3]
	}
	return store.Node{}, fmt.Errorf("no section %q in %s%s; see: shelfd outline %q", id, d.Path, closeTo(near), d.Path)
}

// closeTo is the tail of "no such thing" that names near ones.
func closeTo(near []string) string {
	if len(near) == 0 {
		return ""
	}
	paths := "path"
	if len(near) > 1 {
		paths = "paths"
	}
	return fmt.Sprintf("; %d close %s: %s", len(near), paths, strings.Join(near, ", "))
}
