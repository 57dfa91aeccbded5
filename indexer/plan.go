package indexer

import (
	"slices"
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
	Read      []Change     // new files, and known ones that may hold other bytes or go by another doc_path
	Gone      []store.File // known, and not there
	Unchanged int
}

// Change is a file to be read.
type Change struct {
	Entry watcher.Entry
	Known *store.File // nil = new. Its Version is 0 when the document is to be cut again whatever its bytes
}

// comparison is what plan compares by, beside the two lists.
type comparison struct {
	spoken []string         // sorted: events name these files, which are read whatever their times say
	limit  int64            // max_file_size
	number func(string) int // of a file among those that come to one doc_path
	now    int64
}

// plan compares what is known with what is there; both are sorted by path bytewise.
func plan(known []store.File, listing watcher.Listing, by comparison) Plan {
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
		k := known[i]
		i++
		if k.Number != by.number(k.File) {
			k.Version = 0
		}
		_, spoken := slices.BinarySearch(by.spoken, e.Path)
		if spoken || !same(k, e, by) || e.Size > by.limit {
			p.Read = append(p.Read, Change{Entry: e, Known: &k})
		} else {
			p.Unchanged++
		}
	}
	for ; i < len(known); i++ {
		p.gone(known[i], listing.Faults)
	}
	return p
}

// gone notes a file that is not there, unless what hides it could not be read.
func (p *Plan) gone(f store.File, faults []watcher.Fault) {
	if hidden(f.File, faults) {
		p.Unchanged++
		return
	}
	p.Gone = append(p.Gone, f)
}

// below says whether path is folder or lies below it; "" is above everything.
func below(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

// same says whether an entry shows the file that was read. Times of files are compared for equality only: clocks step
// back. A file that changed within racy of the read may have changed again unseen; a read in the future proves nothing.
func same(k store.File, e watcher.Entry, by comparison) bool {
	return k.Version == store.ContentVersion && k.Size == e.Size && k.ModTime == e.ModTime && k.ChangeTime == e.ChangeTime &&
		k.Inode == e.Inode && k.ModTime < k.ReadAt-racy && k.ReadAt <= by.now && sameCompanions(k, e, by.limit)
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
