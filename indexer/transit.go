package indexer

import (
	"maps"
	"slices"
	"strings"
	"time"

	"shelfd/store"
	"shelfd/watcher"
)

// transit is what is between the disk and the store while the bulk readers work for a shelf.
type transit struct {
	waiting  int                      // files at the readers
	building bool                     // they are most of what the shelf will hold
	queued   map[string]watcher.Entry // those files, as they were listed
	gone     map[string]store.File    // not there, but some may turn up among what is read; by file
	moving   map[string]store.File    // new path → file of the document that was moved there, by its inode
	leaving  map[string]string        // the same: old path → new path
	seen     map[string]time.Time     // when a path was last looked at by other means
	believe  doubts                   // of the looks that started it
}

func newTransit() transit {
	return transit{
		queued: map[string]watcher.Entry{}, gone: map[string]store.File{}, moving: map[string]store.File{},
		leaving: map[string]string{}, seen: map[string]time.Time{}, believe: doubts{sizes: map[string]int64{}},
	}
}

// begin takes in what a look hands to the readers.
func (t *transit) begin(p Plan, d doubts) {
	moved := movedByInode(p)
	for _, c := range p.Read {
		t.queued[c.Entry.Path] = c.Entry
	}
	for _, g := range p.Gone {
		if path, ok := moved[g.Document]; ok {
			t.moving[path], t.leaving[g.File] = g, path
			continue
		}
		t.gone[g.File] = g
	}
	t.waiting += len(p.Read)
	t.believe.join(d)
}

// end forgets all, and returns the files whose documents did not arrive where they were seen to move to.
func (t *transit) end() (lost []string) {
	lost = slices.Sorted(maps.Keys(t.leaving))
	*t = newTransit()
	return lost
}

// arrived notes that a document that was moved has come to its new path.
func (t *transit) arrived(path string) {
	delete(t.leaving, t.moving[path].File)
	delete(t.moving, path)
}

// goneFiles are the files that did not turn up, in path order.
func (t *transit) goneFiles() []store.File {
	list := make([]store.File, 0, len(t.gone))
	for _, file := range slices.Sorted(maps.Keys(t.gone)) {
		list = append(list, t.gone[file])
	}
	return list
}

// meet takes a later look into account: it leaves out of the plan what is under way already, and remembers what the
// look saw, which is newer than what the readers may hold.
func (t *transit) meet(p *Plan, l watcher.Listing) {
	if t.waiting == 0 {
		return
	}
	for _, e := range l.Entries {
		delete(t.gone, e.Path) // it is back
		if path, ok := t.leaving[e.Path]; ok {
			t.arrived(path) // or never went
		}
	}
	p.Read = slices.DeleteFunc(p.Read, func(c Change) bool {
		entry, queued := t.queued[c.Entry.Path]
		return queued && entry == c.Entry
	})
	p.Gone = slices.DeleteFunc(p.Gone, func(g store.File) bool {
		_, waits := t.gone[g.File]
		_, leaves := t.leaving[g.File]
		return waits || leaves
	})
	now := time.Now()
	for _, c := range p.Read {
		t.seen[c.Entry.Path] = now
	}
	for _, g := range p.Gone {
		t.seen[g.File] = now
	}
	t.missing(l, now)
}

// missing notes the queued files that a look did not find.
func (t *transit) missing(l watcher.Listing, now time.Time) {
	note := func(path string) {
		if !hasEntry(l.Entries, path) && !hidden(path, l.Faults) {
			t.seen[path] = now
		}
	}
	folders := map[string]bool{}
	for _, under := range l.Under {
		if _, queued := t.queued[under]; queued {
			note(under)
		} else if !hasEntry(l.Entries, under) {
			folders[under] = true
		}
	}
	if l.Under != nil && len(folders) == 0 {
		return
	}
	for path := range t.queued {
		if l.Under == nil || anyAbove(path, folders) {
			note(path)
		}
	}
}

// overtaken says whether something newer than an outcome is known of its path.
func (t *transit) overtaken(o outcome) bool {
	at, seen := t.seen[o.change.Entry.Path]
	return seen && at.After(o.started)
}

// anyAbove says whether a folder above path is among folders.
func anyAbove(path string, folders map[string]bool) bool {
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if folders[path[:i]] {
			return true
		}
	}
	return false
}

// hidden says whether a path is or lies below one that could not be read.
func hidden(path string, faults []watcher.Fault) bool {
	for _, f := range faults {
		if below(path, f.Path) {
			return true
		}
	}
	return false
}

// hasEntry says whether sorted entries hold a path.
func hasEntry(entries []watcher.Entry, path string) bool {
	_, found := slices.BinarySearchFunc(entries, path, func(e watcher.Entry, p string) int { return strings.Compare(e.Path, p) })
	return found
}

// stillGone keeps of what is gone what did not turn up so far.
func (t *transit) stillGone(left []store.File) {
	clear(t.gone)
	for _, g := range left {
		t.gone[g.File] = g
	}
}
