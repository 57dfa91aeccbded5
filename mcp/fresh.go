package mcp

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// The keys of _meta under which every answer of a tool says how far the index is behind the folders.
const (
	metaStale     = "stale"          // changes are known that the answer may lack; absent where that cannot be known
	metaPending   = "pending"        // of how many paths
	metaReconcile = "last_reconcile" // when the folder was last compared as a whole whose turn is longest ago
)

// longestWait is how many seconds a call may wait for changes to be indexed.
const longestWait = 5

// waitFor is the argument of every reading tool that call.catchUp obeys.
func waitFor() param {
	return param{
		name: "wait", kind: aNumber, max: longestWait, absent: 0.0,
		about: "After files were written: wait up to so many seconds until they are indexed.",
	}
}

// catchUp waits, as long as the caller wants to, until what was written before the call is indexed. What is not by then
// does not fail the call: its answer is marked.
func (c call) catchUp(ctx context.Context) {
	x, wait := c.server.options.Indexer, c.args.float("wait")
	if x == nil || wait == 0 {
		return
	}
	sight := c.server.viewerOf(ctx).Sight("")
	ctx, cancel := context.WithTimeout(ctx, time.Duration(wait*float64(time.Second)))
	defer cancel()
	if err := x.CatchUp(ctx, sight.Shows); err != nil {
		c.server.log.Debug("a call waited in vain", zap.Error(err))
	}
}

// noteFreshness keeps for the answer how far the index is behind now.
func (c call) noteFreshness(ctx context.Context) {
	if c.fresh != nil {
		*c.fresh = c.server.freshness(ctx)
	}
}

// freshness is what the _meta of an answer says, nil without an indexer. Changes of a shelf that the caller does not see
// as a whole are not told: they may be those of a hidden document.
func (s *Server) freshness(ctx context.Context) map[string]any {
	x := s.options.Indexer
	if x == nil {
		return nil
	}
	sight := s.viewerOf(ctx).Sight("")
	pending, seen, known, compared := 0, 0, true, true
	var oldest time.Time
	for _, f := range x.Freshness() {
		if !sight.Shows(f.Shelf) {
			continue
		}
		if seen++; seen == 1 || f.Compared.Before(oldest) {
			oldest = f.Compared
		}
		whole := sight.Whole(f.Shelf)
		if whole {
			pending += f.Pending
		}
		known = known && whole && f.Watched
		compared = compared && !f.Compared.IsZero()
	}
	meta := map[string]any{metaPending: pending}
	if pending > 0 || known && seen > 0 {
		meta[metaStale] = pending > 0
	}
	if compared && seen > 0 {
		meta[metaReconcile] = stamp(oldest)
	}
	return meta
}
