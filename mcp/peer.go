package mcp

import (
	"errors"
	"net"
	"syscall"
)

// Peer is the process at the other end of a Unix socket.
type Peer struct {
	UID, GID, PID int
	Groups        []int // besides GID; empty where the system does not tell them
	Known         bool  // false: the connection carries no credentials
}

func peerOf(c net.Conn) Peer {
	if _, ok := c.(*net.UnixConn); !ok {
		return Peer{}
	}
	peer, err := credentials(c)
	if err != nil {
		return Peer{UID: -1, Known: true} // asked for and not told: nobody's
	}
	return peer
}

// control runs f on the file descriptor of c. Connections without one give an error.
func control(c net.Conn, f func(fd int)) error {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return errors.ErrUnsupported
	}
	rc, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	return rc.Control(func(fd uintptr) { f(int(fd)) })
}
