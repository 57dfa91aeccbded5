package mcp

import "sync"

// outbox holds notifications until the client takes them, one a key: what happens twice meanwhile is told once, and
// nothing is dropped, however slow the client is. Its size is bounded by what a client may watch.
type outbox struct {
	wake chan struct{} // holds one when there is something to take

	mu     sync.Mutex
	order  []string          // keys as they came; guarded by mu, like frames
	frames map[string][]byte // by key
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), frames: map[string][]byte{}}
}

// post never waits.
func (o *outbox) post(key string, frame []byte) {
	o.mu.Lock()
	if _, waits := o.frames[key]; !waits {
		o.order = append(o.order, key)
	}
	o.frames[key] = frame
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take empties the outbox, oldest first.
func (o *outbox) take() [][]byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	frames := make([][]byte, 0, len(o.frames))
	for _, key := range o.order {
		if frame, waits := o.frames[key]; waits {
			frames = append(frames, frame)
			delete(o.frames, key)
		}
	}
	o.order = nil
	return frames
}

// withdraw takes back what has not been taken yet.
func (o *outbox) withdraw(keys ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range keys {
		delete(o.frames, key)
	}
}
