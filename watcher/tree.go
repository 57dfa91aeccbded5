package watcher

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/sys/unix"
)

// tree holds the folders of a root that are to be watched: those that the rules let in. It belongs to the goroutine of
// its root.
type tree struct {
	disk   Disk
	reg    *registry
	filter *filter
	inbox  *inbox
	top    *node
	links  *links

	watched int
	refused int   // folders without a watch
	err     error // why, the last reason
	full    bool  // the limit was met: don't try again in this pass
	byID    map[ident]*node
	linked  bool // a link to a folder is followed
}

// node is one folder.
type node struct {
	name   string
	above  *node // nil for the root
	below  map[string]*node
	real   string // absolute path without links
	id     ident
	rules  *rules // those above it
	own    *rules // in force in it
	sub    sub
	status nodeStatus
}

type nodeStatus uint8

const (
	nodeNew nodeStatus = iota
	nodeWatched
	nodeRefused    // no watch to be had: polled
	nodeUnreadable // its mode forbids; a change of that is seen from above
)

func newTree(disk Disk, reg *registry, f *filter, in *inbox, real string) *tree {
	t := &tree{disk: disk, reg: reg, filter: f, inbox: in, byID: map[ident]*node{}}
	t.top = &node{real: real}
	t.links = newLinks(t)
	return t
}

// path is the path of n relative to the root.
func (n *node) path() string {
	if n.above == nil {
		return ""
	}
	return join(n.above.path(), n.name)
}

// find returns the folder at path, nil when it isn't one that is watched.
func (t *tree) find(path string) *node {
	n := t.top
	if path == "" {
		return n
	}
	for name := range strings.SplitSeq(path, "/") {
		if n = n.below[name]; n == nil {
			return nil
		}
	}
	return n
}

// sync makes the watches at and below n fit the disk: first the watch, then the names, so that nothing made in between
// is missed. It returns false when n is gone.
func (t *tree) sync(ctx context.Context, n *node) bool {
	t.full = false
	return t.visit(ctx, n)
}

func (t *tree) visit(ctx context.Context, n *node) bool {
	for range 3 {
		id, ok := t.watch(n)
		if !ok {
			return false
		}
		st, names, err := t.disk.ReadDir(n.real, t.pick)
		if vanished(err) || isLoop(err) {
			return false
		}
		if n.status == nodeWatched && err == nil && st.ident() != id {
			continue // replaced between watch and look
		}
		if err != nil && !errors.Is(err, unix.EACCES) {
			t.refuse(n, err) // folders below may be unknown: poll it until it can be read
		}
		if st.ident() != (ident{}) {
			t.identify(n, st.ident())
		}
		t.descend(ctx, n, names, err == nil)
		return true
	}
	return true // replaced again and again: its events keep coming from above
}

// watch gets the watch of n. It returns false when there is no such folder.
func (t *tree) watch(n *node) (ident, bool) {
	if t.full && n.status != nodeWatched {
		t.mark(n, nodeRefused)
		return n.id, true
	}
	n.sub = sub{inbox: t.inbox, asked: n.real, folder: n.path()}
	id, err := t.reg.subscribe(n.sub)
	if err != nil && n.status == nodeWatched {
		t.reg.unsubscribe(n.sub)
		t.mark(n, nodeNew)
	}
	switch {
	case err == nil:
		t.mark(n, nodeWatched)
	case vanished(err), errors.Is(err, errNotFolder), isLoop(err):
		return id, false
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		t.mark(n, nodeUnreadable)
	default:
		t.full = isLimit(err)
		t.refuse(n, err)
	}
	return id, true
}

// refuse notes that n can't be watched as it should.
func (t *tree) refuse(n *node, err error) {
	if n.status == nodeWatched {
		t.reg.unsubscribe(n.sub)
	}
	t.err = err
	t.mark(n, nodeRefused)
}

// isLimit says that no further watch can be had: inotify watches, or files.
func isLimit(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) ||
		errors.Is(err, unix.ENOMEM)
}

// mark keeps the counts.
func (t *tree) mark(n *node, status nodeStatus) {
	count := func(s nodeStatus, by int) {
		switch s {
		case nodeWatched:
			t.watched += by
		case nodeRefused:
			t.refused += by
			t.reg.refuse(by)
		case nodeNew, nodeUnreadable:
		}
	}
	count(n.status, -1)
	count(status, 1)
	n.status = status
}

