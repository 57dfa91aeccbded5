package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// site is a Server over HTTP on TCP.
type site struct {
	t     testing.TB
	base  string
	token string
	stop  context.CancelFunc
	done  chan error
	http  *http.Client
}

func (s *served) web(t testing.TB, o WebOptions) *site {
	t.Helper()
	l, err := ListenWeb("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return s.webOn(t, l, o, &http.Transport{}, "http://"+l.Addr().String())
}

func (s *served) webOn(t testing.TB, l net.Listener, o WebOptions, transport *http.Transport, base string) *site {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	w := &site{t: t, base: base, token: o.Token, stop: stop, done: make(chan error, 1), http: &http.Client{Transport: transport}}
	go func() { w.done <- s.ServeWeb(ctx, l, o) }()
	t.Cleanup(func() {
		stop()
		if err := await(t, "the end of HTTP", w.done); err != nil {
			t.Errorf("ServeWeb: %v", err)
		}
		transport.CloseIdleConnections()
	})
	return w
}

// answered is an HTTP answer whose body has been read.
type answered struct {
	*http.Response
	body string
}

func (a answered) reply(t testing.TB) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal([]byte(a.body), &r); err != nil {
		t.Fatalf("%d %q: %v", a.StatusCode, a.body, err)
	}
	return r
}

// open sends a request with headers (name, value, …) and leaves the body to be read.
func (w *site) open(ctx context.Context, method, path, body string, headers ...string) (*http.Response, error) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return w.http.Do(r)
}

func (w *site) do(method, path, body string, headers ...string) answered {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), guard)
	defer cancel()
	r, err := w.open(ctx, method, path, body, headers...)
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answered{r, string(text)}
}

func (w *site) post(body string, headers ...string) answered {
	w.t.Helper()
	return w.do(http.MethodPost, "/mcp", body, headers...)
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// session opens a session and gives the header that names it.
func (w *site) session() []string {
	w.t.Helper()
	a := w.post(initialize)
	id := a.Header.Get(sessionHeader)
	if a.StatusCode != http.StatusOK || id == "" || a.reply(w.t).Error != nil {
		w.t.Fatalf("initialize: %d %s", a.StatusCode, a.body)
	}
	if a := w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, sessionHeader, id); a.StatusCode != http.StatusAccepted || a.body != "" {
		w.t.Errorf("initialized: %d %q", a.StatusCode, a.body)
	}
	return []string{sessionHeader, id}
}

// modernPost sends a request of 2026-07-28 with the headers it needs.
func (w *site) modernPost(id, method, params string, headers ...string) answered {
	w.t.Helper()
	return w.post(rpc(id, method, strings.Trim(params+","+modern, ",")), append(modernHeaders(method, params), headers...)...)
}

func modernHeaders(method, params string) []string {
	var p struct{ Name, URI string }
	_ = json.Unmarshal([]byte("{"+params+"}"), &p)
	h := []string{mcp.HeaderProtocolVersion, "2026-07-28", mcp.HeaderMethod, method}
	if name := p.Name + p.URI; name != "" {
		h = append(h, mcp.HeaderName, name)
	}
	return h
}

// events reads a stream of events.
type events struct {
	t    testing.TB
	body io.ReadCloser
	in   *bufio.Reader
	id   string // of the last event
}

func (w *site) events(method, body string, headers ...string) *events {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	w.t.Cleanup(cancel)
	r, err := w.open(ctx, method, "/mcp", body, headers...)
	if err != nil {
		w.t.Fatal(err)
	}
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
		w.t.Fatalf("no stream: %d %v", r.StatusCode, r.Header)
	}
	w.t.Cleanup(func() { r.Body.Close() })
	return &events{t: w.t, body: r.Body, in: bufio.NewReader(r.Body)}
}

func (e *events) next() (reply, error) {
	for {
		line, err := e.in.ReadString('\n')
		if err != nil {
			return reply{}, err
		}
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			e.id = strings.TrimSpace(id)
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			var r reply
			return r, json.Unmarshal([]byte(text), &r)
		}
	}
}

func (e *events) receive() reply {
	e.t.Helper()
	type read struct {
		r   reply
		err error
	}
	got := make(chan read, 1)
	go func() { r, err := e.next(); got <- read{r, err} }()
	r := await(e.t, "an event", got)
	if r.err != nil {
		e.t.Fatal(r.err)
	}
	return r.r
}

