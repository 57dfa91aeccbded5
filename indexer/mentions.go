package indexer

import (
	"slices"

	"shelfd/store"
)

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
		c.cited(d.ID, target, false)
	}
	for _, target := range mentioned {
		c.cited(d.ID, target, true)
	}
	return mentioned, tx.SetMentions(d.ID, mentioned)
}

// cited remembers whether the text of source cites target.
func (c *correlation) cited(source, target int64, does bool) {
	c.citedBy[target] = with(c.citedBy[target], source, does)
}

// with is a set of ids in order with or without one of them.
func with(ids []int64, id int64, member bool) []int64 {
	i, is := slices.BinarySearch(ids, id)
	switch {
	case member && !is:
		return slices.Insert(ids, i, id)
	case is && !member:
		return slices.Delete(ids, i, i+1)
	}
	return ids
}

// citing lists the documents whose text cites this one. When its names may have changed, they are looked for in the
// index, and what has changed is stored.
func (c *correlation) citing(tx *store.Tx, id int64) ([]int64, error) {
	renamed, err := tx.IsCalled(store.TaskNames, id)
	f, known := c.index.Features(id)
	if err != nil || !renamed || !known {
		return c.citedBy[id], err
	}
	cites, err := c.naming(tx, id, f.Names)
	if err != nil {
		return nil, err
	}
	for _, source := range c.citedBy[id] {
		if _, does := cites[source]; !does {
			cites[source] = false
		}
	}
	for source, does := range cites {
		before, err := tx.Mentions(source)
		if err != nil {
			return nil, err
		}
		c.cited(source, id, does)
		if _, did := slices.BinarySearch(before, id); did == does {
			continue
		}
		if err := tx.SetMentions(source, with(before, id, does)); err != nil {
			return nil, err
		}
	}
	return c.citedBy[id], nil
}

// naming finds the documents whose text holds one of the names of a document that they do not have themselves.
func (c *correlation) naming(tx *store.Tx, id int64, names []string) (map[int64]bool, error) {
	cites, unread := map[int64]bool{}, map[int64]bool{}
	for _, name := range names {
		sure, perhaps, err := tx.Citing(name)
		if err != nil {
			return nil, err
		}
		for _, source := range sure {
			if source != id && !c.index.Bears(source, name) {
				cites[source] = true
			}
		}
		for _, source := range perhaps {
			unread[source] = source != id
		}
	}
	for source, read := range unread {
		if !read || cites[source] {
			continue
		}
		body, err := tx.Body(source)
		if err != nil {
			return nil, err
		}
		if c.index.Cites(source, body, id) {
			cites[source] = true
		}
	}
	return cites, nil
}
