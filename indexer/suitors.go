package indexer

import (
	"shelfd/correlate"
	"shelfd/store"
)

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
	for _, l := range c.index.Suitors(id, citing, c.loosest, c.orders.of) {
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
