package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestTheThirtyThirdCallWaitsUntilOneEnds(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	for i := range 33 {
		p.send(toolCall(fmt.Sprint(i), "sleep", nil))
	}
	for range 32 {
		await(t, "a call to start", z.started)
	}
	p.send(ping)
	if r, err := p.next(100 * time.Millisecond); !isTimeout(err) {
		t.Errorf("reading did not wait: %+v %v", r, err)
	}
	select {
	case <-z.started:
		t.Error("33 calls are in flight")
	default:
	}
	z.wake()
	for range 34 {
		p.receive()
	}
}

func TestADisconnectCancelsTheCalls(t *testing.T) {
	for name, inFlight := range map[string]int{"one call": 1, "as many as fit": 32, "reading waits": 40} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Options{})
			z := s.addSleeper("sleep")
			p := s.dial(t)
			for i := range inFlight {
				p.send(toolCall(fmt.Sprint(i), "sleep", nil))
			}
			for range min(inFlight, 32) {
				await(t, "a call to start", z.started)
			}
			p.conn.Close()
			for range min(inFlight, 32) {
				if err := await(t, "a call to end", z.ended); !errors.Is(err, context.Canceled) {
					t.Errorf("ended with %v", err)
				}
			}
		})
	}
}

func TestAHalfClosedConnectionGetsItsAnswersAndIsClosed(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("2", "sleep", nil))
	if _, err := p.conn.Write([]byte(ping)); err != nil { // the last line needs no newline
		t.Fatal(err)
	}
	if err := p.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	await(t, "the call to start", z.started)
	if r := p.receive(); r.Error != nil { // the ping
		t.Errorf("%+v", r.Error)
	}
	if _, err := p.next(2 * hangUpCheck); !isTimeout(err) {
		t.Errorf("the call must go on: %v", err)
	}
	z.wake()
	if r := p.receive(); r.Error != nil {
		t.Errorf("the call: %+v", r.Error)
	}
	if _, err := p.next(guard); !errors.Is(err, io.EOF) {
		t.Errorf("the server must close: %v", err)
	}
}

func TestACallerThatHangsUpAfterHalfClosingIsNoticed(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("1", "sleep", nil))
	await(t, "the call to start", z.started)
	if err := p.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.next(2 * hangUpCheck); !isTimeout(err) {
		t.Errorf("unexpected: %v", err)
	}
	p.conn.Close()
	if err := await(t, "the call to end", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestAClientThatDoesNotReadIsClosedAfterTheWriteDeadline(t *testing.T) {
	s := serve(t, Options{WriteDeadline: 100 * time.Millisecond})
	big := strings.Repeat("x", 1<<20)
	s.add("big", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(big), nil
	})
	p := s.dial(t)
	_ = p.conn.SetWriteDeadline(time.Now().Add(guard))
	for i := 0; ; i++ {
		if _, err := fmt.Fprintln(p.conn, toolCall(fmt.Sprint(i), "big", nil)); err != nil {
			if isTimeout(err) {
				t.Error("the connection stayed open")
			}
			return
		}
	}
}

func TestShutdownLetsCallsFinishWithinTheGrace(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("1", "sleep", nil))
	await(t, "the call to start", z.started)
	s.stop()
	if _, err := p.next(50 * time.Millisecond); !isTimeout(err) {
		t.Errorf("the call must go on: %v", err)
	}
	z.wake()
	if r := p.receive(); r.Error != nil || string(r.ID) != "1" {
		t.Errorf("the call: %+v", r)
	}
	s.wait(t)
	if _, err := os.Lstat(s.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket file is still there: %v", err)
	}
}

func TestShutdownCancelsCallsAfterTheGrace(t *testing.T) {
	s := serve(t, Options{Grace: 50 * time.Millisecond})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("1", "sleep", nil))
	await(t, "the call to start", z.started)
	s.stop()
	if err := await(t, "the call to end", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	s.wait(t)
}

func TestTooManyConnectionsAreTold(t *testing.T) {
	s := serve(t, Options{MaxConnections: 2})
	a, b := s.dial(t), s.dial(t)
	a.silent()
	b.silent()
	c := s.dial(t)
	if r := c.receive(); r.Error == nil || r.Error.Code != codeServer {
		t.Errorf("third connection: %+v", r)
	}
	a.silent()
}

