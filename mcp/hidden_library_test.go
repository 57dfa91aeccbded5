package mcp

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// archive is a library of random documents, of which the viewer sees a part.
type archive struct {
	files map[string]string // doc_path → text
	sight *store.Sight
	seen  []string // doc_paths, sorted
	all   []string
}

var commonWords = strings.Fields(`boiler valve pump torque pressure gauge flange gasket burner chimney copper boilers valves pumps filter
	insulation thermostat radiator manifold sensor actuator inspection maintenance warranty invoice supplier contract schedule`)

// newArchive makes documents in folders of which some are hidden, and links between all of them.
func newArchive(r *rand.Rand) archive {
	a := archive{files: map[string]string{}}
	a.sight = store.NewSight(store.Seen{Shelves: []store.ShelfSight{
		{Name: "Open"},
		{Name: "Mixed", Rules: []store.PathSight{
			{Path: "depts", Folders: []string{"it", "board"}},
			{Path: "people", Folders: []string{"ada"}},
			{Path: "depts/hr/public", All: true},
			{Path: "depts/it/vault", Folders: []string{}},
		}},
	}})
	folders := []string{
		"Open", "Open/a", "Open/a/deep", "Mixed", "Mixed/plain", "Mixed/depts", "Mixed/depts/it", "Mixed/depts/it/sub", "Mixed/depts/it/vault",
		"Mixed/depts/board", "Mixed/depts/hr", "Mixed/depts/hr/public", "Mixed/people/ada", "Mixed/people/bob", "Mixed/people/" + secret + "folk", "Closed", "Closed/a", "Closed/" + secret + "dir",
	}
	for i := range 40 {
		folder := folders[r.Intn(len(folders))]
		name := fmt.Sprintf("%s/%s%d.md", folder, commonWords[r.Intn(len(commonWords))], i)
		if !a.sight.Sees(name) && r.Intn(2) == 0 {
			name = fmt.Sprintf("%s/%sfile%d.md", folder, secret, i)
		}
		if r.Intn(3) == 0 {
			name = fmt.Sprintf("%s/shared%d.md", folder, r.Intn(4))
		}
		a.files[name] = ""
	}
	for path := range a.files {
		a.all = append(a.all, path)
		if a.sight.Sees(path) {
			a.seen = append(a.seen, path)
		}
	}
	slices.Sort(a.all)
	slices.Sort(a.seen)
	for i, path := range a.all {
		a.files[path] = a.text(r, path, i)
	}
	return a
}

// partsOf says of a shelf what newArchive's Sight sees of it.
func partsOf(shelf string) []indexer.Part {
	switch shelf {
	case "Open":
		return []indexer.Part{{Readers: "all"}}
	case "Mixed":
		return []indexer.Part{
			{Readers: "all"},
			{Path: "depts", Readers: "department", ByFolder: true},
			{Path: "people", Readers: "person", ByFolder: true},
			{Path: "depts/hr/public", Readers: "all"},
			{Path: "depts/it/vault"},
		}
	}
	return nil
}

// text is a document with front matter, sections, and links to others, seen or not.
func (a archive) text(r *rand.Rand, path string, i int) string {
	hidden := !a.sight.Sees(path)
	word := func() string {
		if hidden && r.Intn(4) == 0 {
			return fmt.Sprintf("%s%d", secret, r.Intn(30))
		}
		return commonWords[r.Intn(len(commonWords))]
	}
	sentence := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = word()
		}
		return strings.Join(words, " ")
	}
	var b strings.Builder
	key := "status"
	if hidden {
		key = secret + "key"
	}
	fmt.Fprintf(&b, "---\ntitle: %s %d\ntags: [%s, %s]\naliases: [%s, alias%d]\n%s: %s\n", sentence(2), i, word(), word(), sentence(2), r.Intn(6), key, word())
	if r.Intn(5) == 0 {
		fmt.Fprintf(&b, "title: %s\n", sentence(2)) // twice: a problem
	}
	b.WriteString("---\n")
	for s := range 1 + r.Intn(2) {
		fmt.Fprintf(&b, "\n## %s %d\n\n%s.\n", sentence(2), s, sentence(20))
		for range r.Intn(3) {
			shelf, _, _ := strings.Cut(path, "/")
			target := a.all[r.Intn(len(a.all))]
			if !strings.HasPrefix(target, shelf+"/") || !hidden && strings.Contains(target, secret) {
				continue // what a seen document itself says is no secret
			}
			to, _ := filepath.Rel(filepath.Dir(path), target)
			fmt.Fprintf(&b, "\nSee [%s called%d](%s).\n", sentence(2), i, to)
			fmt.Fprintf(&b, "\nSee [[alias%d|called%d]] and [[shared%d|called%d]].\n", r.Intn(6), i, r.Intn(4), i)
		}
	}
	return b.String()
}

