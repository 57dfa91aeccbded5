package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	// askedAtOnce is how many documents that came or went are asked about together: one that may be heard of is enough.
	askedAtOnce = 100
	// keptUnasked is how many of them are kept for the next time when it could not be told who may hear of them.
	keptUnasked = 1000
	// askAgain is how long after a vain attempt the disk is asked again, twice as long after each further one, askSeldom at
	// most.
	askAgain  = time.Second
	askSeldom = time.Minute
)

// hearing is what a session waits to be told: the disk is asked whether it may, which can take long, and neither the
// other sessions nor the news wait for that. It holds what is, not what happened: a document waits once, however often
// it changes meanwhile.
type hearing struct {
	mu      sync.Mutex
	changed map[string]struct{} // watched documents; guarded by mu, like all below
	listed  map[string]struct{} // documents that came or went, where somebody wants to hear of the list
	busy    bool                // a goroutine works it off
}

// hear takes in news and has what concerns the session told, beside the caller.
func (ses *session) hear(changed, listed map[string]struct{}, running *sync.WaitGroup) {
	watched, list := ses.wanted(changed)
	if !list {
		listed = nil
	}
	h := &ses.hearing
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keep(watched, slices.Collect(maps.Keys(listed)))
	if !h.busy && len(h.changed)+len(h.listed) > 0 {
		h.busy = true
		running.Go(ses.workOffHearing)
	}
}

// keep must be called with mu held.
func (h *hearing) keep(changed, listed []string) {
	if h.changed == nil && len(changed)+len(listed) > 0 {
		h.changed, h.listed = map[string]struct{}{}, map[string]struct{}{}
	}
	for _, path := range changed {
		h.changed[path] = struct{}{}
	}
	for _, path := range listed {
		h.listed[path] = struct{}{}
	}
}

// take empties the hearing; false when there was nothing, and whoever works it off is done.
func (h *hearing) take() (changed, listed []string, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	changed, listed = slices.Collect(maps.Keys(h.changed)), slices.Collect(maps.Keys(h.listed))
	h.changed, h.listed = nil, nil
	h.busy = len(changed)+len(listed) > 0
	return changed, listed, h.busy
}

// giveBack keeps what could not be asked about.
func (h *hearing) giveBack(changed, listed []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.keep(changed, listed[:min(len(listed), keptUnasked)])
}

// workOffHearing passes on what there is, and tries again what could not be, until the session ends.
func (ses *session) workOffHearing() {
	again := askAgain
	for ses.life.Err() == nil {
		changed, listed, more := ses.hearing.take()
		if !more {
			return
		}
		err := ses.passOn(changed, listed)
		if err == nil {
			again = askAgain
			continue
		}
		ses.hearing.giveBack(changed, listed)
		if ses.life.Err() == nil {
			ses.log.Warn("news are held back: it cannot be told who may hear them", zap.Duration("again in", again), zap.Error(err))
			pause(ses.life, again)
			again = min(2*again, askSeldom)
		}
	}
}

// passOn tells the client what of the news it may hear.
func (ses *session) passOn(changed, listed []string) error {
	ctx, cancel := context.WithTimeout(ses.life, ses.server.options.ReadDeadline)
	defer cancel()
	heard, err := ses.mayHear(ctx, changed)
	if err != nil {
		return err
	}
	list := false
	for some := range slices.Chunk(listed, askedAtOnce) {
		of, err := ses.mayHear(ctx, some)
		if err != nil {
			return err
		}
		if list = len(of) > 0; list {
			break
		}
	}
	ses.tell(heard, list)
	return nil
}

// mayHear are those of the paths that the client may hear of.
func (ses *session) mayHear(ctx context.Context, paths []string) (map[string]struct{}, error) {
	heard := make(map[string]struct{}, len(paths))
	sight := ses.viewer.Sight("")
	if sight == nil || len(paths) == 0 {
		for _, path := range paths {
			heard[path] = struct{}{}
		}
		return heard, nil
	}
	seen, err := ses.server.options.Store.Sees(ctx, sight, paths)
	if err != nil {
		return nil, err
	}
	for path, ok := range seen {
		if ok {
			heard[path] = struct{}{}
		}
	}
	return heard, nil
}
