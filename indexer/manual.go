package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"shelfd/store"
)

// AddLinks states links between documents, through the ledger; one with the source, target and relation of a link that
// stands takes its place. It says how many are new or other than before. Nothing is stated when one of them is wrong.
func (x *Indexer) AddLinks(ctx context.Context, links ...store.ManualLink) (changed int, err error) {
	return ask(ctx, x, func(ctx context.Context, r *run) (int, error) {
		if err := checkLinks(links); err != nil {
			return 0, err
		}
		var records []store.Record
		for _, l := range links {
			if !slices.Contains(r.ledger.Said().Links[l.Source], l) {
				records = append(records, store.Record{Op: store.OpLinkAdd, Links: []store.ManualLink{l}})
			}
		}
		return len(records), r.sayLinks(ctx, records, ends(links))
	})
}

// RemoveLinks takes back what was stated of a source and a target, all of it when relation is "". It says how many
// links that were.
func (x *Indexer) RemoveLinks(ctx context.Context, source, target, relation string) (removed int, err error) {
	return ask(ctx, x, func(ctx context.Context, r *run) (int, error) {
		removed, gone := 0, store.ManualLink{Source: source, Target: target, Relation: relation}
		for _, l := range r.ledger.Said().Links[source] {
			if l.Target == target && (relation == "" || l.Relation == relation) {
				removed++
			}
		}
		if removed == 0 {
			return 0, nil
		}
		return removed, r.sayLinks(ctx, []store.Record{{Op: store.OpLinkRemove, Links: []store.ManualLink{gone}}}, []string{source})
	})
}

// ReplaceLinks states links from a source in place of those that someone may take back: among says which of those stated
// before these are, nil = all. It is one statement: however it ends, either the old ones hold or the new ones. It says how
// many came, went or changed.
func (x *Indexer) ReplaceLinks(ctx context.Context, source string, links []store.ManualLink, among func(store.ManualLink) bool) (changed int, err error) {
	return ask(ctx, x, func(ctx context.Context, r *run) (int, error) {
		if err := checkLinks(links); err != nil {
			return 0, err
		}
		before := r.ledger.Said().Links[source]
		all := links
		if among != nil {
			all = append(slices.DeleteFunc(slices.Clone(before), func(l store.ManualLink) bool { return among(l) || slices.ContainsFunc(links, samePair(l)) }), links...)
		}
		changed := differing(before, all)
		if changed == 0 {
			return 0, nil
		}
		record := store.Record{Op: store.OpLinksReplace, Source: source, Links: all}
		return changed, r.sayLinks(ctx, []store.Record{record}, append(ends(links), source))
	})
}

// samePair says whether another link stands in place of l: of the same target and relation.
func samePair(l store.ManualLink) func(store.ManualLink) bool {
	return func(other store.ManualLink) bool { return other.Target == l.Target && other.Relation == l.Relation }
}

// differing counts the links that are not the same in both lists: one of the same target and relation once.
func differing(before, after []store.ManualLink) int {
	type key struct{ target, relation string }
	stood, n := map[key]store.ManualLink{}, 0
	for _, l := range before {
		stood[key{l.Target, l.Relation}] = l
	}
	for _, l := range after {
		k := key{l.Target, l.Relation}
		if had, ok := stood[k]; !ok || had != l {
			n++
		}
		delete(stood, k)
	}
	return n + len(stood)
}

func checkLinks(links []store.ManualLink) error {
	type key struct{ source, target, relation string }
	seen := map[key]bool{}
	for _, l := range links {
		k := key{l.Source, l.Target, l.Relation}
		switch {
		case l.Source == l.Target:
			return fmt.Errorf("indexer: link %q: a document cannot be linked with itself", l.Source)
		case l.Relation == "":
			return fmt.Errorf("indexer: link %q → %q: it needs a relation", l.Source, l.Target)
		case !(l.Confidence >= 0 && l.Confidence <= 1):
			return fmt.Errorf("indexer: link %q → %q: confidence %v is not between 0 and 1", l.Source, l.Target, l.Confidence)
		case seen[k]:
			return fmt.Errorf("indexer: link %q → %q: relation %q is given twice", l.Source, l.Target, l.Relation)
		}
		seen[k] = true
	}
	return nil
}

// ends are the documents that links name.
func ends(links []store.ManualLink) []string {
	set := map[string]bool{}
	for _, l := range links {
		set[l.Source], set[l.Target] = true, true
	}
	return slices.Sorted(maps.Keys(set))
}

// sayLinks records statements about manual links and makes the rows of the sources among the named documents theirs.
func (r *run) sayLinks(ctx context.Context, records []store.Record, named []string) error {
	if len(records) == 0 {
		return nil
	}
	if err := r.say(ctx, records, named); err != nil {
		return err
	}
	return r.update(ctx, func(tx *store.Tx) error {
		for _, path := range named {
			if err := sayLinksFrom(tx, r.ledger.Said(), path); err != nil {
				return err
			}
		}
		return nil
	})
}

// say appends records to the ledger, with the ids of the named documents that are there: so these come back after loss
// of the database.
func (r *run) say(ctx context.Context, records []store.Record, named []string) error {
	said := r.ledger.Said()
	err := r.store.View(ctx, func(v *store.View) error {
		for _, path := range slices.Compact(slices.Sorted(slices.Values(named))) {
			d, err := v.Document(path)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if said.IDs[path] != d.ID {
				records = append(records, store.Record{Op: store.OpDocumentID, Source: path, ID: d.ID})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.returning = true // a copy that a statement names can no longer be taken for one that went
	return r.ledger.Append(records...)
}

// Stated is the doc_path of the document that statements know by that path or id, "" = none: it need not be there at
// present.
func (x *Indexer) Stated(path string, id int64) string {
	said := x.ledger.Said()
	if said.Names(path) {
		return path
	}
	for path, stated := range said.IDs {
		if stated == id {
			return path
		}
	}
	return ""
}

// restoreLinks makes the manual links those that the ledger states: the program may have been killed in between.
func restoreLinks(tx *store.Tx, said *store.Said) error {
	stand, err := tx.ManualSources()
	if err != nil {
		return err
	}
	sources := map[string]bool{}
	for _, path := range stand {
		sources[path] = true
	}
	for path := range said.Links {
		sources[path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(sources)) {
		if err := sayLinksFrom(tx, said, path); err != nil {
			return err
		}
	}
	return nil
}
