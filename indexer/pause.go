package indexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"shelfd/internal/text"
	"shelfd/store"
)

// ErrPaused says that nothing can be written at present: the disk is full, or another program holds the database.
var ErrPaused = errors.New("writing paused")

const (
	// patience is how long a pause lasts before those who wait are told.
	patience = time.Second
	// longestWait is the longest time between two tries: so soon is room noticed.
	longestWait = 2 * time.Second
)

// update runs a write transaction.
func (r *run) update(ctx context.Context, f func(*store.Tx) error) error {
	err := r.retry(ctx, func() error { return r.store.Update(ctx, f) })
	if err == nil {
		r.wrote, r.unplaced, r.untidy = true, true, true
		r.status.LastCommit = time.Now()
		r.status.Commits++
	}
	return err
}

// retry waits a full disk out, or a database held by somebody else. Meanwhile the status says so, and who waits for
// something is told instead of kept.
func (r *run) retry(ctx context.Context, write func() error) error {
	wait := 100 * time.Millisecond
	for start := time.Now(); ; {
		err := write()
		if err == nil {
			r.resume()
			return nil
		}
		if !store.IsFull(err) && !store.IsBusy(err) {
			return err
		}
		paused := r.paused(err)
		if r.status.LastError == "" {
			r.log.Warn("writing paused", zap.Error(paused))
			r.store.SetPaused(&store.Pause{Reason: text.Plainly(paused.Error()), Since: time.Now()})
		}
		r.status.LastError = text.Plainly(paused.Error())
		r.published.set(r.status)
		if err := r.waitOut(ctx, wait, paused, start); err != nil {
			return err
		}
		wait = min(2*wait, longestWait)
	}
}

func (r *run) resume() {
	if r.status.LastError == "" {
		return
	}
	r.log.Info("writing goes on")
	r.status.LastError = ""
	r.store.SetPaused(nil)
	r.published.set(r.status)
}

// paused says why nothing can be written and what to do about it.
func (r *run) paused(cause error) error {
	if store.IsFull(cause) {
		return fmt.Errorf("indexer: %w: the disk of %q is full (%w); make room there, it goes on by itself", ErrPaused, r.store.Path(), cause)
	}
	return fmt.Errorf("indexer: %w: another program holds %q (%w); end it, it goes on by itself", ErrPaused, r.store.Path(), cause)
}

// waitOut waits for the next try. When the pause has lasted, everybody who waits is told, and so is who comes.
func (r *run) waitOut(ctx context.Context, wait time.Duration, paused error, start time.Time) error {
	pause := time.NewTimer(wait)
	defer pause.Stop()
	for {
		var commands chan command
		if time.Since(start) >= patience {
			r.declineAll(paused)
			commands = r.commands
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-pause.C:
			return nil
		case c := <-commands:
			if c.decline == nil {
				r.held = append(r.held, c)
				continue
			}
			c.decline(fmt.Errorf("%w; nothing of this call was done", paused))
		}
	}
}

// declineAll tells everybody who waits for something that writes.
func (r *run) declineAll(paused error) {
	begun := fmt.Errorf("%w; what was begun is then finished", paused)
	if r.current != nil {
		r.current(begun)
	}
	for _, w := range append(r.missed, r.waiters...) {
		w.fail(begun)
	}
	r.waiters, r.missed = nil, nil
	for _, l := range r.leaving {
		l.say(begun)
	}
}
