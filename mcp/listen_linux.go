package mcp

import (
	"context"
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bind takes the mode of the new file from the mode of the unbound socket, as Linux does: no umask of the whole
// process has to change, which would hit folders made at the same moment elsewhere.
func bind(path string) (net.Listener, error) {
	private := func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = unix.Fchmod(int(fd), 0o600) })
		if err == nil {
			err = failed
		}
		return err
	}
	config := net.ListenConfig{Control: private}
	return config.Listen(context.Background(), "unix", path)
}

// hungUp says that the peer is gone altogether, not merely done with sending.
func hungUp(c net.Conn) bool {
	gone := false
	err := control(c, func(fd int) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		if n, err := unix.Poll(fds, 0); err == nil && n > 0 {
			gone = fds[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
		}
	})
	return gone || err != nil
}

func credentials(c net.Conn) (Peer, error) {
	var peer Peer
	var failed error
	err := control(c, func(fd int) {
		var u *unix.Ucred
		if u, failed = unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); failed == nil {
			peer = Peer{UID: int(u.Uid), GID: int(u.Gid), PID: int(u.Pid), Groups: peerGroups(fd), Known: true}
		}
	})
	if err == nil {
		err = failed
	}
	return peer, err
}

// peerGroups are the supplementary groups of the process that connected, nil where the kernel does not tell (before 4.13).
func peerGroups(fd int) []int {
	const most = 65536 // NGROUPS_MAX
	groups := make([]uint32, 64)
	for len(groups) <= most {
		size := uint32(4 * len(groups))
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_PEERGROUPS,
			uintptr(unsafe.Pointer(&groups[0])), uintptr(unsafe.Pointer(&size)), 0)
		switch errno {
		case 0:
			list := make([]int, size/4)
			for i := range list {
				list[i] = int(groups[i])
			}
			return list
		case unix.ERANGE: // size says how many there are
			groups = make([]uint32, max(int(size/4), 2*len(groups)))
		default:
			return nil
		}
	}
	return nil
}
