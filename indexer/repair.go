package indexer

import (
	"context"
	"maps"
	"slices"

	"go.uber.org/zap"

	"shelfd/store"
)

// mending is what a check calls for.
type mending struct {
	documents map[int64]bool     // to be cut again
	strays    map[string][]int64 // rows by FTS table that are no document's
	beyond    string             // what cannot be mended but by building everything anew, "" = nothing
}

func (m *mending) note(d store.Difference) {
	switch {
	case d.Document != 0:
		m.documents[d.Document] = true
	case d.Stray != 0:
		m.strays[d.Where] = append(m.strays[d.Where], d.Stray)
	case m.beyond == "":
		m.beyond = d.String()
	}
}

// Repair compares the index with itself and with the disk, and mends what differs: documents are cut again, and where
// that does not help the database is built anew. It returns, as Sync does, when that is done.
func (x *Indexer) Repair(ctx context.Context, progress func(Progress)) ([]ShelfReport, error) {
	m := mending{documents: map[int64]bool{}, strays: map[string][]int64{}}
	err := x.store.Check(ctx, m.note)
	switch {
	case store.IsCorrupt(err): // whoever meets that has it built anew
	case err != nil:
		return nil, err
	case m.beyond != "":
		x.store.GiveUp(m.beyond)
	default:
		if err := x.do(ctx, func(ctx context.Context, r *run) error { return r.mend(ctx, m) }); err != nil {
			return nil, err
		}
	}
	return x.Sync(ctx, "", false, progress)
}

// mend puts down what the look that follows does.
func (r *run) mend(ctx context.Context, m mending) error {
	if len(m.documents)+len(m.strays) == 0 {
		return nil
	}
	r.log.Warn("repair", zap.Int("documents", len(m.documents)), zap.Int("tables_with_strays", len(m.strays)))
	return r.update(ctx, func(tx *store.Tx) error {
		for table, rows := range m.strays {
			if err := tx.DropStray(table, rows...); err != nil {
				return err
			}
		}
		return tx.Recut(slices.Collect(maps.Keys(m.documents))...)
	})
}
