package watcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

func TestRootRemovedAndMadeAgain(t *testing.T) {
	for _, gap := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 5 * time.Second} {
		for _, what := range []string{"root", "parent"} {
			t.Run(fmt.Sprint(what, gap), func(t *testing.T) {
				t.Parallel()
				if testing.Short() && gap > time.Second {
					t.Skip("slow")
				}
				base := tempDir(t)
				root := filepath.Join(base, "up", "R")
				write(t, root, "old.md", "d/old.md")
				m := startMirror(t, Options{}, Root{Path: root})
				gone := root
				if what == "parent" {
					gone = filepath.Dir(root)
				}
				if err := os.RemoveAll(gone); err != nil {
					t.Fatal(err)
				}
				<-time.After(gap)
				write(t, root, "n.md")
				m.has("n.md")
				m.eventually("watching", func() bool { return m.state().Mode == ModeWatching })
				before := len(m.batches)
				write(t, root, "d/later.md")
				m.has("d/later.md")
				m.matches()
				for _, b := range m.batches[before:] {
					if b.All && b.Reason != reasonReturned && b.Reason != reasonChanged {
						t.Errorf("%+v", b)
					}
				}
			})
		}
	}
}

func TestMissingRootIsWaitedFor(t *testing.T) {
	base := tempDir(t)
	root := filepath.Join(base, "R")
	m := startMirror(t, Options{}, Root{Path: root})
	if s := m.state(); s.Mode != ModeMissing || !strings.Contains(s.Reason, root) {
		t.Errorf("%+v", s)
	}
	write(t, base, "R/a.md")
	m.has("a.md")
	m.eventually("watching", func() bool { return m.state().Mode == ModeWatching })
	shell(t, base, "mv R away; echo no > R")
	m.eventually("a file is no root", func() bool { return m.state().Mode == ModeMissing && m.state().Reason == errNotFolder.Error() })
	m.mu.Lock()
	if _, ok := m.entries["a.md"]; !ok {
		t.Error("absence was taken for deletion")
	}
	m.mu.Unlock()
	shell(t, base, "rm R; mv away R; echo b > R/b.md")
	m.has("b.md")
}

func TestRootsComeAndGo(t *testing.T) {
	a, b := tempDir(t), tempDir(t)
	write(t, a, "a.md", "d/a.md")
	write(t, b, "b.md")
	m := startMirror(t, Options{}, Root{Shelf: "a", Path: a})
	rootA, rootB := m.root, Root{Shelf: "b", Path: b}
	if err := m.watcher.SetRoots([]Root{rootA, rootB}); err != nil {
		t.Fatal(err)
	}
	m.sees("start of b", func(x Batch) bool { return x.Shelf == "b" && x.Reason == reasonStart })
	write(t, b, "new.md")
	m.sees("event in b", func(x Batch) bool { return x.Shelf == "b" && slices.Equal(x.Dirty, []string{"new.md"}) })
	write(t, a, "d/new.md")
	m.has("d/new.md")
	m.watcher.Ask("b")
	m.sees("asked", func(x Batch) bool { return x.Shelf == "b" && x.Reason == reasonAsked })
	m.mu.Lock()
	for _, x := range m.batches[1:] {
		if x.Shelf == "a" && x.All {
			t.Errorf("the unchanged root was disturbed: %+v", x)
		}
	}
	m.mu.Unlock()
	for _, bad := range [][]Root{{rootA, rootA}, {{Shelf: "x", Path: "relative"}}, {{Shelf: "x", Path: "/x", Include: []string{"["}}}} {
		if err := m.watcher.SetRoots(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	if got := m.watcher.States(); len(got) != 2 {
		t.Errorf("after bad roots: %+v", got)
	}
	if err := m.watcher.SetRoots([]Root{rootB}); err != nil {
		t.Fatal(err)
	}
	if watched, _ := m.watcher.reg.count(); watched != 2 || len(m.watcher.States()) != 1 { // b and the folder above
		t.Errorf("%d watches, %+v", watched, m.watcher.States())
	}
}

func TestTwoHundredRootsShareOneSource(t *testing.T) {
	base := tempDir(t)
	var roots []Root
	for i := range 200 {
		write(t, base, fmt.Sprintf("%d/a.md", i))
		roots = append(roots, Root{Shelf: fmt.Sprint(i), Path: filepath.Join(base, fmt.Sprint(i))})
	}
	m := startMirror(t, Options{}, roots[0])
	before := inotifies(t)
	if err := m.watcher.SetRoots(append(roots[1:], m.root)); err != nil {
		t.Fatal(err)
	}
	m.eventually("all start", func() bool { return len(m.batches) >= 200 })
	if after := inotifies(t); after != before {
		t.Errorf("%d instances more", after-before)
	}
	write(t, base, "137/new.md")
	m.sees("event", func(b Batch) bool { return b.Shelf == "137" && slices.Equal(b.Dirty, []string{"new.md"}) })
}

func inotifies(t *testing.T) (n int) {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here: ", err)
	}
	for _, name := range names {
		if to, _ := os.Readlink("/proc/self/fd/" + name.Name()); strings.Contains(to, "inotify") {
			n++
		}
	}
	return n
}

func TestFilesCostNoDescriptors(t *testing.T) {
	root := tempDir(t)
	for i := range 2000 {
		write(t, root, fmt.Sprintf("n%d.md", i))
	}
	before, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here: ", err)
	}
	m := startMirror(t, Options{}, Root{Path: root})
	m.matches()
	after, _ := os.ReadDir("/proc/self/fd")
	if len(after) > len(before)+10 {
		t.Errorf("%d descriptors, %d before", len(after), len(before))
	}
}

