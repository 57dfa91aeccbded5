package indexer

import (
	"errors"
	"maps"
	"slices"

	"shelfd/store"
)

// putLinks stores the links of a text and what names they look for. Their targets are found at the end of the
// transaction or, while the readers work, when all is there.
func (w *writing) putLinks(tx *store.Tx, id int64, o outcome, was before) error {
	var links []store.TextLink
	for _, l := range o.links {
		if l.Target != "" { // else a heading of its own
			links = append(links, store.TextLink{Kind: l.Kind, Text: l.Text, Raw: l.Target, Fragment: l.Fragment, Line: l.Line, Place: len(links)})
		}
	}
	if len(links) == 0 && !was.known {
		return nil
	}
	if was.known {
		if err := dropSought(tx, id, was.path); err != nil {
			return err
		}
	}
	if err := tx.PutSought(id, soughtByAll(o.prepared.Path, links), nil); err != nil {
		return err
	}
	if !w.bulk.active() && w.listing != nil && !w.shelf.building {
		w.links[id] = links
		return tx.Call(store.TaskResolve, id)
	}
	unresolved := make([]store.Unresolved, len(links))
	for i, l := range links {
		unresolved[i] = store.Unresolved{TextLink: l}
	}
	if err := tx.SetTextLinks(id, nil, unresolved); err != nil || w.shelf.building {
		return err
	}
	return tx.Call(store.TaskResolve, id)
}

// dropSought forgets what the links of a document look for. docPath is the path it had when they were stored.
func dropSought(tx *store.Tx, id int64, docPath string) error {
	links, err := tx.TextLinks(id)
	if err != nil {
		return err
	}
	return tx.PutSought(id, nil, soughtByAll(docPath, links))
}

// soughtByAll are the names that links look for, each once, sorted.
func soughtByAll(docPath string, links []store.TextLink) []string {
	var all []string
	for _, l := range links {
		all = append(all, store.Sought(docPath, l.Raw)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// resolve finds the targets of the links of documents that are down for it, of those in fresh and of at most limit
// others. fresh are the links of texts that were written in the same transaction; of others they are stored.
func resolve(tx *store.Tx, limit int, fresh map[int64][]store.TextLink) error {
	for _, id := range slices.Sorted(maps.Keys(fresh)) {
		if err := resolveDocument(tx, id, fresh[id]); err != nil {
			return err
		}
		if err := tx.Done(store.TaskResolve, id); err != nil {
			return err
		}
	}
	if err := tx.CallEverything(store.TaskResolve); err != nil {
		return err
	}
	called, err := tx.Called(store.TaskResolve, limit)
	if err != nil {
		return err
	}
	for _, id := range called {
		links, err := tx.TextLinks(id)
		if err != nil {
			return err
		}
		if err := resolveDocument(tx, id, links); err != nil {
			return err
		}
	}
	return tx.Done(store.TaskResolve, called...)
}

func resolveDocument(tx *store.Tx, id int64, links []store.TextLink) error {
	d, err := tx.DocumentByID(id)
	if errors.Is(err, store.ErrNotFound) {
		return nil // deleted since it was put down
	}
	if err != nil {
		return err
	}
	resolved := map[int64][]store.TextLink{}
	var unresolved []store.Unresolved
	for _, l := range links {
		found, err := tx.Targets(d.Path, l.Raw)
		if err != nil {
			return err
		}
		switch {
		case len(found) != 1:
			u := store.Unresolved{Source: d.Path, TextLink: l}
			for _, n := range found {
				u.Candidates = append(u.Candidates, n.Path)
			}
			unresolved = append(unresolved, u)
		case found[0].Document != id:
			resolved[found[0].Document] = append(resolved[found[0].Document], l)
		default: // itself: kept for the day when another document takes the name
			unresolved = append(unresolved, store.Unresolved{Source: d.Path, TextLink: l, Candidates: []string{d.Path}})
		}
	}
	return tx.SetTextLinks(id, resolved, unresolved)
}
