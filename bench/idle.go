package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The tree over which a daemon rests, and how long it is given to come to rest: what follows a start ends within half
// a minute.
const (
	idleFolders = 20_000
	idleEach    = 10 // folders to a document
	idleRest    = 45 * time.Second
)

// idle measures what the daemon does over a tree of many folders while nothing happens.
func idle(ctx context.Context, work string, _ []string) error {
	root := filepath.Join(work, "tree")
	documents := 0
	for i := range idleFolders - 1 { // the root is one
		folder := filepath.Join(root, fmt.Sprintf("f%03d", i/200), fmt.Sprintf("g%03d", i%200))
		if i%200 == 0 {
			folder = filepath.Dir(folder)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if i%idleEach != 0 {
			continue
		}
		documents++
		text := fmt.Appendf(nil, "# Folder %d\n\nWhat stands in folder %d of the tree.\n", i, i)
		if err := os.WriteFile(filepath.Join(folder, "page.md"), text, 0o600); err != nil {
			return err
		}
	}
	binary, err := build(ctx, work)
	if err != nil {
		return err
	}
	d := newDaemon(binary, work, root)
	defer d.stop()
	if _, err := d.start(ctx); err != nil {
		return err
	}
	fmt.Printf("tree                 %d folders, %d documents\n", idleFolders, documents)
	if !pauseFor(ctx, idleRest) {
		return ctx.Err()
	}
	return rest(ctx, d)
}
