package indexer

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"shelfd/correlate"
	"shelfd/store"
)

// loaded are the features of all documents, read from one picture of the store.
type loaded struct {
	index     *correlate.Index
	citedBy   citers
	hierarchy *correlate.Hierarchy
	err       error
}

// follow brings what is in memory up to date with documents that changed or went.
func (c *correlation) follow(ctx context.Context, documents []int64) {
	if c.index == nil || len(documents) > choreSlice {
		c.rest() // cheaper to load again than to follow
		return
	}
	err := c.r.store.View(ctx, func(v *store.View) error {
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
		c.follow(ctx, missed)
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
	l.index, l.citedBy = correlate.NewIndex(l.hierarchy), citers{}
	return v.Features(func(document, shelf int64, path string, b []byte, mentions []int64) error {
		f, err := correlate.Decode(b)
		if err != nil {
			return err
		}
		l.index.Put(document, names[shelf], path, f)
		for _, target := range mentions {
			l.citedBy.set(target, document, true)
		}
		return nil
	})
}
