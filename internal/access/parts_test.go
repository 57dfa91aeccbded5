package access

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelfd/store"
)

// readers are those of a document by the parts of its shelf, as Part says; "" = nobody.
func readers(parts []Part, inside string) string {
	var of *Part
	for i, p := range parts {
		if p.Path == "" || strings.HasPrefix(inside, p.Path+"/") {
			if of == nil || len(p.Path) >= len(of.Path) {
				of = &parts[i]
			}
		}
	}
	if of == nil || !of.ByFolder {
		if of == nil {
			return ""
		}
		return of.Readers
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(inside, of.Path), "/")
	folder, _, below := strings.Cut(rest, "/")
	if !below {
		return ""
	}
	return of.Readers + "/" + folder
}

// TestDocumentsWithTheSameReadersAreSeenByTheSameUsers: Parts and Sight say of the same rules who sees what.
func TestDocumentsWithTheSameReadersAreSeenByTheSameUsers(t *testing.T) {
	names := rapid.SampledFrom([]string{"ada", "bob", "hr", "sales"})
	places := []string{"", "a", "a/b", "ada", "ada/hr", "a/hr", "hr"}
	folders := rapid.SampledFrom(places)
	rapid.Check(t, func(t *rapid.T) {
		people := rapid.Custom(func(t *rapid.T) People {
			return People{Users: rapid.SliceOfN(names, 0, 2).Draw(t, "users"), Groups: rapid.SliceOfN(names, 0, 2).Draw(t, "groups")}
		})
		rules := Rules{Departments: map[string]string{"hr": "sales"}}
		var paths []string
		for _, name := range []string{"One", "Two"} {
			s := Shelf{Name: name, Access: people.Draw(t, "access")}
			seen := map[string]bool{}
			for range rapid.IntRange(0, 5).Draw(t, "scopes") {
				path := folders.Draw(t, "path")
				if !seen[path] { // the configuration refuses a second one
					s.Scopes = append(s.Scopes, Scope{path, rapid.SampledFrom([]string{Global, Department, Personal}).Draw(t, "kind")})
				}
				seen[path] = true
			}
			rules.Shelves = append(rules.Shelves, s)
			for _, folder := range places {
				for _, file := range []string{"x.md", "ada/x.md", "hr/x.md", "b/x.md"} {
					paths = append(paths, name+"/"+strings.TrimPrefix(folder+"/", "/")+file)
				}
			}
		}
		kind := map[string]string{} // path → readers
		for _, s := range rules.Shelves {
			parts := s.Parts()
			for _, path := range paths {
				if inside, in := strings.CutPrefix(path, s.Name+"/"); in {
					kind[path] = readers(parts, inside)
				}
			}
		}
		a := &Access{owner: 1000, disk: func(Who) store.Readable { return nil }}
		a.Set(rules)
		for _, name := range []string{"", "ada", "bob", "hr"} {
			who := Who{UID: 1, Name: name, Groups: rapid.SliceOfN(names, 0, 2).Draw(t, "groups of "+name)}
			agree(t, who, Viewer{a, who}.Sight(""), paths, kind)
		}
	})
}

// agree checks that a user sees all documents with the same readers or none of them, and none without readers.
func agree(t *rapid.T, who Who, sight *store.Sight, paths []string, kind map[string]string) {
	first := map[string]string{} // readers → one path that has them
	for _, path := range paths {
		readers := kind[path]
		if readers == "" {
			if sight.Sees(path) {
				t.Fatalf("%+v sees %s, which has no readers", who, path)
			}
			continue
		}
		other, ok := first[readers]
		if !ok {
			first[readers] = path
		} else if sight.Sees(other) != sight.Sees(path) {
			t.Fatalf("%+v sees one of %s and %s, which have the readers %s", who, other, path, readers)
		}
	}
}
