package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
)

// Serve accepts connections on l until ctx ends, then closes l, lets calls in flight finish within the grace and
// returns nil after every session has ended. Any other end of l is an error.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	closing := context.AfterFunc(ctx, func() { l.Close() })
	defer closing()
	defer s.news.rest()
	var sessions sync.WaitGroup
	defer sessions.Wait()
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			sessions.Go(func() { s.ServeConn(ctx, conn) })
		case ctx.Err() != nil:
			return nil
		case !outOfFiles(err):
			stop()
			return fmt.Errorf("mcp: accept on %q: %w", l.Addr(), err)
		default:
			s.log.Warn("no more connections for now: out of file descriptors")
			pause(ctx, 100*time.Millisecond)
		}
	}
}

func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED)
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
