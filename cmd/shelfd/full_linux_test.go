package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// innerEnv is set in the copy of a test that runs in namespaces of its own, where it may mount.
const innerEnv = "SHELFD_TEST_INNER"

// inNamespace runs the test again in namespaces in which it may mount, and returns true there. Where the system grants
// none the test is skipped.
func inNamespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(innerEnv) != "" {
		return true
	}
	c := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), innerEnv+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	var ended *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &ended):
		t.Skip("no user namespaces here: ", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("%s", out)
	case !bytes.Contains(out, []byte("--- PASS")):
		t.Errorf("nothing ran:\n%s", out)
	}
	return false
}

// mountSmall puts a disk of so many kilobytes at a folder.
func mountSmall(t *testing.T, folder string, kilobytes int) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", folder, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=700", kilobytes)); err != nil {
		t.Skip("no mounts here: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
}

// A full disk costs no document, nobody waits in silence, and room is all it takes to go on.
func TestAFullDiskIsSaidAndWaitedOut(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	h := newHouse(t, buildProgram(t))
	state := filepath.Join(h.home, "state")
	mountSmall(t, state, 4<<10)
	for n := range 20 {
		h.write(fmt.Sprintf("first/%d.md", n), fmt.Sprintf("# First %d\n\nThe boiler of part %d.\n", n, n))
	}
	stop := h.serve()
	h.must("sync")

	fill(t, filepath.Join(state, "ballast"))
	for n := range 400 {
		h.write(fmt.Sprintf("more/%d.md", n), "# More\n\n"+strings.Repeat(fmt.Sprintf("Word%d pump. ", n), 400))
	}
	for _, args := range [][]string{{"sync"}, {"add", t.TempDir(), "--name", "other"}} {
		complaint := h.fails(args...)
		if !strings.Contains(complaint, "full") && !strings.Contains(complaint, "no space left") || !strings.Contains(complaint, state) {
			t.Errorf("shelfd %v: %q says not which disk is full", args, complaint)
		}
	}
	var report statusReport
	if err := json.Unmarshal(h.must("status", "--json"), &report); err != nil {
		t.Fatal(err)
	}
	if s := report.Shelves[0]; s.State != "degraded" || !strings.Contains(s.Reason, "full") || !strings.Contains(s.Reason, "make room") {
		t.Errorf("%+v", s)
	}
	if out := h.must("search", "boiler"); !bytes.Contains(out, []byte("first/")) {
		t.Errorf("reading ended with writing: %s", out)
	}

	if err := os.Remove(filepath.Join(state, "ballast")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", state, "tmpfs", unix.MS_REMOUNT, "size=65536k,mode=700"); err != nil {
		t.Skip("no remount here: ", err)
	}
	h.comes(20*time.Second, "search", "Word399")
	h.must("sync")
	h.must("check")
	got := h.must("dump")
	stop()
	fresh := *h
	fresh.home = t.TempDir()
	fresh.serve()
	fresh.must("sync")
	if want := fresh.must("dump"); !bytes.Equal(got, want) {
		t.Errorf("the dump is not that of a fresh index: %d bytes, want %d", len(got), len(want))
	}
}

// fill writes a file until nothing goes on the disk any more.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{64 << 10, 4 << 10, 512} {
		for block := make([]byte, size); ; {
			if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// fails runs a command that does not succeed, within ten seconds, and returns what it complains of.
func (h *house) fails(args ...string) string {
	h.t.Helper()
	c := h.command(args...)
	var complaint bytes.Buffer
	c.Stderr = &complaint
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		if err == nil {
			h.t.Errorf("shelfd %v succeeded", args)
		}
	case <-time.After(10 * time.Second):
		_ = c.Process.Kill()
		<-done
		h.t.Errorf("shelfd %v says nothing", args)
	}
	return complaint.String()
}

// comes runs a command again and again until it succeeds with an output.
func (h *house) comes(limit time.Duration, args ...string) {
	h.t.Helper()
	guard := time.After(limit)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		out, err := h.command(args...).Output()
		if err == nil && len(out) > 0 {
			return
		}
		select {
		case <-tick.C:
		case <-guard:
			h.t.Fatalf("shelfd %v: %v, %s after %v", args, err, out, limit)
		}
	}
}
