package mcp

import (
	"bytes"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"
)

// FuzzLines: whatever comes in, each line is given once, none over the limit, and a line after a long one is found.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n  \nccc"), 2)
	f.Add(bytes.Repeat([]byte("x"), 40000), 10)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		limit = 1 + abs(limit)%70000
		in := newLines(bytes.NewReader(stream), limit)
		got := []string{}
		for {
			line, err := in.next()
			if err == errLineTooLong {
				got = append(got, "long")
				if in.skip() != nil {
					break
				}
				continue
			}
			if err != nil {
				break
			}
			got = append(got, string(line))
		}
		want := []string{}
		for _, line := range strings.Split(string(stream), "\n") {
			if len(strings.TrimRight(line, "\r\n")) > limit {
				want = append(want, "long")
			} else if line = strings.Trim(line, " \t\r\n"); line != "" {
				want = append(want, line)
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("limit %d: got %q, want %q", limit, got, want)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// FuzzSession: whatever a client sends, it reads whole JSON-RPC messages, and a ping afterwards is answered.
func FuzzSession(f *testing.F) {
	for _, line := range []string{
		ping, "{", "[]", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browse_documents","arguments":{"folder":"x"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"get_node_content","arguments":{"doc_path":"a","node_ids":["\u0000"],"part":1e3}}}`,
		toolCall("5", "search_documents", fields{"query": "valve -\"x OR *", "where": "tag:", "mode": "regex"}),
		rpc("6", "resources/read", uriParam("shelf://Standard/a.md")), rpc("7", "resources/subscribe", uriParam("shelf://Standard/%2e%2e/a.md")),
		rpc("8", "resources/list", `"cursor":"Xw"`), rpc("9", "completion/complete", `"ref":{"type":"ref/resource","uri":"shelf://{shelf}/{+path}"},"argument":{"name":"path","value":"a"}`),
		listenTo("10", `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["shelf://Standard/a.md"]},`) + "\n" + listenTo("10", `"notifications":{},`),
		rpc("11", "prompts/get", `"name":"summarise_document","arguments":{"doc_path":"a"}`), toolCall("12", "docs_management", fields{"action": "manage_shelves", "operation": "list"}),
	} {
		f.Add([]byte(line))
	}
	library := newLibrary(f, map[string]string{"a.md": "# A\n\nvalve\n"})
	s := New(Options{Store: library.options.Store, MaxLine: 10000})
	f.Fuzz(func(t *testing.T, sent []byte) {
		ours, theirs := net.Pipe()
		go s.ServeConn(t.Context(), theirs)
		defer ours.Close()
		_ = ours.SetDeadline(time.Now().Add(guard))
		go func() {
			_, _ = ours.Write(append(sent, "\n"+`{"jsonrpc":"2.0","id":"the end","method":"ping"}`+"\n"...))
		}()
		in := json.NewDecoder(ours)
		for {
			var r reply
			if err := in.Decode(&r); err != nil {
				t.Fatalf("%v, after %q", err, sent)
			}
			if r.JSONRPC != "2.0" || (r.Method == "" && (r.Result == nil) == (r.Error == nil)) {
				t.Fatalf("not a message: %+v", r)
			}
			if string(r.ID) == `"the end"` {
				return
			}
		}
	})
}
