package store

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAnIndexInAFolderThatCannotBeWrittenIsRead: a copy on a read-only disk, or somebody else's that was left readable.
func TestAnIndexInAFolderThatCannotBeWrittenIsRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := filepath.Join(t.TempDir(), "state", "index.db")
	s, _, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
	if s, _, err = Open(t.Context(), path, Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(v *View) error {
		_, err := v.Search(Query{Text: "valve", Limit: 10})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
