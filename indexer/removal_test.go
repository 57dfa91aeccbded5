package indexer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelfd/internal/shelftest"
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
