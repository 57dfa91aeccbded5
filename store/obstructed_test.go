package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"shelfd/store"
)

func TestWhatIsNoFileIsNamedAndStays(t *testing.T) {
	folder := func(path string) error { return os.MkdirAll(path, 0o700) }
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	for name, c := range map[string]struct {
		at   string
		make func(string) error
		says string
	}{
		"folder":            {"index.db", folder, "a folder stands where"},
		"pipe":              {"index.db", pipe, "pipe or socket stands where"},
		"folder as the log": {"index.db-wal", folder, `index.db-wal": a folder stands where`},
	} {
		t.Run(name, func(t *testing.T) {
			place := filepath.Join(t.TempDir(), "state")
			if err := errors.Join(folder(place), c.make(filepath.Join(place, c.at))); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{false, true} {
				s, _, err := store.Open(t.Context(), filepath.Join(place, "index.db"), store.Options{ReadOnly: readOnly})
				if err == nil {
					s.Close()
				}
				if !errors.Is(err, store.ErrNoFile) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("read only %t: %v", readOnly, err)
				}
			}
			if left, err := os.ReadDir(place); err != nil || len(left) != 1 || left[0].Name() != c.at {
				t.Errorf("left there: %v %v", left, err)
			}
		})
	}
}
