package indexer

import (
	"context"
	"runtime/debug"
	"time"

	"go.uber.org/zap"
)

const (
	// inspectRest is how long after the last write, or the start, the database is read through.
	inspectRest = 10 * time.Second
	// inspectLimit is how long one table of it may take: what is larger than can be read in that time is left out.
	inspectLimit = 30 * time.Second
)

// inspect has the database read through once a start, beside everything else: damage that stood there before is found
// then, whoever would have met it. What it finds wakes the loop.
func (r *run) inspect(ctx context.Context, now time.Time) {
	if !r.inspects() || now.Before(r.restedFrom().Add(r.rest)) {
		return
	}
	r.inspected = true
	r.beside.Go(func() {
		if err := r.store.Inspect(ctx, inspectLimit); err != nil && ctx.Err() == nil {
			r.log.Warn("the database could not be read through", zap.Error(err))
		}
		r.log.Debug("inspected", zap.Duration("took", time.Since(now)))
		debug.FreeOSMemory()
	})
}

// inspects says whether the database is to be read through, once nothing was written for a while.
func (r *run) inspects() bool {
	return !r.inspected && r.status.Progress.State == "ready" && !r.busy() && !r.untidy
}

// restedFrom is when the last write was, or the start.
func (r *run) restedFrom() time.Time {
	if r.status.LastCommit.After(r.begun) {
		return r.status.LastCommit
	}
	return r.begun
}
