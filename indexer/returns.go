package indexer

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"slices"

	"go.uber.org/zap"

	"shelfd/store"
)

// A document that a statement names may go and come back: at its old path, where it has its statements again by
// itself, or elsewhere, where its content tells it. Which one it is, is a function of folders and ledger alone, so
// that an index built anew decides the same: the statements go to the only document with the content that the named
// one had when it went, if nothing was said about that one, and no other named document went with the same content.

// sayGone records what named documents held that are gone.
func (w *writing) sayGone(ctx context.Context, gone []store.File) error {
	said := w.ledger.Said()
	if len(said.IDs) == 0 || len(gone) == 0 {
		return nil
	}
	paths := make(map[int64]string, len(said.IDs))
	for path, id := range said.IDs {
		paths[id] = path
	}
	var records []store.Record
	for _, g := range gone {
		hash := hex.EncodeToString(g.Hash[:])
		if path, named := paths[g.Document]; named && said.Gone[path] != hash {
			records = append(records, store.Record{Op: store.OpDocumentGone, Source: path, Hash: hash})
		}
	}
	if len(records) == 0 {
		return nil
	}
	w.run.returning = true
	return w.retry(ctx, func() error { return w.ledger.Append(records...) })
}

// noteReturns notes that a commit concerns the content of a named document that went: it may have come back, or be
// the only one now.
func (w *writing) noteReturns(outcomes []outcome, gone []store.File) {
	said := w.ledger.Said()
	if w.run.returning || len(said.Gone) == 0 {
		return
	}
	hashes := map[string]bool{}
	for _, hash := range said.Gone {
		hashes[hash] = true
	}
	concerns := func(f store.File) bool { return hashes[hex.EncodeToString(f.Hash[:])] }
	w.run.returning = slices.ContainsFunc(gone, concerns) || slices.ContainsFunc(outcomes, func(o outcome) bool {
		return concerns(o.file) || o.change.Known != nil && concerns(*o.change.Known)
	})
}

// returnsDue says whether documents may have come back, and everything is there by which that is decided.
func (r *run) returnsDue() bool {
	if !r.returning || !r.announced || r.bulk.active() {
		return false
	}
	for _, s := range r.shelves {
		if !s.reconciled || s.waiting > 0 || s.looking {
			return false
		}
	}
	return true
}

// bringBack gives documents that came back elsewhere what was said about them.
func (r *run) bringBack(ctx context.Context) error {
	r.returning = false
	if len(r.ledger.Said().Gone) == 0 {
		return nil
	}
	var moves map[string]store.Holder
	err := r.store.View(ctx, func(v *store.View) error {
		gone, err := r.goneNow(v)
		if err != nil || len(gone) == 0 {
			return err
		}
		moves, err = returned(v, r.ledger.Said(), gone)
		return err
	})
	if err != nil || len(moves) == 0 {
		return err
	}
	return r.recognise(ctx, moves)
}

// goneNow are the named documents that are not there, by their content; those of shelves that cannot be believed are
// left out, and those that went with the same content as others.
func (r *run) goneNow(v *store.View) (map[string]string, error) {
	said := r.ledger.Said()
	gone, many := map[string]string{}, map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(said.Gone)) {
		if s := r.shelves[shelfOf(path)]; !said.Names(path) || s != nil && s.offline != "" {
			continue
		}
		if _, err := v.Document(path); !errors.Is(err, store.ErrNotFound) {
			if err != nil {
				return nil, err
			}
			continue
		}
		hash := said.Gone[path]
		if _, twice := gone[hash]; twice {
			many[hash] = true
		}
		gone[hash] = path
	}
	maps.DeleteFunc(gone, func(hash, _ string) bool { return many[hash] })
	return gone, nil
}

// returned finds for each document that went the only one that holds its content and about which nothing was said.
func returned(v *store.View, said *store.Said, gone map[string]string) (map[string]store.Holder, error) {
	holders, err := v.Holders(func(hash string) bool { return gone[hash] != "" })
	if err != nil {
		return nil, err
	}
	moves := map[string]store.Holder{}
	for hash, path := range gone {
		unnamed := slices.DeleteFunc(holders[hash], func(h store.Holder) bool { return said.Names(h.Path) })
		_, err := v.DocumentByID(said.IDs[path])
		if len(unnamed) == 1 && errors.Is(err, store.ErrNotFound) {
			moves[path] = unnamed[0]
		}
	}
	return moves, nil
}

// recognise records moves, gives the documents their ids back and has them read again under these.
func (r *run) recognise(ctx context.Context, moves map[string]store.Holder) error {
	said := r.ledger.Said()
	record := store.Record{Op: store.OpDocumentMove, Moves: map[string]string{}}
	for from, h := range moves {
		record.Moves[from] = h.Path
		r.log.Info("a document came back elsewhere", zap.String("from", from), zap.String("to", h.Path))
	}
	if err := r.retry(ctx, func() error { return r.ledger.Append(record) }); err != nil {
		return err
	}
	back := map[int64]bool{}
	for from := range moves {
		back[said.IDs[from]] = true
	}
	r.recent.gone.drop(func(p *passing) bool { return back[p.file.Document] })
	for _, from := range slices.Sorted(maps.Keys(moves)) {
		h := moves[from]
		s := r.shelves[shelfOf(h.Path)]
		if s == nil {
			continue
		}
		w := newWriting(r, s, findings{})
		w.older = []olderTwin{{h.File.Document, said.IDs[from]}}
		if err := w.transact(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}
