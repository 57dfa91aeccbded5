package indexer

import (
	"sort"
	"strings"
	"time"

	"shelfd/store"
	"shelfd/watcher"
)

// racy is how close to the last look a file may have changed without its times showing it: the coarsest clock of a
// file system in use (FAT: 2 s).
const racy = int64(2 * time.Second)

// Plan is what has to be done to make the store equal a listing.
type Plan struct {
	Read      []Change     // new files, and known ones that may hold other bytes
	Gone      []store.File // known, and not there
	Unchanged int
}

// Change is a file to be read.
type Change struct {
	Entry watcher.Entry
	Known *store.File // nil = new
}

// plan compares what is known with what is there; both are sorted by path bytewise. always says that files are to be
// read whatever their times say: an event speaks of them.
func plan(known []store.File, listing watcher.Listing, always bool) Plan {
	var p Plan
	i := 0
	for _, e := range listing.Entries {
		for i < len(known) && known[i].File < e.Path {
			p.gone(known[i], listing.Faults)
			i++
		}
		if i == len(known) || known[i].File != e.Path {
			p.Read = append(p.Read, Change{Entry: e})
			continue
		}
		if k := known[i]; always || !same(k, e) {
			p.Read = append(p.Read, Change{Entry: e, Known: &k})
		} else {
			p.Unchanged++
		}
		i++
	}
	for ; i < len(known); i++ {
		p.gone(known[i], listing.Faults)
	}
	return p
}

// gone notes a file that is not there, unless what hides it could not be read.
func (p *Plan) gone(f store.File, faults []watcher.Fault) {
	for _, fault := range faults {
		if below(f.File, fault.Path) {
			p.Unchanged++
			return
		}
	}
	p.Gone = append(p.Gone, f)
}

// below says whether path is folder or lies below it; "" is above everything.
func below(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

// same says whether an entry shows the file that was read. Times are compared for equality only: clocks step back.
// A file that changed within racy of the read may have changed again unseen; a read in the future proves nothing.
func same(k store.File, e watcher.Entry) bool {
	return k.Version == store.ContentVersion && k.Size == e.Size && k.ModTime == e.ModTime && k.ChangeTime == e.ChangeTime &&
		k.Inode == e.Inode && k.ModTime < k.ReadAt-racy
}

// merge joins listings of known files for overlapping paths: sorted, each once.
func merge(lists ...[]store.File) []store.File {
	var all []store.File
	for _, list := range lists {
		all = append(all, list...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].File < all[j].File })
	unique := all[:0]
	for i, f := range all {
		if i == 0 || f.File != all[i-1].File {
			unique = append(unique, f)
		}
	}
	return unique
}

// recut adds known files to be read although nothing about them changed: those in moved, or all, get another doc_path.
func (p *Plan) recut(known []store.File, entries []watcher.Entry, moved map[string]bool, all bool) {
	if len(moved) == 0 && !all {
		return
	}
	reading := map[string]bool{}
	for _, c := range p.Read {
		reading[c.Entry.Path] = true
	}
	byFile := map[string]store.File{}
	for _, k := range known {
		byFile[k.File] = k
	}
	for i := range p.Read {
		if k := p.Read[i].Known; k != nil && (all || moved[k.File]) {
			k.Version = 0
		}
	}
	for _, e := range entries {
		k, ok := byFile[e.Path]
		if !ok || reading[e.Path] || !all && !moved[e.Path] {
			continue
		}
		k.Version = 0 // no longer counts as equal
		p.Read = append(p.Read, Change{Entry: e, Known: &k})
		p.Unchanged--
	}
}
