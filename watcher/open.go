package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// Options are what all roots share. The zero value holds the defaults.
type Options struct {
	Settle    time.Duration // a path is handed out when quiet for so long; 25 ms
	SettleMax time.Duration // one that never rests, so long after its first event; 1 s
	Reconcile time.Duration // every root is looked at as a whole so often, ±10 %; 10 min; negative = never
	Log       *zap.Logger   // one line a change of state; nil = none

	// Edges, for tests.
	Source     Source // nil = fsnotify
	Disk       Disk   // nil = OS{}
	FileBudget int    // open files for watching at most; 0 = what the platform needs
}

func (o Options) withDefaults() Options {
	o.Settle = cmp.Or(o.Settle, 25*time.Millisecond)
	o.SettleMax = max(cmp.Or(o.SettleMax, time.Second), o.Settle)
	o.Reconcile = cmp.Or(o.Reconcile, 10*time.Minute)
	o.FileBudget = cmp.Or(o.FileBudget, fileBudget())
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Disk == nil {
		o.Disk = OS{}
	}
	return o
}

// Watcher watches the folders of all shelves with one Source. Its methods may be called from any goroutine.
type Watcher struct {
	options Options
	reg     *registry
	noWatch error // why there is no Source

	setting sync.Mutex // one SetRoots at a time
	marks   sync.Map   // name of a mark → who waits for its event

	mu    sync.Mutex // guards what follows
	roots map[string]*rootWatcher
	ended bool
	// start runs a root; set while Run runs.
	start func(*rootWatcher)
}

var errNoSource = errors.New("no folder can be watched")

// Open makes a Watcher without roots. Where the system grants no Source, all roots are polled, and States says why.
func Open(o Options) (*Watcher, error) {
	w := &Watcher{options: o.withDefaults(), roots: map[string]*rootWatcher{}}
	source := o.Source
	if source == nil {
		var err error
		source, err = NewSource()
		if err != nil && !isLimit(err) {
			return nil, fmt.Errorf("watcher: open: %w", err)
		}
		if err != nil {
			w.noWatch, source = err, nil
		}
	}
	w.reg = newRegistry(w.options.Disk, source)
	w.reg.budget = w.options.FileBudget
	return w, nil
}

// Run watches until ctx ends, which is no error, and sends where to look. It returns after all that it started has
// ended; a Watcher runs once.
func (w *Watcher) Run(ctx context.Context, batches chan<- Batch) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	w.mu.Lock()
	if w.start != nil || w.ended {
		w.mu.Unlock()
		return errors.New("watcher: run: has run already")
	}
	w.start = func(r *rootWatcher) { all.Go(func() { r.run(ctx, batches) }) }
	for _, r := range w.roots {
		w.start(r)
	}
	w.mu.Unlock()

	err := w.read(ctx)
	cancel()
	// Nobody hears the source any more: one that waits to be heard must end before the roots give up their watches, or
	// they would wait for each other.
	err = errors.Join(err, w.Close())
	all.Wait()
	return err
}

// Close releases the Source of a Watcher that never runs. Run does it by itself.
func (w *Watcher) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.reg.source == nil {
		return nil
	}
	return w.reg.source.Close()
}

// read hands events to the inboxes of their roots. It takes no lock that anything slow is done under, so that the
// queue of the kernel doesn't fill while folders are walked.
func (w *Watcher) read(ctx context.Context) error {
	if w.reg.source == nil {
		<-ctx.Done()
		return nil
	}
	events, faults := w.reg.source.Events(), w.reg.source.Errors()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-events:
			if !ok {
				return errors.New("watcher: run: the source of events has ended")
			}
			if !w.marked(e.Name) {
				w.route(e)
			}
		case err, ok := <-faults:
			if !ok {
				faults = nil
				continue
			}
			w.lose(err)
		}
	}
}

