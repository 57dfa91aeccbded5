package service

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// socketName is the name of the socket in the units and in the plist.
const socketName = "mcp"

// firstFD is where sd_listen_fds(3) begins to hand over.
const firstFD = 3

// Activated is the listening socket that the service manager holds for this process, nil when it holds none. The
// variables that announced it are cleared, so that no child takes it for its own; a second call finds nothing.
func Activated() (*os.File, error) {
	files, err := handedOver()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	chosen := slices.IndexFunc(files, func(f *os.File) bool { return f.Name() == socketName })
	if chosen < 0 && len(files) == 1 {
		chosen = 0
	}
	for i, f := range files {
		if i != chosen {
			f.Close()
		}
	}
	if chosen < 0 {
		return nil, fmt.Errorf("service: %d sockets were handed over, and none is called %q", len(files), socketName)
	}
	return files[chosen], nil
}

// Listener accepts what comes to a socket of the service manager. Closing it leaves both f and the file of the socket
// alone, which is the manager's: the next listener, and the next start, get the same one.
func Listener(f *os.File) (net.Listener, error) {
	l, err := listenerOf(f)
	if err != nil {
		return nil, fmt.Errorf("service: socket %q of the service manager: %w", f.Name(), err)
	}
	return l, nil
}

// handedOver are the files of the service manager, by their names. systemd's protocol comes first on every system: it
// is what systemd-socket-activate and its relatives elsewhere speak.
func handedOver() ([]*os.File, error) {
	pid, count, names := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS"), os.Getenv("LISTEN_FDNAMES")
	if pid != strconv.Itoa(os.Getpid()) { // Meant for a process above us, which left them in the environment.
		return fromLaunchd()
	}
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"} {
		if err := os.Unsetenv(name); err != nil {
			return nil, fmt.Errorf("service: %w", err)
		}
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 || n > 64 {
		return nil, fmt.Errorf("service: LISTEN_FDS=%q: want the number of sockets", count)
	}
	called := strings.Split(names, ":")
	files := make([]*os.File, n)
	for i := range files {
		syscall.CloseOnExec(firstFD + i)
		name := "unknown"
		if i < len(called) {
			name = called[i]
		}
		files[i] = os.NewFile(uintptr(firstFD+i), name)
	}
	return files, nil
}

// listenerOf makes a listener of a file that must be a listening stream socket in the file system.
func listenerOf(f *os.File) (net.Listener, error) {
	if waits, err := listens(f); err != nil || !waits {
		return nil, errors.Join(errors.New("does not listen; ListenStream= and Accept=no are wanted"), err)
	}
	l, err := net.FileListener(f)
	if err != nil {
		return nil, err
	}
	local, ok := l.(*net.UnixListener)
	if !ok {
		l.Close()
		return nil, fmt.Errorf("is %s, where a Unix socket is wanted", l.Addr().Network())
	}
	local.SetUnlinkOnClose(false)
	return local, nil
}

// listens says whether the socket waits for connections rather than being one.
func listens(f *os.File) (bool, error) {
	v, err := syscall.GetsockoptInt(int(f.Fd()), syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN)
	return v != 0, err
}
