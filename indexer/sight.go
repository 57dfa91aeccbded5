package indexer

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"shelfd/store"
	"shelfd/watcher"
)

const (
	// slow is how long a listing, or reading a file, may take before the shelf is called degraded: the disk may hang.
	slow = 10 * time.Second
	// endWait is how long Run waits for those who are held by a disk that hangs.
	endWait = 2 * time.Second
)

// wish is what is to be looked at in a shelf.
type wish struct {
	all    bool
	dirty  []string // unless all
	reason string
	doubts doubts
	first  time.Time // event
}

// join takes in another wish: one look serves both.
func (w *wish) join(other wish) {
	w.all = w.all || other.all
	w.dirty = append(w.dirty, other.dirty...)
	w.doubts.join(other.doubts)
	if w.reason == "" || other.all {
		w.reason = other.reason
	}
	if w.first.IsZero() || !other.first.IsZero() && other.first.Before(w.first) {
		w.first = other.first
	}
}

// sight is what a look at the disk showed.
type sight struct {
	shelf   *shelf
	wish    wish
	listing watcher.Listing
	folder  Folder // nil when the root cannot be opened
	noRoot  error  // why
	empty   bool   // the root has no entry of any kind
	err     error  // nothing was learned
	began   time.Time

	read     bool // and the few files that the plan names were read
	plan     Plan
	outcomes []outcome
}

// sights are the looks that are under way beside the loop: a disk that hangs holds up its own shelf only.
type sights struct {
	seen  chan sight
	under sync.WaitGroup
}

// watching is where a shelf's look stands.
type watching struct {
	slowAfter time.Duration

	looking   bool
	lookFew   bool // at a few files
	lookPaths int  // that it was asked for, 0 = all
	reading   bool // what the listing calls for
	since     time.Time
	told      time.Duration // how long it was last said to take
	toldOf    string        // what
	next      *wish         // what came meanwhile
}

// lookAt has the disk looked at, now or when the look under way has ended.
func (r *run) lookAt(ctx context.Context, s *shelf, w wish) {
	if s.looking {
		if s.next == nil {
			s.next = &w
		} else {
			s.next.join(w)
		}
		return
	}
	if !s.listed || s.offline != "" || s.Root.FollowSymlinks { // through links one path can mean any other
		w.all = true
	}
	if w.all {
		w.dirty = nil
	} else {
		slices.Sort(w.dirty)
		w.dirty = append([]string{}, slices.Compact(w.dirty)...) // nil would be everything
	}
	s.looking, s.lookFew, s.lookPaths, s.since = true, !w.all && len(w.dirty) <= r.few, len(w.dirty), time.Now()
	root, disk := s.Root, r.disk
	r.sights.under.Go(func() {
		g := see(ctx, disk, root, w.dirty)
		g.shelf, g.wish = s, w
		r.sights.show(ctx, g)
	})
}

// show hands a look to the loop.
func (l *sights) show(ctx context.Context, g sight) {
	select {
	case l.seen <- g:
	case <-ctx.Done():
		g.close()
	}
}

// see lists what is asked for, nil = everything, and opens the root to read from it.
func see(ctx context.Context, disk Disk, root watcher.Root, dirty []string) (g sight) {
	g.began = time.Now()
	if g.listing, g.err = disk.List(ctx, root, dirty); g.err != nil {
		return g
	}
	if g.folder, g.noRoot = disk.Open(root); g.noRoot == nil {
		g.empty, g.noRoot = g.folder.Empty()
	}
	return g
}

func (g *sight) close() {
	if g.folder != nil {
		g.folder.Close()
		g.folder = nil
	}
}

// bare says whether the root has no entry, or cannot be asked.
func (g *sight) bare() bool { return g.empty || g.noRoot != nil }

// sighted takes in what a look showed, and what was read after it.
func (r *run) sighted(ctx context.Context, g sight) error {
	s, start, before := g.shelf, time.Now(), r.status.Commits
	defer func() { g.close() }()
	s.looking, s.reading = false, false
	if r.shelves[s.Name] != s {
		return nil // it was removed meanwhile
	}
	if g.err != nil {
		return g.err
	}
	wasSlow := r.calm(s, start)
	err := r.conclude(ctx, s, &g)
	if err == nil && wasSlow {
		err = r.showState(ctx, s)
	}
	if err != nil {
		return err
	}
	if r.status.Commits > before {
		r.noteLag(s, g.wish, time.Since(start))
	}
	if next := s.next; next != nil && !s.looking {
		s.next = nil
		r.lookAt(ctx, s, *next)
	}
	return nil
}

