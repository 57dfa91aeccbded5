package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"shelfd/store"
)

// place is a line of a file on disk.
type place struct {
	file string
	line int
}

func placeOf(v *store.View, h store.Hit) (*place, error) {
	shelf, err := v.Shelf(h.Document.Shelf)
	if err != nil {
		return nil, err
	}
	return &place{filepath.Join(shelf.Root, h.Document.File), h.Chunk.Lines.Start}, nil
}

// edit opens the place in the editor of the user and waits for it.
func (p *program) edit(ctx context.Context, at *place) error {
	editor := p.getenv("VISUAL")
	if editor == "" {
		editor = p.getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		return usage("set $EDITOR to open %s at line %d", at.file, at.line)
	}
	command := exec.CommandContext(ctx, words[0], append(words[1:], at.arguments(words[0])...)...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("edit %q: %w", at.file, err)
	}
	return nil
}

// arguments say file and line the way the editor wants it.
func (at *place) arguments(editor string) []string {
	line := strconv.Itoa(at.line)
	switch filepath.Base(editor) {
	case "code", "codium", "cursor", "windsurf":
		return []string{"--goto", at.file + ":" + line}
	case "zed", "subl", "hx", "helix", "micro":
		return []string{at.file + ":" + line}
	}
	return []string{"+" + line, at.file} // vi, vim, nvim, emacs, nano, kak and most others
}
