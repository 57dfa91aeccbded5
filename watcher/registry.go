package watcher

import (
	"errors"
	"math"
	"slices"
	"sync"
)

// registry shares the one Source among the roots. A folder is known by device and inode: a Source knows it by the path
// under which it was added first, reports all events under that path, and keeps doing so after a rename. So a watch
// whose path leads elsewhere by now is given up before its folder is watched under a new path.
type registry struct {
	disk   Disk
	source Source // nil = nothing can be watched

	// subs is read for each event by the reader, which must never wait for mu: watched path → []sub.
	subs sync.Map

	mu      sync.Mutex
	watches map[ident]*watch
	at      map[string]ident // path a sub asked for → watch that serves it
	refused int              // folders that asked in vain, while they are known
	budget  int              // files that may still be opened for watching
}

// watch is one folder under watch.
type watch struct {
	path string // as the Source names it
	id   ident
	subs []sub
}

// sub is who wants to hear of a folder.
type sub struct {
	inbox  *inbox
	asked  string // absolute path it asked for
	folder string // what to call the folder in hints, relative to the root
	only   string // report this name only: the folder is the parent of a root
	target bool   // the folder holds the target of a link: report absolute paths
}

var errMoves = errors.New("the folder is replaced again and again")

func newRegistry(disk Disk, source Source) *registry {
	return &registry{disk: disk, source: source, watches: map[ident]*watch{}, at: map[string]ident{}}
}

// subscribe watches the folder s.asked for s. It returns what the folder is.
func (r *registry) subscribe(s sub) (ident, error) {
	if r.source == nil {
		return ident{}, errNoSource
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for range 3 {
		st, err := r.disk.Stat(s.asked)
		if err != nil {
			return ident{}, err
		}
		if st.Kind != KindFolder {
			return ident{}, errNotFolder
		}
		id := st.ident()
		if err := r.watchLocked(s.asked, id); err != nil {
			return id, err
		}
		r.joinLocked(s, id)
		if r.leads(s.asked, id) {
			return id, nil
		}
		r.forgetLocked(s.asked) // between look and watch the path came to lead elsewhere
	}
	return ident{}, errMoves
}

// watchLocked makes sure that the folder id, which stands at path, is watched under a path that leads to it.
func (r *registry) watchLocked(path string, id ident) error {
	if old, ok := r.at[path]; ok && old != id {
		r.forgetLocked(path)
	}
	w := r.watches[id]
	if w != nil && w.path != path && !r.leads(w.path, id) {
		r.rehomeLocked(w, w.subs)
		w = r.watches[id]
	}
	if w != nil {
		return r.source.Add(w.path) // mends a watch that the kernel has dropped
	}
	if err := r.source.Add(path); err != nil {
		return err
	}
	r.watches[id] = &watch{path: path, id: id}
	return nil
}

func (r *registry) joinLocked(s sub, id ident) {
	w := r.watches[id]
	if slices.Contains(w.subs, s) {
		return
	}
	w.subs = append(slices.Clone(w.subs), s)
	r.at[s.asked] = id
	r.subs.Store(w.path, w.subs)
}

// forgetLocked gives up the watch that serves path.
func (r *registry) forgetLocked(path string) {
	id, ok := r.at[path]
	if w := r.watches[id]; ok && w != nil {
		r.dropLocked(w)
	}
	delete(r.at, path)
}

// dropLocked gives up a watch. Its subs are not told: whoever moved or removed the folder caused events that do.
func (r *registry) dropLocked(w *watch) {
	_ = r.source.Remove(w.path) // gone already when the folder is
	r.subs.Delete(w.path)
	delete(r.watches, w.id)
	for _, s := range w.subs {
		if r.at[s.asked] == w.id {
			delete(r.at, s.asked)
		}
	}
}

func (r *registry) leads(path string, id ident) bool {
	st, err := r.disk.Stat(path)
	return err == nil && st.ident() == id
}

// rehomeLocked watches a folder under the path of one of the subs that still leads to it.
func (r *registry) rehomeLocked(w *watch, subs []sub) {
	r.dropLocked(w)
	for _, s := range subs {
		if r.leads(s.asked, w.id) && r.watchLocked(s.asked, w.id) == nil {
			r.joinLocked(s, w.id)
		}
	}
}

// unsubscribe undoes subscribe.
func (r *registry) unsubscribe(s sub) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.watches[r.at[s.asked]]
	if w == nil || !slices.Contains(w.subs, s) {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(w.subs), func(other sub) bool { return other == s })
	asks := func(path string) bool {
		return slices.ContainsFunc(rest, func(s sub) bool { return s.asked == path })
	}
	if !asks(s.asked) {
		delete(r.at, s.asked)
	}
	if !asks(w.path) {
		r.rehomeLocked(w, rest) // the path may lead elsewhere by now
		return
	}
	w.subs = rest
	r.subs.Store(w.path, w.subs)
}

// listeners returns who wants to hear of the folder at path. It never waits.
func (r *registry) listeners(path string) []sub {
	subs, ok := r.subs.Load(path)
	if !ok {
		return nil
	}
	return subs.([]sub)
}

// count is how many folders are watched, and how many more would have to be.
func (r *registry) count() (watched, refused int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.watches), r.refused
}

func (r *registry) refuse(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused += n
}

// reserve takes as much of the budget of open files as count says, if so much is left.
func (r *registry) reserve(count func(most int) int) (n int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.budget == math.MaxInt {
		return 0, true
	}
	n = count(r.budget)
	if n > r.budget {
		return 0, false
	}
	r.budget -= n
	return n, true
}

func (r *registry) release(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.budget += n
}
