package indexer_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"shelfd/internal/shelftest"
	"shelfd/store"
	"shelfd/watcher"
)

// Files that cannot be read as they should keep no other from being indexed.
func TestOneBadFileStopsNoOther(t *testing.T) {
	l := shelftest.New(t, shelftest.Options{})
	for n := range 200 {
		l.Write(fmt.Sprintf("notes/%d.md", n), fmt.Sprintf("# Paper %d\n\nvalve\n", n))
	}
	l.Write("notes/0a.md", "---\na: [1\n---\nvalve broken front matter\n")
	l.Write("notes/5a.md", "valve \xff\xfe\x00 bytes\n")
	l.Write("notes/7a.md", strings.Repeat("> ", 20000)+"valve\n")
	l.Write("notes/9a.md", "valve "+strings.Repeat("[", 50000))
	l.Sync()
	if s := l.Shelf("notes"); s.Documents != 204 || s.Problems == 0 {
		t.Errorf("%d documents, %d problems", s.Documents, s.Problems)
	}
	if n := l.Finds("paper valve"); n != 200 {
		t.Errorf("%d of 200 are found", n)
	}
}

// A file of the same size and the same time holds another text: the inode or the time of change tells.
func TestAFileOfTheSameSizeAndTimeIsReadAgain(t *testing.T) {
	for name, change := range map[string]func(l *shelftest.Library){
		"replaced":    func(l *shelftest.Library) { l.Save("notes/a.md", "# Boiler two\n") },
		"overwritten": func(l *shelftest.Library) { l.Write("notes/a.md", "# Boiler two\n") },
	} {
		for _, at := range []time.Duration{-48 * time.Hour, 24 * time.Hour} { // times in the future are no reason to trust or to read for ever
			t.Run(fmt.Sprintf("%s %v", name, at), func(t *testing.T) {
				l := shelftest.New(t, shelftest.Options{Watcher: watcher.Options{Source: newDeaf(t)}})
				then := time.Now().Add(at)
				stamp := func() {
					if err := os.Chtimes(l.Path("notes/a.md"), then, then); err != nil {
						t.Fatal(err)
					}
				}
				l.Write("notes/a.md", "# Boiler one\n")
				stamp()
				l.Sync()
				change(l)
				stamp()
				l.Sync()
				if l.Finds("two") != 1 || l.Finds("one") != 0 {
					t.Error("the text before is found still")
				}
				l.Matches()
			})
		}
	}
}

// Some editors and some kernels tell of a change by nothing but a change of attributes.
func TestAChangeOfAttributesAloneIsAHint(t *testing.T) {
	source := newDeaf(t)
	l := shelftest.New(t, shelftest.Options{Watcher: watcher.Options{Source: source}})
	l.Write("notes/a.md", "# Boiler one\n")
	l.Sync()
	l.Write("notes/a.md", "# Boiler and two more\n")
	source.(*deaf).events <- fsnotify.Event{Name: l.Path("notes/a.md"), Op: fsnotify.Chmod}
	l.Eventually("the new text is found", func() bool { return l.Finds("two") == 1 }, func() string { return "" })
}

// One edit among a thousand documents writes what hangs on that document, not what hangs on all.
func TestOneEditWritesLittle(t *testing.T) {
	l := shelf(t, 1000)
	emptied := func() bool {
		done, err := l.Store.Checkpoint(context.Background())
		return err == nil && done && logSize(t, l) == 0
	}
	l.Eventually("the log is empty", emptied, func() string { return "" })
	l.Save("notes/500.md", "# Paper 500\n\nThe gasket.\n")
	l.Eventually("the edit is found", func() bool { return l.Finds("gasket") == 1 }, func() string { return "" })
	l.Sync()
	// 4 kB a page: the rows of the document, of its place in ten tables and as many indexes, in a few transactions.
	if pages := logSize(t, l) / 4096; pages == 0 || pages > 80 {
		t.Errorf("one edit wrote %d pages", pages)
	}
}

func logSize(t *testing.T, l *shelftest.Library) int64 {
	t.Helper()
	stat, err := os.Stat(filepath.Join(l.State, "index.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	return stat.Size()
}

// A database that another program holds is waited for: it is said, reading goes on, and so does writing afterwards.
func TestADatabaseThatIsHeldIsWaitedFor(t *testing.T) {
	t.Parallel()
	l := shelf(t, 10)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(l.State, "index.db")+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	hold, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l.Save("notes/7.md", "# Edited meanwhile\n")
	l.Eventually("it is said", func() bool {
		s := l.Shelf("notes")
		return s.State == store.StateDegraded && strings.Contains(s.Reason, "another program holds")
	}, func() string { return fmt.Sprintf("%+v", l.Shelf("notes")) })
	if l.Finds("valve") != 10 {
		t.Error("reading does not go on")
	}
	if err := hold.Rollback(); err != nil {
		t.Fatal(err)
	}
	l.Eventually("writing goes on", func() bool { return l.Finds("meanwhile") == 1 && l.Shelf("notes").State == store.StateWatching }, func() string { return "" })
	l.Matches()
}
