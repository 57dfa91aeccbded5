package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestADiskThatHangsForOneReaderHoldsUpNobodyElse: what a reader could read is asked from the disk, which may not answer.
func TestADiskThatHangsForOneReaderHoldsUpNobodyElse(t *testing.T) {
	l := small(t)
	var hangs atomic.Bool
	begun := make(chan struct{}, 1)
	sight := NewSight(Seen{Rest: true, Readable: func(ctx context.Context, files []string) ([]bool, error) {
		if hangs.Load() {
			select {
			case begun <- struct{}{}:
			default:
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		readable := make([]bool, len(files))
		for i := range readable {
			readable[i] = true
		}
		return readable, nil
	}})
	look := func(ctx context.Context) (documents int, err error) {
		err = l.s.ViewAs(ctx, sight, func(v *View) error {
			list, err := v.DocumentsBelow("")
			documents = len(list)
			return err
		})
		return documents, err
	}
	whole, err := look(t.Context())
	if err != nil || whole == 0 {
		t.Fatal(whole, err)
	}
	hangs.Store(true)
	sight.verdict.hold(time.Time{})
	ctx, stop := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	for n := range 3 * maxViews {
		looking.Go(func() {
			if _, err := look(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("who waited for the disk got %v", err)
			}
		})
		if n == 0 {
			<-begun
		}
	}
	for range 3 * maxViews { // one View waits for the disk, the others are free
		if err := l.s.View(t.Context(), func(*View) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	stop()
	looking.Wait()
	if !sight.verdict.stale() {
		t.Error("what the disk said before it hung is believed on")
	}
	hangs.Store(false)
	if again, err := look(t.Context()); err != nil || again != whole {
		t.Errorf("%d documents afterwards, %v; want %d", again, err, whole)
	}
}
