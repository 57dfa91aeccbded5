package indexer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// newHanging is a library of two shelves, "slow" and "notes", over a disk that may hang.
func newHanging(t *testing.T, made func(*indexer.Indexer)) (*shelftest.Library, *faulty) {
	disk := newFaulty(t, 1)
	l := shelftest.New(t, shelftest.Options{
		Disk: disk,
		Made: func(x *indexer.Indexer) {
			x.CallSlow(100 * time.Millisecond)
			if made != nil {
				made(x)
			}
		},
		Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "slow"}}, {ShelfSpec: store.ShelfSpec{Name: "notes"}}},
	})
	l.Write("slow/known.md", "# Known\n\nthe boiler\n")
	l.Write("notes/keep.md", "# Keep\n")
	l.Sync()
	return l, disk
}

// degradedBy waits until the shelf says that it waits for a file.
func degradedBy(l *shelftest.Library, path string) {
	seen := func() string { return fmt.Sprintf("%+v", l.Shelf("slow")) }
	l.Eventually("the shelf is degraded by "+path, func() bool {
		s := l.Shelf("slow")
		return s.State == store.StateDegraded && strings.Contains(s.Reason, "reading "+l.Path("slow/"+path)+" has taken")
	}, seen)
}

// recovers waits until the shelf is watched again, all of it.
func recovers(l *shelftest.Library, documents int) {
	l.Eventually("the shelf is well again", func() bool {
		s := l.Shelf("slow")
		return s.State == store.StateWatching && s.Documents == documents
	}, func() string { return fmt.Sprintf("%+v", l.Shelf("slow")) })
	l.Matches()
}

// TestAFileThatHangsHoldsUpItsShelfOnly: others go on, what is known is found, the status names the file, and the file is
// indexed when its disk answers.
func TestAFileThatHangsHoldsUpItsShelfOnly(t *testing.T) {
	l, disk := newHanging(t, nil)
	letGo := disk.hold("hanging.md")
	defer letGo()
	l.Save("slow/hanging.md", "# Hanging\n\nsee [the other](later.md)\n")
	degradedBy(l, "hanging.md")
	l.Save("slow/later.md", "# Later\n")
	for n := range 5 {
		l.Save("notes/quick.md", fmt.Sprintf("# Edit%d\n\nsee [keep](keep.md)\n", n))
		l.Eventually("the other shelf goes on", func() bool { return l.Finds(fmt.Sprintf("Edit%d", n)) == 1 }, func() string { return "" })
	}
	if l.Finds("boiler") != 1 {
		t.Error("what is known of it is not found any more")
	}
	if _, err := l.Indexer.Sync(timely(t), "notes", false, nil); err != nil {
		t.Errorf("a sync of the other shelf: %v", err)
	}
	letGo()
	recovers(l, 3)
}

// TestFilesThatHangHoldUpNoBulkWorkElsewhere: each bulk reader meets a file that hangs. Other shelves are read and linked
// all the same, and asked for by a sync.
func TestFilesThatHangHoldUpNoBulkWorkElsewhere(t *testing.T) {
	l, disk := newHanging(t, func(x *indexer.Indexer) { x.Pace(1, time.Second) })
	const many = 40
	var names []string
	for n := range many {
		names = append(names, fmt.Sprintf("hanging%d.md", n))
	}
	letGo := disk.hold(names...)
	defer letGo()
	for _, name := range names {
		l.Write("slow/in/"+name, "# Slow "+name+"\n")
	}
	l.Eventually("the shelf is degraded", func() bool { return l.Shelf("slow").State == store.StateDegraded }, func() string { return fmt.Sprintf("%+v", l.Shelf("slow")) })
	for n := range many {
		l.Write(fmt.Sprintf("notes/in/%d.md", n), fmt.Sprintf("# Quick%d\n\nsee [keep](../keep.md)\n", n))
	}
	if _, err := l.Indexer.Sync(timely(t), "notes", false, nil); err != nil {
		t.Fatalf("a sync of the other shelf: %v; %+v", err, l.Indexer.Status())
	}
	keep := l.ID("notes/keep.md")
	l.View(func(v *store.View) error {
		links, err := v.LinksOf(keep, store.In, []store.Origin{store.OriginText})
		if len(links) != many {
			t.Errorf("%d links, want %d", len(links), many)
		}
		return err
	})
	if l.Shelf("slow").State != store.StateDegraded {
		t.Errorf("%+v", l.Shelf("slow"))
	}
	letGo()
	recovers(l, many+1)
}

// TestTheEndDoesNotWaitForAFileThatHangs, nor does the next start.
func TestTheEndDoesNotWaitForAFileThatHangs(t *testing.T) {
	for _, few := range []int{64, 0} {
		l, disk := newHanging(t, func(x *indexer.Indexer) { x.Pace(few, time.Second) })
		letGo := disk.hold("hanging.md")
		l.Save("slow/hanging.md", "# Hanging\n")
		degradedBy(l, "hanging.md")
		l.Stop()
		letGo()
		l.Start()
		l.Sync()
		recovers(l, 2)
	}
}

// TestADocumentThatGoesWhileAFileIsReadIsNotTakenForItsOtherHalf: a copy is renamed and changed, and while it is read under
// its new name the copy turns out to be what is gone from the other shelf, and is removed for that.
func TestADocumentThatGoesWhileAFileIsReadIsNotTakenForItsOtherHalf(t *testing.T) {
	l, disk := newHanging(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	l.Write("notes/origin.md", "# Origin\n\nThe gasket holds.\n")
	l.Sync()
	l.Write("slow/copy.md", "# Origin\n\nThe gasket holds.\n")
	l.Sync()
	letGo := disk.hold("hanging.md")
	defer letGo()
	copied := l.ID("slow/copy.md")
	l.Move("slow/copy.md", "slow/hanging.md")
	l.Append("slow/hanging.md", "Still more.\n")
	degradedBy(l, "hanging.md")
	l.Remove("notes/origin.md")
	l.Eventually("the copy is taken for what is gone", func() bool { return l.ID("slow/copy.md") != copied && l.ID("notes/origin.md") == 0 }, func() string { return "" })
	letGo()
	recovers(l, 2)
	l.Check()
}

// TestAReadThatFailedInAMomentOfWantIsTriedAgain, once: what lasts is a problem that a sync does not wait for.
func TestAReadThatFailedInAMomentOfWantIsTriedAgain(t *testing.T) {
	for _, few := range []int{64, 0} {
		l, disk := newHanging(t, func(x *indexer.Indexer) { x.Pace(few, time.Second) })
		disk.mu.Lock()
		disk.fail = map[string]int{"once.md": 1, "always.md": 1 << 30}
		disk.mu.Unlock()
		l.Save("slow/once.md", "# Hapax\n")
		l.Save("slow/always.md", "# Never\n")
		l.Eventually("it is read", func() bool { return l.Finds("Hapax") == 1 }, func() string { return "" })
		if reports := l.Sync(); reports[1].Problems != 1 {
			t.Errorf("%+v, want one problem", reports)
		}
		if l.Finds("Never") != 0 {
			t.Error("what cannot be read was read")
		}
	}
}

func timely(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), shelftest.Guard)
	t.Cleanup(cancel)
	return ctx
}
