package indexer

import (
	"context"
	"errors"
	"slices"
	"time"

	"shelfd/correlate"
	"shelfd/store"
)

// settlePace is how often a question that waits for rest says how far it has come.
const settlePace = 200 * time.Millisecond

// withFeatures runs f in Run's goroutine as soon as the features of all documents are in memory.
func (x *Indexer) withFeatures(ctx context.Context, f func(*run) error) error {
	done := make(chan error, 1)
	err := x.do(ctx, func(run context.Context, r *run) error {
		r.links.wanting = append(r.links.wanting, func() {
			if ctx.Err() == nil {
				done <- f(r)
			}
		})
		r.links.serve(run)
		return nil
	})
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-x.ended:
		return ErrNotRunning
	case <-ctx.Done():
		return ctx.Err()
	}
}

// serve does what waits for the features if they are there, else has them read.
func (c *correlation) serve(ctx context.Context) {
	if len(c.wanting) == 0 || c.loading {
		return
	}
	if c.index == nil || c.hierarchy == nil {
		c.load(ctx)
		return
	}
	wanting := c.wanting
	c.wanting = nil
	for _, f := range wanting {
		f()
	}
}

// settle returns when nothing is left to be read, resolved or correlated. progress, which may be nil, is told how many
// documents are to be correlated yet.
func (x *Indexer) settle(ctx context.Context, progress func(left int)) error {
	w := newWaiter(ctx)
	err := x.do(ctx, func(_ context.Context, r *run) error {
		r.waiters = append(r.waiters, w)
		return nil
	})
	if err != nil {
		return err
	}
	pace := time.NewTicker(settlePace)
	defer pace.Stop()
	for {
		select {
		case <-w.reports:
			return nil
		case err := <-w.failed:
			return err
		case <-x.ended:
			return ErrNotRunning
		case <-ctx.Done():
			return ctx.Err()
		case <-pace.C:
		}
		if progress == nil {
			continue
		}
		left, err := x.Uncorrelated(ctx)
		if err != nil {
			return err
		}
		progress(left)
	}
}

// Uncorrelated counts the documents whose links are to be worked out yet.
func (x *Indexer) Uncorrelated(ctx context.Context) (n int, err error) {
	err = x.store.View(ctx, func(v *store.View) error {
		names, err := v.CalledCount(store.TaskNames)
		if err != nil {
			return err
		}
		n, err = v.CalledCount(store.TaskCorrelate)
		n += names
		return err
	})
	return n, err
}

// propose works out the links that a document should have under orders.
func (c *correlation) propose(o orders, id int64, mentioned []int64) (links []correlate.Link, compared int) {
	shelf, path, known := c.index.Place(id)
	p, has := o.of(shelf, path)
	if !known || !has {
		return nil, 0
	}
	return c.index.Propose(id, mentioned, o.said.Refused[path], p)
}

// proposeAll works out every link that passes, the best first, and how many of them the document may have; 0 = all.
func (c *correlation) proposeAll(o orders, id int64, mentioned []int64) (links []correlate.Link, most int) {
	shelf, path, known := c.index.Place(id)
	p, has := o.of(shelf, path)
	if !known || !has {
		return nil, 0
	}
	most, p.MaxLinks = p.MaxLinks, 0
	links, _ = c.index.Propose(id, mentioned, o.said.Refused[path], p)
	return links, most
}

// clearSlice strikes documents off that are down to be correlated when nobody wants links worked out.
func (c *correlation) clearSlice(ctx context.Context) error {
	called, err := c.called(ctx)
	if err != nil {
		return err
	}
	if len(called) == 0 {
		c.waiting, c.whole = false, false
		return nil
	}
	return c.r.update(ctx, func(tx *store.Tx) error {
		for _, id := range called {
			if err := errors.Join(tx.SetHeuristicLinks(id, correlate.Version, nil), tx.SetSpareLinks(id, correlate.Version, nil)); err != nil {
				return err
			}
		}
		return struck(tx, called)
	})
}

// struck strikes documents off that were correlated.
func struck(tx *store.Tx, documents []int64) error {
	for _, task := range []store.Task{store.TaskNames, store.TaskCorrelate} {
		if err := tx.Done(task, documents...); err != nil {
			return err
		}
	}
	return nil
}

// wouldWrite compares the links that a document should have with those that stand.
func wouldWrite(stand []store.Link, should []correlate.Link) (written, removed int) {
	for _, l := range should {
		if !slices.ContainsFunc(stand, func(s store.Link) bool { return sameLink(s, l) }) {
			written++
		}
	}
	for _, s := range stand {
		if !slices.ContainsFunc(should, func(l correlate.Link) bool { return s.TargetID == l.Target && s.Relation == l.Relation }) {
			removed++
		}
	}
	return written, removed
}

// sameLink says whether the row of a link need not be written again.
func sameLink(s store.Link, l correlate.Link) bool {
	return s.TargetID == l.Target && s.Relation == l.Relation && s.Score == l.Score && s.Confidence == l.Confidence && s.Version == correlate.Version
}
