package watcher

import (
	"context"
	"fmt"
	"time"

	"github.com/fsnotify/fsnotify"
)

// arrive begins to watch a root that is there.
func (r *rootWatcher) arrive(ctx context.Context, real string, id ident, now time.Time) {
	r.id = id
	why := r.mustPoll(ctx, real)
	r.watchParent()
	if why != "" {
		r.set(ModePolling, why, 0)
		r.planPoll(now)
		return
	}
	r.tree = newTree(r.options.Disk, r.reg, r.filter, r.inbox, real)
	r.tree.sync(ctx, r.tree.top)
	r.report()
}

// mustPoll says why the root can't be watched; "" when it can.
func (r *rootWatcher) mustPoll(ctx context.Context, real string) string {
	switch {
	case r.root.Watch == WatchPoll:
		return "as configured"
	case r.noWatch != nil:
		return explainLimit(real, 1, r.noWatch).Error()
	}
	var name string
	if name, r.remote = r.options.Disk.Remote(real); r.remote && r.root.Watch == WatchAuto {
		return name + " gives no events for changes made elsewhere"
	}
	files, ok := r.reg.reserve(func(most int) int { return r.countFiles(ctx, real, most) })
	if !ok {
		return fmt.Sprintf("watching would open more than %d files", r.options.FileBudget)
	}
	r.files = files
	return ""
}

// countFiles counts the names in a tree, up to one more than most.
func (r *rootWatcher) countFiles(ctx context.Context, folder string, most int) int {
	count := 0
	_, names, _ := r.options.Disk.ReadDir(folder, func(_ string, kind Kind) Pick {
		count++
		if kind == KindFolder {
			return PickName
		}
		return PickNone
	})
	for _, d := range names {
		if count > most || ctx.Err() != nil {
			break
		}
		if !hidden(d.Name) {
			count += r.countFiles(ctx, join(folder, d.Name), most-count)
		}
	}
	return count
}

// report brings the state in line with the tree.
func (r *rootWatcher) report() {
	t := r.tree
	switch {
	case t == nil:
	case t.refused == 0:
		r.set(ModeWatching, "", t.watched)
		r.nextPoll = time.Time{}
	case t.top.status != nodeWatched:
		r.set(ModePolling, r.refusal(), t.watched)
		r.planPollOnce()
	default:
		r.set(ModeDegraded, r.refusal(), t.watched)
		r.planPollOnce()
	}
}

// refusal says what keeps folders from being watched.
func (r *rootWatcher) refusal() string {
	_, refused := r.reg.count()
	return explainLimit(r.root.Path, refused, r.tree.err).Error()
}

func (r *rootWatcher) planPollOnce() {
	if r.nextPoll.IsZero() {
		r.planPoll(time.Now())
	}
}

// planPoll sets the next poll: a walk may take a hundredth of the time at most.
func (r *rootWatcher) planPoll(now time.Time) {
	interval := r.root.PollInterval
	if interval <= 0 {
		interval = 30 * time.Second
	}
	r.nextPoll = now.Add(max(interval, 100*time.Duration(r.walked.Load())))
}

// poll asks for a look at what isn't watched, after another try to watch it.
func (r *rootWatcher) poll(ctx context.Context, now time.Time) {
	r.planPoll(now)
	if r.tree == nil {
		r.settler.everywhere(reasonPoll, now)
		return
	}
	unwatched := r.tree.unwatched()
	for _, path := range unwatched {
		if path == "" {
			r.settler.everywhere(reasonPoll, now)
			continue
		}
		r.settler.hint(path, now, now)
	}
	if len(unwatched) > 0 {
		r.tree.sync(ctx, r.tree.find(unwatched[0]))
		if r.tree.refused > 0 && !r.tree.full {
			r.resync(ctx)
		}
	}
	r.report()
}

// resync brings all watches in line with the disk.
func (r *rootWatcher) resync(ctx context.Context) {
	if r.tree != nil {
		r.tree.sync(ctx, r.tree.top)
		r.report()
	}
}

// lost plans a look at everything, because events are missing.
func (r *rootWatcher) lost(reason string, now time.Time) {
	if r.tree == nil {
		return
	}
	r.rescans.want(reason, now)
	r.mu.Lock()
	defer r.mu.Unlock()
	if reason == reasonOverflow {
		r.state.Overflows++
	}
}

func (r *rootWatcher) rescan(ctx context.Context, now time.Time) {
	reason := r.rescans.done(now)
	r.resync(ctx)
	r.settler.everywhere(reason, now)
}

