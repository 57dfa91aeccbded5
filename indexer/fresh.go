package indexer

import (
	"context"
	"time"

	"shelfd/watcher"
)

// Freshness says how far the index of a shelf is behind its folder, as far as that is known.
type Freshness struct {
	Shelf    string
	Pending  int       // paths that something was heard of, or that are looked at, and that are not indexed yet
	Watched  bool      // changes are heard of; otherwise nothing is known between two looks
	Compared time.Time // when the folder was last compared as a whole; zero = never
}

// Freshness of each shelf, in no order.
func (x *Indexer) Freshness() []Freshness {
	states := x.watcher.States() // before what it handed out: to count that twice is better than not at all
	status := x.published.get()
	list := make([]Freshness, 0, len(status.outlook))
	for name, s := range status.outlook {
		w := states[name]
		list = append(list, Freshness{
			Shelf: name, Pending: w.Pending + status.behind[name],
			Watched: w.Mode == watcher.ModeWatching && !s.offline, Compared: s.compared,
		})
	}
	return list
}

// CatchUp returns when what was written to the wanted shelves before it was called is in the index, as far as there are
// events of it; links that are worked out from it may come later.
func (x *Indexer) CatchUp(ctx context.Context, wanted func(shelf string) bool) error {
	if err := x.watcher.Flush(ctx, wanted); err != nil {
		return err
	}
	w := newWaiter(ctx)
	w.brief = true
	_, err := x.wait(w, func(ctx context.Context, r *run) error {
		begin := func(_ context.Context, r *run) { r.begin(w, func(s *shelf) bool { return wanted(s.Name) }) }
		if r.announced {
			begin(ctx, r)
		} else {
			r.early = append(r.early, begin)
		}
		return nil
	})
	return err
}

// outlook is what is published of a shelf beside what is pending.
type outlook struct {
	compared time.Time
	offline  bool
}

// behind counts the paths of a shelf that are not indexed yet.
func (s *shelf) behind() int {
	n := s.waiting + len(s.looks) + len(s.removing)
	if s.looking {
		n += max(1, s.lookPaths)
	}
	if s.next != nil {
		n += max(1, len(s.next.dirty))
	}
	if n == 0 && !s.reconciled {
		n = 1
	}
	return n
}

// publishFreshness brings what Freshness tells up to date. Nothing is allocated for shelves that rest.
func (r *run) publishFreshness() {
	r.status.behind = nil
	same := len(r.status.outlook) == len(r.shelves)
	for name, s := range r.shelves {
		if n := s.behind(); n > 0 {
			if r.status.behind == nil {
				r.status.behind = map[string]int{}
			}
			r.status.behind[name] = n
		}
		same = same && r.status.outlook[name] == s.outlook()
	}
	if same {
		return
	}
	r.status.outlook = make(map[string]outlook, len(r.shelves)) // others read the one before
	for name, s := range r.shelves {
		r.status.outlook[name] = s.outlook()
	}
}

func (s *shelf) outlook() outlook { return outlook{s.compared, s.offline != ""} }
