package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"shelfd/store"
)

// broughtSummary is a summary that a manifest brings, for the document at path here.
type broughtSummary struct {
	path    string
	outline store.Outline
}

// resolveSummary says of a document of a manifest which summary it brings. There is none where it brings none, where the
// same one stands here, and where warning says why it is left out.
func resolveSummary(v *store.View, shelf string, m store.ManifestDocument) (brought *broughtSummary, warning string, err error) {
	if m.Summary == "" {
		return nil, "", nil
	}
	path := shelf + "/" + m.Path
	d, err := openOutlined(v, path)
	if errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Sprintf("there is no document %q here", path), nil
	}
	if err != nil {
		return nil, "", err
	}
	have, err := v.Outline(d.document.ID)
	if err != nil {
		return nil, "", err
	}
	o := tidy(store.Outline{SourceHash: m.Hash, Summary: m.Summary})
	switch {
	case d.document.Hash != m.Hash:
		return nil, fmt.Sprintf("%q says something else here: its content_hash is another", path), nil
	case have.Kind == store.OutlineSaved && have.Summary == o.Summary && have.Status == store.OutlineReady:
		return nil, "", nil
	case have.Kind == store.OutlineSaved:
		return nil, fmt.Sprintf("%q has a summary of its own here", path), nil
	}
	if faults := judge(d, o); len(faults) > 0 {
		return nil, faults[0].Field + ": " + faults[0].Reason, nil
	}
	return &broughtSummary{path, o}, "", nil
}

// summariesAtOnce is how many are stated in one go: others wait for the loop meanwhile.
const summariesAtOnce = 200

// addSummaries states summaries of documents that have none, through the ledger, and says how many it stated: in the
// meantime one of them may have changed, or have got one.
func (x *Indexer) addSummaries(ctx context.Context, brought []broughtSummary) (stated int, err error) {
	for some := range slices.Chunk(brought, summariesAtOnce) {
		n, err := ask(ctx, x, func(ctx context.Context, r *run) (int, error) { return r.addSummaries(ctx, some) })
		stated += n
		if err != nil {
			return stated, err
		}
	}
	return stated, nil
}

func (r *run) addSummaries(ctx context.Context, brought []broughtSummary) (int, error) {
	var records []store.Record
	var named []string
	ids := map[int64]store.Outline{}
	err := r.store.View(ctx, func(v *store.View) error {
		for _, b := range brought {
			d, err := v.Document(b.path)
			if errors.Is(err, store.ErrNotFound) || err == nil && (d.Hash != b.outline.SourceHash || r.ledger.Said().Outlines[b.path] != nil) {
				continue
			}
			if err != nil {
				return err
			}
			records = append(records, store.Record{Op: store.OpSummary, Source: b.path, Outline: &b.outline})
			named, ids[d.ID] = append(named, b.path), b.outline
		}
		return nil
	})
	if err != nil || len(records) == 0 {
		return 0, err
	}
	if err := r.say(ctx, records, named); err != nil {
		return 0, err
	}
	r.log.Info("summaries imported", zap.Int("documents", len(ids)))
	return len(ids), r.update(ctx, func(tx *store.Tx) error {
		for id, o := range ids {
			if err := tx.PutOutline(id, store.OutlineSaved, o); err != nil {
				return err
			}
		}
		return nil
	})
}
