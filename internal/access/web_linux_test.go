package access_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelfd/mcp"
)

// browser is a client over HTTP on a Unix socket, as one user.
type browser struct {
	t    *testing.T
	http *http.Client
}

// webAs connects as another user, anew for each of them.
func webAs(t *testing.T, socket string, uid, gid int, groups ...int) browser {
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return dialAs(socket, uid, gid, groups...) }}
	t.Cleanup(transport.CloseIdleConnections)
	return browser{t, &http.Client{Transport: transport}}
}

// post sends a message with headers (name, value, …).
func (b browser) post(body string, headers ...string) (status int, session, answer string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, "http://shelfd/mcp", strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Mcp-Session-Id"), string(text)
}

// TestPeersOverHTTPSeeWhatTheKernelSaysTheyAre: on a Unix socket, with a session and without; and a session is its
// user's, whoever knows its name.
func TestPeersOverHTTPSeeWhatTheKernelSaysTheyAre(t *testing.T) {
	s := serve(t, offices(), officeRules())
	socket := filepath.Join(filepath.Dir(s.socket), "http")
	l, err := mcp.ListenWeb("unix:" + socket)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(socket, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.server.ServeWeb(ctx, l, mcp.WebOptions{}) }()
	t.Cleanup(func() { stop(); <-done })

	const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
	const search = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_documents","arguments":{"query":"plumage","limit":50}}}`
	modern := strings.Replace(search, `"params":{`, `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`, 1)
	var sessions []string
	users := []struct {
		web   browser
		total string
	}{
		{webAs(t, socket, 0, 0), `"total":7`},
		{webAs(t, socket, binUser, binUser), `"total":1`},
		{webAs(t, socket, daemonUser, daemonUser, mailGroup), `"total":4`},
	}
	for _, u := range users {
		_, session, _ := u.web.post(initialize)
		sessions = append(sessions, session)
		if _, _, answer := u.web.post(search, "Mcp-Session-Id", session); !strings.Contains(answer, u.total) {
			t.Errorf("in a session, want %s: %s", u.total, answer)
		}
		_, _, answer := u.web.post(modern, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "search_documents")
		if !strings.Contains(answer, u.total) {
			t.Errorf("without a session, want %s: %s", u.total, answer)
		}
	}
	if status, _, answer := users[1].web.post(search, "Mcp-Session-Id", sessions[0]); status != http.StatusNotFound || strings.Contains(answer, "plumage") {
		t.Errorf("in another user's session: %d %s", status, answer)
	}
	if status, _, answer := webAs(t, socket, 4242, 4242).post(initialize); status != http.StatusForbidden {
		t.Errorf("a stranger: %d %s", status, answer)
	}
}
