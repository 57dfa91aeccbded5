package watcher

import (
	"slices"
	"strings"
	"time"
)

// settler turns hints into due batches. It knows no files, clocks or channels: the time is given to it.
//
// A path is due when it was quiet for quiet, or ceiling after its first hint if it never rests. The path "" is the
// whole root.
type settler struct {
	quiet, ceiling time.Duration

	dirty  map[string]stamp
	reason string    // why to look everywhere at once; "" = no need to
	since  time.Time // when that became known
	hold   time.Time // no batch of paths before: in a storm fewer and larger ones are cheaper
}

// stamp is when a path was hinted at.
type stamp struct{ first, last time.Time }

// maxDirty is how many paths a batch may name: beyond it a walk of their folders is cheaper than single looks.
const maxDirty = 2000

// together is how far apart the hints of one operation (the two names of a rename) may arrive: such paths go out in one
// batch although the later one has rested that much less.
const together = 2 * time.Millisecond

func newSettler(quiet, ceiling time.Duration) *settler {
	return &settler{quiet: quiet, ceiling: ceiling, dirty: map[string]stamp{}}
}

// hint says that something happened at path between first and last. It counts for a folder above that is dirty itself.
func (s *settler) hint(path string, first, last time.Time) {
	for p := path; ; p = parent(p) {
		if old, ok := s.dirty[p]; ok {
			s.dirty[p] = merge(old, stamp{first, last})
			return
		}
		if p == "" {
			break
		}
	}
	s.dirty[path] = stamp{first, last}
	if len(s.dirty) > maxDirty {
		s.collapse()
	}
}

func merge(a, b stamp) stamp {
	if b.first.Before(a.first) {
		a.first = b.first
	}
	if b.last.After(a.last) {
		a.last = b.last
	}
	return a
}

// everywhere asks for a look at the whole root without delay. The first reason stays.
func (s *settler) everywhere(reason string, now time.Time) {
	if s.reason == "" {
		s.reason, s.since = reason, now
	}
}

// collapse replaces paths by their folders until far fewer are left, at last by the root.
func (s *settler) collapse() {
	for len(s.dirty) > maxDirty/2 {
		folders := make(map[string]stamp)
		for p, st := range s.dirty {
			if old, ok := folders[parent(p)]; ok {
				st = merge(old, st)
			}
			folders[parent(p)] = st
		}
		s.dirty = folders
	}
	if root, ok := s.dirty[""]; ok {
		for _, st := range s.dirty {
			root = merge(root, st)
		}
		s.dirty = map[string]stamp{"": root}
	}
}

func (s *settler) deadline(st stamp) time.Time {
	rest, end := st.last.Add(s.quiet), st.first.Add(s.ceiling)
	if end.Before(rest) {
		return end
	}
	return rest
}

// due returns what is to be looked at now. It stays due until taken is told.
func (s *settler) due(now time.Time) (Batch, bool) {
	if s.reason != "" {
		return s.whole(s.reason, s.since), true
	}
	if now.Before(s.hold) {
		return Batch{}, false
	}
	var latest time.Time
	found := false
	for _, st := range s.dirty {
		if !s.deadline(st).After(now) && (!found || st.last.After(latest)) {
			found, latest = true, st.last
		}
	}
	if !found {
		return Batch{}, false
	}
	b := s.batch(now, latest.Add(together))
	if len(b.Dirty) == 1 && b.Dirty[0] == "" {
		return s.whole(reasonMany, b.First), true
	}
	return b, true
}

// whole is the batch that says to look everywhere.
func (s *settler) whole(reason string, since time.Time) Batch {
	for _, st := range s.dirty {
		if st.first.Before(since) {
			since = st.first
		}
	}
	return Batch{All: true, Reason: reason, First: since}
}

// batch gathers the paths that are due, and those hinted at no later than until.
func (s *settler) batch(now, until time.Time) Batch {
	var b Batch
	for p, st := range s.dirty {
		if s.deadline(st).After(now) && st.last.After(until) {
			continue
		}
		b.Dirty = append(b.Dirty, p)
		if b.First.IsZero() || st.first.Before(b.First) {
			b.First = st.first
		}
	}
	slices.Sort(b.Dirty)
	b.Dirty = newCover(b.Dirty)
	return b
}

// taken says that the batch, which due returned at now, was handed out. What lies below its folders and doesn't rest
// yet is looked at once more.
func (s *settler) taken(b Batch, now time.Time) {
	if b.All {
		s.reason = ""
	}
	s.hold = now.Add(s.quiet)
	for p, st := range s.dirty {
		rests := !s.deadline(st).After(now)
		if rests && (b.All || cover(b.Dirty).has(p)) || named(b.Dirty, p) {
			delete(s.dirty, p)
		}
	}
}

func named(sorted []string, path string) bool {
	_, ok := slices.BinarySearchFunc(sorted, path, strings.Compare)
	return ok
}

// next is when something more may become due than is now; ok is false when nothing waits.
func (s *settler) next(now time.Time) (t time.Time, ok bool) {
	if now.Before(s.hold) && len(s.dirty) > 0 {
		return s.hold, true
	}
	for _, st := range s.dirty {
		if d := s.deadline(st); d.After(now) && (!ok || d.Before(t)) {
			t, ok = d, true
		}
	}
	return t, ok
}
