package watcher

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"sync"
)

// walk looks at folders in parallel and gathers what stands there. It holds nothing between two calls of List.
type walk struct {
	ctx    context.Context
	disk   Disk
	filter *filter
	root   string // absolute, links resolved

	mu      sync.Mutex
	more    *sync.Cond // folders or busy changed
	folders []folder   // still to be read; last in, first out keeps the list short
	busy    int        // folders being read
	links   []folder   // links to folders, to be followed after the real folders
	visited map[ident]bool
	found   found
}

// folder is one to be read.
type folder struct {
	path  string // relative, "" = root
	real  string // absolute
	rules *rules // of the folders above; the own ones are added when its names are known
}

// found is what one worker has seen, so that workers share nothing while they read.
type found struct {
	entries []Entry
	faults  []Fault
	skipped []Fault
}

func (f *found) add(g found) {
	f.entries = append(f.entries, g.entries...)
	f.faults = append(f.faults, g.faults...)
	f.skipped = append(f.skipped, g.skipped...)
}

func newWalk(ctx context.Context, disk Disk, f *filter, root string) *walk {
	w := &walk{ctx: ctx, disk: disk, filter: f, root: root, visited: map[ident]bool{}}
	w.more = sync.NewCond(&w.mu)
	return w
}

// maxWorkers: more help only where a disk answers slowly, and would crowd the readers of files.
const maxWorkers = 8

// run reads all queued folders and those below them, then the links to folders one by one in the order of their
// paths, so that each folder is found under the same path in every walk.
func (w *walk) run() {
	w.drain()
	for w.filter.follow && len(w.links) > 0 && w.ctx.Err() == nil {
		least := 0
		for i, l := range w.links {
			if l.path < w.links[least].path {
				least = i
			}
		}
		link := w.links[least]
		w.links = append(w.links[:least], w.links[least+1:]...)
		w.enter(link)
		w.drain()
	}
}

// enter queues the folder a link leads to, unless it was read under another path.
func (w *walk) enter(link folder) {
	real, err := w.disk.Resolve(link.real)
	var st Stat
	if err == nil {
		st, err = w.disk.Stat(real)
	}
	if err != nil {
		w.found.fault(link.path, err)
		return
	}
	if !w.visited[st.ident()] {
		link.real = real
		w.folders = append(w.folders, link)
	}
}

func (w *walk) drain() {
	if len(w.folders) == 0 {
		return
	}
	workers := min(max(2, runtime.GOMAXPROCS(0)), maxWorkers)
	var all sync.WaitGroup
	for range workers {
		all.Go(w.work)
	}
	all.Wait()
}

func (w *walk) work() {
	var mine found
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.folders) == 0 && w.busy > 0 {
			w.more.Wait()
		}
		if len(w.folders) == 0 || w.ctx.Err() != nil {
			break
		}
		last := len(w.folders) - 1
		next := w.folders[last]
		w.folders = w.folders[:last]
		w.busy++
		w.mu.Unlock()
		below, links := w.read(next, &mine)
		w.mu.Lock()
		w.busy--
		w.folders = append(w.folders, below...)
		w.links = append(w.links, links...)
		w.more.Broadcast()
	}
	w.more.Broadcast()
	w.found.add(mine)
}

// again says that the folder was read under another path, which only a link can bring about.
func (w *walk) again(id ident) bool {
	if !w.filter.follow {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.visited[id]
	w.visited[id] = true
	return known
}

// read looks at one folder.
func (w *walk) read(f folder, out *found) (below, links []folder) {
	st, names, err := w.disk.ReadDir(f.real, func(name string, kind Kind) Pick { return w.pick(name, kind) })
	if err != nil && (f.path == "" || !isLoop(err)) {
		out.fault(f.path, err)
	}
	if w.again(st.ident()) {
		return nil, nil
	}
	own, err := w.rulesOf(f, names, out)
	if err != nil {
		return nil, nil
	}
	for _, d := range names {
		path, real := join(f.path, d.Name), func() string { return join(f.real, d.Name) }
		switch {
		case d.Err != nil:
			out.fault(path, d.Err)
		case d.Kind == KindFolder:
			if w.filter.folder(path) && !w.filter.ignored(own, path, true) {
				below = append(below, folder{path, real(), own})
			}
		case d.Kind == KindLink:
			if w.filter.ignored(own, path, false) {
				continue
			}
			if w.link(path, real(), out) {
				links = append(links, folder{path, real(), own})
			}
		case w.filter.file(path) && !w.filter.ignored(own, path, false):
			out.file(path, d.Stat)
		}
	}
	return below, links
}

// pick spares the stat of what can't be a document.
func (w *walk) pick(name string, kind Kind) Pick {
	switch kind {
	case KindFolder, KindLink:
		return PickName
	case KindFile:
		if w.filter.mayBeFile(name) {
			return PickStat
		}
	case KindSpecial, KindUnknown:
		if w.filter.mayBeFile(name) {
			return PickName
		}
	}
	if w.filter.isIgnoreFile(name) {
		return PickName
	}
	return PickNone
}

// rulesOf adds the ignore files among the names of a folder. Where one can't be read, what the folder holds can't be
// told: that is a Fault of the folder, and err is set. One that we may not read is as good as absent, as for git.
func (w *walk) rulesOf(f folder, names []Dirent, out *found) (*rules, error) {
	var present [2]bool
	for _, d := range names {
		if w.filter.isIgnoreFile(d.Name) {
			present[min(len(d.Name)-len(gitignoreName), 1)] = true
		}
	}
	r, skipped, err := readRules(w.disk, f, present)
	out.skipped = append(out.skipped, skipped...)
	if err != nil {
		out.fault(f.path, err)
	}
	return r, err
}

// readRules reads the ignore files of a folder that are present.
func readRules(disk Disk, f folder, present [2]bool) (r *rules, skipped []Fault, err error) {
	var own []rule
	for i, name := range [...]string{gitignoreName, shelfignoreName} {
		if !present[i] {
			continue
		}
		text, err := disk.ReadRules(f.real + "/" + name)
		switch {
		case err == nil:
			own = append(own, parseRules(text)...)
		case vanished(err):
		case errors.Is(err, fs.ErrPermission), errors.Is(err, errNotRegular), isLoop(err):
			skipped = append(skipped, Fault{join(f.path, name), err})
		default:
			return nil, skipped, err
		}
	}
	if own == nil {
		return f.rules, skipped, nil
	}
	return &rules{parent: f.rules, base: f.path, own: own}, skipped, nil
}

func join(folder, name string) string {
	if folder == "" || folder == "/" {
		return folder + name
	}
	return folder + "/" + name
}

// fault records what could not be looked at. What has vanished is no fault, but for the root: its absence is not
// deletion.
func (f *found) fault(path string, err error) {
	if path == "" || !vanished(err) {
		f.faults = append(f.faults, Fault{path, err})
	}
}

// file records a document, or what bears the name of one.
func (f *found) file(path string, st Stat) {
	if st.Kind != KindFile {
		f.skipped = append(f.skipped, Fault{path, errNotRegular})
		return
	}
	if st.Absent {
		f.faults = append(f.faults, Fault{path, errPlaceholder}) // so that what is known of it is kept
		return
	}
	f.entries = append(f.entries, Entry{
		Path: path, Size: st.Size, ModTime: st.ModTime, ChangeTime: st.ChangeTime,
		Inode: st.Inode, Device: st.Device, Links: st.Links,
	})
}