func TestASessionOverHTTP(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n\nvalve\n"})
	w := l.web(t, WebOptions{})
	session := w.session()
	a := w.post(toolCall("1", "search_documents", fields{"query": "valve"}), session...)
	if r := a.reply(t); a.StatusCode != http.StatusOK || string(r.ID) != "1" || !strings.Contains(r.tool(t).Content[0].Text, "Standard/a.md") || a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", a.StatusCode, a.body)
	}
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"no session":           {nil, http.StatusBadRequest},
		"an unknown session":   {[]string{sessionHeader, "made-up"}, http.StatusNotFound},
		"an unknown version":   {append([]string{mcp.HeaderProtocolVersion, "1999-01-01"}, session...), http.StatusBadRequest},
		"the version it has":   {append([]string{mcp.HeaderProtocolVersion, "2025-11-25"}, session...), http.StatusOK},
		"another version":      {append([]string{mcp.HeaderProtocolVersion, "2025-03-26"}, session...), http.StatusOK},
		"only JSON is welcome": {append([]string{"Accept", "application/json"}, session...), http.StatusOK},
	} {
		if a := w.post(ping, c.headers...); a.StatusCode != c.status || (c.status == http.StatusOK) != (a.reply(t).Error == nil) {
			t.Errorf("%s: %d %s, want %d", name, a.StatusCode, a.body, c.status)
		}
	}
	if a := w.do(http.MethodDelete, "/mcp", "", session...); a.StatusCode != http.StatusNoContent {
		t.Errorf("delete: %d", a.StatusCode)
	}
	if a := w.post(ping, session...); a.StatusCode != http.StatusNotFound {
		t.Errorf("after the end: %d", a.StatusCode)
	}
}

func TestRequestsOfTheStatelessRevisionOverHTTP(t *testing.T) {
	w := newLibrary(t, map[string]string{"ä.md": "# A\n"}).web(t, WebOptions{})
	uri := "shelf://Standard/%C3%A4.md"
	for _, c := range []struct {
		method, params string
		headers        []string
		status, code   int
	}{
		{"server/discover", "", nil, 200, 0},
		{"tools/list", "", []string{sessionHeader, "ignored"}, 200, 0},
		{"tools/call", `"name":"browse_documents"`, nil, 200, 0},
		{"resources/read", uriParam(uri), nil, 200, 0},
		{"resources/read", uriParam("shelf://Standard/no.md"), nil, 400, codeInvalidParams},
		{"tools/call", `"name":"browse_documents"`, []string{mcp.HeaderName, "=?base64?YnJvd3NlX2RvY3VtZW50cw==?="}, 200, 0},
		{"tools/call", `"name":"browse_documents"`, []string{mcp.HeaderName, "get_document"}, 400, mcp.HEADER_MISMATCH},
		{"tools/list", "", []string{mcp.HeaderMethod, "tools/call"}, 400, mcp.HEADER_MISMATCH},
		{"tools/list", "", []string{mcp.HeaderMethod, ""}, 400, mcp.HEADER_MISMATCH},
		{"tools/list", "", []string{mcp.HeaderProtocolVersion, ""}, 400, mcp.HEADER_MISMATCH},
		{"tools/list", "", []string{mcp.HeaderProtocolVersion, "2025-11-25"}, 400, mcp.HEADER_MISMATCH},
		{"ping", "", nil, 404, codeMethodNotFound},
		{"initialize", "", nil, 404, codeMethodNotFound},
		{"resources/subscribe", uriParam(uri), nil, 404, codeMethodNotFound},
		{"no/such", "", nil, 404, codeMethodNotFound},
	} {
		a := w.modernPost(`"i"`, c.method, c.params, c.headers...)
		r, code := a.reply(t), 0
		if r.Error != nil {
			code = r.Error.Code
		}
		if a.StatusCode != c.status || code != c.code || string(r.ID) != `"i"` || a.Header.Get(sessionHeader) != "" {
			t.Errorf("%s %s %q: %d %s, want %d and code %d", c.method, c.params, c.headers, a.StatusCode, a.body, c.status, c.code)
		}
	}
	for version, want := range map[string]int{"2026-07-28": codeInvalidParams, "2031-01-01": codeInvalidParams} {
		a := w.post(rpc("1", "tools/list", ""), mcp.HeaderProtocolVersion, version, mcp.HeaderMethod, "tools/list")
		if a.StatusCode != 400 || a.reply(t).Error.Code != want {
			t.Errorf("no _meta: %d %s", a.StatusCode, a.body)
		}
	}
	future := strings.ReplaceAll(modern, "2026-07-28", "2031-01-01")
	if a := w.post(rpc("1", "tools/list", future), mcp.HeaderProtocolVersion, "2031-01-01", mcp.HeaderMethod, "tools/list"); a.StatusCode != 400 || a.reply(t).Error.Code != -32022 {
		t.Errorf("a future revision: %d %s", a.StatusCode, a.body)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut} {
		if a := w.do(method, "/mcp", "", mcp.HeaderProtocolVersion, "2026-07-28"); a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d %v", method, a.StatusCode, a.Header)
		}
	}
}