func TestAPeerThatIsNotAdmittedIsTold(t *testing.T) {
	var asked Peer
	s := serve(t, Options{Viewer: func(p Peer) Viewer { asked = p; return owner{} }})
	p := s.dial(t)
	if r := p.receive(); r.Error == nil || r.Error.Code != codeServer {
		t.Errorf("got %+v", r)
	}
	if !asked.Known || asked.UID != os.Getuid() || asked.PID != os.Getpid() {
		t.Errorf("the peer is told as %+v", asked)
	}
}

func TestStatusAnswersOnlyWhenTheProgramGivesIt(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":1,"method":"shelfd/status"}`
	p := serve(t, Options{}).dial(t)
	p.send(line)
	if r := p.receive(); r.Error == nil || r.Error.Code != codeMethodNotFound {
		t.Errorf("got %+v", r)
	}
	p = serve(t, Options{Status: func(context.Context) (any, error) { return map[string]int{"queue": 3}, nil }}).dial(t)
	p.send(line)
	if r := p.receive(); string(r.Result) != `{"queue":3}` || string(r.ID) != "1" {
		t.Errorf("got %s %+v", r.Result, r.Error)
	}
}

func TestASessionOverAPipe(t *testing.T) {
	s := New(Options{Store: newStore(t)})
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() { s.ServeConn(t.Context(), theirs); close(ended) }()
	if _, err := fmt.Fprintln(ours, ping); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	if n, err := ours.Read(buffer); err != nil || !strings.Contains(string(buffer[:n]), `"result"`) {
		t.Errorf("%s %v", buffer[:n], err)
	}
	ours.Close()
	await(t, "the session to end", ended)
}

// Fifty clients work while one never reads, one sends garbage and one sends a line of 100 MB.
func TestFiftyClientsDoNotNoticeThreeBadOnes(t *testing.T) {
	s := serve(t, Options{})
	big := strings.Repeat("x", 1<<20)
	s.add("big", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(big), nil
	})
	bad := make(chan struct{})
	var attackers sync.WaitGroup
	defer attackers.Wait()
	defer close(bad)
	attack := func(f func(c net.Conn)) {
		c := s.dial(t).conn
		attackers.Go(func() { f(c) })
		attackers.Go(func() { <-bad; c.Close() })
	}
	attack(func(c net.Conn) { // asks and never reads
		for i := 0; ; i++ {
			if _, err := fmt.Fprintln(c, toolCall(fmt.Sprint(i), "big", nil)); err != nil {
				return
			}
		}
	})
	attack(func(c net.Conn) {
		go func() { _, _ = io.Copy(io.Discard, c) }()
		for {
			if _, err := c.Write(bytes.Repeat([]byte("garbage\n\x00\xff{]\n"), 100)); err != nil {
				return
			}
		}
	})
	hundred := make(chan struct{})
	attack(func(c net.Conn) {
		defer close(hundred)
		piece := bytes.Repeat([]byte("y"), 1<<20)
		for range 100 {
			if _, err := c.Write(piece); err != nil {
				return
			}
		}
		_, _ = fmt.Fprintf(c, "\n%s\n", ping)
		answers := make([]byte, 1000)
		_ = c.SetReadDeadline(time.Now().Add(guard))
		n, err := io.ReadAtLeast(c, answers, 120)
		if err != nil || !strings.Contains(string(answers[:n]), fmt.Sprint(codeInvalidRequest)) || !strings.Contains(string(answers[:n]), `"result"`) {
			t.Errorf("100 MB line: %s %v", answers[:n], err)
		}
	})
	var good sync.WaitGroup
	for n := range 50 {
		p := s.dial(t)
		good.Go(func() {
			for i := range 40 {
				id := fmt.Sprintf(`"%d-%d"`, n, i)
				p.send(toolCall(id, "browse_documents", map[string]any{}))
				if r := p.receive(); string(r.ID) != id || r.Error != nil {
					t.Errorf("client %d: id %s, %+v", n, r.ID, r.Error)
					return
				}
			}
		})
	}
	good.Wait()
	await(t, "the 100 MB line", hundred)
}