// identify notes which folder n is. What stood below another one of the same name is forgotten.
func (t *tree) identify(n *node, id ident) {
	if n.id == id {
		return
	}
	for _, below := range n.below {
		t.drop(below)
	}
	if t.byID[n.id] == n {
		delete(t.byID, n.id)
	}
	n.id = id
	if t.filter.follow {
		t.byID[id] = n
	}
}

// descend brings the folders below n in line with the names read. Unless all were read, none is dropped.
func (t *tree) descend(ctx context.Context, n *node, names []Dirent, all bool) {
	path := n.path()
	n.own = t.rulesOf(n, path, names)
	seen := make(map[string]bool, len(names))
	for _, d := range names {
		if t.adopts(n, join(path, d.Name), d) {
			seen[d.Name] = true
		}
	}
	for name, below := range n.below {
		if !seen[name] && all {
			t.drop(below)
		}
	}
	for name := range seen {
		if ctx.Err() != nil {
			return
		}
		if below := n.below[name]; below != nil && !t.visit(ctx, below) {
			t.drop(below)
		}
	}
}

func (t *tree) rulesOf(n *node, path string, names []Dirent) *rules {
	var present [2]bool
	for _, d := range names {
		if t.filter.isIgnoreFile(d.Name) {
			present[min(len(d.Name)-len(gitignoreName), 1)] = true
		}
	}
	own, _, err := readRules(t.disk, folder{path, n.real, n.rules}, present)
	if err != nil {
		return n.rules // List reports it as a Fault; watching more than needed does no harm
	}
	return own
}

// adopts makes a node of a name that is a folder to be watched. Links to files are noted.
func (t *tree) adopts(n *node, path string, d Dirent) bool {
	switch d.Kind {
	case KindFolder:
		if !t.filter.folder(path) || t.filter.ignored(n.own, path, true) {
			return false
		}
		t.child(n, d.Name, join(n.real, d.Name))
		return true
	case KindLink:
		return t.adoptsLink(n, path, d.Name)
	case KindUnknown, KindFile, KindSpecial:
	}
	return false
}

func (t *tree) adoptsLink(n *node, path, name string) bool {
	if t.filter.ignored(n.own, path, false) {
		return false
	}
	if t.filter.follow || t.filter.file(path) { // whatever it leads to now
		t.links.note(path, join(n.real, name))
	}
	if !t.filter.follow || !t.filter.folder(path) {
		return false
	}
	st, err := t.disk.Stat(join(n.real, name))
	return err == nil && st.Kind == KindFolder && t.follow(n, name, st.ident())
}

// follow makes a node of a link to a folder, unless the folder is watched already: so loops end.
func (t *tree) follow(n *node, name string, id ident) bool {
	t.linked = true
	below := n.below[name]
	if other := t.byID[id]; other != nil && other != below {
		return false
	}
	real, err := t.disk.Resolve(join(n.real, name))
	if err != nil {
		return false
	}
	t.byID[id] = t.child(n, name, real)
	return true
}

func (t *tree) child(n *node, name, real string) *node {
	below := n.below[name]
	if below != nil && below.real != real {
		t.drop(below)
		below = nil
	}
	if below == nil {
		below = &node{name: name, above: n, real: real}
		if n.below == nil {
			n.below = map[string]*node{}
		}
		n.below[name] = below
	}
	below.rules = n.own
	return below
}

func (t *tree) pick(name string, kind Kind) Pick {
	if kind == KindFolder || kind == KindLink || t.filter.isIgnoreFile(name) {
		return PickName
	}
	return PickNone
}

// drop forgets a folder and all below it, with their watches.
func (t *tree) drop(n *node) {
	for _, below := range n.below {
		t.drop(below)
	}
	if n.status == nodeWatched {
		t.reg.unsubscribe(n.sub)
	}
	t.mark(n, nodeNew)
	if t.byID[n.id] == n {
		delete(t.byID, n.id)
	}
	if n.above != nil {
		delete(n.above.below, n.name)
	}
}

// close gives up all watches.
func (t *tree) close() {
	t.drop(t.top)
	t.links.close()
}

// unwatched returns the topmost folders that must be polled.
func (t *tree) unwatched() []string {
	var out []string
	var visit func(n *node, path string)
	visit = func(n *node, path string) {
		if n.status == nodeRefused {
			out = append(out, path)
			return
		}
		for name, below := range n.below {
			visit(below, join(path, name))
		}
	}
	visit(t.top, "")
	return out
}
