package indexer

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"shelfd/internal/text"
	"shelfd/store"
)

// Names are looked up by kind, so that a title never stands in for a path.
const (
	byPath = "p:" // doc_path, with and without its extension; of a README or index also its folder
	byFile = "f:" // file name without extension, folded
	byName = "t:" // title or alias, folded
)

// namesOf are the names that a document answers to in links.
func namesOf(docPath, title string, aliases []string) []store.Name {
	bare := strings.TrimSuffix(docPath, path.Ext(docPath))
	file := text.Fold(path.Base(bare))
	names := []store.Name{{Kind: store.NamePath, Text: byPath + docPath}, {Kind: store.NamePath, Text: byPath + bare}, {Kind: store.NameFile, Text: byFile + file}}
	if file == "readme" || file == "index" || file == "_index" {
		names = append(names, store.Name{Kind: store.NamePath, Text: byPath + path.Dir(docPath)})
	}
	names = append(names, store.Name{Kind: store.NameTitle, Text: byName + text.Fold(title)})
	for _, alias := range aliases {
		names = append(names, store.Name{Kind: store.NameAlias, Text: byName + text.Fold(alias)})
	}
	return names
}

// soughtBy are the names that a link looks for, in order: paths, file name, title.
func soughtBy(docPath, raw string) []string {
	shelf, _, _ := strings.Cut(docPath, "/")
	target := strings.TrimSuffix(raw, "/")
	if target == "" {
		return nil
	}
	var sought []string
	add := func(name string) {
		for _, have := range sought {
			if have == name {
				return
			}
		}
		sought = append(sought, name)
	}
	fromRoot := shelf + "/" + strings.TrimPrefix(path.Clean("/"+target), "/")
	if !strings.HasPrefix(target, "/") {
		if joined := path.Join(path.Dir(docPath), target); strings.HasPrefix(joined, shelf+"/") {
			add(byPath + joined)
		}
	}
	add(byPath + fromRoot)
	if bare, isPage := strings.CutSuffix(fromRoot, ".html"); isPage {
		add(byPath + bare)
		if joined := path.Join(path.Dir(docPath), strings.TrimSuffix(target, ".html")); strings.HasPrefix(joined, shelf+"/") {
			add(byPath + joined)
		}
	}
	base := path.Base(target)
	add(byFile + text.Fold(strings.TrimSuffix(base, markdownExt(base))))
	if !strings.Contains(raw, "/") {
		add(byName + text.Fold(raw))
	}
	return sought
}

// markdownExt is the extension of a Markdown file name, "" of any other: a dot in a page's name is not one.
func markdownExt(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".md", ".markdown", ".mdx", ".html":
		return ext
	}
	return ""
}

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
	if w.bulk.pending == 0 && w.listing != nil && !w.shelf.building {
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
		all = append(all, soughtBy(docPath, l.Raw)...)
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
		found, err := targets(tx.View, d.Path, l.Raw)
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

// targets are the documents that a link can mean: by path, then by file name, then by title or alias; those of the
// link's own shelf before those of others. The first step that finds any decides.
func targets(v *store.View, docPath, raw string) ([]store.Named, error) {
	shelf, _, _ := strings.Cut(docPath, "/")
	for _, name := range soughtBy(docPath, raw) {
		found, err := v.Named(name)
		if err != nil {
			return nil, err
		}
		if found = nearest(unique(found), shelf, strings.TrimPrefix(name, byPath)); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// unique keeps each document once; the list is in path order.
func unique(list []store.Named) []store.Named {
	kept := list[:0]
	for i, n := range list {
		if i == 0 || n.Document != list[i-1].Document {
			kept = append(kept, n)
		}
	}
	return kept
}

// nearest narrows documents of one name: one whose whole path is the name, else those of the shelf, else all.
func nearest(list []store.Named, shelf, exact string) []store.Named {
	var own []store.Named
	for _, n := range list {
		if n.Path == exact {
			return []store.Named{n}
		}
		if strings.HasPrefix(n.Path, shelf+"/") {
			own = append(own, n)
		}
	}
	if len(own) > 0 {
		return own
	}
	return list
}
