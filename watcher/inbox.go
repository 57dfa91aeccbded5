package watcher

import (
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// inbox gathers what a root is told until it has time for it. Putting in never waits for the one who takes out, and
// what is put in twice counts once, for a hint only says where to look.
type inbox struct {
	wake chan struct{} // holds one token while something is in

	mu    sync.Mutex
	hints map[string]hint // by path relative to the root; absolute for targets of links
	lost  []string        // reasons why events may be missing
	asked bool            // somebody wants a look everywhere
	hurry bool            // somebody wants the root checked
	held  int             // hints that were taken out and are being judged
	waits []chan struct{} // of those who wait until what is in now has been handed out
}

// hint is what happened at one path.
type hint struct {
	op          fsnotify.Op // all of them together
	first, last time.Time
}

// maxHints bounds the inbox of a root that is busy walking. What goes beyond counts as lost.
const maxHints = 100_000

func newInbox() *inbox {
	return &inbox{wake: make(chan struct{}, 1), hints: map[string]hint{}}
}

func (in *inbox) put(path string, op fsnotify.Op, now time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	h, ok := in.hints[path]
	if !ok {
		h.first = now
		if len(in.hints) >= maxHints {
			in.hints = map[string]hint{}
			in.lost = append(in.lost[:0], reasonOverflow)
		}
	}
	h.op |= op
	h.last = now
	in.hints[path] = h
	in.rouse()
}

// lose says that events went missing.
func (in *inbox) lose(reason string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.lost) < 100 {
		in.lost = append(in.lost, reason)
	}
	in.rouse()
}

func (in *inbox) ask() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.asked = true
	in.rouse()
}

// check asks for a look at the root itself.
func (in *inbox) check() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.hurry = true
	in.rouse()
}

// flush returns a channel that is closed when what is in now has been handed out.
func (in *inbox) flush() chan struct{} {
	in.mu.Lock()
	defer in.mu.Unlock()
	passed := make(chan struct{})
	in.waits = append(in.waits, passed)
	in.rouse()
	return passed
}

// pending counts what is in, or was taken out and is being judged.
func (in *inbox) pending() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.hints) + len(in.lost) + in.held
}

// absorbed says that what was taken out has been judged.
func (in *inbox) absorbed() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.held = 0
}

func (in *inbox) rouse() {
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

// letters is what was in an inbox.
type letters struct {
	hints map[string]hint
	lost  []string
	asked bool
	hurry bool
	waits []chan struct{}
}

func (in *inbox) take() letters {
	in.mu.Lock()
	defer in.mu.Unlock()
	out := letters{in.hints, in.lost, in.asked, in.hurry, in.waits}
	in.held += len(in.hints) + len(in.lost)
	in.hints, in.lost, in.asked, in.hurry, in.waits = map[string]hint{}, nil, false, false, nil
	return out
}
