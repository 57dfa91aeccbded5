package indexer

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"shelfd/store"
	"shelfd/watcher"
)

// waiter is a Sync that waits for its end, or a brief CatchUp: it is told nothing, and does not wait for links.
type waiter struct {
	brief    bool
	ctx      context.Context
	progress func(Progress)
	shelves  []*shelf
	reports  chan []ShelfReport
	failed   chan error
	last     Progress
}

func newWaiter(ctx context.Context) *waiter {
	return &waiter{ctx: ctx, reports: make(chan []ShelfReport, 1), failed: make(chan error, 1)}
}

// fail ends the wait with an error.
func (w *waiter) fail(err error) {
	select {
	case w.failed <- err:
	default: // it failed before
	}
}

// startSync compares the shelves with the disk; the waiter is answered when everything that follows is done. Before the
// shelves are known there is nothing to compare: it begins when they are.
func (r *run) startSync(ctx context.Context, w *waiter, name string, accept bool) error {
	if !r.announced {
		r.early = append(r.early, func(ctx context.Context, r *run) {
			if err := r.startSync(ctx, w, name, accept); err != nil {
				w.fail(err)
			}
		})
		return nil
	}
	if name != "" && r.shelves[name] == nil {
		return fmt.Errorf("indexer: sync %q: %w", name, ErrUnknownShelf)
	}
	r.begin(w, func(s *shelf) bool { return name == "" || s.Name == name })
	for _, s := range w.shelves {
		s.counted = counts{}
		r.lookAt(ctx, s, wish{all: true, reason: "asked", doubts: doubts{accept: accept}})
	}
	r.unplaced = true
	return nil
}

// begin has the waiter wait for the wanted shelves.
func (r *run) begin(w *waiter, wanted func(*shelf) bool) {
	for _, s := range r.shelves {
		if wanted(s) {
			w.shelves = append(w.shelves, s)
		}
	}
	sort.Slice(w.shelves, func(i, j int) bool { return w.shelves[i].Name < w.shelves[j].Name })
	r.waiters = append(r.waiters, w)
}

// answerWaiters answers each sync whose shelves have come to rest.
func (r *run) answerWaiters(ctx context.Context) {
	waiting := r.waiters[:0]
	for _, w := range r.waiters {
		if w.ctx.Err() != nil {
			continue
		}
		w.shelves = slices.DeleteFunc(w.shelves, func(s *shelf) bool { return r.shelves[s.Name] != s }) // it went meanwhile
		if !r.rests(w) {
			w.tell(w.stands())
			waiting = append(waiting, w)
			continue
		}
		if w.brief {
			w.reports <- nil
			continue
		}
		reports, err := r.report(ctx, w)
		if store.IsCorrupt(err) { // another database is about to be made, and the sync goes on with that
			waiting = append(waiting, w)
			continue
		}
		if err != nil {
			w.fail(err)
			continue
		}
		w.reports <- reports
	}
	r.waiters = waiting
}

// stands is how far a sync has come: files that were compared or read since it began, of those known to be there. What
// follows the last one, links, is not counted.
func (w *waiter) stands() Progress {
	p := Progress{State: "reading"}
	for _, s := range w.shelves {
		if s.looking {
			p.State = "listing"
		}
		p.Done += s.counted.indexed + s.counted.unchanged
		p.Total += s.waiting
	}
	if p.Total == 0 && p.State == "reading" {
		p.State = "linking"
	}
	p.Total += p.Done
	return p
}

func (w *waiter) tell(p Progress) {
	if w.progress != nil && p != w.last {
		w.last = p
		w.progress(p)
	}
}

// rests says whether nothing is under way for the shelves of a sync.
func (r *run) rests(w *waiter) bool {
	for _, s := range w.shelves {
		if !s.settled() || w.brief && !s.reconciled {
			return false
		}
	}
	return w.brief || !r.busy()
}

func (r *run) report(ctx context.Context, w *waiter) ([]ShelfReport, error) {
	var reports []ShelfReport
	err := r.store.View(ctx, func(v *store.View) error {
		for _, s := range w.shelves {
			row, err := v.Shelf(s.Name)
			if err != nil {
				return err
			}
			if err := v.Count(&row); err != nil {
				return err
			}
			reports = append(reports, ShelfReport{
				Name: s.Name, State: row.State, Documents: row.Documents, Chunks: row.Chunks, Indexed: s.counted.indexed,
				Unchanged: s.counted.unchanged, Removed: s.counted.removed, Problems: row.Problems,
			})
		}
		return nil
	})
	return reports, err
}

// watchState is how the watcher's mode is shown.
func watchState(w watcher.State) (store.ShelfState, string) {
	switch w.Mode {
	case watcher.ModePolling:
		return store.StatePolling, w.Reason
	case watcher.ModeDegraded, watcher.ModeMissing:
		return store.StateDegraded, w.Reason
	}
	return store.StateWatching, w.Reason
}
