package indexer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// Absence is not deletion: whatever takes the place of a root, its documents stay and the shelf is offline, until the
// root is back.
func TestARootThatGoesTakesNothingWithIt(t *testing.T) {
	for name, row := range map[string]struct{ gone, back string }{
		"moved away":               {`mv notes away`, `mv away notes`},
		"replaced by an empty one": {`mv notes away; mkdir notes`, `rmdir notes; mv away notes`},
		"replaced by a FIFO":       {`mv notes away; mkfifo notes`, `rm notes; mv away notes`},
		"replaced by a file":       {`mv notes away; echo x >notes`, `rm notes; mv away notes`},
		"replaced by a dead link":  {`mv notes away; ln -s nowhere notes`, `rm notes; mv away notes`},
		"emptied":                  {`mkdir away; mv notes/* away/`, `mv away/* notes/`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := shelf(t, 30)
			before := l.Dump()
			script(t, l, row.gone)
			offline(l)
			if reports := l.Sync(); reports[0].Documents != 30 || reports[0].State != store.StateOffline {
				t.Errorf("after a sync: %+v", reports)
			}
			if l.Finds("valve") == 0 {
				t.Error("nothing is found any more")
			}
			script(t, l, row.back)
			start := time.Now()
			online(l)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("the return was seen after %v", took)
			}
			l.Sync()
			if diff := shelftest.Diff(l.Dump(), before); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The same over a restart: what is not there when the program starts is not gone either.
func TestARootThatIsGoneAtTheStartTakesNothingWithIt(t *testing.T) {
	l := shelf(t, 30)
	l.Stop()
	script(t, l, `mv notes away`)
	l.Start()
	offline(l)
	if reports := l.Sync(); reports[0].Documents != 30 {
		t.Errorf("%+v", reports)
	}
	script(t, l, `mv away notes`)
	online(l)
}

// Only a person's word removes the documents of a root that is not there, and then nothing says that any are kept.
func TestAcceptedDeletionOfAMissingRoot(t *testing.T) {
	l := shelf(t, 30)
	script(t, l, `mv notes away`)
	offline(l)
	l.Accept("notes")
	for range 2 { // also when it is looked at again
		s := l.Shelf("notes")
		if s.Documents != 0 || s.State != store.StateOffline || !strings.Contains(s.Reason, "no documents of it are kept") || strings.Contains(s.Reason, "accept-deletions") {
			t.Errorf("%+v", s)
		}
		l.Sync()
	}
	script(t, l, `mv away notes`)
	online(l)
	l.Sync()
	if s := l.Shelf("notes"); s.Documents != 30 {
		t.Errorf("%+v", s)
	}
}

// When most of a shelf is gone while the root stands, it stays until a second look, for which it may have come back.
func TestMassDeletionIsDoubted(t *testing.T) {
	l := boxed(t, 5*time.Second)
	script(t, l, `mv notes/box away`)
	l.Eventually("the deletion is doubted", func() bool { return doubted(l) }, func() string { return fmt.Sprint(l.Shelf("notes")) })
	if n := l.Shelf("notes").Documents; n <= 30 { // late events of the writes may have had a few looked at alone
		t.Errorf("%d documents before the second look", n)
	}
	script(t, l, `mv away notes/box`)
	l.Sync()
	if n := l.Shelf("notes").Documents; n != 60 {
		t.Errorf("%d documents after they came back", n)
	}
	l.Matches()
}

func TestMassDeletionIsBelievedWhenItLasts(t *testing.T) {
	l := boxed(t, 400*time.Millisecond)
	script(t, l, `rm -r notes/box`)
	l.Eventually("the deletion is believed", func() bool { return l.Shelf("notes").Documents == 5 }, func() string { return fmt.Sprint(l.Shelf("notes")) })
	l.Sync() // looks and links may follow
	l.Matches()
}

// boxed is a shelf of which 55 of 60 documents are in one folder, and which is looked at again after second when most of it
// is gone.
func boxed(t *testing.T, second time.Duration) *shelftest.Library {
	t.Helper()
	l := shelftest.New(t, shelftest.Options{Made: func(x *indexer.Indexer) { x.Pace(64, second) }})
	fillShelf(l, 5)
	for n := range 55 {
		l.Write(fmt.Sprintf("notes/box/%d.md", n), fmt.Sprintf("# Boxed %d\n", n))
	}
	l.Sync()
	return l
}

// doubted says whether a dump marks the shelf: a second look is pending.
func doubted(l *shelftest.Library) bool {
	return strings.Contains(l.Dump(), `"partial"`) || !strings.Contains(l.Dump(), `"kind":"document"`)
}

func shelf(t *testing.T, documents int) *shelftest.Library {
	t.Helper()
	l := shelftest.New(t, shelftest.Options{})
	fillShelf(l, documents)
	l.Sync()
	return l
}

func fillShelf(l *shelftest.Library, documents int) {
	for n := range documents {
		l.Write(fmt.Sprintf("notes/%d.md", n), fmt.Sprintf("# Paper %d\n\nThe valve %d.\n", n, n))
	}
}

func offline(l *shelftest.Library) { becomes(l, true) }
func online(l *shelftest.Library)  { becomes(l, false) }

func becomes(l *shelftest.Library, off bool) {
	l.Eventually(fmt.Sprintf("offline is %t", off), func() bool {
		return (l.Shelf("notes").State == store.StateOffline) == off
	}, func() string { return fmt.Sprintf("%+v", l.Shelf("notes")) })
}
