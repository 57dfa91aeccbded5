package mcp

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// openFiles is how many files this process may have open.
func openFiles(t *testing.T) int {
	t.Helper()
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		t.Fatal(err)
	}
	return int(l.Cur)
}

// Ten thousand connections: as many as allowed are served, the others are told why they are not, and none of those
// served waits.
func TestTenThousandConnections(t *testing.T) {
	const crowd, places = 10000, 200
	if n := openFiles(t); n < crowd+places+1000 {
		t.Skipf("%d open files are allowed here, too few for %d connections", n, crowd)
	}
	s := serve(t, Options{MaxConnections: places})
	inside := make([]*peer, places)
	for i := range inside {
		inside[i] = s.dial(t)
		inside[i].silent()
	}
	for i := places; i < crowd; i++ {
		s.dial(t) // and stays
	}
	start := time.Now()
	for _, p := range inside {
		p.silent()
	}
	if took := time.Since(start); took > time.Duration(places)*50*time.Millisecond {
		t.Errorf("%d pings took %v while the crowd waited", places, took)
	}
	last := s.dial(t)
	if r := last.receive(); r.Error == nil || r.Error.Code != codeServer || !strings.Contains(r.Error.Message, fmt.Sprint(places)) {
		t.Errorf("the last one was told %+v", r.Error)
	}
	if _, err := last.next(guard); !errors.Is(err, io.EOF) {
		t.Errorf("the last one was not closed: %v", err)
	}
	inside[0].conn.Close()
	for { // the place is free a moment later
		p := s.dial(t)
		p.send(ping)
		if r, err := p.next(guard); err == nil && r.Error == nil {
			break
		}
	}
}
