package access

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// secretFolder holds files with these modes, the folder shut among them, and tells their paths.
func secretFolder(t *testing.T) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "modes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var paths []string
	for _, f := range []struct {
		path   string
		folder os.FileMode
		mode   os.FileMode
	}{{"open/all.md", 0o755, 0o644}, {"open/own.md", 0o755, 0o600}, {"open/group.md", 0o755, 0o640}, {"shut/all.md", 0o700, 0o644}} {
		path := filepath.Join(dir, f.path)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte("# A\n"), 0o600)
		}
		for _, failed := range []error{err, os.Chown(path, 0, 8), os.Chmod(path, f.mode), os.Chmod(filepath.Dir(path), f.folder), os.Chmod(dir, 0o755)} {
			if failed != nil {
				t.Fatal(failed)
			}
		}
		paths = append(paths, path)
	}
	return append(paths, filepath.Join(dir, "open/gone.md"))
}

func checkReadable(t *testing.T, paths []string) {
	t.Helper()
	for who, want := range map[string]string{"2": "true false false false false", "2 in mail": "true false true false false"} {
		w := Who{UID: 2, GIDs: []int{2}}
		if strings.HasSuffix(who, "mail") {
			w.GIDs = append(w.GIDs, 8)
		}
		readable := readableBy(w)
		if readable == nil {
			t.Fatal("this program can't become others")
		}
		got, err := readable(t.Context(), paths)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, ok := range got {
			words = append(words, map[bool]string{true: "true", false: "false"}[ok])
		}
		if s := strings.Join(words, " "); s != want {
			t.Errorf("user %s reads %s, want %s", who, s, want)
		}
	}
	for _, path := range paths[:4] { // every other thread is who it was
		if f, err := os.Open(path); err != nil {
			t.Errorf("this program lost its rights: %v", err)
		} else {
			f.Close()
		}
	}
}

func TestTheKernelIsAskedAsTheUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	paths := secretFolder(t)
	for range 20 {
		checkReadable(t, paths)
	}
	if _, err := readableBy(Who{UID: 0, GIDs: []int{0}})(t.Context(), paths); err == nil {
		t.Error("root was asked for")
	}
}

// TestTheSystemServiceAsksAsTheUser: a user of its own with the capabilities of the unit, among them the one to read
// everything, which must not count.
func TestTheSystemServiceAsksAsTheUser(t *testing.T) {
	const places = "SHELFD_TEST_PLACES"
	if list := os.Getenv(places); list != "" {
		checkReadable(t, strings.Split(list, "\n"))
		return
	}
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	paths := secretFolder(t)
	program := filepath.Join(filepath.Dir(filepath.Dir(paths[0])), "program") // where others may start it
	binary, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(program, binary, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.run=TestTheSystemServiceAsksAsTheUser$", "-test.v")
	c.Env = append(os.Environ(), places+"="+strings.Join(paths, "\n"))
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{
		Credential:  &syscall.Credential{Uid: 3, Gid: 3},
		AmbientCaps: []uintptr{unix.CAP_DAC_READ_SEARCH, unix.CAP_SETUID, unix.CAP_SETGID},
	}
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}
