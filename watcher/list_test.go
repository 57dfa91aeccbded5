package watcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func faultPaths(faults []Fault) (out []string) {
	for _, f := range faults {
		out = append(out, f.Path)
	}
	return out
}

func list1(t *testing.T, root Root, under ...string) Listing {
	t.Helper()
	l, err := List(t.Context(), root, under)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestListTellsWhatTheDiskSays(t *testing.T) {
	root := tempDir(t)
	write(t, root, "b.md: four", "a/x.md", "a.md", "a-b.md", ".h/n.md", "node_modules/x/r.md", "c.txt")
	old := time.Unix(1_500_000_000, 123_456_789)
	if err := os.Chtimes(filepath.Join(root, "b.md"), old, old); err != nil {
		t.Fatal(err)
	}
	l := list1(t, Root{Path: root})
	var st unix.Stat_t
	if err := unix.Stat(filepath.Join(root, "b.md"), &st); err != nil {
		t.Fatal(err)
	}
	if got := paths(t, Root{Path: root}, nil); !slices.Equal(got, []string{"a-b.md", "a.md", "a/x.md", "b.md"}) {
		t.Errorf("not all, or not in bytewise order: %q", got)
	}
	want := Entry{
		Path: "b.md", Size: 4, ModTime: old.UnixNano(), ChangeTime: st.Ctim.Nano(), Inode: st.Ino,
		Device: uint64(st.Dev), Links: 1,
	}
	if got := l.Entries[3]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := unix.Stat(root, &st); err != nil || l.RootInode != st.Ino || l.Under != nil {
		t.Errorf("%+v: %v", l, err)
	}
}

func TestListUnderLooksWhereItIsTold(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md", "d/a.md", "d/e/b.md", "d/ign/c.md", "d/"+gitignoreName+": ign/\n", "x/a.txt", "f/g.md")
	shell(t, root, "ln -s d link")
	for _, c := range []struct{ under, want string }{
		{"a.md", "a.md"},
		{"d", "d/a.md d/e/b.md"},
		{"d d/a.md", "d/a.md d/e/b.md"},
		{"d/e/b.md a.md", "a.md d/e/b.md"},
		{"d/ign d/ign/c.md x x/a.txt gone gone/x.md a.md/below.md link link/a.md", ""},
		{"", "a.md d/a.md d/e/b.md f/g.md"},
		{".", "a.md d/a.md d/e/b.md f/g.md"},
	} {
		under := strings.Split(c.under, " ")
		l := list1(t, Root{Path: root}, under...)
		if got := paths(t, Root{Path: root}, under); strings.Join(got, " ") != c.want {
			t.Errorf("under %q: %q", under, got)
		}
		if len(l.Faults) > 0 {
			t.Errorf("under %q: faults %+v", under, l.Faults)
		}
	}
	if l := list1(t, Root{Path: root}, "d", "a.md", "d"); !slices.Equal(l.Under, []string{"a.md", "d"}) {
		t.Errorf("under: %q", l.Under)
	}
	for _, p := range []string{"/etc", "../x", "..", "a/../b", "a/"} {
		if _, err := List(t.Context(), Root{Path: root}, []string{p}); err == nil {
			t.Errorf("%q is taken", p)
		}
	}
}

func TestListLooksAtNothingUnderAnEmptyList(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md")
	l, err := List(t.Context(), Root{Path: root}, []string{})
	if err != nil || l.Under == nil || len(l.Entries) > 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestRootThatIsNoFolderIsAFault(t *testing.T) {
	dir := tempDir(t)
	write(t, dir, "file")
	for _, p := range []string{"gone", "file", "file/below"} {
		for _, under := range [][]string{nil, {"a.md"}} {
			l, err := List(t.Context(), Root{Path: filepath.Join(dir, p)}, under)
			if err != nil || len(l.Faults) != 1 || l.Faults[0].Path != "" || l.RootInode != 0 {
				t.Errorf("%s: %+v, %v", p, l, err)
			}
		}
	}
}

func TestLinksAndSpecialFiles(t *testing.T) {
	dir := tempDir(t)
	root := filepath.Join(dir, "R")
	write(t, dir, "R/a/n.md", "out/x.md", "out/sub/y.md", "R/.h/z.md")
	shell(t, root, `ln -s a/n.md in.md; ln -s ../out/x.md out.md; ln -s .h/z.md hidden.md; ln -s nowhere nil.md
		ln -s self.md self.md; ln -s .. a/loop; ln -s . self; ln -s ../out far; ln -s ../out/sub also; ln -s a twice
		mkfifo pipe.md; mkfifo pipe; mkfifo .gitignore`)
	l := list1(t, Root{Path: root})
	if got := paths(t, Root{Path: root}, nil); !slices.Equal(got, []string{"a/n.md", "hidden.md", "in.md"}) {
		t.Errorf("%q", got)
	}
	want := []string{".gitignore", "a/loop", "also", "far", "nil.md", "out.md", "pipe.md", "self", "self.md", "twice"}
	if got := faultPaths(l.Skipped); !slices.Equal(got, want) {
		t.Errorf("skipped %q", got)
	}
	if len(l.Faults) > 0 {
		t.Errorf("faults %+v", l.Faults)
	}
	for i, e := range l.Entries {
		if one := list1(t, Root{Path: root}, e.Path); len(one.Entries) != 1 || one.Entries[0] != l.Entries[i] {
			t.Errorf("alone: %+v", one)
		}
	}
	follow := Root{Path: root, FollowSymlinks: true}
	// Each folder once, under its first path: out/sub is "also", not far/sub.
	wanted := []string{"a/n.md", "also/y.md", "far/x.md", "hidden.md", "in.md", "out.md"}
	if got := paths(t, follow, nil); !slices.Equal(got, wanted) {
		t.Errorf("followed: %q", got)
	}
	if got := paths(t, follow, []string{"far", "out.md", "twice"}); !slices.Equal(got, []string{"far/x.md", "out.md"}) {
		t.Errorf("followed under: %q", got)
	}
}

// faulty is a disk that fails where it is told.
type faulty struct {
	OS
	err     map[string]error // absolute path → of any look at it
	partial map[string]int   // absolute folder → names read before EIO
	after   func(path string)
}

func (d faulty) Lstat(p string) (Stat, error) {
	if err := d.err[p]; err != nil {
		return Stat{}, err
	}
	return d.OS.Lstat(p)
}

func (d faulty) Stat(p string) (Stat, error) {
	if err := d.err[p]; err != nil {
		return Stat{}, err
	}
	return d.OS.Stat(p)
}

func (d faulty) ReadRules(p string) ([]byte, error) {
	if err := d.err[p]; err != nil {
		return nil, err
	}
	return d.OS.ReadRules(p)
}

func (d faulty) ReadDir(p string, pick func(string, Kind) Pick) (Stat, []Dirent, error) {
	if err := d.err[p]; err != nil {
		return Stat{}, nil, err
	}
	st, names, err := d.OS.ReadDir(p, pick)
	for i := range names {
		if err := d.err[join(p, names[i].Name)]; err != nil && names[i].Kind == KindFile {
			names[i].Err = err
		}
	}
	if n, ok := d.partial[p]; ok {
		names, err = names[:n], unix.EIO
	}
	if d.after != nil {
		d.after(p)
	}
	return st, names, err
}

func TestWhatCannotBeReadIsAFault(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a/x.md", "b/y.md", "c/d/z.md", "e.md", "f/"+gitignoreName+": *.md\n", "f/n.md")
	at := func(p string) string { return filepath.Join(root, p) }
	for _, c := range []struct {
		name   string
		disk   faulty
		under  []string
		faults string
		found  string
	}{
		{"folder", faulty{err: map[string]error{at("a"): unix.EACCES}}, nil, "a", "b/y.md c/d/z.md e.md"},
		{"folder above", faulty{err: map[string]error{at("c"): unix.EIO}}, []string{"c/d/z.md", "e.md"}, "c", "e.md"},
		{"file", faulty{err: map[string]error{at("e.md"): unix.EIO}}, nil, "e.md", "a/x.md b/y.md c/d/z.md"},
		{"file alone", faulty{err: map[string]error{at("e.md"): unix.EIO}}, []string{"e.md"}, "e.md", ""},
		{"half of a folder", faulty{partial: map[string]int{at("a"): 0}}, nil, "a", "b/y.md c/d/z.md e.md"},
		{"half of the root", faulty{partial: map[string]int{root: 0}}, nil, "", ""},
		{"rules", faulty{err: map[string]error{at("f/" + gitignoreName): unix.EIO}}, nil, "f", "a/x.md b/y.md c/d/z.md e.md"},
		{"rules above", faulty{err: map[string]error{at("f/" + gitignoreName): unix.EIO}}, []string{"f/n.md"}, "f", ""},
		{"vanished file", faulty{err: map[string]error{at("e.md"): unix.ENOENT}}, []string{"e.md"}, "-", ""},
		{"vanished root", faulty{err: map[string]error{root: unix.ENOENT}}, nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := list(t.Context(), c.disk, Root{Path: root}, c.under)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(faultPaths(l.Faults), " "); c.faults != "-" && (got != c.faults || len(l.Faults) != 1) ||
				c.faults == "-" && len(l.Faults) > 0 {
				t.Errorf("faults %+v", l.Faults)
			}
			var found []string
			for _, e := range l.Entries {
				found = append(found, e.Path)
			}
			if got := strings.Join(found, " "); got != c.found {
				t.Errorf("found %q", got)
			}
		})
	}
}

// An unmounted disk leaves an empty folder: whatever was found in between must not count as all there is.
func TestRootReplacedDuringTheWalkIsAFault(t *testing.T) {
	root := filepath.Join(tempDir(t), "R")
	write(t, root, "a/x.md", "b.md")
	disk := faulty{after: func(p string) {
		if p == root {
			shell(t, root, "mv ../R ../gone; mkdir ../R")
		}
	}}
	l, err := list(t.Context(), disk, Root{Path: root}, nil)
	if err != nil || len(l.Faults) != 1 || !errors.Is(l.Faults[0].Err, errRootChanged) || l.Faults[0].Path != "" {
		t.Errorf("%+v, %v", l, err)
	}
}

// folding is a disk that finds a file whatever the case of the name asked for.
type folding struct{ OS }

func (d folding) Lstat(p string) (Stat, error) {
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(p), "*"))
	for _, name := range names {
		if strings.EqualFold(name, p) {
			return d.OS.Lstat(name)
		}
	}
	return Stat{}, unix.ENOENT
}

