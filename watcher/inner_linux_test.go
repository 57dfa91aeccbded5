package watcher

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// innerEnv is set in a copy of the test program that runs one test under other conditions.
const innerEnv = "WATCHER_TEST_INNER"

// inner runs the test once more, in a process with the given attributes, and returns true in that process.
func inner(t *testing.T, attr *syscall.SysProcAttr) bool {
	t.Helper()
	if os.Getenv(innerEnv) != "" {
		return true
	}
	dir, err := os.MkdirTemp("", "inner")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(dir, "scratch") // for others: whoever the test becomes may not write to ours
	if err := errors.Join(os.Mkdir(scratch, 0o777), os.Chmod(scratch, 0o777)); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "test")
	if err := copyProgram(program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.SysProcAttr = "/", attr
	cmd.Env = append(os.Environ(), innerEnv+"=1", "TMPDIR="+scratch)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skip("can't run under other conditions here: ", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	case !strings.Contains(string(out), "--- PASS"):
		t.Errorf("nothing ran:\n%s", out)
	}
	return false
}

func copyProgram(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

func nobody() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

func TestUnreadableFolderKeepsTheRestAndComesBack(t *testing.T) {
	if !inner(t, nobody()) {
		return
	}
	root := filepath.Join(tempDir(t), "R")
	write(t, root, "x/a.md", "y.md")
	m := startMirror(t, Options{}, Root{Path: root})
	shell(t, root, "chmod 000 x")
	t.Cleanup(func() { shell(t, root, "chmod 755 x") })
	write(t, root, "later.md")
	m.has("later.md")
	l := list1(t, Root{Path: root})
	if len(l.Entries) != 2 || len(l.Faults) != 1 || !errors.Is(l.Faults[0].Err, syscall.EACCES) {
		t.Errorf("%+v", l)
	}
	m.mu.Lock()
	if _, ok := m.entries["x/a.md"]; !ok {
		t.Error("what can't be read was taken for deleted")
	}
	m.mu.Unlock()
	other := startMirror(t, Options{}, Root{Path: root}) // starts while x is closed
	other.has("y.md")
	shell(t, root, "chmod 755 x; echo b > x/b.md")
	m.matches()
	other.matches()

	shell(t, root, "chmod 000 .")
	m.eventually("unreadable root", func() bool { return m.state().Mode == ModeMissing && strings.Contains(m.state().Reason, "denied") })
	shell(t, "/", "chmod 755 "+root)
	write(t, root, "end.md")
	m.has("end.md")
	m.matches()
}

func TestRealWatchLimit(t *testing.T) {
	if !inner(t, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}) {
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("8"), 0o600); err != nil {
		t.Skip("the limit can't be set here: ", err)
	}
	root := tempDir(t)
	for i := range 20 {
		write(t, root, fmt.Sprintf("d%02d/n.md", i))
	}
	m := startMirror(t, Options{}, Root{Path: root, PollInterval: 100 * time.Millisecond})
	s := m.state()
	if s.Mode != ModeDegraded || !strings.Contains(s.Reason, "inotify limit reached (8); raise fs.inotify.max_user_watches") ||
		!strings.Contains(s.Reason, "to 22") {
		t.Errorf("%+v", s)
	}
	for i := range 20 {
		write(t, root, fmt.Sprintf("d%02d/new.md", i))
	}
	m.matches()
	if err := os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("100"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.eventually("recovery", func() bool { return m.state().Mode == ModeWatching })
}

func TestRealInstanceLimit(t *testing.T) {
	if !inner(t, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}) {
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_inotify_instances", []byte("0"), 0o600); err != nil {
		t.Skip("the limit can't be set here: ", err)
	}
	root := tempDir(t)
	write(t, root, "a.md")
	m := startMirror(t, Options{}, Root{Path: root, PollInterval: 50 * time.Millisecond})
	if s := m.state(); s.Mode != ModePolling || !strings.Contains(s.Reason, "fs.inotify.max_user_instances") {
		t.Errorf("%+v", s)
	}
	write(t, root, "b.md")
	m.has("b.md")
}

