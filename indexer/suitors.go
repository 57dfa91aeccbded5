package indexer

import "shelfd/store"

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
	spare, err := tx.SpareSuitors(id)
	if err != nil {
		return err
	}
	for _, l := range stored {
		again[l.SourceID] = true
	}
	for _, source := range spare {
		again[source] = true
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
