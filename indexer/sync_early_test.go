package indexer

import (
	"errors"
	"testing"
)

// TestASyncBeforeTheShelvesAreKnownBeginsWhenTheyAre: else it would end at once, having compared nothing.
func TestASyncBeforeTheShelvesAreKnownBeginsWhenTheyAre(t *testing.T) {
	r := &run{Indexer: &Indexer{}, shelves: map[string]*shelf{}}
	all, unknown := newWaiter(t.Context()), newWaiter(t.Context())
	if err := errors.Join(r.startSync(t.Context(), all, "", false), r.startSync(t.Context(), unknown, "plant", false)); err != nil || len(r.waiters) > 0 {
		t.Fatalf("%v, %d wait", err, len(r.waiters))
	}
	r.announced = true
	r.beginEarly(t.Context())
	if len(r.waiters) != 1 || r.waiters[0] != all || len(r.early) > 0 {
		t.Errorf("%d wait, %d are left", len(r.waiters), len(r.early))
	}
	select {
	case err := <-unknown.failed:
		if !errors.Is(err, ErrUnknownShelf) {
			t.Error(err)
		}
	default:
		t.Error("a shelf that is none is not refused")
	}
}
