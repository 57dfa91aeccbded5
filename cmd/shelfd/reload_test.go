package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"shelfd/internal/config"
)

// Whoever keeps the configuration elsewhere and links to it edits it there, and nothing happens beside the link.
func TestAConfigurationBehindALinkIsWatchedWhereItStands(t *testing.T) {
	real, link := t.TempDir(), t.TempDir()
	file := filepath.Join(real, "shelfd.yaml")
	paths := config.Paths{Config: filepath.Join(link, "config.yaml")}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, paths.Config); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(real)
	if err != nil {
		t.Fatal(err)
	}
	if got := configFolders(paths, config.Config{}); !slices.Contains(got, real) || !slices.Contains(got, link) {
		t.Errorf("watched: %q, not %q and %q", got, link, real)
	}
}
