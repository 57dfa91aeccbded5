package indexer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"shelfd/store"
	"shelfd/watcher"
)

// few is how many files are read as part of a look; more go to the bulk readers.
const few = 64

// batch answers what the watcher says.
func (r *run) batch(ctx context.Context, b watcher.Batch, ok bool) error {
	if !ok {
		return errClosed
	}
	if s := r.shelves[b.Shelf]; s != nil { // else it was removed meanwhile
		r.lookAt(ctx, s, wish{all: b.All, dirty: slices.Clone(b.Dirty), reason: b.Reason, first: b.First})
	}
	return nil
}

// doubts are those that an earlier look or a person has already settled.
type doubts struct {
	sizes    map[string]int64 // path → size that was seen and is believed now
	deletion bool             // the deletion of much of the shelf was seen before
	accept   bool             // a person says that what is not there is gone
}

// look compares the paths that events speak of.
func (r *run) look(ctx context.Context, s *shelf, g *sight) error {
	listing, dirty := g.listing, g.wish.dirty
	if err := rootFault(listing); err != nil {
		return r.setOffline(ctx, s, faultReason(s, err, s.documents))
	}
	if s.lookedAtDevice != 0 && listing.RootDevice != s.lookedAtDevice {
		r.lookEverywhere(ctx, s, g.wish, "another device") // the root may have been unmounted: what is missing is not gone
		return nil
	}
	var p Plan
	var collide bool
	err := r.store.View(ctx, func(v *store.View) (err error) {
		var lists [][]store.File
		for _, path := range dirty {
			known, err := v.Files(s.id, path)
			if err != nil {
				return err
			}
			lists = append(lists, known)
		}
		p = r.plan(s, merge(lists...), listing, dirty)
		collide, err = s.touchesCollision(v, p)
		return err
	})
	if err != nil {
		return err
	}
	if collide {
		r.lookEverywhere(ctx, s, g.wish, "names collide")
		return nil
	}
	if len(p.Gone) > 0 && g.bare() {
		return r.setOffline(ctx, s, emptyReason(s, g.noRoot, s.documents))
	}
	return r.apply(ctx, s, p, g)
}

// lookEverywhere has the whole shelf looked at where some paths of it were to be.
func (r *run) lookEverywhere(ctx context.Context, s *shelf, w wish, reason string) {
	w.all, w.reason = true, reason
	r.lookAt(ctx, s, w)
}

// plan compares what is known with what is there, under the rules of the shelf. Events speak of some paths, sorted; of a
// folder that they name it is only said that something in it may be otherwise.
func (r *run) plan(s *shelf, known []store.File, l watcher.Listing, spoken []string) Plan {
	r.asCut(known)
	return plan(known, l, comparison{spoken, s.maxFileSize(), s.number, time.Now().UnixNano()})
}

// reconcile compares the whole shelf.
func (r *run) reconcile(ctx context.Context, s *shelf, g *sight) error {
	var known []store.File
	var row store.Shelf
	err := r.store.View(ctx, func(v *store.View) (err error) {
		if known, err = v.Files(s.id, ""); err != nil {
			return err
		}
		row, err = v.Shelf(s.Name)
		return err
	})
	if err != nil {
		return err
	}
	asked := g.wish.doubts.accept
	g.wish.doubts.accept = asked || row.Device == store.OtherRoot
	why := r.offlineReason(s, g, known, row.Device)
	switch {
	case why == "":
		r.setOnline(s)
	case !asked:
		return r.setOffline(ctx, s, why)
	case rootFault(g.listing) != nil: // what stood there is gone, and so is the root
		s.offline = faultReason(s, rootFault(g.listing), 0)
		g.listing = watcher.Listing{}
	default:
		r.setOnline(s)
	}
	listing := g.listing
	s.collide(standing(listing, known))
	p := r.plan(s, known, listing, nil)
	if !s.reconciled {
		s.total, s.done = len(listing.Entries), p.Unchanged
	}
	s.lookedAtDevice, s.documents, s.listed, s.whole = listing.RootDevice, len(known), true, true
	r.log.Debug("reconcile", zap.String("shelf", s.Name), zap.String("reason", g.wish.reason), zap.Int("files", len(listing.Entries)),
		zap.Int("read", len(p.Read)), zap.Int("gone", len(p.Gone)), zap.Duration("took", time.Since(g.began)))
	return r.apply(ctx, s, p, g)
}

// standing are the files of a listing and those known ones that it could not see, sorted.
func standing(l watcher.Listing, known []store.File) []string {
	files := make([]string, 0, len(l.Entries))
	for _, e := range l.Entries {
		files = append(files, e.Path)
	}
	if len(l.Faults) == 0 {
		return files
	}
	for _, k := range known {
		if hidden(k.File, l.Faults) && !hasEntry(l.Entries, k.File) {
			files = append(files, k.File)
		}
	}
	slices.Sort(files)
	return files
}

