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
	Shelf     string // into which it went, or would
	Links     int    // in the manifest
	Changed   int    // links that are new or other than before
	Summaries int    // that are new
	Warnings  []string
}

// Import states the links of a manifest, and its summaries of documents that have the same bytes here and no summary that
// someone wrote. Its paths are taken as those of shelf ("" = the one of its name), which must be there: ErrUnknownShelf.
// What cannot be taken over is a warning, and nothing else changes. dry says that nothing is to change at all. A second
// import of the same changes nothing. progress may be nil; it counts links.
func (x *Indexer) Import(ctx context.Context, m store.Manifest, shelf string, dry bool, progress func(Progress)) (Import, error) {
	if shelf == "" {
		shelf = m.Shelf.Name
	}
	report := Import{Shelf: shelf, Links: len(m.Links)}
	b := brought{shelf: shelf}
	err := x.store.View(ctx, func(v *store.View) error {
		if _, err := v.Shelf(shelf); errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("indexer: import into %q: %w", shelf, ErrUnknownShelf)
		} else if err != nil {
			return err
		}
		return errors.Join(b.resolveLinks(v, m, progress), b.resolveSummaries(v, m))
	})
	report.Warnings = b.warnings
	if err != nil {
		return report, err
	}
	if dry {
		said := x.ledger.Said()
		for _, l := range b.links {
			if !slices.Contains(said.Links[l.Source], l) {
				report.Changed++
			}
		}
		report.Summaries = len(b.summaries)
		return report, nil
	}
	if report.Changed, err = x.AddLinks(ctx, b.links...); err == nil {
		report.Summaries, err = x.addSummaries(ctx, b.summaries)
	}
	return report, err
}

// brought is what a manifest brings that can be taken over into a shelf, and warnings of what can't.
type brought struct {
	shelf     string
	links     []store.ManualLink
	summaries []broughtSummary
	warnings  []string
}

func (b *brought) resolveLinks(v *store.View, m store.Manifest, progress func(Progress)) error {
	seen := map[[3]string]bool{} // source, target, relation
	for i, l := range m.Links {
		if progress != nil {
			progress(Progress{State: "resolving", Done: i, Total: len(m.Links)})
		}
		link, warning, err := resolveLink(v, m.Shelf.Name, b.shelf, l)
		if err != nil {
			return err
		}
		key := [3]string{link.Source, link.Target, string(link.Relation)}
		if warning == "" && seen[key] {
			warning = "it stands in the manifest twice"
		}
		seen[key] = true
		if warning != "" {
			b.warnings = append(b.warnings, fmt.Sprintf("link %s → %s (%s) was left out: %s", nameOf(l.Source), nameOf(l.Target), l.Relation, warning))
			continue
		}
		b.links = append(b.links, link)
	}
	return nil
}

func (b *brought) resolveSummaries(v *store.View, m store.Manifest) error {
	seen := map[string]bool{}
	for _, d := range m.Documents {
		summary, warning, err := resolveSummary(v, b.shelf, d)
		if err != nil {
			return err
		}
		if summary != nil && seen[summary.path] {
			summary, warning = nil, "it stands in the manifest twice"
		}
		switch {
		case warning != "":
			b.warnings = append(b.warnings, fmt.Sprintf("summary of %q was left out: %s", d.Path, warning))
		case summary != nil:
			seen[summary.path] = true
			b.summaries = append(b.summaries, *summary)
		}
	}
	return nil
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
