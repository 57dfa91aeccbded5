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

// neighbours are two shelves with a document in each.
func neighbours(t *testing.T, made func(*indexer.Indexer)) *shelftest.Library {
	t.Helper()
	l := shelftest.New(t, shelftest.Options{Shelves: []indexer.Shelf{{ShelfSpec: store.ShelfSpec{Name: "a"}}, {ShelfSpec: store.ShelfSpec{Name: "b"}}}, Made: made})
	l.Write("a/stays.md", "# Stays\n")
	l.Write("b/stays.md", "# Stays as well\n")
	return l
}

func note(n int) string { return fmt.Sprintf("# Note %d\n\nprobe%d\n", n, n) }

// What is removed later than the rest of its folder keeps its id where it was copied to before, like the rest; meanwhile
// its id is nobody else's.
func TestWhatLeavesInALaterSliceKeepsItsIDWhereItWent(t *testing.T) {
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	for n := range 1000 { // most of the shelf stays: else its going is doubted
		l.Write(fmt.Sprintf("b/others/%d.md", n), fmt.Sprintf("# Other %d\n", n))
	}
	for n := range 450 {
		l.Write(fmt.Sprintf("b/x/n%03d.md", n), note(n))
	}
	l.Sync()
	ids := map[string]int64{}
	copied := []int{0, 150, 199, 200, 201, 320, 449}
	for _, n := range copied {
		name := fmt.Sprintf("n%03d.md", n)
		ids[name] = l.ID("b/x/" + name)
		l.Write("a/"+name, note(n))
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
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	for n := range 30 {
		l.Write(fmt.Sprintf("a/others/%d.md", n), fmt.Sprintf("# Other %d\n", n))
		l.Write(fmt.Sprintf("b/others/%d.md", n), fmt.Sprintf("# Another %d\n", n))
	}
	const moved = 12
	for n := range moved {
		l.Write(fmt.Sprintf("a/x/n%d.md", n), note(n))
	}
	l.Sync()
	for n := range moved {
		state(t, l, fmt.Sprintf("a/x/n%d.md", n), "needs")
	}
	for n := range moved {
		l.Write(fmt.Sprintf("b/x/n%d.md", n), note(n))
	}
	l.Eventually("the copies are there", func() bool { return l.Shelf("b").Documents == 31+moved }, func() string { return "" })
	script(t, l, `rm -r a/x`)
	l.Eventually("they have gone", func() bool { return l.Shelf("a").Documents == 31 }, func() string { return "" })
	script(t, l, `mv b/x a/x`)
	l.Sync()
	if got := strings.Count(l.Dump(), `"relation":"needs"`); got != moved {
		t.Errorf("%d of %d links", got, moved)
	}
	l.Matches()
}

// However many files a slice of bulk work makes, each is remembered for what turns out to have gone elsewhere.
func TestManyThatGoToAnotherShelfKeepTheirIDs(t *testing.T) {
	const moved, others = 2000, 2100 // most of the shelf stays: else its going is doubted
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	for n := range others {
		l.Write(fmt.Sprintf("b/others/%d.md", n), fmt.Sprintf("# Other %d\n", n))
	}
	for n := range moved {
		l.Write(fmt.Sprintf("b/x/%d.md", n), note(n))
	}
	l.Sync()
	ids := map[int]int64{}
	for n := range moved {
		ids[n] = l.ID(fmt.Sprintf("b/x/%d.md", n))
	}
	script(t, l, `mv b/x a/x`)
	l.Eventually("they have gone", func() bool { return l.Shelf("b").Documents == 1+others }, func() string { return fmt.Sprint(l.Shelf("b")) })
	l.Sync()
	lost := 0
	for n, id := range ids {
		if l.ID(fmt.Sprintf("a/x/%d.md", n)) != id {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d have another id", lost, moved)
	}
}

// Most of a shelf that went to another one is looked for twice, which takes longer than moves are remembered for.
func TestMostOfAShelfKeepsItsIDsInAnother(t *testing.T) {
	l := neighbours(t, func(x *indexer.Indexer) {
		x.Pace(64, 6*time.Second)
		x.Remember(4 * time.Second)
	})
	ids := map[string]int64{}
	for n := range 90 {
		l.Write(fmt.Sprintf("b/x/n%d.md", n), note(n))
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

// What a moment ago came to a path is not taken for what stands there now.
func TestTheOtherHalfOfAMoveIsTheDocumentAndNotItsPath(t *testing.T) {
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	l.Write("b/x.md", note(1))
	l.Write("a/old.md", "# Old\n\nlong standing\n")
	l.Sync()
	old := l.ID("a/old.md")
	state(t, l, "a/old.md", "needs")
	l.Write("a/n.md", note(1))
	l.Sync()
	script(t, l, `mv a/old.md a/n.md`)
	l.Sync()
	script(t, l, `rm b/x.md`)
	l.Sync()
	if got := l.ID("a/n.md"); got != old {
		t.Errorf("id %d, was %d", got, old)
	}
	if n := strings.Count(l.Dump(), `"relation":"needs"`); n != 1 {
		t.Errorf("%d links", n)
	}
	l.Matches()
}

func TestACopyIsFoundAlthoughItsOriginalWasMovedBeforeItWent(t *testing.T) {
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	l.Sync()
	l.Write("b/x.md", note(1))
	l.Sync()
	id := l.ID("b/x.md")
	l.Write("a/c.md", note(1))
	l.Sync()
	script(t, l, `mv b/x.md b/y.md`)
	l.Sync()
	script(t, l, `rm b/y.md`)
	l.Sync()
	if got := l.ID("a/c.md"); got != id {
		t.Errorf("id %d, was %d", got, id)
	}
	l.Matches()
}

// What was said of a document that went together with its copy holds when it comes back.
func TestACopyThatGoesAlongTakesNothingWithIt(t *testing.T) {
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	l.Write("a/x.md", note(1))
	l.Sync()
	state(t, l, "a/x.md", "needs")
	l.Write("a/y.md", note(1))
	l.Sync()
	script(t, l, `rm a/x.md a/y.md`)
	l.Sync()
	l.Write("a/x.md", "# X edited\n\nother words\n")
	l.Sync()
	if n := strings.Count(l.Dump(), `"relation":"needs"`); n != 1 {
		t.Errorf("%d links; said: %v", n, l.Ledger.Said().Links)
	}
	l.Matches()
}

// What was said of a copy was said under its own id, which it keeps when the original goes: the ledger says so, and an
// index built anew from it could not know better.
func TestACopyOfWhichSomethingWasSaidKeepsItsID(t *testing.T) {
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	l.Write("b/x.md", note(1))
	l.Sync()
	l.Write("a/c.md", note(1))
	l.Sync()
	id := l.ID("a/c.md")
	state(t, l, "a/c.md", "needs")
	script(t, l, `rm b/x.md`)
	l.Sync()
	if got, said := l.ID("a/c.md"), l.Ledger.Said().IDs["a/c.md"]; got != id || said != id {
		t.Errorf("id %d, was %d; said: %d", got, id, said)
	}
	l.Matches()
}

// A document that comes back under another name keeps its id, and what took its old name meanwhile is another: each of
// them is there.
func TestWhatTakesTheNameOfADocumentThatComesBackElsewhereIsThere(t *testing.T) {
	l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
	l.Write("a/d/x.md", note(1))
	l.Sync()
	id := l.ID("a/d/x.md")
	script(t, l, `mv a/d away`)
	l.Sync()
	script(t, l, `mv away/x.md away/y.md; echo '# Another' >away/x.md; mv away a/d`)
	l.Sync()
	if x, y := l.ID("a/d/x.md"), l.ID("a/d/y.md"); y != id || x == 0 || x == id {
		t.Errorf("ids %d and %d; the document had %d", x, y, id)
	}
	l.Matches()
}

// Where a statement names a document that went, whatever comes to its place is that document: what came along from
// elsewhere, of which nothing was said, goes.
func TestWhatComesToTheNameOfADocumentThatIsSpokenOfIsThatDocument(t *testing.T) {
	for _, from := range []string{"a/y.md", "b/y.md"} {
		t.Run(from, func(t *testing.T) {
			l := neighbours(t, func(x *indexer.Indexer) { x.Remember(time.Hour) })
			l.Write("a/x.md", note(1))
			l.Write(from, note(2))
			l.Sync()
			id := l.ID("a/x.md")
			state(t, l, "a/x.md", "needs")
			l.Remove("a/x.md")
			l.Sync()
			script(t, l, `mv `+from+` a/x.md`)
			l.Sync()
			if got, said := l.ID("a/x.md"), l.Ledger.Said().IDs["a/x.md"]; got != id || said != id {
				t.Errorf("id %d, was %d; said: %d", got, id, said)
			}
			if n := strings.Count(l.Dump(), `"relation":"needs"`); n != 1 {
				t.Errorf("%d links", n)
			}
			l.Matches()
		})
	}
}

// state has somebody say that a document is linked with the one that stays in b.
func state(t *testing.T, l *shelftest.Library, source, relation string) {
	t.Helper()
	if _, err := l.Indexer.AddLinks(t.Context(), store.ManualLink{Source: source, Target: "b/stays.md", Relation: relation, Confidence: 1}); err != nil {
		t.Fatal(err)
	}
}
