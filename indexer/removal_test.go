package indexer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// A shelf of many documents leaves a slice at a time, and whoever wants something meanwhile gets it.
func TestAShelfLeavesInSlices(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	folder := t.TempDir()
	for n := range 1500 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.md", n)), []byte("# Much\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Indexer.AddShelf(t.Context(), "much", folder, ""); err != nil {
		t.Fatal(err)
	}
	l.Sync()
	before := l.Indexer.Status().Commits
	gone := make(chan error, 1)
	go func() { gone <- l.Indexer.RemoveShelf(context.Background(), "much") }()
	for asked := 0; ; asked++ {
		if err := l.Indexer.Alive(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-gone:
			if slices := l.Indexer.Status().Commits - before; err != nil || asked < 4 || slices < 1500/200 {
				t.Errorf("%v; %d answers and %d transactions meanwhile", err, asked, slices)
			}
			if l.ID("much/7.md") != 0 {
				t.Error("a document is left")
			}
			l.Matches()
			return
		default:
		}
	}
}

// Of a big folder that went, what comes back before its turn is spared.
func TestWhatComesBackWhileAFolderIsBeingRemovedStays(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	for n := range 900 {
		l.Write(fmt.Sprintf("notes/big/%d.md", n), fmt.Sprintf("# Big %d\n", n))
	}
	for n := range 1000 {
		l.Write(fmt.Sprintf("notes/rest/%d.md", n), fmt.Sprintf("# Rest %d\n", n))
	}
	l.Sync()
	id := l.ID("notes/big/899.md")
	l.Move("notes/big", "notes/.hidden")
	l.Eventually("the removal begins", func() bool { return l.Shelf("notes").Documents < 1900 }, func() string { return "" })
	l.Move("notes/.hidden", "notes/big")
	l.Sync()
	if l.ID("notes/big/899.md") != id || l.Shelf("notes").Documents != 1900 {
		t.Errorf("id %d, was %d; %d documents", l.ID("notes/big/899.md"), id, l.Shelf("notes").Documents)
	}
	l.Matches()
}

// An idle daemon notices within seconds what befalls the files of the index, although it looks at them once a minute only.
func TestAFileOfTheIndexThatIsTakenAwayIsNoticedWhenNobodyAsks(t *testing.T) {
	for name, take := range map[string]string{
		"database deleted":  `rm index.db`,
		"database replaced": `cp index.db old; mv old index.db`,
		"database emptied":  `: >index.db`,
		"log deleted":       `rm index.db-wal`,
		"ledger deleted":    `rm ledger.jsonl`,
	} {
		t.Run(name, func(t *testing.T) {
			l := shelf(t, 3)
			l.Sync()
			script(t, l, "cd "+l.State+"\n"+take)
			said := func() bool { return len(l.Indexer.Status().Notices) > 0 }
			l.Eventually("it is said", said, func() string { return fmt.Sprint(l.Indexer.Status()) })
			l.Sync()
			l.Matches()
		})
	}
}

// A database that is taken away is made again, and whoever waits for a sync gets its answer.
func TestADatabaseThatIsTakenAwayIsMadeAgain(t *testing.T) {
	for name, take := range map[string]string{
		"deleted":             `rm index.db`,
		"deleted with all":    `rm index.db*`,
		"log deleted":         `rm index.db-wal`,
		"replaced by an old":  `cp index.db old; mv old index.db`,
		"replaced by rubbish": `head -c 9000 /dev/urandom >r; mv r index.db`,
	} {
		t.Run(name, func(t *testing.T) {
			l := shelf(t, 40)
			before, id := l.Dump(), l.ID("notes/7.md")
			l.Save("notes/7.md", "# Edited\n")
			l.Sync()
			c := strings.ReplaceAll(take, "index.db", filepath.Join(l.State, "index.db"))
			script(t, l, c)
			l.Sync()
			if len(l.Indexer.Status().Notices) == 0 {
				t.Error("nothing was said")
			}
			if strings.HasPrefix(name, "deleted") && l.ID("notes/7.md") != id {
				t.Errorf("id %d, was %d", l.ID("notes/7.md"), id)
			}
			if l.Dump() == before || l.Finds("Edited") != 1 {
				t.Error("an edit is lost")
			}
			l.Save("notes/8.md", "# Later\n")
			l.Eventually("events are heard", func() bool { return l.Finds("Later") == 1 }, func() string { return "" })
			l.Matches()
			l.Restart()
			l.Sync()
			l.Matches()
		})
	}
}

