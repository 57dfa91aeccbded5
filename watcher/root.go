package watcher

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"
)

// The reasons of a Batch with All.
const (
	reasonStart    = "start"
	reasonPeriodic = "periodic"
	reasonOverflow = "overflow"
	reasonChanged  = "root changed"
	reasonReturned = "root returned"
	reasonPoll     = "poll"
	reasonAsked    = "asked"
	reasonMany     = "many changes"
	reasonRules    = "ignore rules changed"
	reasonLinked   = "linked folders"
)

// How often a root is checked: nothing wakes up more often than calm while all is well. Mounts and unmounts cause no
// event, so a waiting root is looked for.
const (
	calm    = 30 * time.Second
	waiting = 2 * time.Second
)

// rootWatcher watches one root. All of it but the fields that are said to be shared belongs to the goroutine of run,
// so that a root on a disk that hangs holds up no other.
type rootWatcher struct {
	root    Root
	options Options
	filter  *filter
	reg     *registry
	noWatch error // why there is no Source

	inbox   *inbox // shared
	settler *settler
	rescans backoff

	tree   *tree // nil when the root is missing or polled
	relink *hint // the links may lead elsewhere since then
	parent sub   // the watch of the folder above the root
	remote bool  // the root was on a network: don't touch the folder above it, which may hang
	id     ident // what the root is; zero = missing
	files  int   // reserved of the budget of open files

	nextCheck, nextReconcile, nextPoll time.Time // zero = never

	flushes []flush

	hasten atomic.Bool  // shared
	walked atomic.Int64 // shared: nanoseconds the last walk of the whole root took
	waits  atomic.Int64 // shared: paths that are not handed out yet, without those in the inbox

	cancel context.CancelFunc // ends run
	done   chan struct{}      // closed when it has ended

	mu       sync.Mutex // guards what follows, which is shared
	state    State
	began    bool
	checking time.Time // since when the disk owes an answer; zero = it doesn't
}

func newRootWatcher(root Root, w *Watcher) (*rootWatcher, error) {
	f, err := compile(root)
	if err == nil && (root.Path == "" || root.Path[0] != '/') {
		err = fmt.Errorf("watcher: root of %q: %q is not absolute", root.Shelf, root.Path)
	}
	root.Path = path.Clean(root.Path)
	r := &rootWatcher{
		root: root, options: w.options, filter: f, reg: w.reg, noWatch: w.noWatch,
		inbox: newInbox(), settler: newSettler(w.options.Settle, w.options.SettleMax),
		done: make(chan struct{}),
	}
	r.state = State{Mode: ModeDegraded, Reason: reasonStarting, Since: time.Now()}
	return r, err
}

const reasonStarting = "the watches are being set"

// patience is how long a disk may take to answer before its root counts as missing.
const patience = 30 * time.Second

// now is the state of the moment.
func (r *rootWatcher) now() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Pending = r.inbox.pending() + int(r.waits.Load())
	if !r.checking.IsZero() && time.Since(r.checking) > patience {
		s.Mode, s.Reason, s.Since = ModeMissing, "the disk gives no answer", r.checking
	}
	return s
}

// look finds out whether the root is there. A network disk may hold it up for ever.
func (r *rootWatcher) look() (real string, st Stat, err error) {
	owed := func(since time.Time) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.checking = since
	}
	owed(time.Now())
	defer owed(time.Time{})
	real, st, err = openRoot(r.options.Disk, r.root.Path)
	if err == nil {
		err = r.options.Disk.Readable(real)
	}
	return real, st, err
}

// stop ends run, if it ever began, and waits for its end.
func (r *rootWatcher) stop() {
	r.mu.Lock()
	cancel, began := r.cancel, r.began
	r.began = true
	r.mu.Unlock()
	if began {
		cancel()
		<-r.done
	}
}

// begin says whether run may begin.
func (r *rootWatcher) begin(cancel context.CancelFunc) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.began {
		return false
	}
	r.began, r.cancel = true, cancel
	return true
}

