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

// Who reads while the file is changed for another reads the one or the other, and never one that was closed.
func TestViewsBegunWhileTheFileIsChangedForAnother(t *testing.T) {
	l := small(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	everything := NewSight(Seen{Rest: true})
	changed, end := context.WithCancel(ctx)
	var readers sync.WaitGroup
	for range maxViews {
		readers.Go(func() {
			for changed.Err() == nil {
				for _, sight := range []*Sight{nil, everything} {
					l.s.Warm()
					err := l.s.ViewAs(ctx, sight, func(v *View) error {
						_, err := v.Search(Query{Text: "boiler", Limit: 10})
						return err
					})
					if err != nil {
						t.Errorf("sight %v: %v", sight != nil, err)
						return
					}
				}
			}
		})
	}
	for range 6 {
		if _, err := l.s.Reopen(ctx); err != nil {
			t.Error(err)
		}
	}
	end()
	readers.Wait()
}
