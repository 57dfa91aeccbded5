package mcp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// aside is the socket that a child process of this test fills with connections.
const aside = "SHELFD_TEST_CROWD"

// TestACrowdOfOneProcess is such a child: a process may have few files open, so the crowd comes from several.
func TestACrowdOfOneProcess(t *testing.T) {
	socket := os.Getenv(aside)
	if socket == "" {
		t.Skip("a part of TestTenThousandConnections")
	}
	for range crowdOfOne {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	fmt.Println("here")
	_, _ = io.Copy(io.Discard, os.Stdin) // and stays until the parent has seen enough
}

// crowdOfOne is how many connections one child makes: with any usual limit it may.
const crowdOfOne = 700

// crowdAround connects from another process and returns when all its connections are made. They stay until the test ends.
func (s *served) crowdAround(t *testing.T) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestACrowdOfOneProcess$")
	child.Env = append(os.Environ(), aside+"="+s.path)
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = child.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "here\n" {
		t.Fatalf("the crowd of a child: %q %v", line, err)
	}
}

// Ten thousand connections: as many as allowed are served, the others are told why they are not, and none of those
// served waits.
func TestTenThousandConnections(t *testing.T) {
	const crowd, places = 10000, 200
	s := serve(t, Options{MaxConnections: places})
	inside := make([]*peer, places)
	for i := range inside {
		inside[i] = s.dial(t)
		inside[i].silent()
	}
	for here := places; here < crowd; here += crowdOfOne {
		s.crowdAround(t)
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
