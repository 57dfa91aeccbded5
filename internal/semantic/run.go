package semantic

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"

	"shelfd/store"
)

const (
	// surveyFrom is how many changed documents are looked at one by one.
	surveyFrom = 500
	// surveyEvery is the floor when news is lost: how often all is counted anyway.
	surveyEvery = 10 * time.Minute
	// surveyApart is how long after a count the next may begin: it reads a row a chunk.
	surveyApart = time.Second
	// readyEvery is how often the index is asked whether it is whole.
	readyEvery = 100 * time.Millisecond
	// staleAllowed is how many vectors of texts that are gone are kept, beside as many as there are chunks: a document
	// that comes back, or an edit that is undone, finds its vectors.
	staleAllowed = 10_000
)

// tally counts the chunks of a document.
type tally struct{ chunks, missing int }

// queue is the state of Run's goroutine; nothing else touches it.
type queue struct {
	*Index
	documents map[int64]tally
	sum       tally   // of all documents
	fresh     []int64 // changed since the survey, the last one last
	backlog   []int64 // others with chunks that have no vector, those changed last first
	refused   map[uint64]bool

	surveyed time.Time // zero = to be done
	unsure   bool      // another survey is wanted
	begun    bool      // the index was whole once
	pause    time.Duration
	until    time.Time // end of the pause
	trained  int       // chunks when the library was last found too small for a model
}

// Run makes the missing vectors until ctx ends. What it has made is kept, so that it goes on where it was ended.
func (x *Index) Run(ctx context.Context) error {
	q := &queue{Index: x, documents: map[int64]tally{}, refused: map[uint64]bool{}}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-x.wake:
		case <-timer.C:
		}
		err := q.turn(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			q.fail(err)
		}
		q.publish(q.doing())
		timer.Reset(q.untilNext())
	}
}

// turn does one thing: counts, trains or embeds one batch.
func (q *queue) turn(ctx context.Context) error {
	if !q.begun {
		if q.begun = q.o.Ready(); !q.begun {
			return nil
		}
	}
	if err := q.note(ctx); err != nil {
		return err
	}
	now := time.Now()
	if due := now.Sub(q.surveyed); q.surveyed.IsZero() || due > surveyEvery || q.unsure && due > surveyApart {
		if err := q.survey(ctx); err != nil {
			return err
		}
	}
	if now.Before(q.until) {
		return nil
	}
	if chunks := q.sum.chunks; q.outgrown(chunks) && float64(chunks) > tryGrowth*float64(q.trained) {
		return q.learn(ctx, chunks)
	}
	if q.model == nil {
		return nil
	}
	if err := q.batch(ctx); err != nil {
		return err
	}
	q.pause = 0
	q.mu.Lock()
	q.failing = ""
	q.mu.Unlock()
	return nil
}

// untilNext is how long nothing has to be done if nothing happens.
func (q *queue) untilNext() time.Duration {
	now := time.Now()
	switch {
	case !q.begun:
		return readyEvery
	case now.Before(q.until):
		return q.until.Sub(now)
	case q.work():
		return 0
	case q.unsure:
		return max(0, q.surveyed.Add(surveyApart).Sub(now))
	}
	return max(0, q.surveyed.Add(surveyEvery).Sub(now))
}

func (q *queue) work() bool { return q.model != nil && len(q.fresh)+len(q.backlog) > 0 }

func (q *queue) doing() State {
	switch {
	case !q.begun:
		return StateWaiting
	case time.Now().Before(q.until):
		return StatePaused
	case q.work():
		return StateEmbedding
	}
	return StateIdle
}

