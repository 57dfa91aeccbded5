package indexer

import (
	"time"

	"shelfd/store"
)

// shelf is what Run knows of one shelf beside its rows.
type shelf struct {
	Shelf
	id             int64
	documents      int       // rows
	compared       time.Time // when it was last looked at as a whole, in this run of the program or before; zero = never
	reconciled     bool      // looked at as a whole since start, as far as it could be
	listed         bool      // the whole root was listed since start: numbers and contested are known
	whole          bool      // a whole look is under way; it is recorded when all its files are read
	offline        string    // why it is offline, "" = it is not
	lookedAtDevice uint64
	problems       bool // it may have rows in problems
	extractive     bool // as in Options

	looks        map[string]look // second looks by path below the root; "" = the whole root
	promised     map[string]bool // files whose document is known: it is made again with the id that its path has
	looksWritten int             // as the row says

	numbers   map[string]int  // file → 2, 3 … where several come to one doc_path
	contested map[string]bool // doc_paths without the shelf on which numbers depend

	removing map[string]store.File // gone, and still to be removed; by file
	missing  time.Time             // since when something is gone whose document still stands
	goes     bool                  // the shelf leaves the index

	watching
	transit
	done    int // of the first reconcile
	total   int
	counted counts
}

func (r *run) newShelf(w Shelf, id int64) *shelf {
	return &shelf{Shelf: w, id: id, extractive: r.extractive, looks: map[string]look{}, promised: map[string]bool{}, removing: map[string]store.File{}, watching: watching{slowAfter: r.slow}, transit: newTransit()}
}

// counts are what a sync reports.
type counts struct{ indexed, unchanged, removed int }

// look is a second look that is due.
type look struct {
	due      time.Time
	size     int64 // of a shrunken file as it was seen first, -1 = of no interest
	deletion bool  // over half of the shelf is gone: seen twice, that is believed
}

// lookNow is a look that only has to be taken.
func lookNow() look { return look{due: time.Now(), size: -1} }

const defaultMaxFileSize = 8 << 20

func (s *shelf) maxFileSize() int64 {
	if s.MaxFileSize > 0 {
		return s.MaxFileSize
	}
	return defaultMaxFileSize
}

// looksChanged says whether the row does not know how many second looks are due.
func (s *shelf) looksChanged() bool { return len(s.looks) != s.looksWritten }

// settled says whether nothing is under way for the shelf.
func (s *shelf) settled() bool {
	return s.waiting == 0 && len(s.looks) == 0 && len(s.removing) == 0 && !s.looking
}

// state is the state a person sees.
func (r *run) state(s *shelf) (store.ShelfState, string) {
	if s.goes {
		return store.StateIndexing, "it is being removed"
	}
	if s.offline != "" {
		return store.StateOffline, s.offline
	}
	if why := s.slowly(); why != "" {
		return store.StateDegraded, why
	}
	if !s.reconciled || s.waiting > 0 && s.whole {
		return store.StateIndexing, ""
	}
	return watchState(r.watcher.States()[s.Name])
}