// serveArchive indexes the documents with those paths and serves them to a viewer with that sight.
func serveArchive(t *testing.T, a archive, paths []string, shelves []string, sight *store.Sight) (*shelftest.Library, *library) {
	t.Helper()
	loose := correlate.DefaultParams()
	loose.MinConfidence, loose.MinSignals, loose.MaxLinks = 0.05, 1, 3 // fewer places than there are links
	o := shelftest.Options{Correlate: &loose, Quiet: true}
	for _, name := range shelves {
		var parents []string
		if name == "Mixed" {
			parents = slices.DeleteFunc(slices.Clone(shelves), func(other string) bool { return other == name })
		}
		o.Shelves = append(o.Shelves, indexer.Shelf{ShelfSpec: store.ShelfSpec{Name: name}, Parents: parents, Parts: partsOf(name)})
	}
	lib := shelftest.New(t, o)
	for i, path := range paths {
		file := filepath.Join(lib.Folder, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(a.files[path]), 0o644); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_700_000_000+int64(slices.Index(a.all, path)), 0)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err, i)
		}
	}
	if _, err := lib.Indexer.Sync(t.Context(), "", false, nil); err != nil {
		t.Fatal(err)
	}
	s := serve(t, Options{Store: lib.Store, Indexer: lib.Indexer, Viewer: func(Peer) Viewer { return viewing{sight} }})
	return lib, &library{t: t, served: s, ix: lib.Indexer}
}

// state makes links between documents by hand, and summaries: all of them in the one library, those that are seen in
// the other.
func (a archive) state(t *testing.T, r *rand.Rand, full, part *shelftest.Library) {
	t.Helper()
	for i := range 60 {
		l := store.ManualLink{Source: a.all[r.Intn(len(a.all))], Target: a.all[r.Intn(len(a.all))], Relation: "follows", Confidence: 0.9, Label: fmt.Sprint(i)}
		if l.Source == l.Target {
			continue
		}
		seen := a.sight.Sees(l.Source) && a.sight.Sees(l.Target)
		if !seen {
			l.Label = secret
		}
		if _, err := full.Indexer.AddLinks(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if seen {
			if _, err := part.Indexer.AddLinks(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, path := range a.all {
		if i%3 != 0 {
			continue
		}
		word := commonWords[r.Intn(len(commonWords))]
		text := "This one is about the " + word + " and what belongs to it."
		if !a.sight.Sees(path) {
			text += " " + secret
		} else if err := summarise(t, part, path, text); err != nil {
			t.Fatal(err)
		}
		if err := summarise(t, full, path, text); err != nil {
			t.Fatal(err)
		}
	}
}

func summarise(t *testing.T, lib *shelftest.Library, path, text string) error {
	var hash string
	err := lib.Store.View(t.Context(), func(v *store.View) error {
		d, err := v.Document(path)
		hash = d.Hash
		return err
	})
	if err == nil {
		_, err = lib.Indexer.SaveOutline(t.Context(), path, store.Outline{SourceHash: hash, Summary: text})
	}
	return err
}