// What must not come in does not, whoever asks and whatever the body.
func TestHTTPKeepsOutWhoHasNoBusinessThere(t *testing.T) {
	s := serve(t, Options{})
	w := s.web(t, WebOptions{Token: "secret-of-32-characters-and-more", Routes: map[string]http.Handler{
		"GET /metrics": http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "numbers") }),
	}})
	for _, c := range []struct {
		name    string
		path    string
		headers []string
		status  int
	}{
		{"the token", "/mcp", nil, 200},
		{"its scheme in small letters", "/mcp", []string{"Authorization", "bearer " + w.token}, 200},
		{"no token", "/mcp", []string{"Authorization", ""}, 401},
		{"another token", "/mcp", []string{"Authorization", "Bearer secret"}, 401},
		{"another scheme", "/mcp", []string{"Authorization", "Basic " + w.token}, 401},
		{"a page of this machine", "/mcp", []string{"Origin", "http://localhost:3000"}, 200},
		{"a page of this machine, IPv6", "/mcp", []string{"Origin", "http://[::1]:3000"}, 200},
		{"a page from elsewhere", "/mcp", []string{"Origin", "https://evil.example.com"}, 403},
		{"a page from nowhere", "/mcp", []string{"Origin", "null"}, 403},
		{"a page with a name like ours", "/mcp", []string{"Origin", "http://localhost.evil.example.com"}, 403},
		{"a name from elsewhere", "/mcp", []string{"Host", "evil.example.com"}, 403},
		{"a name like ours", "/mcp", []string{"Host", "127.0.0.1.evil.example.com"}, 403},
		{"a name without a dot", "/mcp", []string{"Host", "shelfd"}, 403},
		{"this machine by name", "/mcp", []string{"Host", "localhost:1"}, 200},
		{"another loopback address", "/mcp", []string{"Host", "127.1.2.3"}, 200},
		{"health without a token", "/healthz", []string{"Authorization", ""}, 200},
		{"health under another name", "/healthz", []string{"Host", "evil.example.com"}, 403},
		{"numbers", "/metrics", nil, 200},
		{"numbers without a token", "/metrics", []string{"Authorization", ""}, 401},
		{"elsewhere", "/other", nil, 404},
	} {
		method, body := http.MethodPost, initialize
		if c.path != "/mcp" {
			method, body = http.MethodGet, ""
		}
		if a := w.do(method, c.path, body, c.headers...); a.StatusCode != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, a.StatusCode, a.body, c.status)
		}
	}
}

func TestBodiesThatAreNoMessages(t *testing.T) {
	s := serve(t, Options{MaxLine: 1000})
	w := s.web(t, WebOptions{})
	session := w.session()
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
		code       int
	}{
		{"of the limit", strings.Repeat(" ", 1000-len(ping)) + ping, nil, 200, 0},
		{"over the limit", strings.Repeat(" ", 1001-len(ping)) + ping, nil, 413, codeInvalidRequest},
		{"blank", "  \n", nil, 400, codeParse},
		{"garbage", "{", nil, 400, codeParse},
		{"not UTF-8", "\"\xff\"", nil, 400, codeParse},
		{"a batch", "[" + ping + "]", nil, 400, codeInvalidRequest},
		{"an id that is none", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, nil, 400, codeInvalidRequest},
		{"another type", ping, []string{"Content-Type", "text/plain"}, 415, codeInvalidRequest},
		{"type with charset", ping, []string{"Content-Type", "application/json; charset=utf-8"}, 200, 0},
	} {
		a := w.post(c.body, append(c.headers, session...)...)
		r, code := a.reply(t), 0
		if r.Error != nil {
			code = r.Error.Code
		}
		if a.StatusCode != c.status || code != c.code {
			t.Errorf("%s: %d %s, want %d and code %d", c.name, a.StatusCode, a.body, c.status, c.code)
		}
	}
	if a := w.post(`{"jsonrpc":"2.0","id":1,"result":{}}`, session...); a.StatusCode != http.StatusAccepted {
		t.Errorf("a response: %d", a.StatusCode)
	}
	if a := w.do(http.MethodGet, "/mcp", "", append([]string{"Accept", "application/json"}, session...)...); a.StatusCode != http.StatusNotAcceptable {
		t.Errorf("a stream that is not welcome: %d", a.StatusCode)
	}
}

