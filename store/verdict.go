package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// verdictHolds is how long what the disk said is believed: nothing tells when permissions of a folder change.
const verdictHolds = time.Second

// verdict is what the disk lets the reader read.
type verdict struct {
	readable Readable

	turn    chan struct{}   // holds one while somebody asks the disk, which may hang
	known   map[string]bool // by file; guarded by turn
	changes int64           // how often an answer was another than the one before; guarded by turn

	mu    sync.Mutex
	asked time.Time       // when known began, zero = nothing is known; guarded by mu, like all below
	shown map[string]bool // doc_paths that were seen when a View last began
}

func newVerdict(readable Readable) *verdict {
	return &verdict{readable: readable, turn: make(chan struct{}, 1)}
}

// take waits until nobody else asks the disk; give ends that.
func (v *verdict) take(ctx context.Context) error {
	select {
	case v.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("store: wait for the disk: %w", ctx.Err())
	}
}

func (v *verdict) give() { <-v.turn }

// settled returns when nobody asks the disk: who waits here holds no View meanwhile, so that a disk that hangs for one
// reader leaves Views for others.
func (v *verdict) settled(ctx context.Context) error {
	if v == nil {
		return nil
	}
	if err := v.take(ctx); err != nil {
		return err
	}
	v.give()
	return nil
}

// of says which of the files can be read, as the disk said within verdictHolds, and a number that grows whenever an answer
// changes.
func (v *verdict) of(ctx context.Context, files []string) (readable []bool, number int64, err error) {
	if err := v.take(ctx); err != nil {
		return nil, 0, err
	}
	defer v.give()
	before, began := v.known, v.since()
	if time.Since(began) > verdictHolds {
		v.known, began = nil, time.Now()
	}
	if v.known == nil {
		v.known = make(map[string]bool, len(files))
	}
	var ask []string
	for _, file := range files {
		if _, known := v.known[file]; !known {
			ask = append(ask, file)
		}
	}
	if len(ask) > 0 {
		answers, err := v.readable(ctx, ask)
		if err != nil {
			v.known = nil
			v.hold(time.Time{}) // what a connection still holds is older than may be believed
			return nil, 0, err
		}
		for i, file := range ask {
			if was, known := before[file]; !known || was != answers[i] {
				v.changes++
			}
			v.known[file] = answers[i]
		}
	}
	v.hold(began)
	readable = make([]bool, len(files))
	for i, file := range files {
		readable[i] = v.known[file]
	}
	return readable, v.changes, nil
}

func (v *verdict) since() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.asked
}

func (v *verdict) hold(since time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = since
}

// show notes which documents are seen.
func (v *verdict) show(paths map[string]bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shown = paths
}

func (v *verdict) showed(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shown[path]
}

// stale says whether the disk must be asked again.
func (v *verdict) stale() bool {
	if v == nil {
		return false
	}
	return time.Since(v.since()) > verdictHolds
}
