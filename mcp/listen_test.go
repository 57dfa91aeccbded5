package mcp

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// shortDir is a folder whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestListenMakesAPrivateSocketInAPrivateFolder(t *testing.T) {
	dir := filepath.Join(shortDir(t), "a", "b")
	path := filepath.Join(dir, "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]fs.FileMode{path: 0o600 | fs.ModeSocket, dir: 0o700 | fs.ModeDir} {
		if st, err := os.Lstat(name); err != nil || st.Mode() != want {
			t.Errorf("%s: mode %v, want %v (%v)", name, st.Mode(), want, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder holds more than the socket: %v", entries)
	}
}

func TestListenRefusesAPathTooLongForASocket(t *testing.T) {
	dir := shortDir(t)
	longest := filepath.Join(dir, strings.Repeat("x", maxSocketPath-len(dir)-1))
	l, err := Listen(longest)
	if err != nil {
		t.Errorf("%d bytes must do: %v", len(longest), err)
	} else {
		l.Close()
	}
	_, err = Listen(longest + "x")
	if err == nil || !strings.Contains(err.Error(), "108 bytes") || !strings.Contains(err.Error(), "107") {
		t.Errorf("the error must name length and limit: %v", err)
	}
}

func TestListenReplacesASocketNobodyAnswersOn(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false) // as after kill -9
	left.Close()
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestListenFindsALivingDaemon(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Listen(path); !errors.Is(err, ErrAlreadyServing) {
		t.Errorf("got %v", err)
	}
	if c, err := net.Dial("unix", path); err != nil {
		t.Errorf("the first daemon must stay reachable: %v", err)
	} else {
		c.Close()
	}
}

func TestListenNeverDeletesWhatIsNotASocket(t *testing.T) {
	dir := shortDir(t)
	file, folder, link := filepath.Join(dir, "file"), filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, folder, link} {
		if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "not a socket") {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone: %v", path, err)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != "precious" {
		t.Errorf("the file was changed: %q", text)
	}
}

func TestListenRefusesAFolderThatOthersCanWriteTo(t *testing.T) {
	dir := shortDir(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(filepath.Join(dir, "s")); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("the error must say what to do: %v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(filepath.Join(dir, "s"))
	if err != nil {
		t.Errorf("a folder others can only look into will do: %v", err)
		return
	}
	l.Close()
}

func TestOfTwoStartsAtOnceOneWins(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	for range 20 {
		left, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		left.SetUnlinkOnClose(false)
		left.Close()
		var mu sync.Mutex
		var winners []net.Listener
		var starts sync.WaitGroup
		for range 8 {
			starts.Go(func() {
				l, err := Listen(path)
				if err != nil && !errors.Is(err, ErrAlreadyServing) {
					t.Errorf("unexpected: %v", err)
				}
				if l != nil {
					mu.Lock()
					defer mu.Unlock()
					winners = append(winners, l)
				}
			})
		}
		starts.Wait()
		if len(winners) != 1 {
			t.Fatalf("%d winners", len(winners))
		}
		winners[0].Close()
	}
}
