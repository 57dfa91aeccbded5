package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

var (
	errNotFolder   = errors.New("not a folder")
	errPlaceholder = errors.New("its contents are not on this disk")
	errRootChanged = errors.New("the root changed while it was read")
)

// List looks at a root: all of it when under is nil, else at the given files and folders with all below them. What has
// vanished is not an error: it yields no entries. An error means that nothing was learned: ctx ended, or the patterns
// or paths are no good. With FollowSymlinks a folder counts under its first path only, which takes the whole tree to
// know: such a root is walked whole whatever is asked.
func List(ctx context.Context, root Root, under []string) (Listing, error) {
	return list(ctx, OS{}, root, under)
}

func list(ctx context.Context, disk Disk, root Root, under []string) (Listing, error) {
	f, err := compile(root)
	if err != nil {
		return Listing{}, err
	}
	under, err = cleanUnder(root, under)
	if err != nil {
		return Listing{}, err
	}
	out := Listing{Under: under}
	real, st, err := openRoot(disk, root.Path)
	if err != nil {
		out.Faults = []Fault{{"", err}}
		return out, ctx.Err()
	}
	out.RootDevice, out.RootInode = st.Device, st.Inode
	w := newWalk(ctx, disk, f, real)
	if under == nil || f.follow {
		w.folders = []folder{{real: real}}
	} else {
		newLook(w).all(under)
	}
	w.run()
	// A root that was unmounted or replaced meanwhile makes its files look deleted.
	if again, err := disk.Stat(real); err != nil || again.ident() != st.ident() {
		w.found.fault("", cmp.Or(err, errRootChanged))
	}
	out.fill(w.found, f.follow)
	out.companions(disk, f, real)
	return out, ctx.Err()
}

// openRoot makes sure that the root is a folder.
func openRoot(disk Disk, path string) (real string, st Stat, err error) {
	real, err = disk.Resolve(path)
	if err != nil {
		return "", st, err
	}
	st, err = disk.Stat(real)
	if err == nil && st.Kind != KindFolder {
		err = errNotFolder
	}
	return real, st, err
}

// cleanUnder sorts the paths and refuses those that aren't inside a root. The root itself means all of it.
func cleanUnder(root Root, under []string) ([]string, error) {
	if under == nil {
		return nil, nil
	}
	out := slices.Clone(under)
	slices.Sort(out)
	for _, p := range out {
		if p == "" || p == "." {
			return nil, nil
		}
		if p != path.Clean(p) || p[0] == '/' || p == ".." || strings.HasPrefix(p, "../") {
			return nil, fmt.Errorf("watcher: list %q: path %q is not inside the root", root.Shelf, p)
		}
	}
	out = slices.Compact(out)
	if out == nil {
		out = []string{}
	}
	return out, nil
}

// fill takes what was found, in order. With restrict only what was asked for.
func (l *Listing) fill(f found, restrict bool) {
	if restrict && l.Under != nil {
		covered := newCover(l.Under)
		f.entries = slices.DeleteFunc(f.entries, func(e Entry) bool { return !covered.has(e.Path) })
		f.skipped = slices.DeleteFunc(f.skipped, func(s Fault) bool { return !covered.has(s.Path) })
		f.faults = slices.DeleteFunc(f.faults, func(s Fault) bool { return !covered.has(s.Path) && !covered.below(s.Path) })
	}
	byPath := func(a, b Fault) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(f.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(f.faults, byPath)
	slices.SortFunc(f.skipped, byPath)
	same := func(a, b Fault) bool { return a.Path == b.Path }
	l.Entries, l.Skipped = f.entries, slices.CompactFunc(f.skipped, same)
	l.Faults = slices.CompactFunc(f.faults, same)
	if len(l.Faults) > 0 && l.Faults[0].Path == "" {
		l.RootDevice, l.RootInode = 0, 0
	}
}

// cover answers whether a path is one of a sorted list or lies below one.
type cover []string

// newCover keeps of sorted paths those that aren't below another.
func newCover(sorted []string) cover {
	if len(sorted) > 0 && sorted[0] == "" {
		return cover{""}
	}
	known := make(map[string]bool, len(sorted))
	for _, p := range sorted {
		known[p] = true
	}
	var out cover
	for _, p := range sorted {
		if !anyAbove(p, func(q string) bool { return known[q] }) {
			out = append(out, p)
		}
	}
	return out
}

func (c cover) has(p string) bool {
	listed := func(q string) bool { _, ok := slices.BinarySearch(c, q); return ok }
	return listed("") || listed(p) || anyAbove(p, listed)
}

// below says whether one of the list lies below p.
func (c cover) below(p string) bool {
	if p == "" {
		return len(c) > 0
	}
	i, _ := slices.BinarySearch(c, p+"/")
	return i < len(c) && strings.HasPrefix(c[i], p+"/")
}

// anyAbove asks for each folder above p, the root ("") left out.
func anyAbove(p string, ask func(folder string) bool) bool {
	for i := strings.LastIndexByte(p, '/'); i > 0; i = strings.LastIndexByte(p[:i], '/') {
		if ask(p[:i]) {
			return true
		}
	}
	return false
}
