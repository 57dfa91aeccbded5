package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrAlreadyServing says that another process answers on the socket.
var ErrAlreadyServing = errors.New("another daemon answers on this socket")

// maxSocketPath is what the kernel's address holds, its closing zero left out: 107 bytes on Linux, 103 on macOS.
const maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// Listen makes a Unix socket at path that only this user can open. A missing folder is made (0700); a folder that
// others can write to is refused, unless it is sticky. A socket nobody answers on is replaced; one that is answered
// gives ErrAlreadyServing; anything else at path is refused and left alone.
func Listen(path string) (net.Listener, error) {
	l, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("mcp: listen %q: %w", path, err)
	}
	return l, nil
}

func listen(path string) (net.Listener, error) {
	if n := len(path); n > maxSocketPath {
		return nil, fmt.Errorf("the path has %d bytes, a socket path holds at most %d; choose a shorter one with --socket", n, maxSocketPath)
	}
	path, err := filepath.Abs(path) // Go would take a leading @ for an abstract socket, which has no permissions
	if err != nil {
		return nil, err
	}
	if n := len(path); n > maxSocketPath {
		return nil, fmt.Errorf("the absolute path %q has %d bytes, a socket path holds at most %d; choose a shorter one with --socket", path, n, maxSocketPath)
	}
	unlock, err := lockFolder(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := removeStale(path); err != nil {
		return nil, err
	}
	return bindPrivate(path)
}

// lockFolder sees to a private folder and holds it while the socket is looked at and made: of two daemons that start
// at once the second must not take the first one's socket for stale. A lock on the folder itself leaves no file.
func lockFolder(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock folder %q: %w", dir, err)
	}
	return func() { f.Close() }, nil
}

func checkFolder(dir string) error {
	st, err := os.Stat(dir)
	if err != nil {
		return err
	}
	owner := st.Sys().(*syscall.Stat_t).Uid
	sticky := st.Mode()&fs.ModeSticky != 0
	switch {
	case !st.IsDir():
		return fmt.Errorf("%q is not a folder", dir)
	case int(owner) != os.Getuid() && !(sticky && owner == 0):
		return fmt.Errorf("the folder %q belongs to user %d, not to user %d; choose another place with --socket", dir, owner, os.Getuid())
	case st.Mode().Perm()&0o022 != 0 && !sticky:
		return fmt.Errorf("others can write to the folder %q (mode %04o); run: chmod go-w %q", dir, st.Mode().Perm(), dir)
	}
	return nil
}

// removeStale makes room at path. Only a socket that refuses connections is stale: a timeout or a missing permission
// may hide a living daemon.
func removeStale(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("there is something that is not a socket (%s); move it away or choose another path", st.Mode().Type())
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	switch {
	case err == nil:
		conn.Close()
		return ErrAlreadyServing
	case errors.Is(err, syscall.ECONNREFUSED):
		return os.Remove(path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("cannot tell whether a daemon answers there: %w", err)
}

// bindPrivate binds with mode 0600 from the first moment and refuses to serve with any other.
func bindPrivate(path string) (net.Listener, error) {
	l, err := bind(path)
	if err != nil {
		return nil, err
	}
	st, err := os.Lstat(path)
	if err == nil && st.Mode().Perm() != 0o600 {
		err = fmt.Errorf("the socket has mode %04o instead of 0600: the file system ignores permissions; choose another place with --socket", st.Mode().Perm())
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
