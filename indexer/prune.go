package indexer

import (
	"context"
	"maps"
	"slices"

	"shelfd/store"
)

// Pruned is what Prune found and did.
type Pruned struct {
	Links     []store.Link // heuristic links of at most the confidence asked for, weakest first
	Removed   int          // 0 unless applied
	Remaining int          // after it was applied: links as weak that moved up into their places
}

// Prune lists the heuristic links of at most maxConfidence whose sources stand in shelf ("" = all). Applied, it
// refuses their pairs for ever, through the ledger: nothing will be worked out between them again, and the next best
// links of their sources move up. Links that authors wrote and that someone stated are not touched.
func (x *Indexer) Prune(ctx context.Context, shelf string, maxConfidence float64, apply bool, progress func(Progress)) (Pruned, error) {
	if err := x.settle(ctx, nil); err != nil {
		return Pruned{}, err
	}
	weak := store.LinkQuery{Shelf: shelf, Origin: store.OriginHeuristic, Weak: true, MaxConfidence: maxConfidence}
	var p Pruned
	find := func() (links []store.Link, err error) {
		err = x.store.View(ctx, func(v *store.View) error {
			links, _, err = v.Find(weak)
			return err
		})
		return links, err
	}
	links, err := find()
	if p.Links = links; err != nil || !apply || len(links) == 0 {
		return p, err
	}
	if err := x.do(ctx, func(ctx context.Context, r *run) error { return r.refuse(ctx, links) }); err != nil {
		return p, err
	}
	p.Removed = len(links)
	steps := newSteps(progress, len(links), false)
	if err := x.settle(ctx, func(left int) { steps.comparing(max(0, len(links)-left)) }); err != nil {
		return p, err
	}
	left, err := find()
	p.Remaining = len(left)
	return p, err
}

// refuse records that nothing is to be worked out between the ends of links, and works their sources out again.
func (r *run) refuse(ctx context.Context, links []store.Link) error {
	targets, sources, named := map[string][]string{}, map[int64]bool{}, map[string]bool{}
	for _, l := range links {
		targets[l.Source] = append(targets[l.Source], l.Target)
		sources[l.SourceID], named[l.Source], named[l.Target] = true, true, true
	}
	var records []store.Record
	for _, source := range slices.Sorted(maps.Keys(targets)) {
		list := targets[source]
		slices.Sort(list)
		records = append(records, store.Record{Op: store.OpPairsRefuse, Source: source, Targets: slices.Compact(list)})
	}
	if err := r.say(ctx, records, slices.Sorted(maps.Keys(named))); err != nil {
		return err
	}
	r.links.waiting, r.links.whole = true, false
	return r.update(ctx, func(tx *store.Tx) error {
		if err := tx.Call(store.TaskCorrelate, slices.Sorted(maps.Keys(sources))...); err != nil {
			return err
		}
		return r.seal(tx)
	})
}
