package indexer

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"shelfd/correlate"
	"shelfd/store"
)

const (
	// choreSlice is how many documents one transaction of resolving or correlating takes.
	choreSlice = 200
	// choreTime bounds how long an edit waits behind correlating.
	choreTime = 30 * time.Millisecond
	// wholesaleLeast is how many documents must be down before all are correlated again instead.
	wholesaleLeast = 300
)

// correlation works off what is down to be resolved and correlated, a slice at a time, while nothing else is to do.
type correlation struct {
	r         *run
	index     *correlate.Index // nil = not in memory
	citedBy   citers           // in memory with index
	hierarchy *correlate.Hierarchy
	parents   parents // as the hierarchy has them
	parts     parts   // as they hold for the slice under way
	resolving bool    // documents may be down to be resolved
	waiting   bool    // documents may be down to be correlated
	whole     bool    // all documents are down: each finds its own links, nobody else's need a look
	orders    orders  // as they hold for the slice under way
	loosest   correlate.Params
	always    chan struct{} // closed

	loading bool        // the features are being read beside the loop
	loaded  chan loaded // what came of it
	missed  []int64     // documents that changed or went meanwhile
	stale   bool        // the hierarchy changed meanwhile: what is read is no good
	wanting []func()    // what is to be done when the features are there
}

func newCorrelation(r *run) *correlation {
	c := &correlation{r: r, resolving: true, waiting: true, always: make(chan struct{}), loaded: make(chan loaded, 1)}
	close(c.always)
	return c
}

func (c *correlation) pending() bool { return c.resolving || c.waiting || c.r.returnsDue() }

// ready is a channel that can be received from when there is work and nothing more urgent under way.
func (c *correlation) ready() <-chan struct{} {
	if c.r.bulk.active() || !c.pending() || c.loading {
		return nil
	}
	return c.always
}

// note takes in what a commit changed.
func (c *correlation) note(ctx context.Context, changed, removed []int64) {
	if len(changed)+len(removed) == 0 {
		return
	}
	c.resolving, c.waiting, c.whole = true, true, false
	if c.loading {
		c.missed = append(append(c.missed, changed...), removed...)
		return
	}
	c.follow(ctx, append(changed, removed...))
}

// step does one slice of what is down.
func (c *correlation) step(ctx context.Context) error {
	if c.r.returnsDue() {
		return c.r.bringBack(ctx)
	}
	if c.resolving {
		return c.resolveSlice(ctx)
	}
	c.orders = c.r.orders()
	if !c.orders.asked() {
		return c.clearSlice(ctx)
	}
	c.loosest, c.parts = c.orders.loosest(), c.r.parts()
	return c.correlateSlice(ctx)
}

func (c *correlation) resolveSlice(ctx context.Context) error {
	var called []int64
	err := c.r.store.View(ctx, func(v *store.View) (err error) {
		called, err = v.Called(store.TaskResolve, 1)
		return err
	})
	if err != nil {
		return err
	}
	if len(called) == 0 {
		c.resolving = false
		return nil
	}
	return c.r.update(ctx, func(tx *store.Tx) error {
		return resolve(tx, choreSlice, nil)
	})
}

// called are some of the documents that are down to be correlated, those with new names first.
func (c *correlation) called(ctx context.Context) (called []int64, err error) {
	err = c.r.store.View(ctx, func(v *store.View) (err error) {
		for _, task := range []store.Task{store.TaskNames, store.TaskCorrelate} {
			if called, err = v.Called(task, choreSlice); err != nil || len(called) > 0 {
				return err
			}
		}
		return nil
	})
	return called, err
}

func (c *correlation) correlateSlice(ctx context.Context) error {
	start := time.Now()
	called, err := c.called(ctx)
	if err != nil {
		return err
	}
	if len(called) == 0 {
		c.waiting, c.whole = false, false
		return nil
	}
	if c.index == nil || c.hierarchy == nil {
		c.load(ctx)
		return nil
	}
	taken := 0
	defer func() {
		c.r.log.Debug("correlated", zap.Int("documents", taken), zap.Duration("took", time.Since(start)))
	}()
	before := c.whole
	err = c.r.update(ctx, func(tx *store.Tx) error {
		c.whole = before // the transaction may be tried again
		if err := c.wholesale(tx); err != nil {
			return err
		}
		for taken = 0; taken < len(called) && (taken == 0 || time.Since(start) < choreTime); taken++ {
			if err := c.document(tx, called[taken]); err != nil {
				return err
			}
		}
		return struck(tx, called[:taken])
	})
	if err != nil {
		c.rest() // what is in memory may be ahead of what was written
	}
	return err
}

// wholesale puts every document down when so many are that looking at each one's neighbours costs more.
func (c *correlation) wholesale(tx *store.Tx) error {
	if c.whole {
		return nil
	}
	if everything, err := tx.IsCalled(store.TaskNames, store.Everything); err != nil || everything {
		c.whole = everything
		return errors.Join(err, tx.CallEverything(store.TaskNames))
	}
	called, err := tx.CalledCount(store.TaskNames)
	if err != nil {
		return err
	}
	others, err := tx.CalledCount(store.TaskCorrelate)
	if called += others; err != nil || called < wholesaleLeast || called < c.index.Len()/4 {
		return err
	}
	c.whole = true
	return tx.CallAll(store.TaskCorrelate)
}

// document finds the links of one document, and whose links to it may have changed.
func (c *correlation) document(tx *store.Tx, id int64) error {
	d, err := tx.DocumentByID(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	mentioned, err := c.mentions(tx, d)
	if err != nil {
		return err
	}
	if err := c.set(tx, id, mentioned); err != nil {
		return err
	}
	if c.whole {
		return nil
	}
	return c.suitors(tx, id)
}

// set stores the links of one document, and what spare ones there are for those who do not see all of their targets.
func (c *correlation) set(tx *store.Tx, id int64, mentioned []int64) error {
	if len(c.parts) == 0 {
		found, _ := c.propose(c.orders, id, mentioned)
		return errors.Join(tx.SetHeuristicLinks(id, correlate.Version, stored(found)), tx.SetSpareLinks(id, correlate.Version, nil))
	}
	all, most := c.proposeAll(c.orders, id, mentioned)
	best, spare := c.apart(all, most)
	return errors.Join(tx.SetHeuristicLinks(id, correlate.Version, stored(best)), tx.SetSpareLinks(id, correlate.Version, stored(spare)))
}

// stored are links as the store takes them.
func stored(links []correlate.Link) []store.HeuristicLink {
	list := make([]store.HeuristicLink, len(links))
	for i, l := range links {
		list[i] = store.HeuristicLink{Target: l.Target, Relation: l.Relation, Score: l.Score, Confidence: l.Confidence, Rationale: l.Rationale, Signals: l.Signals.Map()}
	}
	return list
}
