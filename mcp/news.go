package mcp

import (
	"sync"
	"time"

	"shelfd/indexer"
)

const (
	// newsPause gathers what is written close together: an editor's two writes of one save, the slices of a checkout.
	newsPause = 20 * time.Millisecond
	// listPause is the shortest time between two list_changed: a client answers each by reading the whole list again,
	// and while a shelf is built documents come all the time.
	listPause = time.Second
)

// news passes on to sessions which documents changed. It is level-triggered: what it holds says "look again".
type news struct {
	mu       sync.Mutex
	audience map[*session]struct{} // guarded by mu, like all below
	changed  map[string]struct{}   // doc_paths that wait to be told
	listed   map[string]struct{}   // doc_paths that came or went
	due      bool                  // the timer will pass them on
	timer    *time.Timer
	passing  sync.WaitGroup // what the timer started or will start, and what tells sessions
	told     time.Time      // when a change of the list was last told
}

// Announce tells clients that watch documents what a commit changed. It never waits for them.
func (s *Server) Announce(c indexer.Changed) { s.news.add(c) }

func (n *news) join(ses *session) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.audience == nil {
		n.audience = map[*session]struct{}{}
	}
	n.audience[ses] = struct{}{}
}

func (n *news) leave(ses *session) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.audience, ses)
}

func (n *news) add(c indexer.Changed) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.audience) == 0 {
		return
	}
	if n.changed == nil {
		n.changed, n.listed = map[string]struct{}{}, map[string]struct{}{}
	}
	for _, path := range c.Written {
		n.changed[path] = struct{}{}
	}
	for _, paths := range [][]string{c.Come, c.Gone} {
		for _, path := range paths {
			n.changed[path], n.listed[path] = struct{}{}, struct{}{}
		}
	}
	n.planLocked(newsPause)
}

// planLocked has the news passed on in a while, unless that is planned.
func (n *news) planLocked(d time.Duration) {
	if !n.due {
		n.due = true
		n.passing.Add(1)
		n.timer = time.AfterFunc(d, func() {
			defer n.passing.Done()
			n.pass()
		})
	}
}

// rest waits until nothing is passed on any more, which nobody would hear: the sessions have ended.
func (n *news) rest() {
	n.mu.Lock()
	if n.due && n.timer.Stop() {
		n.due = false
		n.passing.Done()
	}
	n.mu.Unlock()
	n.passing.Wait()
}

func (n *news) pass() {
	n.mu.Lock()
	n.due = false
	changed, listed := n.changed, map[string]struct{}(nil)
	n.changed = map[string]struct{}{}
	if len(n.listed) > 0 && len(n.audience) > 0 {
		if wait := listPause - time.Since(n.told); wait > 0 {
			n.planLocked(wait)
		} else {
			listed, n.listed, n.told = n.listed, map[string]struct{}{}, time.Now()
		}
	}
	audience := make([]*session, 0, len(n.audience))
	for ses := range n.audience {
		audience = append(audience, ses)
	}
	n.mu.Unlock()
	for _, ses := range audience {
		ses.hear(changed, listed, &n.passing)
	}
}