// present counts the known files that a listing shows; both are sorted.
func present(known []store.File, entries []watcher.Entry) int {
	n, i := 0, 0
	for _, e := range entries {
		for i < len(known) && known[i].File < e.Path {
			i++
		}
		if i < len(known) && known[i].File == e.Path {
			n++
		}
	}
	return n
}

// setOffline keeps the documents of a shelf whose root cannot be believed.
func (r *run) setOffline(ctx context.Context, s *shelf, why string) error {
	if s.offline != why {
		r.log.Warn("offline", zap.String("shelf", s.Name), zap.String("reason", why))
	}
	s.offline = why
	s.reconciled = true // as far as it can be
	s.whole, s.looksWritten = false, 0
	clear(s.looks)
	clear(s.removing)
	s.missing = time.Time{}
	r.watcher.Hasten(s.Name, true)
	return r.update(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.SetShelfState(s.id, store.StateOffline, why), tx.SetSecondLooks(s.id, 0))
	})
}

func (r *run) setOnline(s *shelf) {
	if s.offline == "" {
		return
	}
	r.log.Info("back", zap.String("shelf", s.Name), zap.String("root", s.Root.Path))
	s.offline = ""
	r.watcher.Hasten(s.Name, false)
}

// apply does what a plan asks for: a few files are read next, many by the bulk readers.
func (r *run) apply(ctx context.Context, s *shelf, p Plan, g *sight) error {
	s.counted.unchanged += p.Unchanged
	p.Gone = s.notRemoving(p.Gone)
	s.meet(&p, g.listing)
	if len(p.Read) > 0 && g.noRoot != nil {
		return r.setOffline(ctx, s, g.noRoot.Error())
	}
	if len(p.Read) > r.few {
		return r.applyBulk(ctx, s, p, g)
	}
	if len(p.Read) > 0 {
		r.readFew(ctx, s, p, g)
		return nil
	}
	return r.commit(ctx, s, findings{gone: p.Gone, listing: &g.listing, doubts: g.wish.doubts})
}

// readFew has the files of a plan read beside the loop, as the last part of the look: one that hangs holds up its shelf only.
func (r *run) readFew(ctx context.Context, s *shelf, p Plan, g *sight) {
	s.looking, s.reading = true, true
	after, jobs, bulk := *g, s.jobs(g.folder, p.Read), r.bulk
	after.read, after.plan = true, p
	g.folder = nil // goes along
	r.sights.under.Go(func() {
		after.outcomes = bulk.cutAll(jobs)
		r.sights.show(ctx, after)
	})
}

// doubtDeletion says whether so much of the shelf is gone that it is looked at again first.
func (r *run) doubtDeletion(s *shelf, gone []store.File, d doubts) bool {
	if d.accept || d.deletion {
		delete(s.looks, "")
		return false
	}
	if s.looks[""].deletion {
		return len(gone) > 0
	}
	if len(gone) <= 20 || 2*len(gone) <= s.documents {
		return false
	}
	r.log.Warn("most of a shelf is gone; looking again before that is believed", zap.String("shelf", s.Name), zap.Int("gone", len(gone)), zap.Int("documents", s.documents))
	s.looks[""] = look{due: time.Now().Add(r.deletionLook), size: -1, deletion: true}
	return true
}

// applyBulk hands the files to the readers. What is gone stays until all were read: some may turn up among them.
func (r *run) applyBulk(ctx context.Context, s *shelf, p Plan, g *sight) error {
	shared := &sharedFolder{Folder: g.folder, users: len(p.Read)}
	g.folder = nil // it is the readers' now
	jobs := s.jobs(shared, p.Read)
	s.begin(p, g.wish.doubts)
	s.building = s.building || 4*len(jobs) > s.documents
	if s.total < len(p.Read) {
		s.total, s.done = len(p.Read)+p.Unchanged, p.Unchanged
	}
	r.bulk.add(jobs, s.reconciled)
	return r.commit(ctx, s, findings{listing: &g.listing})
}

// cutAll reads a few files, side by side.
func (b *bulk) cutAll(jobs []job) []outcome {
	outcomes := make([]outcome, len(jobs))
	next := make(chan int)
	var readers sync.WaitGroup
	for range min(len(jobs), 2) {
		readers.Go(func() {
			for i := range next {
				at := b.begin(jobs[i], false)
				outcomes[i] = cutFile(jobs[i])
				b.end(at)
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	readers.Wait()
	return outcomes
}

// lookAgain takes the second looks of a shelf that are due.
func (r *run) lookAgain(ctx context.Context, s *shelf, now time.Time) {
	w := wish{reason: "second look", doubts: doubts{sizes: map[string]int64{}}}
	for path, l := range s.looks {
		if now.Before(l.due) {
			continue
		}
		delete(s.looks, path)
		if path == "" {
			w.doubts.deletion, w.all = l.deletion, true
			continue
		}
		w.doubts.sizes[path] = l.size
		w.dirty = append(w.dirty, path)
	}
	if w.all || len(w.dirty) > 0 {
		r.lookAt(ctx, s, w)
	}
}