func TestOnlyTheExactNameExistsWhereCaseIsFolded(t *testing.T) {
	root := tempDir(t)
	write(t, root, "Docs/Note.md")
	l, err := list(t.Context(), folding{}, Root{Path: root},
		[]string{"Docs/Note.md", "Docs/note.md", "docs", "docs/Note.md", "DOCS/Note.md"})
	if err != nil || len(l.Faults) > 0 || len(l.Entries) != 1 || l.Entries[0].Path != "Docs/Note.md" {
		t.Errorf("%+v, %v", l, err)
	}
}

// clouded is a disk on which some files are names only.
type clouded struct{ OS }

func (d clouded) ReadDir(p string, pick func(string, Kind) Pick) (Stat, []Dirent, error) {
	st, names, err := d.OS.ReadDir(p, pick)
	for i := range names {
		names[i].Stat.Absent = strings.HasPrefix(names[i].Name, "cloud")
	}
	return st, names, err
}

func TestPlaceholdersOfCloudFilesAreKeptNotRead(t *testing.T) {
	root := tempDir(t)
	write(t, root, "cloud.md", "here.md")
	l, err := list(t.Context(), clouded{}, Root{Path: root}, nil)
	if err != nil || len(l.Entries) != 1 || len(l.Faults) != 1 || l.Faults[0].Path != "cloud.md" {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestListEndsWithItsContext(t *testing.T) {
	root := plant(t, 400)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, Root{Path: root}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestVeryDeepAndVeryLongNamesDontStopTheWalk(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md", strings.Repeat("n", 252)+".md")
	dir, err := unix.Open(root, unix.O_RDONLY, 0)
	for range 25 {
		if err == nil {
			err = unix.Mkdirat(dir, strings.Repeat("d", 200), 0o700)
		}
		below, _ := unix.Openat(dir, strings.Repeat("d", 200), unix.O_RDONLY, 0)
		_ = unix.Close(dir)
		dir = below
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(dir)
	l := list1(t, Root{Path: root})
	if len(l.Entries) != 2 || len(l.Faults) != 1 || !errors.Is(l.Faults[0].Err, unix.ENAMETOOLONG) {
		t.Errorf("%d entries, faults %+v", len(l.Entries), l.Faults)
	}
}
