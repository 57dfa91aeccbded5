package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// newEditing is a library of two shelves, one of which extends the other. In every other one readers see different parts
// of them, and a document has fewer places for links than there are links: some are spare.
func newEditing(t *testing.T, seed uint64, made func(*indexer.Indexer)) *editing {
	o := shelftest.Options{Made: made, Shelves: []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "base"}},
		{ShelfSpec: store.ShelfSpec{Name: "custom"}, Parents: []string{"base"}},
	}}
	if seed%2 == 1 {
		narrow := correlate.DefaultParams()
		narrow.MaxLinks, narrow.MinConfidence, narrow.MinSignals = 1, 0.05, 1
		o.Correlate = &narrow
		o.Shelves[0].Parts = []indexer.Part{{Readers: "all"}}
		o.Shelves[1].Parts = []indexer.Part{{Readers: "custom", ByFolder: true}}
	}
	l := shelftest.New(t, o)
	e := &editing{Library: l, rand: rand.New(rand.NewPCG(seed, 2))}
	for _, shelf := range []string{"base", "custom"} {
		l.Write(shelf+"/"+keep, "")
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d:\n%s", seed, strings.Join(e.log, "\n"))
		}
	})
	return e
}

// soak is until when a test goes on that is asked for more than its share: SHELFD_SOAK_SECONDS from now.
func soak() time.Time {
	seconds, err := strconv.Atoi(os.Getenv("SHELFD_SOAK_SECONDS"))
	if err != nil {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(seconds) * time.Second)
}

// seed is that of SHELFD_SEED, which repeats a run, or another each time.
func seed() uint64 {
	if fixed, err := strconv.ParseUint(os.Getenv("SHELFD_SEED"), 10, 64); err == nil {
		return fixed
	}
	return rand.Uint64N(1 << 32)
}

// sequences runs f for random sequences of changes, ten on each of some libraries, each on what the one before left.
func sequences(t *testing.T, libraries int, made func(*indexer.Indexer), f func(e *editing)) {
	deadline, first := soak(), seed()
	var done atomic.Int32
	switch {
	case testing.Short():
		libraries = 2
	case raced:
		libraries = 1
	}
	const together = 5 // libraries: much of their time is waiting
	for n := 0; (n < libraries || time.Now().Before(deadline)) && !t.Failed(); n += together {
		t.Run("from", func(t *testing.T) {
			for i := n; i < n+min(together, libraries); i++ {
				t.Run(strconv.FormatUint(first+uint64(i), 10), func(t *testing.T) {
					t.Parallel()
					e := newEditing(t, first+uint64(i), made)
					for sequence := range 10 {
						e.note(fmt.Sprintf("-- sequence %d", sequence))
						f(e)
						done.Add(1)
					}
				})
			}
		})
	}
	t.Logf("%d sequences", done.Load())
	if !deadline.IsZero() { // a test that passes logs nothing
		fmt.Fprintf(os.Stderr, "%s: %d sequences\n", t.Name(), done.Load())
	}
}

// Law 2 at the barrier: once Sync returns, the index is that of a fresh build. In between it is stopped and started,
// and changes are made while it stands still.
func TestSyncEqualsRebuild(t *testing.T) {
	sequences(t, 15, nil, syncedSequence)
}

// The same while nearly all files go through the bulk readers, past which fresh edits overtake.
func TestSyncAfterBulkWorkEqualsRebuild(t *testing.T) {
	sequences(t, 10, func(x *indexer.Indexer) { x.Pace(1, time.Second) }, syncedSequence)
}

func syncedSequence(e *editing) {
	for range 1 + e.rand.IntN(12) {
		e.step()
		switch e.rand.IntN(16) {
		case 0, 1:
			e.note("sync")
			e.Sync()
		case 2:
			e.note("restart")
			e.Restart()
		case 3:
			e.note("stop")
			e.Stop()
			for range e.rand.IntN(6) {
				e.step()
			}
			e.note("start")
			e.Start()
		}
	}
	e.Sync()
	e.Matches()
}

// Law 2 without asking: events alone bring the index to what a fresh build would be.
func TestEventsAloneEqualRebuild(t *testing.T) {
	sequences(t, 10, nil, func(e *editing) {
		e.single = true
		for range 1 + e.rand.IntN(12) {
			e.step()
		}
		e.Follows()
	})
}

// What comes to a name may be any of many documents that went or came before, and what had a name may be back under
// another: each is there, and nothing else. Nothing is forgotten meanwhile.
func TestShuffledDocumentsEqualRebuild(t *testing.T) {
	remember := func(x *indexer.Indexer) { x.Remember(time.Hour) }
	sequences(t, 5, remember, func(e *editing) {
		e.shuffle()
		e.Sync()
		e.Matches()
	})
}
