package indexer

import (
	"context"
	"time"

	"shelfd/store"
)

// tidyDue is when the next step of tidying up is due: once nothing else has been written for a while.
func (r *run) tidyDue() time.Time { return r.status.LastCommit.Add(min(quiet, r.rest)) }

// tidies says whether removed text is to leave the file, and nothing else is to be done.
func (r *run) tidies() bool { return r.untidy && !r.busy() }

// tidy makes one step; LastCommit stays, so that the next one need not wait.
func (r *run) tidy(ctx context.Context, now time.Time) error {
	if now.Before(r.tidyDue()) {
		return nil
	}
	done := false
	err := r.retry(ctx, func() error {
		return r.store.Update(ctx, func(tx *store.Tx) (err error) {
			done, err = tx.Tidy()
			return err
		})
	})
	r.untidy, r.wrote = !done, true
	return err
}
