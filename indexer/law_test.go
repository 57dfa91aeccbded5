package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/shelftest"
	"shelfd/store"
)

// newEditing is a library of two shelves, one of which extends the other.
func newEditing(t *testing.T, seed uint64) *editing {
	l := shelftest.New(t, shelftest.Options{Shelves: []indexer.Shelf{
		{ShelfSpec: store.ShelfSpec{Name: "base"}},
		{ShelfSpec: store.ShelfSpec{Name: "custom"}, Parents: []string{"base"}},
	}})
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

// sequences runs f for random sequences of changes, each on what the one before left, until enough were seen or the
// time is up that SHELFD_SOAK_SECONDS gives.
func sequences(t *testing.T, libraries, each int, f func(t *testing.T, e *editing, sequence int)) {
	deadline := time.Now()
	if seconds, err := strconv.Atoi(os.Getenv("SHELFD_SOAK_SECONDS")); err == nil {
		deadline = deadline.Add(time.Duration(seconds) * time.Second)
	}
	seed := rand.Uint64N(1 << 32)
	if fixed, err := strconv.ParseUint(os.Getenv("SHELFD_SEED"), 10, 64); err == nil {
		seed = fixed
	}
	if testing.Short() {
		libraries = 2
	}
	done := 0
	for n := 0; n < libraries || time.Now().Before(deadline); n++ {
		t.Run(strconv.FormatUint(seed+uint64(n), 10), func(t *testing.T) {
			e := newEditing(t, seed+uint64(n))
			for sequence := range each {
				e.log = append(e.log, fmt.Sprintf("-- sequence %d", sequence))
				f(t, e, sequence)
				done++
			}
		})
		if t.Failed() {
			break
		}
	}
	t.Logf("%d sequences", done)
}

// Law 2 at the barrier: once Sync returns, the index is that of a fresh build.
func TestSyncEqualsRebuild(t *testing.T) {
	sequences(t, 20, 10, func(_ *testing.T, e *editing, _ int) {
		for range 1 + e.rand.IntN(12) {
			e.step()
			if e.rand.IntN(6) == 0 {
				e.Sync()
				e.log = append(e.log, "sync")
			}
		}
		e.Sync()
		e.Matches()
	})
}

// Law 2 without asking: events alone bring the index to what a fresh build would be.
func TestEventsAloneEqualRebuild(t *testing.T) {
	sequences(t, 15, 10, func(_ *testing.T, e *editing, _ int) {
		for range 1 + e.rand.IntN(12) {
			e.step()
		}
		e.Follows()
	})
}
