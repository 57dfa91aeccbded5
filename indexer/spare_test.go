package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// TestSpareLinksFollowEdits: what each kind of reader is left with stays that of a fresh build while documents are
// written, moved between readers and removed, and when who sees what changes.
func TestSpareLinksFollowEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(), 5))
	loose := correlate.DefaultParams()
	loose.MaxLinks, loose.MinConfidence, loose.MinSignals = 2, 0.05, 1
	shelves := []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "Open"}, Parts: []indexer.Part{{Readers: "all"}}},
		{ShelfSpec: store.ShelfSpec{Name: "Mixed"}, Parents: []string{"Open", "Closed"}, Parts: []indexer.Part{{Readers: "all"}, {Path: "depts", Readers: "department", ByFolder: true}}},
		{ShelfSpec: store.ShelfSpec{Name: "Closed"}},
	}
	lib := shelftest.New(t, shelftest.Options{Shelves: shelves, Correlate: &loose})
	folders := []string{"Open", "Open/a", "Mixed", "Mixed/depts", "Mixed/depts/it", "Mixed/depts/hr", "Closed"}
	words := strings.Fields("boiler valve pump torque gauge flange gasket burner")
	word := func() string { return words[r.IntN(len(words))] }
	path := func() string { return fmt.Sprintf("%s/%s%d.md", folders[r.IntN(len(folders))], word(), r.IntN(4)) }
	write := func(path string) {
		lib.Write(path, fmt.Sprintf("---\ntags: [%s, %s]\n---\n# %s %s\n\n## %s\n\n%s %s %s\n", word(), word(), word(), word(), word(), word(), word(), word()))
	}
	for _, shelf := range shelves {
		lib.Write(shelf.Name+"/stays.md", "# Stays\n") // an empty root would be offline
	}
	var there []string
	for range 30 {
		there = append(there, path())
		write(there[len(there)-1])
	}
	spare := 0
	for range 8 {
		for range 1 + r.IntN(6) {
			at := r.IntN(len(there))
			to := path()
			switch {
			case r.IntN(3) == 0 || !lib.Exists(there[at]):
				write(to)
				there = append(there, to)
			case r.IntN(2) == 0 && !lib.Exists(to):
				lib.Move(there[at], to)
				there[at] = to
			case len(there) > 10:
				lib.Remove(there[at])
				there = slices.Delete(there, at, at+1)
			}
		}
		lib.Sync()
		lib.Matches()
		spare += strings.Count(lib.Dump(), `"kind":"spare link"`)
	}
	if spare == 0 {
		t.Error("there was never a spare link")
	}
	shelves = lib.Shelves()
	shelves[1].Parts, shelves[2].Parts = shelves[1].Parts[:1], []indexer.Part{{Readers: "closed"}}
	before := lib.Dump()
	lib.Declare(shelves...)
	lib.Sync()
	lib.Matches()
	if lib.Dump() == before {
		t.Error("spare links stayed although others see other documents")
	}
}
