package watcher

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// flush is somebody who waits until what a root was told has been handed out.
type flush struct {
	passed chan struct{} // closed when it has
	at     time.Time     // what was told later is of no interest
}

// Flush returns when what was done below the roots of the wanted shelves before it was called has been handed out, as far
// as there are events of it. A polled root hands out at its next poll what changed: that is not waited for.
func (w *Watcher) Flush(ctx context.Context, wanted func(shelf string) bool) error {
	if err := w.hearOut(ctx); err != nil {
		return err
	}
	waits := map[*rootWatcher]chan struct{}{}
	w.mu.Lock()
	for shelf, r := range w.roots {
		if wanted(shelf) {
			waits[r] = r.inbox.flush()
		}
	}
	w.mu.Unlock()
	for r, passed := range waits {
		select {
		case <-passed:
		case <-r.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// hearOut returns when the events of what was done before it was called are in the inboxes. The kernel keeps one queue,
// so the event of a mark that is made now comes after them. Without a mark what is under way is missed. Once
// Run has ended nobody hears a mark, and it waits until ctx ends.
func (w *Watcher) hearOut(ctx context.Context) error {
	if w.reg.source == nil {
		return nil
	}
	m, err := newMark(w.reg.source)
	if err != nil {
		w.options.Log.Debug("no mark can be made", zap.Error(err))
		return nil
	}
	defer m.close()
	heard := make(chan struct{})
	w.marks.Store(m.name, heard)
	defer w.marks.Delete(m.name)
	if err := m.strike(); err != nil {
		w.options.Log.Debug("no mark can be made", zap.Error(err))
		return nil
	}
	select {
	case <-heard:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// marked says whether an event is that of a mark, and tells who waits for it.
func (w *Watcher) marked(name string) bool {
	heard, ok := w.marks.LoadAndDelete(name)
	if ok {
		close(heard.(chan struct{}))
	}
	return ok
}

// loseMarks ends the wait for all marks: their events may be among those that are missing, and then everything is looked
// at anyway.
func (w *Watcher) loseMarks() {
	w.marks.Range(func(name, _ any) bool {
		w.marked(name.(string))
		return true
	})
}

// passFlushes says how many paths wait, and tells those who wait for them and whose time has come.
func (r *rootWatcher) passFlushes() {
	waits := len(r.settler.dirty)
	if r.settler.reason != "" || !r.rescans.at.IsZero() {
		waits++
	}
	r.waits.Store(int64(waits))
	r.inbox.absorbed()
	left := r.flushes[:0]
	for _, f := range r.flushes {
		if r.holds(f.at) {
			left = append(left, f)
			continue
		}
		close(f.passed)
	}
	r.flushes = left
}

// holds says whether something that was told by then has not been handed out.
func (r *rootWatcher) holds(then time.Time) bool {
	return !r.rescans.at.IsZero() || r.settler.holds(then)
}

// holds says whether something that was hinted at by then has not been taken.
func (s *settler) holds(then time.Time) bool {
	if s.reason != "" {
		return true
	}
	for _, st := range s.dirty {
		if !st.first.After(then) {
			return true
		}
	}
	return false
}