// mcp-go loses notifications over HTTP that come right before the response. Here none may, of its own or ours.
func TestNotificationsOverHTTPComeAllAndInOrderBeforeTheResponse(t *testing.T) {
	s := serve(t, Options{})
	s.add("noisy", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 20 {
			exchangeOf(ctx).send(encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{"progressToken": "p", "progress": i}}))
		}
		for i := range 20 {
			if err := s.protocol.SendNotificationToClient(ctx, "notifications/message", map[string]any{"n": i}); err != nil {
				return nil, err
			}
		}
		return mcp.NewToolResultText("done"), nil
	})
	w := s.web(t, WebOptions{})
	session := w.session()
	for i := range 100 {
		e := w.events(http.MethodPost, toolCall(fmt.Sprint(i), "noisy", nil), session...)
		for n := range 20 {
			if r := e.receive(); r.Params["progress"] != float64(n) {
				t.Fatalf("call %d, event %d: %+v", i, n, r)
			}
		}
		for n := range 20 {
			if r := e.receive(); r.Params["n"] != float64(n) {
				t.Fatalf("call %d, event %d of mcp-go: %+v", i, n, r)
			}
		}
		if r := e.receive(); string(r.ID) != fmt.Sprint(i) || r.Error != nil {
			t.Fatalf("call %d: %+v", i, r)
		}
		if _, err := e.next(); !errors.Is(err, io.EOF) {
			t.Errorf("the stream goes on: %v", err)
		}
	}
}

func TestTheStreamOfASessionLosesNothing(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	w := l.web(t, WebOptions{})
	session := w.session()
	a := "shelf://Standard/a.md"
	w.post(rpc("1", "resources/subscribe", uriParam(a)), session...)
	save := func(i int) {
		l.write("a.md", fmt.Sprintf("# A\n\n%d\n", i))
		l.sync()
	}
	save(1) // nobody listens yet
	e := w.events(http.MethodGet, "", session...)
	if r := e.receive(); r.heard() != (heard{"", updated, a}) {
		t.Errorf("heard %+v", r)
	}
	save(2)
	if r := e.receive(); r.heard() != (heard{"", updated, a}) {
		t.Errorf("heard %+v", r)
	}
	if second := w.do(http.MethodGet, "/mcp", "", session...); second.StatusCode != http.StatusConflict {
		t.Errorf("a second stream: %d", second.StatusCode)
	}
	e.body.Close()
	save(3)
	again := w.reopen(e.id, session) // it has all it was told: only what came since is new
	if r := again.receive(); r.heard() != (heard{"", updated, a}) {
		t.Errorf("heard %+v", r)
	}
	save(4)
	if r := again.receive(); r.heard() != (heard{"", updated, a}) {
		t.Errorf("heard %+v", r)
	}
	again.body.Close()
	third := w.reopen(e.id, session) // it has not: look again
	for range 2 {
		if r := third.receive(); r.heard() != (heard{"", updated, a}) && r.heard() != (heard{"", listed, ""}) {
			t.Errorf("heard %+v", r)
		}
	}
}

// reopen opens the stream again once the server has noticed that the last one broke.
func (w *site) reopen(last string, session []string) *events {
	w.t.Helper()
	for {
		r, err := w.open(w.t.Context(), http.MethodGet, "/mcp", "", append([]string{"Last-Event-ID", last}, session...)...)
		if err != nil {
			w.t.Fatal(err)
		}
		if r.StatusCode == http.StatusOK {
			w.t.Cleanup(func() { r.Body.Close() })
			return &events{t: w.t, body: r.Body, in: bufio.NewReader(r.Body)}
		}
		r.Body.Close()
	}
}