// route puts an event into the inboxes of those who listen to its folder, or to itself if it is one.
func (w *Watcher) route(e fsnotify.Event) {
	now := time.Now()
	for _, s := range w.reg.listeners(e.Name) {
		switch {
		case s.only != "" && e.Op&structural != 0:
			s.inbox.check() // the folder above a root is gone, and the root with it
		case s.only == "" && !s.target:
			s.inbox.put(s.folder, e.Op, now)
		}
	}
	name := lastName(e.Name)
	for _, s := range w.reg.listeners(parentPath(e.Name)) {
		switch {
		case s.target:
			s.inbox.put(join(s.asked, name), e.Op, now)
		case s.only == "":
			s.inbox.put(join(s.folder, name), e.Op, now)
		case s.only == name:
			s.inbox.put("", e.Op, now)
		}
	}
}

// lose tells every root that events are missing. A watch that could not be removed because its folder has gone is no
// loss.
func (w *Watcher) lose(err error) {
	if errors.Is(err, unix.EINVAL) {
		return
	}
	reason := reasonOverflow
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		reason = "watch error: " + err.Error()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.roots {
		r.inbox.lose(reason)
	}
	w.loseMarks()
}

// SetRoots says which roots there are. It may be called at any time: new ones are watched, then announced by a Batch
// with the reason "start"; those that are gone are given up before it returns; those that are as before don't notice.
// On an error nothing has changed.
func (w *Watcher) SetRoots(roots []Root) error {
	wanted := make(map[string]*rootWatcher, len(roots))
	var faults []error
	for _, root := range roots {
		r, err := newRootWatcher(root, w)
		faults = append(faults, err)
		if wanted[root.Shelf] != nil {
			faults = append(faults, fmt.Errorf("watcher: set roots: shelf %q is named twice", root.Shelf))
		}
		wanted[root.Shelf] = r
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	w.setting.Lock()
	defer w.setting.Unlock()
	for _, old := range w.retire(wanted) {
		old.stop() // not under mu: its disk may hang
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for shelf, r := range wanted {
		w.roots[shelf] = r
		if w.start != nil && !w.ended {
			w.start(r)
		}
	}
	return nil
}

// retire takes out the roots that are no longer wanted as they are, and from wanted those that stay.
func (w *Watcher) retire(wanted map[string]*rootWatcher) []*rootWatcher {
	w.mu.Lock()
	defer w.mu.Unlock()
	var gone []*rootWatcher
	for shelf, old := range w.roots {
		if r := wanted[shelf]; r != nil && reflect.DeepEqual(r.root, old.root) {
			delete(wanted, shelf)
			continue
		}
		delete(w.roots, shelf)
		gone = append(gone, old)
	}
	return gone
}

// States says how each shelf is being watched.
func (w *Watcher) States() map[string]State {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[string]State, len(w.roots))
	for shelf, r := range w.roots {
		s := r.now()
		s.Root = r.root.Path
		out[shelf] = s
	}
	return out
}

// Ask asks for a Batch that says to look everywhere in shelf ("" = all shelves).
func (w *Watcher) Ask(shelf string) {
	w.each(shelf, func(r *rootWatcher) { r.inbox.ask() })
}

// Hasten makes a root be checked every two seconds instead of thirty, as long as the shelf waits for its return.
func (w *Watcher) Hasten(shelf string, on bool) {
	w.each(shelf, func(r *rootWatcher) {
		if r.hasten.Swap(on) != on {
			r.inbox.check()
		}
	})
}

func (w *Watcher) each(shelf string, do func(*rootWatcher)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, r := range w.roots {
		if shelf == "" || shelf == name {
			do(r)
		}
	}
}

// List is List through the Disk of w. How long it takes bounds how often the root is polled.
func (w *Watcher) List(ctx context.Context, root Root, under []string) (Listing, error) {
	start := time.Now()
	l, err := list(ctx, w.options.Disk, root, under)
	if err == nil && under == nil {
		w.each(root.Shelf, func(r *rootWatcher) { r.walked.Store(int64(time.Since(start))) })
	}
	return l, err
}

// parentPath is the folder above an absolute path.
func parentPath(p string) string { return cmp.Or(p[:max(strings.LastIndexByte(p, '/'), 0)], "/") }
