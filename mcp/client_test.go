package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"shelfd/store"
)

// guard bounds every wait of a test: longer than any machine needs, shorter than the test run.
const guard = 20 * time.Second

// newStore is an empty store.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	s, _, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// served is a Server on a real Unix socket.
type served struct {
	*Server
	path string
	stop context.CancelFunc
	done chan error
}

func serve(t testing.TB, o Options) *served {
	t.Helper()
	if o.Store == nil {
		o.Store = newStore(t)
	}
	dir, err := os.MkdirTemp("", "mcp") // short: a socket path holds 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	s := &served{Server: New(o), path: filepath.Join(dir, "s"), done: make(chan error, 1)}
	l, err := Listen(s.path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() { s.done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		s.wait(t)
		os.RemoveAll(dir)
	})
	return s
}

// wait sees Serve return.
func (s *served) wait(t testing.TB) {
	t.Helper()
	select {
	case err := <-s.done:
		s.done <- err
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(guard):
		t.Fatal("Serve did not return")
	}
}

// add registers a tool that only a test needs.
func (s *served) add(name string, run func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
	s.protocol.AddTool(mcp.NewTool(name), server.ToolHandlerFunc(run))
}

// peer is a client that speaks lines.
type peer struct {
	t    testing.TB
	conn *net.UnixConn
	in   *bufio.Reader
}

func (s *served) dial(t testing.TB) *peer {
	t.Helper()
	c, err := net.Dial("unix", s.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &peer{t, c.(*net.UnixConn), bufio.NewReaderSize(c, 1<<20)}
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	var all []byte
	for _, l := range lines {
		all = append(append(all, l...), '\n')
	}
	if _, err := p.conn.Write(all); err != nil {
		p.t.Fatalf("write: %v", err)
	}
}

// reply is any message from the server.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  map[string]any  `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (p *peer) receive() reply {
	p.t.Helper()
	r, err := p.next(guard)
	if err != nil {
		p.t.Fatalf("read: %v", err)
	}
	return r
}

func (p *peer) next(patience time.Duration) (reply, error) {
	var r reply
	if err := p.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return r, err
	}
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		return r, err
	}
	err = json.Unmarshal(line, &r)
	return r, err
}

// silent fails when the server says anything before it answers a ping sent now.
func (p *peer) silent() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"are you there","method":"ping"}`)
	if r := p.receive(); string(r.ID) != `"are you there"` {
		p.t.Errorf("unexpected message: id %s method %q result %s", r.ID, r.Method, r.Result)
	}
}

func toolCall(id, name string, args any) string {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, raw)
}

// toolResult is what a client reads of a call.
type toolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

func (r reply) tool(t testing.TB) toolResult {
	t.Helper()
	if r.Error != nil {
		t.Fatalf("JSON-RPC error %d: %s", r.Error.Code, r.Error.Message)
	}
	var out toolResult
	if err := json.Unmarshal(r.Result, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// sleeper is a tool that runs until its context ends or release is closed, and tells both beginnings and ends.
type sleeper struct {
	started chan struct{}
	ended   chan error
	release chan struct{}
	once    sync.Once
}

func (s *served) addSleeper(name string) *sleeper {
	z := &sleeper{started: make(chan struct{}, 10000), ended: make(chan error, 10000), release: make(chan struct{})}
	s.add(name, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		z.started <- struct{}{}
		select {
		case <-ctx.Done():
			z.ended <- ctx.Err()
			return nil, ctx.Err()
		case <-z.release:
			z.ended <- nil
			return mcp.NewToolResultText("rested"), nil
		}
	})
	return z
}

func (z *sleeper) wake() { z.once.Do(func() { close(z.release) }) }

func await[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(guard):
		t.Fatalf("waited too long for %s", what)
		panic("unreachable")
	}
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
