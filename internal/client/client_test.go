package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// daemon answers each request of one connection with what respond says: lines that go out before the answer, and the
// result.
func daemon(t *testing.T, respond func(method string, params json.RawMessage) (before []string, result string)) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "client") // Short: a socket's path must fit.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	socket := filepath.Join(folder, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewScanner(conn)
		for in.Scan() {
			var m struct {
				ID     json.RawMessage
				Method string
				Params json.RawMessage
			}
			if err := json.Unmarshal(in.Bytes(), &m); err != nil || m.ID == nil {
				continue
			}
			before, result := []string(nil), `{}`
			if m.Method != "initialize" {
				before, result = respond(m.Method, m.Params)
			}
			for _, line := range before {
				fmt.Fprintln(conn, line)
			}
			if result == "" {
				return
			}
			fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
	}()
	return socket
}

func dial(t *testing.T, socket string) *Client {
	t.Helper()
	c, err := Dial(context.Background(), socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestNobodyListens(t *testing.T) {
	if _, err := Dial(context.Background(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("got %v, want ErrNoDaemon", err)
	}
}

func TestCallGivesDataAndProgress(t *testing.T) {
	socket := daemon(t, func(method string, params json.RawMessage) ([]string, string) {
		if method != "tools/call" || !strings.Contains(string(params), `"progressToken"`) || !strings.Contains(string(params), `"x/y":true`) {
			return nil, `{"content":[{"type":"text","text":"{\"success\":false,\"error\":\"wrong params\"}"}]}`
		}
		return []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":3,"total":9}}`,
			`{"jsonrpc":"2.0","method":"notifications/other"}`,
		}, `{"structuredContent":{"success":true,"data":{"n":7}}}`
	})
	var seen []Progress
	var data struct{ N int }
	r := Request{Tool: "sync", Meta: map[string]any{"x/y": true}, Progress: func(p Progress) { seen = append(seen, p) }}
	if err := dial(t, socket).Call(context.Background(), r, &data); err != nil {
		t.Fatal(err)
	}
	if data.N != 7 || len(seen) != 1 || seen[0].Done != 3 || seen[0].Total != 9 {
		t.Errorf("data %+v, progress %+v", data, seen)
	}
}

func TestRefusalIsTold(t *testing.T) {
	socket := daemon(t, func(string, json.RawMessage) ([]string, string) {
		return nil, `{"isError":true,"content":[{"type":"text","text":"{\"success\":false,\"code\":\"NOT_FOUND\",\"error\":\"no shelf\"}"}]}`
	})
	err := dial(t, socket).Call(context.Background(), Request{Tool: "sync"}, nil)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Code != "NOT_FOUND" || err.Error() != "no shelf" {
		t.Errorf("got %v", err)
	}
}

func TestDaemonGoesAwayDuringACall(t *testing.T) {
	socket := daemon(t, func(string, json.RawMessage) ([]string, string) { return nil, "" })
	if err := dial(t, socket).Call(context.Background(), Request{Tool: "sync"}, nil); err == nil || !strings.Contains(err.Error(), "closed the connection") {
		t.Errorf("got %v", err)
	}
}

func TestContextEndsACall(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	socket := daemon(t, func(string, json.RawMessage) ([]string, string) {
		stop()
		return nil, ""
	})
	if err := dial(t, socket).Call(ctx, Request{Tool: "sync"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
