package mcp

import (
	"strconv"
	"sync"
)

// outbox holds notifications until the client takes them, one a key: what happens twice meanwhile is told once, and
// nothing is dropped, however slow the client is. Its size is bounded by what a client may watch.
type outbox struct {
	wake chan struct{} // holds one when there is something to take

	mu    sync.Mutex
	order []string        // keys as they came; guarded by mu, like all below
	posts map[string]post // by key
	taken uint64          // number of the last one taken
}

// post is a notification that waits.
type post struct {
	key    string
	number uint64 // in the order in which the session's were taken, from 1
	frame  []byte
}

func newOutbox() *outbox {
	return &outbox{wake: make(chan struct{}, 1), posts: map[string]post{}}
}

// post never waits.
func (o *outbox) post(key string, frame []byte) {
	o.mu.Lock()
	if _, waits := o.posts[key]; !waits {
		o.order = append(o.order, key)
	}
	o.posts[key] = post{key: key, frame: frame}
	o.mu.Unlock()
	o.rouse()
}

func (o *outbox) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take empties the outbox, oldest first.
func (o *outbox) take() []post {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := make([]post, 0, len(o.posts))
	for _, key := range o.order {
		if p, waits := o.posts[key]; waits {
			o.taken++
			p.number = o.taken
			taken = append(taken, p)
			delete(o.posts, key)
		}
	}
	o.order = nil
	return taken
}

// putBack returns what could not be delivered, before what has come meanwhile.
func (o *outbox) putBack(undelivered []post) {
	o.mu.Lock()
	order := make([]string, 0, len(undelivered)+len(o.order))
	for _, p := range undelivered {
		if _, again := o.posts[p.key]; !again {
			o.posts[p.key] = p
			order = append(order, p.key)
		}
	}
	o.order = append(order, o.order...)
	o.mu.Unlock()
	o.rouse()
}

// withdraw takes back what has not been taken yet.
func (o *outbox) withdraw(keys ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range keys {
		delete(o.posts, key)
	}
}

// lastID is the number of the last notification taken.
func (o *outbox) lastID() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strconv.FormatUint(o.taken, 10)
}
