package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// check looks whether the root is there and the same. anew says that it is another one, whatever the disk says: a
// folder made again often gets the inode of the old one.
func (r *rootWatcher) check(ctx context.Context, anew bool) {
	real, st, err := r.look()
	now := time.Now()
	switch {
	case err != nil:
		r.miss(err, now)
	case r.id == ident{}:
		r.arrive(ctx, real, st.ident(), now)
		r.settler.everywhere(reasonReturned, now)
	case anew || r.id != st.ident():
		r.leave()
		r.arrive(ctx, real, st.ident(), now)
		r.settler.everywhere(reasonChanged, now)
	}
	r.planCheck(now)
}

// planCheck sets the next check, at a moment that all roots share: one wake-up serves them all.
func (r *rootWatcher) planCheck(now time.Time) {
	every := calm
	if r.id == (ident{}) || r.hasten.Load() {
		every = waiting
	}
	r.nextCheck = NextBeat(now, every)
}

// NextBeat is the next moment that whoever asks with the same period is told, so that one wake-up serves all. It counts by
// the monotonic clock from there, whatever befalls the other.
func NextBeat(now time.Time, every time.Duration) time.Time {
	return now.Add(every - now.Sub(now.Truncate(every)))
}

// miss gives up a root that isn't there. Only the folder above it stays under watch.
func (r *rootWatcher) miss(err error, now time.Time) {
	reason := err.Error()
	switch {
	case vanished(err):
		reason = fmt.Sprintf("%q does not exist", r.root.Path)
	case errors.Is(err, fs.ErrPermission):
		reason = fmt.Sprintf("%q may not be read: %v", r.root.Path, err)
	}
	if (r.id != ident{}) {
		r.leave()
		r.settler.everywhere(reasonChanged, now)
	}
	r.watchParent()
	r.set(ModeMissing, reason, 0)
}

// leave gives up all watches.
func (r *rootWatcher) leave() {
	if r.tree != nil {
		r.tree.close()
		r.tree, r.relink = nil, nil
	}
	if r.parent.inbox != nil {
		r.reg.unsubscribe(r.parent)
		r.parent = sub{}
	}
	r.reg.release(r.files)
	r.id, r.files, r.nextPoll = ident{}, 0, time.Time{}
}

func (r *rootWatcher) watchParent() {
	above := parentPath(r.root.Path)
	if above == r.root.Path || r.remote || r.root.Watch == WatchPoll || r.parent.inbox != nil {
		return
	}
	s := sub{inbox: r.inbox, asked: above, only: lastName(r.root.Path)}
	if _, err := r.reg.subscribe(s); err == nil {
		r.parent = s
	}
}
