package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"shelfd/store"
)

// Import says what becomes of a manifest.
type Import struct {
	Shelf    string // into which it went, or would
	Links    int    // in the manifest
	Changed  int    // links that are new or other than before
	Warnings []string
}

// Import states the links of a manifest, its paths taken as those of shelf ("" = the one of its name), which must be
// there: ErrUnknownShelf. What has no document here is a warning, and nothing else changes. dry says that nothing is
// to change at all. A second import of the same changes nothing. progress may be nil; it counts links.
func (x *Indexer) Import(ctx context.Context, m store.Manifest, shelf string, dry bool, progress func(Progress)) (Import, error) {
	if shelf == "" {
		shelf = m.Shelf.Name
	}
	report := Import{Shelf: shelf, Links: len(m.Links)}
	var links []store.ManualLink
	seen := map[[3]string]bool{} // source, target, relation
	err := x.store.View(ctx, func(v *store.View) error {
		if _, err := v.Shelf(shelf); errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("indexer: import into %q: %w", shelf, ErrUnknownShelf)
		} else if err != nil {
			return err
		}
		for i, l := range m.Links {
			if progress != nil {
				progress(Progress{State: "resolving", Done: i, Total: len(m.Links)})
			}
			link, warning, err := resolveLink(v, m.Shelf.Name, shelf, l)
			if err != nil {
				return err
			}
			key := [3]string{link.Source, link.Target, string(link.Relation)}
			if warning == "" && seen[key] {
				warning = "it stands in the manifest twice"
			}
			seen[key] = true
			if warning != "" {
				report.Warnings = append(report.Warnings, fmt.Sprintf("link %s → %s (%s) was left out: %s", nameOf(l.Source), nameOf(l.Target), l.Relation, warning))
				continue
			}
			links = append(links, link)
		}
		return nil
	})
	if err != nil {
		return report, err
	}
	if dry {
		said := x.ledger.Said()
		for _, l := range links {
			if !slices.Contains(said.Links[l.Source], l) {
				report.Changed++
			}
		}
		return report, nil
	}
	report.Changed, err = x.AddLinks(ctx, links...)
	return report, err
}

// nameOf is how a warning names an end.
func nameOf(e store.ManifestEnd) string {
	if e.Shelf != "" {
		return fmt.Sprintf("%q", e.Shelf+"/"+e.Path)
	}
	return fmt.Sprintf("%q", e.Path)
}

// resolveLink finds the ends of a link here. own is the shelf's name in the manifest, shelf the one here.
func resolveLink(v *store.View, own, shelf string, l store.ManifestLink) (link store.ManualLink, warning string, err error) {
	link = store.ManualLink{Relation: l.Relation, Confidence: 1, Label: l.Label, Rationale: l.Rationale}
	if l.Confidence != nil {
		link.Confidence = *l.Confidence
	}
	for _, end := range []struct {
		of   store.ManifestEnd
		path *string
	}{{l.Source, &link.Source}, {l.Target, &link.Target}} {
		in := end.of.Shelf
		if in == "" || in == own {
			in = shelf
		}
		*end.path = in + "/" + end.of.Path
		if _, err := v.Document(*end.path); errors.Is(err, store.ErrNotFound) {
			return link, fmt.Sprintf("there is no document %q here", *end.path), nil
		} else if err != nil {
			return link, "", err
		}
	}
	if err := checkLinks([]store.ManualLink{link}); err != nil {
		warning = err.Error()
	}
	return link, warning, nil
}
