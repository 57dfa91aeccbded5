package mcp

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// bind makes the socket under a umask that leaves 0600. The umask is the whole process's: it is changed for the one
// system call only, and Listen is called once, before anything else writes.
func bind(path string) (net.Listener, error) {
	before := syscall.Umask(0o177)
	defer syscall.Umask(before)
	return net.Listen("unix", path)
}

// hungUp cannot tell a peer that is gone from one that is done with sending: macOS reports both alike. A peer that is
// gone is then noticed when something is written to it.
func hungUp(c net.Conn) bool {
	_, ok := c.(syscall.Conn)
	return !ok
}

func credentials(c net.Conn) (Peer, error) {
	var peer Peer
	var failed error
	err := control(c, func(fd int) {
		var u *unix.Xucred
		if u, failed = unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED); failed != nil {
			return
		}
		peer = Peer{UID: int(u.Uid), GID: int(u.Groups[0]), Known: true}         // sixteen groups are told at most: they are looked up
		peer.PID, _ = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID) // for the log only
	})
	if err == nil {
		err = failed
	}
	return peer, err
}
