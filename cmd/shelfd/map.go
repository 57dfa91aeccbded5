package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"shelfd/internal/config"
	"shelfd/internal/mapview"
	"shelfd/store"
)

func (p *program) mapCommand() *cobra.Command {
	var file string
	var force bool
	c := &cobra.Command{
		Use:   "map SHELF -o FILE.html",
		Short: "Draw a shelf's documents and their links as one HTML page",
		Long: `Draw a shelf's documents and their links as one HTML page, which needs no network and no file beside it. Folders are
circles that open; the colour of a link is its relation, the style of its line who made it, and a click on a document says
how sure its links are and why they are there.

A map that was drawn before is replaced; any other file only with --force.`,
		Example: `  shelfd map manuals -o manuals.html
  shelfd map manuals -o - | ssh host 'cat > manuals.html'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if file == "" {
				return usage("map: name a file with -o; - is standard output")
			}
			return p.view(c.Context(), func(v *store.View) error { return p.drawMap(v, args[0], file, force) })
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "`FILE` to write; - is standard output")
	c.Flags().BoolVar(&force, "force", false, "replace a file that is not a map")
	return c
}

func (p *program) drawMap(v *store.View, shelf, file string, force bool) error {
	if file != "-" {
		roots, err := rootsIn(v)
		if err != nil {
			return err
		}
		if err := mayReplace(file, roots, force); err != nil {
			return err
		}
	}
	m, err := mapview.Gather(v, shelf)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("no shelf %q; 'shelfd shelves' lists them", shelf)
	}
	if err != nil {
		return err
	}
	if file == "-" {
		return mapview.Write(p.out, m)
	}
	if err := replaceFile(config.Resolve(file), func(w io.Writer) error { return mapview.Write(w, m) }); err != nil {
		return fmt.Errorf("map: write %q: %w", file, err)
	}
	p.screen().line("%s, %s in %s", count(len(m.Documents), "document"), count(len(m.Links), "link"), file)
	return nil
}

// mayReplace refuses a path inside a shelf root, and a file that is no map unless it may be lost.
func mayReplace(file string, roots []string, force bool) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return usage("map: %v", err)
	}
	if err := outsideRoots("map", path, roots); err != nil {
		return err
	}
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("map: %w", err)
	case !stat.Mode().IsRegular():
		return usage("map: %q is not a file; name another, or - for standard output", file)
	case force || stat.Size() == 0:
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("map: %w", err)
	}
	defer f.Close()
	beginning := make([]byte, mapview.MarkLength)
	n, err := io.ReadFull(f, beginning)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("map: %w", err)
	}
	if !mapview.Wrote(beginning[:n]) {
		return usage("map: %q is there and no map; name another file, or replace it with --force", file)
	}
	return nil
}

// replaceFile writes a file in one step: what stood there stands until all is written, and leaves its mode.
func replaceFile(path string, write func(io.Writer) error) error {
	mode := os.FileMode(0o600)
	if stat, err := os.Stat(path); err == nil {
		mode = stat.Mode().Perm()
	}
	next, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name()) // it has the other name when all went well
	if err := errors.Join(write(next), next.Chmod(mode), next.Close()); err != nil {
		return err
	}
	return os.Rename(next.Name(), path)
}
