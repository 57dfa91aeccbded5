package semantic

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"shelfd/internal/embed"
	"shelfd/internal/vector"
	"shelfd/store"
)

const (
	// batchTexts and batchBytes bound one request: more gain little, and what fails is lost as a whole.
	batchTexts = 32
	batchBytes = 64 << 10
)

// batch gives vectors to some chunks: of the document changed last, and of others as far as a request reaches.
func (q *queue) batch(ctx context.Context) error {
	var texts []store.ChunkText
	taken := map[uint64]bool{}
	bytes := 0
	for len(texts) < batchTexts && bytes < batchBytes {
		document, ok := q.next()
		if !ok {
			break
		}
		list, err := q.texts(ctx, []int64{document})
		if err != nil {
			return err
		}
		whole := true
		for _, t := range list {
			switch {
			case q.set.Has(t.Hash) || q.refused[t.Hash] || taken[t.Hash]:
			case len(texts) == batchTexts || bytes >= batchBytes:
				whole = false
			default:
				taken[t.Hash] = true
				texts = append(texts, t)
				bytes += len(t.Body)
			}
		}
		if !whole { // its rest is the next batch
			q.fresh = append(q.fresh, document)
			break
		}
		defer q.recount(document, list)
	}
	return q.embed(ctx, texts)
}

// next takes a document off the queue.
func (q *queue) next() (document int64, ok bool) {
	switch {
	case len(q.fresh) > 0:
		last := len(q.fresh) - 1
		document, q.fresh = q.fresh[last], q.fresh[:last]
	case len(q.backlog) > 0:
		document, q.backlog = q.backlog[0], q.backlog[1:]
	default:
		return 0, false
	}
	return document, true
}

// recount counts a document after its batch. One that the batch failed for goes back to the queue.
func (q *queue) recount(document int64, texts []store.ChunkText) {
	hashes := make([]uint64, len(texts))
	for i, t := range texts {
		hashes[i] = t.Hash
	}
	if q.count(document, hashes) {
		q.fresh = append(q.fresh, document)
	}
}

// embed gives texts their vectors. Of those that the provider refuses together each half is tried by itself, so that
// one that it will not take holds up no other.
func (q *queue) embed(ctx context.Context, texts []store.ChunkText) error {
	if len(texts) == 0 {
		return nil
	}
	vectors, err := q.model.embed(ctx, texts)
	switch {
	case errors.Is(err, embed.ErrRefused) && len(texts) > 1:
		half := len(texts) / 2
		if err := q.embed(ctx, texts[:half]); err != nil {
			return err
		}
		return q.embed(ctx, texts[half:])
	case errors.Is(err, embed.ErrRefused):
		q.refused[texts[0].Hash] = true
		q.log.Warn("a chunk stays without a vector", zap.String("below", texts[0].Trail), zap.Error(err))
		return nil
	case err != nil:
		return err
	}
	entries := make([]vector.Entry, 0, len(texts))
	for i, t := range texts {
		v, err := vector.Quantise(vectors[i])
		if err != nil { // it has no word that tells anything
			q.refused[t.Hash] = true
			continue
		}
		entries = append(entries, vector.Entry{Key: t.Hash, Vector: v})
	}
	err = q.set.Add(entries)
	if errors.Is(err, vector.ErrDimension) {
		return errors.Join(err, q.startOver())
	}
	return err
}

// startOver throws away the vectors of a model that is another one now, whatever its name.
func (q *queue) startOver() error {
	q.log.Warn("the embedding model answers with another number of components; all vectors are made anew", zap.String("model", q.model.name()))
	clear(q.refused)
	q.surveyed = time.Time{}
	return q.adopt(q.model)
}
