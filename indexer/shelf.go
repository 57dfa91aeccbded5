package indexer

import (
	"slices"
	"sync/atomic"
	"time"

	"shelfd/store"
	"shelfd/watcher"
)

// shelf is what Run knows of one shelf beside its rows.
type shelf struct {
	Shelf
	id             int64
	documents      int    // rows, as of the last reconcile
	reconciled     bool   // looked at as a whole since start
	offline        string // why it is offline, "" = it is not
	lookedAtDevice uint64
	recutAll       bool         // its name changed: every document has another path
	problems       bool         // it may have rows in problems
	extractive     *atomic.Bool // the indexer's; nil = off

	looks        map[string]look   // second looks by path below the root; "" = the whole root
	looksWritten int               // as the row says
	collisions   map[string]string // file → doc_path where two files come to one

	waiting  int                      // files at the bulk readers
	building bool                     // most of what it will hold is at the bulk readers
	queued   map[string]watcher.Entry // those files, as they were listed
	gone     []store.File             // while bulk work is under way: not there, but some may turn up among what is read
	moving   map[string]int64         // while bulk work is under way: new path → document that was moved there
	seen     map[string]int64         // while bulk work is under way: when a path was last looked at by other means
	done     int                      // of the first reconcile
	total    int
	counted  counts
}

// counts are what a sync reports.
type counts struct{ indexed, unchanged, removed int }

// look is a second look that is due.
type look struct {
	due  time.Time
	size int64 // of a shrunken file as it was seen first; -1 = a deletion of much of the shelf
	gone int   // how many documents were missing
}

const defaultMaxFileSize = 8 << 20

func (s *shelf) maxFileSize() int64 {
	if s.MaxFileSize > 0 {
		return s.MaxFileSize
	}
	return defaultMaxFileSize
}

// looksChanged says whether the row does not know how many second looks are due.
func (s *shelf) looksChanged() bool { return len(s.looks) != s.looksWritten }

// noteLooks remembers what was looked at while bulk readers may hold older bytes of the same files.
func (s *shelf) noteLooks(p Plan) {
	if s.waiting == 0 {
		clear(s.seen)
		return
	}
	now := time.Now().UnixNano()
	for _, c := range p.Read {
		s.seen[c.Entry.Path] = now
	}
	for _, g := range p.Gone {
		s.seen[g.File] = now
	}
}

// notQueued leaves out the files that the bulk readers are to read anyway, as they stand now.
func (s *shelf) notQueued(changes []Change) []Change {
	if s.waiting == 0 {
		return changes
	}
	return slices.DeleteFunc(changes, func(c Change) bool {
		entry, queued := s.queued[c.Entry.Path]
		return queued && entry == c.Entry
	})
}

// settled says whether nothing is under way for the shelf.
func (s *shelf) settled() bool { return s.waiting == 0 && len(s.looks) == 0 }

// state is the state a person sees.
func (r *run) state(s *shelf) (store.ShelfState, string) {
	if s.offline != "" {
		return store.StateOffline, s.offline
	}
	if !s.reconciled || s.waiting > 0 && s.total > 0 {
		return store.StateIndexing, ""
	}
	return watchState(r.watcher.States()[s.Name])
}
