package indexer

import (
	"slices"
	"strings"

	"shelfd/correlate"
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
	c.citedBy.move(d.ID, before, mentioned)
	return mentioned, tx.SetMentions(d.ID, mentioned)
}

// citing lists the documents whose text cites this one. When its names may have changed, they are looked for in the
// index, and what has changed is stored.
func (c *correlation) citing(tx *store.Tx, id int64) ([]int64, error) {
	renamed, err := tx.IsCalled(store.TaskNames, id)
	f, known := c.index.Features(id)
	if err != nil || !renamed || !known {
		return c.citedBy.of(id), err
	}
	cites, err := c.naming(tx, id, f.Names)
	if err != nil {
		return nil, err
	}
	for _, source := range c.citedBy.of(id) {
		if _, does := cites[source]; !does {
			cites[source] = false
		}
	}
	var now []int64
	for source, does := range cites {
		if does {
			now = append(now, source)
		}
		before, err := tx.Mentions(source)
		if err != nil {
			return nil, err
		}
		if _, did := slices.BinarySearch(before, id); did == does {
			continue
		}
		if err := tx.SetMentions(source, with(before, id, does)); err != nil {
			return nil, err
		}
	}
	slices.Sort(now)
	c.citedBy.replace(id, now)
	return now, nil
}

// naming finds the documents whose text holds one of the names of a document that they do not have themselves.
func (c *correlation) naming(tx *store.Tx, id int64, names []string) (map[int64]bool, error) {
	cites, unread, longest := map[int64]bool{}, map[int64]bool{}, 0
	for _, name := range names {
		who, err := tx.Citing(name)
		if err != nil {
			return nil, err
		}
		for _, source := range who.Sure {
			if source != id && !c.index.Bears(source, name) {
				cites[source] = true
			}
		}
		for _, source := range who.Across {
			if _, whole := unread[source]; !whole {
				unread[source] = false
			}
		}
		for _, source := range who.Inside {
			unread[source] = true // as a whole
		}
		longest = max(longest, 1+strings.Count(name, " "))
	}
	for source, whole := range unread {
		if source == id || cites[source] {
			continue
		}
		text, err := partOf(tx, source, whole, longest)
		if err != nil {
			return nil, err
		}
		if c.index.Cites(source, text, id) {
			cites[source] = true
		}
	}
	return cites, nil
}

// partOf is the text of a document, or that of it where chunks meet.
func partOf(tx *store.Tx, id int64, whole bool, terms int) (string, error) {
	if whole {
		return tx.Body(id)
	}
	return tx.Seams(id, terms)
}

// citable are the names by which texts cite a document.
func citable(v *store.View, id int64) ([]string, error) {
	b, err := v.FeaturesOf(id)
	if err != nil {
		return nil, err
	}
	f, err := correlate.Decode(b)
	return f.Names, err
}