// note takes in the news.
func (q *queue) note(ctx context.Context) error {
	q.mu.Lock()
	changed, gone := q.changed, q.gone
	q.changed, q.gone = nil, false
	q.mu.Unlock()
	q.unsure = q.unsure || gone
	if len(changed) == 0 || q.surveyed.IsZero() {
		return nil
	}
	err := q.o.Store.View(ctx, func(v *store.View) error {
		for _, path := range changed {
			d, err := v.Document(path)
			if errors.Is(err, store.ErrNotFound) {
				q.unsure = true
				continue
			}
			if err != nil {
				return err
			}
			chunks, err := v.Chunks(d.ID)
			if err != nil {
				return err
			}
			hashes := make([]uint64, len(chunks))
			for i, c := range chunks {
				hashes[i] = c.Key.Hash
			}
			if q.count(d.ID, hashes) {
				q.fresh = append(q.fresh, d.ID)
			}
		}
		return nil
	})
	if err != nil {
		q.unsure = true // what was told is lost: all is to be counted
	}
	return err
}

// count notes how many chunks of a document have no vector, and says whether any could be given one.
func (q *queue) count(document int64, hashes []uint64) (wanted bool) {
	missing := q.set.Missing(hashes)
	before, now := q.documents[document], tally{len(hashes), len(missing)}
	q.documents[document] = now
	q.sum.chunks += now.chunks - before.chunks
	q.sum.missing += now.missing - before.missing
	for _, hash := range missing {
		wanted = wanted || !q.refused[hash]
	}
	return wanted
}

// survey counts all chunks, and throws away vectors when most are of texts that are gone.
func (q *queue) survey(ctx context.Context) error {
	hashes := map[int64][]uint64{}
	live := map[uint64]bool{}
	var newest []int64
	err := q.o.Store.View(ctx, func(v *store.View) (err error) {
		if newest, err = v.NewestFirst(); err != nil {
			return err
		}
		return v.ChunkHashes(func(document int64, hash uint64) {
			hashes[document] = append(hashes[document], hash)
			live[hash] = true
		})
	})
	if err != nil {
		return err
	}
	q.documents, q.sum, q.fresh, q.backlog = map[int64]tally{}, tally{}, nil, nil
	for _, id := range newest {
		if q.count(id, hashes[id]) {
			q.backlog = append(q.backlog, id)
		}
	}
	q.surveyed, q.unsure = time.Now(), false
	if q.set.Len() > 2*len(live)+staleAllowed {
		return q.set.Keep(func(key uint64) bool { return live[key] })
	}
	return nil
}

// learn makes the corpus model.
func (q *queue) learn(ctx context.Context, chunks int) error {
	q.publish(StateTraining)
	start := time.Now()
	trained, err := q.train(ctx)
	if err != nil {
		return err
	}
	if q.trained = chunks; !trained { // too small; the next try when it has grown
		return nil
	}
	clear(q.refused)
	q.surveyed = time.Time{}
	q.log.Info("corpus model made", zap.Int("chunks", chunks), zap.Duration("took", time.Since(start)))
	return nil
}

// fail pauses, longer after each failure that follows another.
func (q *queue) fail(err error) {
	if q.pause == 0 {
		q.pause = q.o.Pause
		q.log.Warn("embedding paused", zap.Error(err))
	} else {
		q.pause = min(2*q.pause, longestPause)
	}
	q.until = time.Now().Add(q.pause/2 + time.Duration(rand.Int64N(int64(q.pause)+1)))
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failing = err.Error()
	q.status.Reason, q.status.RetryAt = q.failing, q.until
}

// publish tells what is being done.
func (q *queue) publish(state State) {
	t := q.sum
	q.mu.Lock()
	defer q.mu.Unlock()
	s := &q.status
	s.State, s.Chunks, s.Missing, s.Refused, s.Coverage = state, t.chunks, t.missing, len(q.refused), 0
	if t.chunks > 0 {
		s.Coverage = float64(t.chunks-t.missing) / float64(t.chunks)
	}
	if state != StatePaused {
		s.Reason, s.RetryAt = "", time.Time{}
	}
	if state == StateIdle && q.model == nil {
		s.Reason = "there is too little text for a model of it"
	}
}
