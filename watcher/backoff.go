package watcher

import "time"

// backoff spreads the rescans after lost events: the first at once, then after a second, two, four… up to ten minutes.
// One that had a long enough rest begins again. A machine that keeps overflowing is not helped by walking all day.
type backoff struct {
	at     time.Time     // of the next rescan; zero = none is wanted
	reason string        // of the first loss since the last rescan
	last   time.Time     // rescan
	wait   time.Duration // after last
}

const (
	minWait = time.Second
	maxWait = 10 * time.Minute
)

// want asks for a rescan.
func (b *backoff) want(reason string, now time.Time) {
	if !b.at.IsZero() {
		return
	}
	b.reason = reason
	if now.Sub(b.last) > max(2*b.wait, 10*time.Second) {
		b.wait = 0
	}
	b.at = now
	if ready := b.last.Add(b.wait); ready.After(now) {
		b.at = ready
	}
}

// done returns the reason for the rescan that is made now.
func (b *backoff) done(now time.Time) string {
	b.wait = min(max(2*b.wait, minWait), maxWait)
	b.at, b.last = time.Time{}, now
	return b.reason
}
