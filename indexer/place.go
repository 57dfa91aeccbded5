package indexer

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"shelfd/store"
	"shelfd/watcher"
)

// How often the files of the index are looked for when nothing is written.
const (
	// placeCheck is for systems that do not tell what happens to a folder.
	placeCheck = 5 * time.Second
	// placeRest is for those that do: a rename of a folder further up is all that they don't tell.
	placeRest = time.Minute
	// placeSoon is how long after the last look they are looked for again when something was told: putting the ledger
	// back is told too, and may be in vain.
	placeSoon = time.Second
)

// placeDue is when the files of the index are to be looked for again. At rest that is a moment which other checks
// share, so that one wake-up serves them all.
func (r *run) placeDue() time.Time {
	switch {
	case r.unplaced:
		return r.placed
	case r.stirred:
		return r.placed.Add(placeSoon)
	case r.stir == nil:
		return r.placed.Add(placeCheck)
	}
	return watcher.NextBeat(r.placed, placeRest)
}

// watchPlace has the system tell what happens around the files of the index.
func (r *run) watchPlace(ctx context.Context) {
	paths := []string{r.store.Path(), r.ledger.Path()}
	for _, p := range paths {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			paths = append(paths, real)
		}
	}
	var folders []string
	for _, p := range paths {
		if p != "" {
			folders = append(folders, filepath.Dir(p))
		}
	}
	stir, err := stirIn(ctx, &r.beside, folders)
	if err != nil {
		r.log.Info("the folder of the index is polled", zap.Error(err))
	}
	r.stir, r.unplaced = stir, true // what happened before nobody told
}

// mendPace is the shortest time between two databases given up for damage: a disk or memory that damages each one is
// not to be written to for ever.
const mendPace = time.Minute

// mendable says whether a run ended because of its database, so that another can be made.
func (r *run) mendable(err error) bool {
	return errors.Is(err, store.ErrDisplaced) || errors.Is(err, store.ErrDamaged) && time.Since(r.mended) >= mendPace
}

// place makes sure that database and ledger are still the files that their paths name. store.ErrDisplaced when the
// database is not, store.ErrDamaged when somebody met damage in it.
func (r *run) place(now time.Time) error {
	if err := r.store.Damage(); err != nil {
		return err
	}
	if now.Before(r.placeDue()) {
		return nil
	}
	r.placed, r.unplaced, r.stirred = now, false, false
	notices, err := r.ledger.Check()
	for _, notice := range notices {
		r.notice(notice)
	}
	if err != nil && r.ledgerFault != err.Error() { // whoever says something is told each time
		r.notice(err.Error())
	}
	r.ledgerFault = ""
	if err != nil {
		r.ledgerFault = err.Error()
	}
	return r.store.Displaced()
}

// notice says something that befell the files of the index: in the log and in the status.
func (r *run) notice(text string) {
	r.log.Warn(text)
	notices := append(r.status.Notices[:len(r.status.Notices):len(r.status.Notices)], Notice{time.Now(), text})
	r.status.Notices = notices[max(0, len(notices)-shownNotices):]
	r.published.set(r.status)
}

// shownNotices is how many notices the status keeps.
const shownNotices = 5

// Notice is something that befell the files of the index.
type Notice struct {
	At   time.Time
	Text string
}

// anew begins over with the database that stands at its path now: it was deleted, replaced or damaged. Who waits goes on
// waiting.
func (r *run) anew(ctx context.Context, cause error) (*run, error) {
	r.status.Progress = Progress{State: "indexing"}
	r.notice(cause.Error() + "; the index is being built anew")
	var notice store.Notice
	err := r.retry(ctx, func() (err error) {
		notice, err = r.store.Reopen(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if notice != "" {
		r.notice(string(notice))
	}
	next := r.Indexer.newRun(r.status)
	next.declared, next.announced, next.early, next.held = r.declared, r.announced, r.early, r.held
	next.missed, next.inspected, next.mended = append(r.missed, r.waiters...), true, r.mended
	if errors.Is(cause, store.ErrDamaged) {
		next.mended = time.Now()
	}
	for _, l := range r.leaving {
		l.say(nil) // what is not declared is not in the new one
	}
	if r.links != nil {
		next.wanting = r.links.wanting
	}
	return next, nil
}

// resumeWaits has the shelves compared for the syncs that were under way.
func (r *run) resumeWaits(ctx context.Context) {
	for _, w := range r.missed {
		for i, s := range w.shelves {
			if now := r.shelves[s.Name]; now != nil {
				w.shelves[i] = now
			}
		}
	}
	r.waiters, r.missed = r.missed, nil
	for _, s := range r.shelves {
		r.lookAt(ctx, s, wish{all: true, reason: "new database"})
	}
}

// displaced says whether a run ended because the database went or is damaged, whatever it ran into.
func (x *Indexer) displaced(err error) error {
	if err == nil || errors.Is(err, store.ErrDisplaced) {
		return err
	}
	if gone := x.store.Displaced(); gone != nil {
		x.log.Warn("the database is not where it was", zap.Error(err))
		return gone
	}
	return cmp.Or(x.store.Damage(), err)
}