// conclude compares what a look showed with what is known, or writes what was read after that.
func (r *run) conclude(ctx context.Context, s *shelf, g *sight) error {
	s.spare(g.listing)
	switch {
	case g.read:
		return r.commit(ctx, s, findings{outcomes: g.outcomes, gone: g.plan.Gone, listing: &g.listing, doubts: g.wish.doubts})
	case g.wish.all:
		return r.reconcile(ctx, s, g)
	}
	return r.look(ctx, s, g)
}

// noteLag tells how long after the first event its batch was written.
func (r *run) noteLag(s *shelf, w wish, took time.Duration) {
	if w.first.IsZero() {
		return
	}
	r.status.Lag = time.Since(w.first)
	if r.committed != nil {
		r.committed(r.status.Lag)
	}
	if !w.all {
		r.log.Info("batch", zap.String("shelf", s.Name), zap.Int("paths", len(w.dirty)), zap.Duration("took", took), zap.Duration("lag", r.status.Lag))
	}
}

// awaited is what of a shelf's disk has been waited for for the longest, and since when; "" = nothing.
func (r *run) awaited(s *shelf) (verb, path string, since time.Time) {
	if s.looking && !s.reading {
		verb, path, since = "listing", "", s.since
	}
	if at := r.bulk.longest(s); at != nil && (verb == "" || at.since.Before(since)) {
		verb, path, since = "reading", at.path, at.since
	}
	return verb, path, since
}

// untilSlow is how long from now what a shelf's disk is asked for is to be told of.
func (r *run) untilSlow(s *shelf, now time.Time) time.Duration {
	verb, _, since := r.awaited(s)
	if verb == "" {
		return time.Hour
	}
	return max(0, since.Add(max(s.slowAfter, 2*s.told)).Sub(now))
}

// tellSlow says of a shelf that its disk takes long: at 10 s, 20 s, 40 s…
func (r *run) tellSlow(ctx context.Context, s *shelf, now time.Time) error {
	if r.untilSlow(s, now) > 0 {
		return nil
	}
	verb, path, since := r.awaited(s)
	s.told, s.toldOf = now.Sub(since), verb+" "+filepath.Join(s.Root.Path, shownPath(path))
	r.log.Warn("the disk takes long; it may hang", zap.String("shelf", s.Name), zap.String("with", s.toldOf), zap.Duration("so far", s.told))
	return r.showState(ctx, s)
}

// calm says whether a shelf was told of and its disk does not hold anything up any more.
func (r *run) calm(s *shelf, now time.Time) bool {
	if verb, _, since := r.awaited(s); s.told == 0 || verb != "" && now.Sub(since) >= s.slowAfter {
		return false
	}
	s.told = 0
	return true
}

func (r *run) showState(ctx context.Context, s *shelf) error {
	state, reason := r.state(s)
	return r.update(ctx, func(tx *store.Tx) error { return tx.SetShelfState(s.id, state, reason) })
}

// slowly is why a disk that takes long makes a shelf degraded, "" when it does not.
func (s *shelf) slowly() string {
	if s.told == 0 {
		return ""
	}
	return fmt.Sprintf("%s has taken %d s; its disk may hang. What is known of the shelf stays searchable; other shelves go on", s.toldOf, int(s.told.Seconds()))
}

// join takes in what else was settled.
func (d *doubts) join(other doubts) {
	d.accept, d.deletion = d.accept || other.accept, d.deletion || other.deletion
	if d.sizes == nil {
		d.sizes = other.sizes
		return
	}
	maps.Copy(d.sizes, other.sizes)
}

// ended waits for what was started, but not for ever for a disk that hangs: the kernel does not let go of who asked it.
func ended(wait func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	limit := time.NewTimer(endWait)
	defer limit.Stop()
	select {
	case <-done:
		return true
	case <-limit.C:
		return false
	}
}
