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
	// askAgain is how long after a vain attempt the disk is asked again, twice as long after each further one, askSeldom at
	// most.
	askAgain  = time.Second
	askSeldom = time.Minute
	// mostListed bounds the documents that came or went of which a session is to be told: while a disk hangs, names may
	// come and go for hours, and one that may be heard of is enough.
	mostListed = 10_000
)

// untold is what a session waits to be told: the disk is asked whether it may, which can take long, and neither the
// other sessions nor the news wait for that. It holds what is, not what happened: a document waits once, however often
// it changes meanwhile.
type untold struct {
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
	u := &ses.untold
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keepLocked(watched, slices.Collect(maps.Keys(listed)))
	if !u.busy && len(u.changed)+len(u.listed) > 0 {
		u.busy = true
		running.Go(ses.workOffUntold)
	}
}

// keepLocked adds to what is to be told.
func (u *untold) keepLocked(changed, listed []string) {
	if u.changed == nil && len(changed)+len(listed) > 0 {
		u.changed, u.listed = map[string]struct{}{}, map[string]struct{}{}
	}
	for _, path := range changed {
		u.changed[path] = struct{}{}
	}
	for _, path := range listed {
		if len(u.listed) == mostListed {
			break
		}
		u.listed[path] = struct{}{}
	}
}

// take empties it; false when there was nothing, and whoever works it off is done.
func (u *untold) take() (changed, listed []string, more bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	changed, listed = slices.Collect(maps.Keys(u.changed)), slices.Collect(maps.Keys(u.listed))
	u.changed, u.listed = nil, nil
	u.busy = len(changed)+len(listed) > 0
	return changed, listed, u.busy
}

// giveBack keeps what could not be asked about.
func (u *untold) giveBack(changed, listed []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.keepLocked(changed, listed)
}

// workOffUntold passes on what there is, and tries again what could not be, until the session ends.
func (ses *session) workOffUntold() {
	again := askAgain
	for ses.life.Err() == nil {
		changed, listed, more := ses.untold.take()
		if !more {
			return
		}
		err := ses.passOn(changed, listed)
		if err == nil {
			again = askAgain
			continue
		}
		ses.untold.giveBack(changed, listed)
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