// run watches the root until ctx ends.
func (r *rootWatcher) run(ctx context.Context, batches chan<- Batch) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !r.begin(cancel) {
		return
	}
	defer close(r.done)
	defer r.leave()
	r.settler.everywhere(reasonStart, time.Now())
	r.check(ctx, true)
	r.planReconcile(time.Now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		r.passFlushes()
		now := time.Now()
		batch, due := r.settler.due(now)
		out := batches
		if !due {
			out = nil // a nil channel is never ready
		} else if r.tree != nil && r.tree.linked && !batch.All {
			batch = Batch{Shelf: r.root.Shelf, All: true, Reason: reasonLinked, First: batch.First}
		}
		batch.Shelf = r.root.Shelf
		timer.Reset(r.sleep(now))
		select {
		case <-ctx.Done():
			return
		case out <- batch:
			r.settler.taken(batch, now)
			if batch.All {
				r.planReconcile(time.Now())
			}
		case <-r.inbox.wake:
			r.absorb(ctx)
		case <-timer.C:
			r.tick(ctx, time.Now())
		}
	}
}

// sleep is how long nothing is to be done.
func (r *rootWatcher) sleep(now time.Time) time.Duration {
	least := r.nextCheck
	consider := func(t time.Time) {
		if !t.IsZero() && t.Before(least) {
			least = t
		}
	}
	consider(r.nextReconcile)
	consider(r.nextPoll)
	consider(r.rescans.at)
	if t, ok := r.settler.next(now); ok {
		consider(t)
	}
	return least.Sub(now)
}

// tick does what time has come for.
func (r *rootWatcher) tick(ctx context.Context, now time.Time) {
	if !r.nextCheck.After(now) {
		r.check(ctx, false)
	}
	if passed(r.nextReconcile, now) {
		r.resync(ctx)
		r.settler.everywhere(reasonPeriodic, now)
		r.planReconcile(now)
	}
	if passed(r.rescans.at, now) {
		r.rescan(ctx, now)
	}
	if passed(r.nextPoll, now) {
		r.poll(ctx, now)
	}
}

func passed(t, now time.Time) bool { return !t.IsZero() && !t.After(now) }

// planReconcile sets the next look at everything, ±10 % so that the roots don't do it all at once.
func (r *rootWatcher) planReconcile(now time.Time) {
	if r.options.Reconcile < 0 {
		return
	}
	jitter := 0.9 + 0.2*rand.Float64()
	r.nextReconcile = now.Add(time.Duration(float64(r.options.Reconcile) * jitter))
}

// absorb takes what came into the inbox. Folders come before what stands in them.
func (r *rootWatcher) absorb(ctx context.Context) {
	in, now := r.inbox.take(), time.Now()
	for _, passed := range in.waits {
		r.flushes = append(r.flushes, flush{passed, now})
	}
	if in.asked {
		r.resync(ctx) // whoever asks may know of events that were lost
		r.settler.everywhere(reasonAsked, now)
	}
	for _, reason := range in.lost {
		r.lost(reason, now)
	}
	if passed(r.rescans.at, now) {
		r.rescan(ctx, now)
	}
	if h, ok := in.hints[""]; ok {
		r.check(ctx, h.op&structural != 0)
		delete(in.hints, "")
	} else if in.hurry {
		r.check(ctx, false)
	}
	if r.tree == nil {
		return
	}
	paths := make([]string, 0, len(in.hints))
	for p := range in.hints {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		r.hear(ctx, p, in.hints[p])
	}
	r.followLinks(ctx)
	r.report()
}

// structural are the operations after which a name may stand for something else.
const structural = fsnotify.Create | fsnotify.Remove | fsnotify.Rename

// set changes the state, and says so once. Counts in the reason may change without a line each.
func (r *rootWatcher) set(mode Mode, reason string, watches int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Watches = watches
	if r.state.Mode == mode && r.state.Reason == reason {
		return
	}
	same := r.state.Mode == mode && withoutDigits(r.state.Reason) == withoutDigits(reason)
	r.state.Mode, r.state.Reason, r.state.Since = mode, reason, time.Now()
	if !same {
		r.options.Log.Info("shelf is "+mode.String(), zap.String("shelf", r.root.Shelf),
			zap.String("root", r.root.Path), zap.String("reason", reason), zap.Int("folders", watches))
	}
}

func withoutDigits(s string) string {
	return strings.Map(func(c rune) rune {
		if '0' <= c && c <= '9' {
			return -1
		}
		return c
	}, s)
}