func TestAStreamOfTheStatelessRevisionOverHTTP(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	w := l.web(t, WebOptions{})
	a := "shelf://Standard/a.md"
	filter := `"notifications":{"resourceSubscriptions":["` + a + `"]}`
	e := w.events(http.MethodPost, rpc("5", "subscriptions/listen", filter+","+modern), modernHeaders("subscriptions/listen", "")...)
	if r := e.receive(); r.heard() != (heard{"5", "subscriptions/acknowledged", ""}) {
		t.Errorf("heard %+v", r)
	}
	l.write("b.md", "# B\n")
	l.write("a.md", "# A\n\nnew\n")
	l.sync()
	if r := e.receive(); r.heard() != (heard{"5", updated, a}) {
		t.Errorf("heard %+v", r)
	}
	w.stop()
	if r := e.receive(); string(r.ID) != "5" || r.Error != nil {
		t.Errorf("the end: %+v", r)
	}
	if _, err := e.next(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

func TestWhatABrokenConnectionCancels(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	w := s.web(t, WebOptions{})
	session := w.session()
	call := func(body string, headers ...string) context.CancelFunc {
		ctx, hangUp := context.WithCancel(t.Context())
		go func() {
			if r, err := w.open(ctx, http.MethodPost, "/mcp", body, headers...); err == nil {
				r.Body.Close()
			}
		}()
		await(t, "the call to start", z.started)
		return hangUp
	}
	call(rpc("1", "tools/call", `"name":"sleep",`+modern), modernHeaders("tools/call", `"name":"sleep"`)...)()
	if err := await(t, "a stateless call to end", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	call(toolCall("7", "sleep", nil), session...)() // goes on
	if a := w.post(toolCall("7", "sleep", nil), session...); a.StatusCode != http.StatusBadRequest {
		t.Errorf("its id is free: %d %s", a.StatusCode, a.body)
	}
	w.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, session...)
	if err := await(t, "a call of a session to end", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	call(toolCall("8", "sleep", nil), session...)
	w.do(http.MethodDelete, "/mcp", "", session...)
	if err := await(t, "the calls of a session that ended", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestIdleSessionsAreReaped(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	w := l.web(t, WebOptions{Idle: 100 * time.Millisecond})
	idle, busy := w.session(), w.session()
	e := w.events(http.MethodGet, "", busy...)
	for {
		if a := w.post(ping, idle...); a.StatusCode == http.StatusNotFound {
			break
		}
		await(t, "a while", time.After(300*time.Millisecond)) // asking keeps it alive
	}
	if a := w.post(ping, busy...); a.StatusCode != http.StatusOK {
		t.Errorf("a session with an open stream was reaped: %d", a.StatusCode)
	}
	l.write("b.md", "# B\n")
	if r := e.receive(); r.heard().method != listed {
		t.Errorf("heard %+v", r)
	}
}

func TestHTTPOnAUnixSocket(t *testing.T) {
	var admit atomic.Bool
	admit.Store(true)
	s := serve(t, Options{Viewer: func(p Peer) Viewer { return owner{admit.Load() && p.Known && p.UID == os.Getuid()} }})
	path := filepath.Join(filepath.Dir(s.path), "http")
	l, err := ListenWeb("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
	w := s.webOn(t, l, WebOptions{}, &http.Transport{DialContext: dial}, "http://shelfd")
	w.session()
	if a := w.post(initialize, "Host", "evil.example.com"); a.StatusCode != http.StatusForbidden {
		t.Errorf("a name from elsewhere: %d", a.StatusCode)
	}
	admit.Store(false)
	w.http.CloseIdleConnections()
	if a := w.post(initialize); a.StatusCode != http.StatusForbidden {
		t.Errorf("a peer that is not admitted: %d", a.StatusCode)
	}
}

func TestOnlyThisMachineIsServedOverTCP(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0", "127.0.0.1", "8080", "", "http://127.0.0.1:0", "127.0.0.1.example.com:0"} {
		if l, err := ListenWeb(address); err == nil {
			l.Close()
			t.Errorf("%q is listened on", address)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0", "127.9.9.9:0"} {
		l, err := ListenWeb(address)
		if err != nil {
			t.Errorf("%q: %v", address, err)
			continue
		}
		l.Close()
	}
}

func TestTheTokenIsMadeOnceAndIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	token, err := Token(path)
	if err != nil || len(token) < 32 {
		t.Fatalf("%q %v", token, err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	if again, err := Token(path); err != nil || again != token {
		t.Errorf("the second time %q, the first %q: %v", again, token, err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := Token(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a token that others can read: %v", err)
	}
	if err := os.WriteFile(path, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Token(path); err == nil {
		t.Error("an empty token is taken")
	}
	if _, err := Token(filepath.Join(path, "below a file")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no place for a token: %v", err)
	}
}

func TestTooManyHTTPConnectionsAreTold(t *testing.T) {
	s := serve(t, Options{MaxConnections: 2})
	w := s.web(t, WebOptions{})
	address := strings.TrimPrefix(w.base, "http://")
	var held []net.Conn
	for range 2 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		held = append(held, c)
		if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("%q %v", line, err)
		}
	}
	if a := w.do(http.MethodGet, "/healthz", ""); a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a third connection: %d", a.StatusCode)
	}
	held[0].Close()
	for w.do(http.MethodGet, "/healthz", "").StatusCode != http.StatusOK { // the place is free a moment later
		w.http.CloseIdleConnections()
	}
}
