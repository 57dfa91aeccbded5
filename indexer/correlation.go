package indexer

import (
	"context"
	"errors"
	"slices"
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
	index     *correlate.Index  // nil = not in memory
	citedBy   map[int64][]int64 // document → those whose text cites it, in id order; in memory with index
	hierarchy *correlate.Hierarchy
	parents   parents // as the hierarchy has them
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

// loaded are the features of all documents, read from one picture of the store.
type loaded struct {
	index     *correlate.Index
	citedBy   map[int64][]int64
	hierarchy *correlate.Hierarchy
	err       error
}

func newCorrelation(r *run) *correlation {
	c := &correlation{r: r, resolving: true, waiting: true, always: make(chan struct{}), loaded: make(chan loaded, 1)}
	close(c.always)
	return c
}

func (c *correlation) pending() bool { return c.resolving || c.waiting || c.r.returnsDue() }

// ready is a channel that can be received from when there is work and nothing more urgent under way.
func (c *correlation) ready() <-chan struct{} {
	if c.r.bulk.pending > 0 || !c.pending() || c.loading {
		return nil
	}
	return c.always
}

// note takes in what a commit changed.
func (c *correlation) note(changed, removed []int64) {
	if len(changed)+len(removed) == 0 {
		return
	}
	c.resolving, c.waiting, c.whole = true, true, false
	if c.loading {
		c.missed = append(append(c.missed, changed...), removed...)
		return
	}
	c.follow(append(changed, removed...))
}

// follow brings what is in memory up to date with documents that changed or went.
func (c *correlation) follow(documents []int64) {
	if c.index == nil || len(documents) > choreSlice {
		c.rest() // cheaper to load again than to follow
		return
	}
	err := c.r.store.View(context.Background(), func(v *store.View) error {
		for _, id := range documents {
			if err := c.put(v, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.rest()
	}
}

// put brings the features of one document into memory as they stand now.
func (c *correlation) put(v *store.View, id int64) error {
	d, err := v.DocumentByID(id)
	if errors.Is(err, store.ErrNotFound) {
		c.index.Remove(id)
		return nil
	}
	if err != nil {
		return err
	}
	b, err := v.FeaturesOf(id)
	if err != nil {
		return err
	}
	f, err := correlate.Decode(b)
	if err != nil {
		return err
	}
	c.index.Put(id, d.Shelf, d.Path, f)
	return nil
}

// rest lets go of what is in memory.
func (c *correlation) rest() { c.index, c.citedBy = nil, nil }

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
	c.loosest = c.orders.loosest()
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

// load reads the features of all documents beside the loop, which receives them from loaded.
func (c *correlation) load(ctx context.Context) {
	c.loading, c.missed = true, nil
	go func() {
		var l loaded
		l.err = c.r.store.View(ctx, func(v *store.View) error { return l.read(v) })
		c.loaded <- l
	}()
}

// stop waits for what load started. The ctx of load must have ended.
func (c *correlation) stop() {
	if c.loading {
		<-c.loaded
	}
}

// take puts what was read in place, and brings it up to date with what happened meanwhile.
func (c *correlation) take(ctx context.Context, l loaded) error {
	c.loading = false
	missed, stale := c.missed, c.stale
	c.missed, c.stale = nil, false
	defer c.serve(ctx)
	if l.err != nil || stale {
		return l.err
	}
	c.index, c.citedBy, c.hierarchy = l.index, l.citedBy, l.hierarchy
	c.r.log.Debug("features loaded", zap.Int("documents", l.index.Len()), zap.Int("changed meanwhile", len(missed)))
	if len(missed) > 0 {
		c.follow(missed)
	}
	return nil
}

func (l *loaded) read(v *store.View) error {
	shelves, err := v.Shelves()
	if err != nil {
		return err
	}
	names, parents := map[int64]string{}, map[string][]string{}
	for _, s := range shelves {
		names[s.ID], parents[s.Name] = s.Name, s.Parents
	}
	if l.hierarchy, err = correlate.NewHierarchy(parents); err != nil {
		return err
	}
	l.index, l.citedBy = correlate.NewIndex(l.hierarchy), map[int64][]int64{}
	return v.Features(func(document, shelf int64, path string, b []byte, mentions []int64) error {
		f, err := correlate.Decode(b)
		if err != nil {
			return err
		}
		l.index.Put(document, names[shelf], path, f)
		for _, target := range mentions {
			l.citedBy[target] = append(l.citedBy[target], document)
		}
		return nil
	})
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

// mentions works out whom the text of a document cites, and stores it.
func (c *correlation) mentions(tx *store.Tx, d store.Document) ([]int64, error) {
	content, err := tx.Content(d.ID)
	if err != nil {
		return nil, err
	}
	before, err := tx.Mentions(d.ID)
	if err != nil {
		return nil, err
	}
	mentioned := c.index.Mentioned(d.ID, content[d.Body:])
	if slices.Equal(before, mentioned) {
		return mentioned, nil
	}
	for _, target := range before {
		if i, ok := slices.BinarySearch(c.citedBy[target], d.ID); ok {
			c.citedBy[target] = slices.Delete(c.citedBy[target], i, i+1)
		}
	}
	for _, target := range mentioned {
		if i, ok := slices.BinarySearch(c.citedBy[target], d.ID); !ok {
			c.citedBy[target] = slices.Insert(c.citedBy[target], i, d.ID)
		}
	}
	return mentioned, tx.SetMentions(d.ID, mentioned)
}

// set stores the links of one document.
func (c *correlation) set(tx *store.Tx, id int64, mentioned []int64) error {
	found, _ := c.propose(c.orders, id, mentioned)
	links := make([]store.HeuristicLink, len(found))
	for i, l := range found {
		links[i] = store.HeuristicLink{Target: l.Target, Relation: l.Relation, Score: l.Score, Confidence: l.Confidence, Rationale: l.Rationale, Signals: l.Signals.Map()}
	}
	return tx.SetHeuristicLinks(id, correlate.Version, links)
}

// suitors finds the links again of all documents that have a link to this one or may now have a better one to it than
// one of theirs.
func (c *correlation) suitors(tx *store.Tx, id int64) error {
	citing, err := c.citing(tx, id)
	if err != nil {
		return err
	}
	again := map[int64]bool{}
	stored, err := tx.LinksOf(id, store.In, []store.Origin{store.OriginHeuristic})
	if err != nil {
		return err
	}
	for _, l := range stored {
		again[l.SourceID] = true
	}
	for _, l := range c.index.SuitorsUnder(id, citing, c.loosest, c.orders.of) {
		if again[l.Source] {
			continue
		}
		crowded, err := c.crowdedOut(tx, l)
		if err != nil {
			return err
		}
		if !crowded {
			again[l.Source] = true
		}
	}
	for source := range again {
		if source == id {
			continue
		}
		mentioned, err := tx.Mentions(source)
		if err != nil {
			return err
		}
		if err := c.set(tx, source, mentioned); err != nil {
			return err
		}
	}
	return nil
}

// crowdedOut says whether a source has as many links as it may, all of them surely better than l.
func (c *correlation) crowdedOut(tx *store.Tx, l correlate.Link) (bool, error) {
	shelf, path, _ := c.index.Place(l.Source)
	p, _ := c.orders.of(shelf, path)
	own, err := tx.LinksOf(l.Source, store.Out, []store.Origin{store.OriginHeuristic})
	if err != nil || p.MaxLinks <= 0 || len(own) < p.MaxLinks {
		return false, err
	}
	return own[len(own)-1].Confidence > l.Confidence, nil
}

// citing lists the documents whose text cites this one. When its names may have changed, those that hold the words of
// a name are read again.
func (c *correlation) citing(tx *store.Tx, id int64) ([]int64, error) {
	renamed, err := tx.IsCalled(store.TaskNames, id)
	f, known := c.index.Features(id)
	if err != nil || !renamed || !known {
		return c.citedBy[id], err
	}
	candidates := map[int64]bool{}
	for _, source := range c.citedBy[id] {
		candidates[source] = true
	}
	for _, name := range f.Names {
		holding, err := tx.Holding(name)
		if err != nil {
			return nil, err
		}
		for _, source := range holding {
			candidates[source] = true
		}
	}
	for source := range candidates {
		if source == id {
			continue
		}
		body, err := tx.Body(source)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, did := slices.BinarySearch(c.citedBy[id], source)
		if c.index.Cites(source, body, id) == did {
			continue
		}
		if err := c.readAgain(tx, source); err != nil {
			return nil, err
		}
	}
	return c.citedBy[id], nil
}

// readAgain works out anew whom the text of a document cites.
func (c *correlation) readAgain(tx *store.Tx, id int64) error {
	d, err := tx.DocumentByID(id)
	if err != nil {
		return err
	}
	_, err = c.mentions(tx, d)
	return err
}