// hear judges one hint by what stands on the disk now.
func (r *rootWatcher) hear(ctx context.Context, path string, h hint) {
	if path[0] == '/' {
		r.hearTarget(path, h)
		return
	}
	above := r.tree.find(parent(path))
	if above == nil {
		return // of a watch given up since; its folder was looked at after that
	}
	name := lastName(path)
	r.hearCompanion(above, path, h)
	switch {
	case r.filter.isIgnoreFile(name):
		r.newRules(ctx, above, h)
	case above.below[name] != nil:
		r.hearFolder(ctx, above, path, h)
	case hidden(name) && !r.filter.file(path) && !r.filter.folder(path):
	case h.op&structural == 0 && !r.filter.file(path):
		if h.op.Has(fsnotify.Chmod) { // an unreadable folder may have become readable
			r.appear(ctx, above, path, h)
		}
	case h.op&structural == 0:
		r.dirtyFile(above, path, h)
	default:
		r.appear(ctx, above, path, h)
	}
}

// newRules looks at a folder whose ignore file has changed.
func (r *rootWatcher) newRules(ctx context.Context, n *node, h hint) {
	r.tree.sync(ctx, n)
	if n.above == nil {
		r.settler.everywhere(reasonRules, h.first)
		return
	}
	r.dirty(h, n.path())
}

// hearFolder looks at a folder that is known. Its watches may belong to one that was moved away, so all are made anew.
func (r *rootWatcher) hearFolder(ctx context.Context, above *node, path string, h hint) {
	n := above.below[lastName(path)]
	if h.op&(structural|fsnotify.Chmod) == 0 {
		return
	}
	if h.op&structural != 0 {
		r.tree.drop(n)
		r.appear(ctx, above, path, h)
		r.dirty(h, path)
		r.renewLinks(h)
		return
	}
	if n.status != nodeWatched && !r.tree.sync(ctx, n) {
		r.tree.drop(n)
	}
	r.dirty(h, path)
}

// appear looks at a name that is new or gone, and watches it if it is a folder.
func (r *rootWatcher) appear(ctx context.Context, above *node, path string, h hint) {
	st, err := r.options.Disk.Lstat(join(above.real, lastName(path)))
	switch {
	case err == nil && (st.Kind == KindFolder || st.Kind == KindLink):
		d := Dirent{Name: lastName(path), Kind: st.Kind}
		if r.tree.adopts(above, path, d) {
			n := above.below[d.Name]
			r.tree.full = false
			if !r.tree.visit(ctx, n) {
				r.tree.drop(n)
			}
			r.dirty(h, path)
		}
		if st.Kind == KindLink {
			r.dirty(h, path)
		}
		r.renewLinks(h) // they may lead through it
	case err == nil:
		r.dirtyFile(above, path, h)
	case r.filter.file(path):
		r.dirty(h, path)
	}
	if r.tree.links.lost > 0 || vanished(err) && r.tree.links.targets[path] != "" {
		r.renewLinks(h)
	}
}

// renewLinks notes that the links may lead elsewhere since h.
func (r *rootWatcher) renewLinks(h hint) {
	if len(r.tree.links.targets) == 0 {
		return
	}
	if r.relink == nil {
		r.relink = &h
	}
	*r.relink = hint{first: r.relink.first, last: h.last}
}

// hearTarget looks at the links to a file that changed.
func (r *rootWatcher) hearTarget(path string, h hint) {
	if r.filter.follow && h.op&structural != 0 {
		r.renewLinks(h)
		return
	}
	r.dirty(h, r.tree.links.renew(r.tree.links.at(path))...)
}

// followLinks does what renewLinks asked for, once for all hints. Where links to folders are followed, which of two
// links is followed may have changed too.
func (r *rootWatcher) followLinks(ctx context.Context) {
	if r.relink == nil {
		return
	}
	h := *r.relink
	r.relink = nil
	r.dirty(h, r.tree.links.renew(r.tree.links.all())...)
	if r.filter.follow {
		r.tree.sync(ctx, r.tree.top)
		r.dirty(h, "")
	}
}

func (r *rootWatcher) dirtyFile(above *node, path string, h hint) {
	if r.filter.file(path) && !r.filter.ignored(above.own, path, false) {
		r.dirty(h, path)
	}
}

// dirty notes paths as worth a look.
func (r *rootWatcher) dirty(h hint, paths ...string) {
	for _, path := range paths {
		r.settler.hint(path, h.first, h.last)
	}
}
