package store

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryTableIsHidden: whoever adds a table decides here what of it is seen. One that is not named has no rows for a
// reader to whom something is hidden.
func TestEveryTableIsHidden(t *testing.T) {
	s, _, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.PutShelf(ShelfSpec{Name: "a", Root: "/a", Origin: "config"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	err = s.View(t.Context(), func(v *View) (err error) {
		tables, err = v.strings(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := seenTables()
	unnamed := slices.DeleteFunc(slices.Clone(tables), func(name string) bool { _, ok := named[name]; return ok })
	if got, want := strings.Join(unnamed, " "), "link_names pending reserved_ids spare_links"; got != want {
		t.Errorf("tables that seenTables leaves empty: %s, want %s", got, want)
	}
	err = s.ViewAs(t.Context(), NewSight(Seen{}), func(v *View) error {
		for _, name := range tables {
			var n int
			if err := v.queryRow(`SELECT count(*) FROM `+name, nil, &n); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if n > 0 && name != "meta" {
				t.Errorf("who sees nothing sees %d rows of %s", n, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		seen    Seen
		shelves int
	}{{Seen{Rest: true}, 1}, {Seen{Shelves: []ShelfSight{{Name: "a"}}}, 1}, {Seen{Shelves: []ShelfSight{{Name: "b"}}}, 0}} {
		err := s.ViewAs(t.Context(), NewSight(c.seen), func(v *View) error {
			shelves, err := v.Shelves()
			if len(shelves) != c.shelves {
				t.Errorf("%+v sees %d shelves", c.seen, len(shelves))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestRangesOfSights cuts rules into ranges of paths.
func TestRangesOfSights(t *testing.T) {
	for _, c := range []struct {
		shelf ShelfSight
		want  string
	}{
		{ShelfSight{Name: "a"}, "a/-a0"},
		{ShelfSight{Name: "a", Blind: true}, ""},
		{ShelfSight{Name: "a", Rules: []PathSight{{Path: "x"}}}, "a/-a/x/ a/x0-a0"},
		{ShelfSight{Name: "a", Rules: []PathSight{{Path: "x", All: true}}}, "a/-a0"},
		{ShelfSight{Name: "a", Rules: []PathSight{{Path: "x/y/z", All: true}, {Path: "x", Folders: []string{"y", "y"}}, {Path: "x/y"}}}, "a/-a/x/ a/x/y/z/-a/x/y/z0 a/x0-a0"},
		{ShelfSight{Name: "a", Blind: true, Rules: []PathSight{{Folders: []string{"u"}}}}, "a/u/-a/u0"},
	} {
		var parts []string
		for _, x := range c.shelf.spans() {
			parts = append(parts, x.from+"-"+x.to)
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.shelf, got, c.want)
		}
	}
}