// What is removed later than the rest of its folder keeps its id where it was copied to before, like the rest; meanwhile
// its id is nobody else's.
func TestWhatLeavesInALaterSliceKeepsItsIDWhereItWent(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "a"}}, {ShelfSpec: store.ShelfSpec{Name: "b"}}},
		Made:    func(x *indexer.Indexer) { x.Remember(time.Hour) },
	})
	l.Write("a/stays.md", "# Stays\n")
	l.Write("b/stays.md", "# Stays as well\n")
	text := func(n int) string { return fmt.Sprintf("# Note %d\n\nprobe%d\n", n, n) }
	for n := range 1000 { // most of the shelf stays: else its going is doubted
		l.Write(fmt.Sprintf("b/others/%d.md", n), fmt.Sprintf("# Other %d\n", n))
	}
	for n := range 450 {
		l.Write(fmt.Sprintf("b/x/n%03d.md", n), text(n))
	}
	l.Sync()
	ids := map[string]int64{}
	copied := []int{0, 150, 199, 200, 201, 320, 449}
	for _, n := range copied {
		name := fmt.Sprintf("n%03d.md", n)
		ids[name] = l.ID("b/x/" + name)
		l.Write("a/"+name, text(n))
	}
	l.Eventually("the copies are there", func() bool { return l.Shelf("a").Documents == 1+len(copied) }, func() string { return "" })
	script(t, l, `rm -r b/x`)
	l.Eventually("most has gone", func() bool { return l.Shelf("b").Documents < 1400 }, func() string { return "" })
	script(t, l, `for f in a/n*.md; do echo more >>$f; done`) // while the rest is going
	l.Sync()
	for name, id := range ids {
		if got := l.ID("a/" + name); got != id {
			t.Errorf("%s: id %d, was %d", name, got, id)
		}
	}
	l.Matches()
}

// What went to another shelf and comes back at once is the same document still, and what was said of it holds.
func TestWhatIsSaidHoldsForAFolderThatGoesToAnotherShelfAndComesBack(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "a"}}, {ShelfSpec: store.ShelfSpec{Name: "b"}}},
		Made:    func(x *indexer.Indexer) { x.Remember(time.Hour) },
	})
	text := func(n int) string { return fmt.Sprintf("# Note %d\n\nprobe%d\n", n, n) }
	for n := range 30 {
		l.Write(fmt.Sprintf("a/others/%d.md", n), fmt.Sprintf("# Other %d\n", n))
		l.Write(fmt.Sprintf("b/others/%d.md", n), fmt.Sprintf("# Another %d\n", n))
	}
	const moved = 12
	for n := range moved {
		l.Write(fmt.Sprintf("a/x/n%d.md", n), text(n))
	}
	l.Sync()
	for n := range moved {
		link := store.ManualLink{Source: fmt.Sprintf("a/x/n%d.md", n), Target: "b/others/1.md", Relation: "needs", Confidence: 1}
		if _, err := l.Indexer.AddLinks(context.Background(), link); err != nil {
			t.Fatal(err)
		}
	}
	for n := range moved {
		l.Write(fmt.Sprintf("b/x/n%d.md", n), text(n))
	}
	l.Eventually("the copies are there", func() bool { return l.Shelf("b").Documents == 30+moved }, func() string { return "" })
	script(t, l, `rm -r a/x`)
	l.Eventually("they have gone", func() bool { return l.Shelf("a").Documents == 30 }, func() string { return "" })
	script(t, l, `mv b/x a/x`)
	l.Sync()
	if got := strings.Count(l.Dump(), `"relation":"needs"`); got != moved {
		t.Errorf("%d of %d links", got, moved)
	}
	l.Matches()
}

// Most of a shelf that went to another one is looked for twice, which takes longer than moves are remembered for.
func TestMostOfAShelfKeepsItsIDsInAnother(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "a"}}, {ShelfSpec: store.ShelfSpec{Name: "b"}}},
		Made: func(x *indexer.Indexer) {
			x.Pace(64, 6*time.Second)
			x.Remember(4 * time.Second)
		},
	})
	l.Write("a/stays.md", "# Stays\n")
	l.Write("b/stays.md", "# Stays as well\n")
	ids := map[string]int64{}
	for n := range 90 {
		l.Write(fmt.Sprintf("b/x/n%d.md", n), fmt.Sprintf("# Note %d\n\nprobe%d\n", n, n))
	}
	l.Sync()
	for n := range 90 {
		name := fmt.Sprintf("x/n%d.md", n)
		ids[name] = l.ID("b/" + name)
	}
	script(t, l, `mv b/x a/x`)
	l.Eventually("they have gone", func() bool { return l.Shelf("b").Documents == 1 }, func() string { return fmt.Sprint(l.Shelf("b")) })
	l.Sync()
	for name, id := range ids {
		if got := l.ID("a/" + name); got != id {
			t.Errorf("%s: id %d, was %d", name, got, id)
		}
	}
	l.Matches()
}
