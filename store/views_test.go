package store

import (
	"context"
	"sync"
	"testing"
	"time"
)

// Each of as many Views as there may be searches for what needs the vocabulary, which none has read yet: none waits for
// what another holds.
func TestAsManyViewsAsThereMayBeSearchAtOnce(t *testing.T) {
	l := small(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var ready, done sync.WaitGroup
	ready.Add(maxViews)
	for range maxViews {
		done.Go(func() {
			err := l.s.View(ctx, func(v *View) error {
				ready.Done()
				ready.Wait()
				_, err := v.Search(Query{Text: "boilr vlave", Limit: 10})
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
}
