package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelfd/store"
)

// What was said before and after something befell the file is there at the next start.
func TestWhatIsSaidSurvivesWhatBefallsTheLedgerMeanwhile(t *testing.T) {
	for name, befall := range map[string]func(path string) error{
		"deleted":             os.Remove,
		"deleted with folder": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"moved away":          func(path string) error { return os.Rename(path, path+".away") },
		"emptied":             func(path string) error { return os.Truncate(path, 0) },
		"cut":                 func(path string) error { return os.Truncate(path, 30) },
		"replaced by an older one": func(path string) error {
			if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
		"replaced by a folder": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		},
		"overwritten in place": func(path string) error {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte(strings.Repeat("x", len(raw))), 0o600)
		},
		"grown by hand": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString(`{"op":"shelf_add","shelf":"byhand","root":"/h"}`) // without its newline
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state", "ledger.jsonl")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			l := openLedger(t, path)
			say(t, l, "before")
			if err := befall(path); err != nil {
				t.Fatal(err)
			}
			say(t, l, "after")
			say(t, l, "later")
			notices, err := l.Check()
			if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "ledger") {
				t.Errorf("%q, %v: what befell the ledger is told once", notices, err)
			}
			if notices, err := l.Check(); err != nil || len(notices) > 0 {
				t.Errorf("told again: %q, %v", notices, err)
			}
			if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", stat, err)
			}
			shelves := openLedger(t, path).Said().Shelves
			for _, want := range []string{"before", "after", "later"} {
				if _, ok := shelves[want]; !ok {
					t.Errorf("%q is lost: %v", want, shelves)
				}
			}
			if _, ok := shelves["byhand"]; ok != (name == "grown by hand") {
				t.Errorf("a line by hand: %v", shelves)
			}
		})
	}
}

// Without an append the file is put back by the next check.
func TestADeletedLedgerIsPutBackWithoutAWord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l := openLedger(t, path)
	say(t, l, "before")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Check(); err != nil {
		t.Fatal(err)
	}
	if _, ok := openLedger(t, path).Said().Shelves["before"]; !ok {
		t.Error("it is lost")
	}
}

// A statement that cannot be put on the disk is refused, and counts as little in memory.
func TestAStatementThatCannotBeWrittenIsRefused(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may write everywhere: a file in the place of the folder stands for a folder that cannot be written")
	}
	folder := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	l := openLedger(t, filepath.Join(folder, "ledger.jsonl"))
	say(t, l, "before")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(store.Record{Op: store.OpShelfAdd, Shelf: "after", Root: "/r"}); err == nil {
		t.Error("success for a statement that is nowhere")
	}
	if _, ok := l.Said().Shelves["after"]; ok {
		t.Error("it counts all the same")
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	say(t, l, "later")
	shelves := openLedger(t, l.Path()).Said().Shelves
	if len(shelves) != 2 {
		t.Errorf("%v", shelves)
	}
}

func openLedger(t *testing.T, path string) *store.Ledger {
	t.Helper()
	l, _, err := store.OpenLedger(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func say(t *testing.T, l *store.Ledger, shelf string) {
	t.Helper()
	if err := l.Append(store.Record{Op: store.OpShelfAdd, Shelf: shelf, Root: "/" + shelf}); err != nil {
		t.Fatal(err)
	}
}
