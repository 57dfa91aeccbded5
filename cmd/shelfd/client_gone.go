package main

import (
	"context"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// clientCheck is how often a bridge looks for whoever started it: an orphan is gone within two seconds.
const clientCheck = 500 * time.Millisecond

// clientGone says when whoever started this program is not there any more: it has another parent, or nobody can read
// its output. The end of the input says so as a rule, but not when another child of the dead client has inherited the
// other end of the pipe. (Linux could send a signal instead, but it follows the parent's thread, not its process.)
func clientGone(ctx context.Context, out io.Writer) <-chan struct{} {
	gone := make(chan struct{})
	parent := os.Getppid()
	go func() {
		tick := time.NewTicker(clientCheck)
		defer tick.Stop()
		for os.Getppid() == parent && !unread(out) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		close(gone)
	}()
	return gone
}

// unread says that out is a pipe or a socket that has no reader any more.
func unread(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn() // Fd would make the file blocking
	if err != nil {
		return true // it was closed
	}
	broken := false
	_ = conn.Control(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd)}}
		if n, err := unix.Poll(fds, 0); err == nil && n > 0 {
			broken = fds[0].Revents&(unix.POLLERR|unix.POLLNVAL) != 0
		}
	})
	return broken
}