func TestOverflowLooksEverywhereAndFindsNewFolders(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md")
	source := newScripted(0)
	m := startMirror(t, Options{Source: source}, Root{Path: root})
	write(t, root, "x/y/n.md") // no events come
	source.faults <- fsnotify.ErrEventOverflow
	m.has("x/y/n.md")
	m.matches()
	if s := m.state(); s.Overflows != 1 || s.Mode != ModeWatching || s.Watches != 3 {
		t.Errorf("%+v", s)
	}
	source.faults <- errors.New("strange")
	m.sees("watch error", func(b Batch) bool { return b.All && b.Reason == "watch error: strange" })
	source.events <- fsnotify.Event{Name: filepath.Join(root, "x/y/n.md"), Op: fsnotify.Write}
	m.sees("event", func(b Batch) bool { return slices.Equal(b.Dirty, []string{"x/y/n.md"}) })
}

func TestPolledRoot(t *testing.T) {
	root := tempDir(t)
	write(t, root, "n.md: teh")
	m := startMirror(t, Options{}, Root{Path: root, Watch: WatchPoll, PollInterval: 30 * time.Millisecond})
	if s := m.state(); s.Mode != ModePolling || s.Watches != 0 {
		t.Errorf("%+v", s)
	}
	write(t, root, "n.md: the", "new/x.md")
	m.has("new/x.md")
	m.matches()
}

// remote is a disk that says to be a network's.
type remote struct{ OS }

func (remote) Remote(string) (string, bool) { return "nfs", true }

func TestNetworkFileSystemIsPolledUnlessToldOtherwise(t *testing.T) {
	root := tempDir(t)
	for mode, want := range map[Watch]Mode{WatchAuto: ModePolling, WatchNotify: ModeWatching} {
		m := startMirror(t, Options{Disk: remote{}}, Root{Path: root, Watch: mode})
		if s := m.state(); s.Mode != want || want == ModePolling && !strings.Contains(s.Reason, "nfs") {
			t.Errorf("%v: %+v", mode, s)
		}
	}
}

func TestTooManyFilesForTheBudgetArePolled(t *testing.T) {
	base := tempDir(t)
	for i := range 40 {
		write(t, base, fmt.Sprintf("big/%d/n.md", i), fmt.Sprintf("small/%d.md", i))
	}
	m := startMirror(t, Options{FileBudget: 60}, Root{Shelf: "big", Path: filepath.Join(base, "big")})
	if s := m.state(); s.Mode != ModePolling || !strings.Contains(s.Reason, "60") {
		t.Errorf("%+v", s)
	}
	small := Root{Shelf: "small", Path: filepath.Join(base, "small")}
	other := Root{Shelf: "other", Path: filepath.Join(base, "other")}
	write(t, base, "other/a.md")
	if err := m.watcher.SetRoots([]Root{small, other}); err != nil {
		t.Fatal(err)
	}
	m.eventually("both fit", func() bool {
		s := m.watcher.States()
		return s["small"].Mode == ModeWatching && s["other"].Mode == ModeWatching
	})
	if m.watcher.reg.budget != 60-41 {
		t.Errorf("%d are left", m.watcher.reg.budget)
	}
}