func TestNetworkFileSystemsAreKnownByTheirNumbers(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0xff534d42: "cifs", 0xfe534d42: "smb", 0x517b: "smb", 0x65735546: "fuse", 0x01021997: "9p",
		0x786f4256: "vboxsf", 0x5346414f: "afs", 0x00c36400: "ceph", 0x53464846: "wslfs",
	} {
		if name, remote := remoteMagic(magic); name != want || !remote {
			t.Errorf("%#x: %s, %t", magic, name, remote)
		}
	}
	for _, magic := range []uint32{0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1} { // ext4 btrfs xfs tmpfs overlay zfs
		if name, remote := remoteMagic(magic); remote {
			t.Errorf("%#x: %s", magic, name)
		}
	}
}

// Mounts cause no event.
func TestRootOnAnotherDiskIsNoticed(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md")
	m := startMirror(t, Options{}, Root{Path: root})
	if err := unix.Mount("none", root, "tmpfs", 0, ""); err != nil {
		t.Skip("no mounts here: ", err)
	}
	mounted := true
	unmount := func() {
		if mounted {
			_ = unix.Unmount(root, unix.MNT_DETACH)
		}
		mounted = false
	}
	t.Cleanup(unmount)
	m.watcher.Hasten(m.root.Shelf, true)
	m.sees("mount", func(b Batch) bool { return b.Reason == reasonChanged })
	write(t, root, "on-the-disk.md")
	m.has("on-the-disk.md")
	before := len(m.batches)
	unmount()
	m.eventually("unmount", func() bool {
		return slices.ContainsFunc(m.batches[before:], func(b Batch) bool { return b.Reason == reasonChanged })
	})
	m.matches()
}

func TestOutOfWatchesPollsTheRestAndSaysWhatToDo(t *testing.T) {
	root := tempDir(t)
	for i := range 20 {
		write(t, root, fmt.Sprintf("d%02d/n.md", i))
	}
	source := newScripted(8)
	m := startMirror(t, Options{Source: source}, Root{Path: root, PollInterval: 50 * time.Millisecond})
	s := m.state()
	if s.Mode != ModeDegraded || s.Watches != 7 || !strings.Contains(s.Reason, "fs.inotify.max_user_watches") { // the eighth is above the root
		t.Errorf("%+v", s)
	}
	limit := min(readLimit("/proc/sys/fs/inotify/max_user_watches"), readLimit("/proc/sys/user/max_inotify_watches"))
	if want := fmt.Sprintf("(%d)", limit); !strings.Contains(s.Reason, want) || !strings.Contains(s.Reason, fmt.Sprint(limit+14)) {
		t.Errorf("%q names not %s and %d", s.Reason, want, limit+14)
	}
	for i := range 20 {
		write(t, root, fmt.Sprintf("d%02d/new.md", i))
	}
	// Of watched folders no events come here: the polled ones must be found.
	m.eventually("polled", func() bool {
		n := 0
		for p := range m.entries {
			if strings.HasSuffix(p, "new.md") {
				n++
			}
		}
		return n >= 13
	})
	source.raise(0)
	m.eventually("recovery", func() bool { return m.state().Mode == ModeWatching && m.state().Watches == 21 })
	if got := source.count(); got != 22 {
		t.Errorf("%d watches", got)
	}
	changes := m.logs.FilterMessageSnippet("shelf is").Len()
	if changes > 4 {
		t.Errorf("%d lines about the state", changes)
	}
}

func TestOutOfDescriptorsPolls(t *testing.T) {
	root := tempDir(t)
	write(t, root, "a.md")
	source := newScripted(1)
	source.err = unix.EMFILE
	m := startMirror(t, Options{Source: source}, Root{Path: root, PollInterval: 50 * time.Millisecond})
	if s := m.state(); s.Mode != ModePolling || !strings.Contains(s.Reason, "max_user_instances") {
		t.Errorf("%+v", s)
	}
	write(t, root, "b.md")
	m.has("b.md")
}