// In time that only passes when nothing else is to be done, a day goes by at once.
func TestIdleWatcherWakesUpRarely(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md")
	synctest.Test(t, func(t *testing.T) {
		source := newScripted(0)
		w, err := Open(Options{Source: source})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.SetRoots([]Root{{Shelf: "s", Path: root}}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		batches, ended := make(chan Batch), make(chan error, 1)
		go func() { ended <- w.Run(ctx, batches) }()
		begin := time.Now()
		if b := <-batches; b.Reason != reasonStart {
			t.Errorf("%+v", b)
		}
		b := <-batches
		if passed := time.Since(begin); b.Reason != reasonPeriodic || passed < 9*time.Minute || passed > 11*time.Minute {
			t.Errorf("%+v after %s", b, passed)
		}
		name := filepath.Join(root, "a.md")
		begin = time.Now()
		go func() {
			for time.Since(begin) < 3*time.Second {
				source.events <- fsnotify.Event{Name: name, Op: fsnotify.Write}
				<-time.After(10 * time.Millisecond)
			}
		}()
		b = <-batches
		if passed := time.Since(begin); !slices.Equal(b.Dirty, []string{"a.md"}) || passed != time.Second || !b.First.Equal(begin) {
			t.Errorf("%+v after %s", b, passed)
		}
		for range 2 { // the receiver is busy, then takes what has gathered
			<-time.After(10 * time.Second)
			if b = <-batches; !slices.Equal(b.Dirty, []string{"a.md"}) {
				t.Errorf("%+v", b)
			}
			source.events <- fsnotify.Event{Name: name, Op: fsnotify.Write}
		}
		if b = <-batches; !slices.Equal(b.Dirty, []string{"a.md"}) {
			t.Errorf("%+v", b)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestOverflowStormIsAnsweredRarely(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md")
	synctest.Test(t, func(t *testing.T) {
		source := newScripted(0)
		w, _ := Open(Options{Source: source, Reconcile: -1})
		_ = w.SetRoots([]Root{{Shelf: "s", Path: root}})
		ctx, cancel := context.WithCancel(t.Context())
		batches, ended := make(chan Batch), make(chan error, 1)
		go func() { ended <- w.Run(ctx, batches) }()
		<-batches
		rescans := 0
		begin := time.Now()
		go func() {
			for range 1000 {
				source.faults <- fsnotify.ErrEventOverflow
				<-time.After(300 * time.Millisecond)
			}
		}()
		for end := time.After(5 * time.Minute); time.Since(begin) < 5*time.Minute; {
			select {
			case b := <-batches:
				if b.Reason != reasonOverflow {
					t.Errorf("%+v", b)
				}
				rescans++
			case <-end:
			}
		}
		if rescans > 10 || rescans < 5 {
			t.Errorf("%d rescans", rescans)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// stuck is a disk that stops answering.
type stuck struct {
	OS
	path string
	hold chan struct{}
}

func (d stuck) Stat(p string) (Stat, error) {
	if p == d.path {
		<-d.hold
	}
	return d.OS.Stat(p)
}

func TestDiskThatHangsHoldsUpItsRootOnly(t *testing.T) {
	root := tempDir(t)
	synctest.Test(t, func(t *testing.T) {
		disk := stuck{path: root, hold: make(chan struct{})}
		w, _ := Open(Options{Source: newScripted(0), Disk: disk})
		_ = w.SetRoots([]Root{{Shelf: "hangs", Path: root, Watch: WatchPoll}, {Shelf: "missing", Path: root + "-gone"}})
		ctx, cancel := context.WithCancel(t.Context())
		batches, ended := make(chan Batch), make(chan error, 1)
		go func() { ended <- w.Run(ctx, batches) }()
		if b := <-batches; b.Shelf != "missing" {
			t.Errorf("%+v", b)
		}
		<-time.After(patience + time.Second)
		if s := w.States()["hangs"]; s.Mode != ModeMissing || s.Reason != "the disk gives no answer" {
			t.Errorf("%+v", s)
		}
		close(disk.hold)
		if b := <-batches; b.Shelf != "hangs" || b.Reason != reasonStart {
			t.Errorf("%+v", b)
		}
		if s := w.States()["hangs"]; s.Mode != ModePolling {
			t.Errorf("%+v", s)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestIgnoredFoldersCauseNothing(t *testing.T) {
	root := tempDir(t)
	write(t, root, "build/a.md", gitignoreName+": build/\n*.tmp.md\n", ".git/x.md")
	m := startMirror(t, Options{}, Root{Path: root})
	for i := range 100 {
		write(t, root, fmt.Sprintf("build/%d.md", i), ".git/x.md", fmt.Sprintf("%d.tmp.md", i), fmt.Sprintf("%d.swp", i))
	}
	write(t, root, "probe.md")
	m.has("probe.md")
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.batches) != 2 || len(m.batches[1].Dirty) != 1 || m.watcher.States()["notes"].Watches != 1 {
		t.Errorf("%+v", m.batches)
	}
}

// moody is a disk on which one folder can't be read for a time.
type moody struct {
	OS
	path string
	bad  *atomic.Bool
}

func (d moody) ReadDir(p string, pick func(string, Kind) Pick) (Stat, []Dirent, error) {
	if p == d.path && d.bad.Load() {
		return Stat{}, nil, unix.EIO
	}
	return d.OS.ReadDir(p, pick)
}

func TestFolderThatCannotBeReadIsPolledUntilItCan(t *testing.T) {
	root := tempDir(t)
	write(t, root, "d/e/n.md", "a.md")
	var bad atomic.Bool
	bad.Store(true)
	disk := moody{path: filepath.Join(root, "d"), bad: &bad}
	m := startMirror(t, Options{Disk: disk}, Root{Path: root, PollInterval: 50 * time.Millisecond})
	m.has("a.md")
	if s := m.state(); s.Mode != ModeDegraded || !strings.Contains(s.Reason, unix.EIO.Error()) {
		t.Errorf("%+v", s)
	}
	bad.Store(false)
	m.has("d/e/n.md")
	m.eventually("watching", func() bool { return m.state().Mode == ModeWatching && m.state().Watches == 3 })
	m.matches()
}

func TestFolderAboveTheRootIsRenamed(t *testing.T) {
	base := tempDir(t)
	root := filepath.Join(base, "up", "R")
	write(t, root, "a.md")
	m := startMirror(t, Options{}, Root{Path: root})
	shell(t, base, "mv up away")
	m.eventually("missing", func() bool { return m.state().Mode == ModeMissing })
	shell(t, base, "mv away up")
	write(t, root, "b.md")
	m.has("b.md")
	m.matches()
	m.watchesAgree()
}

// unheard is a Source that has something to say whenever a watch is given up, and until it is heard or closed does
// nothing else: as fsnotify's does, which holds its lock meanwhile.
type unheard struct {
	*scripted
	closed chan struct{}
	once   sync.Once
}

func (u *unheard) Remove(folder string) error {
	select {
	case u.faults <- errors.New("a watch that the kernel has dropped"):
	case <-u.closed:
	}
	return u.scripted.Remove(folder)
}

func (u *unheard) Close() error {
	u.once.Do(func() { close(u.closed) })
	return nil
}

func TestASourceThatWaitsToBeHeardDoesNotHoldUpTheEnd(t *testing.T) {
	root := tempDir(t)
	write(t, root, "in/a.md")
	synctest.Test(t, func(t *testing.T) {
		w, err := Open(Options{Source: &unheard{scripted: newScripted(0), closed: make(chan struct{})}, Reconcile: -1})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.SetRoots([]Root{{Shelf: "s", Path: root}}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		batches, ended := make(chan Batch), make(chan error, 1)
		go func() { ended <- w.Run(ctx, batches) }()
		<-batches
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
