package bridge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// guard is how long a test waits for a line before it says what it saw instead. No test waits for it to pass.
const guard = 5 * time.Second

// client is the program that started the bridge.
type client struct {
	t    *testing.T
	in   *io.PipeWriter // what the client says
	out  *bufio.Reader  // what it hears
	done chan error
}

func start(t *testing.T, o Options) *client {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	c := &client{t: t, in: inWrite, out: bufio.NewReader(outRead), done: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		c.done <- Run(ctx, inRead, outWrite, o)
		outWrite.Close()
	}()
	t.Cleanup(func() {
		stop()
		inWrite.Close()
		outRead.Close()
	})
	return c
}

func (c *client) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// hear is the next line, which must be JSON.
func (c *client) hear() string { return hear(c.t, c.out) }

func hear(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	type heard struct {
		line string
		err  error
	}
	got := make(chan heard, 1)
	go func() {
		line, err := r.ReadString('\n')
		got <- heard{strings.TrimSuffix(line, "\n"), err}
	}()
	select {
	case h := <-got:
		if h.err != nil {
			t.Fatalf("heard %q, then %v", h.line, h.err)
		}
		if !json.Valid([]byte(h.line)) {
			t.Fatalf("not JSON: %q", h.line)
		}
		return h.line
	case <-time.After(guard):
		t.Fatal("heard nothing")
	}
	return ""
}

func (c *client) ends() error {
	c.t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(guard):
		c.t.Fatal("the bridge does not end")
	}
	return nil
}

// daemons are what Dial finds: each connection is handed to the test.
type daemons struct {
	t     *testing.T
	mu    sync.Mutex
	up    bool
	conns chan *daemon
}

type daemon struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func newDaemons(t *testing.T, up bool) *daemons {
	return &daemons{t: t, up: up, conns: make(chan *daemon, 8)}
}

func (d *daemons) dial(context.Context) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.up {
		return nil, &net.OpError{Op: "dial", Net: "unix", Err: fs.ErrNotExist}
	}
	ours, theirs := net.Pipe()
	d.conns <- &daemon{d.t, theirs, bufio.NewReader(theirs)}
	return ours, nil
}

func (d *daemons) set(up bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.up = up
}

func (d *daemons) next() *daemon {
	d.t.Helper()
	select {
	case daemon := <-d.conns:
		return daemon
	case <-time.After(guard):
		d.t.Fatal("nobody dialled")
	}
	return nil
}

func (d *daemon) hear() string { d.t.Helper(); return hear(d.t, d.in) }

func (d *daemon) say(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.conn, line+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

const (
	initLine    = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	initAnswer  = `{"jsonrpc":"2.0","id":0,"result":{}}`
	listChanged = `{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{}}`
	ready       = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	search      = `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"search_documents"}}`
	manage      = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"docs_management"}}`
)

// open takes a session through its handshake.
func (c *client) open(d *daemon) {
	c.t.Helper()
	c.say(initLine)
	expect(c.t, d.hear(), initLine)
	d.say(initAnswer)
	expect(c.t, c.hear(), initAnswer)
	c.say(ready)
	expect(c.t, d.hear(), ready)
}

func TestLinesGoBothWaysUnchanged(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial})
	c.say(search)
	d := ds.next()
	expect(t, d.hear(), search)
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`,
		`{"jsonrpc":"2.0","id":"a","result":{"big":9007199254740993}}`,
		`{"jsonrpc":"2.0","id":5,"method":"ping"}`,
	} {
		d.say(line)
		expect(t, c.hear(), line)
	}
}

func TestWithoutDaemonEachRequestIsToldHowToStartOne(t *testing.T) {
	ds := newDaemons(t, false)
	c := start(t, Options{Dial: ds.dial, FirstPatience: 1, Advice: "start a daemon with: shelfd serve FOLDER"})
	for _, id := range []string{`1`, `"two"`} {
		c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`)
		answer := c.hear()
		if !strings.Contains(answer, `"id":`+id+`,`) || !strings.Contains(answer, "shelfd serve FOLDER") {
			t.Errorf("answer %s", answer)
		}
	}
	ds.set(true)
	c.say(search)
	expect(t, ds.next().hear(), search)
}

func TestRestartIsNotNoticed(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial})
	c.say(`{"jsonrpc":"2.0","method":"notifications/roots"}`)
	d := ds.next()
	d.hear()
	c.open(d)
	c.say(search)
	expect(t, d.hear(), search)
	d.conn.Close()

	d = ds.next()
	replayed := d.hear()
	if !strings.Contains(replayed, `"id":"shelfd-connect:initialize"`) || !strings.Contains(replayed, `"protocolVersion":"2025-11-25"`) {
		t.Errorf("replay %s", replayed)
	}
	d.say(`{"jsonrpc":"2.0","id":"shelfd-connect:initialize","result":{"swallow":"me"}}`)
	expect(t, c.hear(), listChanged) // while there was no daemon nobody could tell
	expect(t, d.hear(), ready)
	expect(t, d.hear(), search)
	d.say(`{"jsonrpc":"2.0","id":"a","result":{}}`)
	expect(t, c.hear(), `{"jsonrpc":"2.0","id":"a","result":{}}`)
}

func TestRestartReplaysSubscriptionsThatStand(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial})
	c.say(ready)
	d := ds.next()
	d.hear()
	c.open(d)
	for i, m := range []string{"resources/subscribe x", "resources/subscribe y", "resources/unsubscribe x"} {
		method, uri, _ := strings.Cut(m, " ")
		id := string(rune('1' + i))
		c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"uri":"` + uri + `"}}`)
		d.hear()
		d.say(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
		c.hear()
	}
	d.conn.Close()
	d = ds.next()
	d.hear()
	d.hear()
	if line := d.hear(); !strings.Contains(line, `"shelfd-connect:subscribe y"`) {
		t.Errorf("third line of the replay: %s", line)
	}
	d.say(`{"jsonrpc":"2.0","id":"shelfd-connect:subscribe y","result":{}}`)
	expect(t, c.hear(), `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"y"}}`)
}

func TestCallThatMayHaveWrittenIsNotRepeated(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial})
	c.say(ready)
	d := ds.next()
	d.hear()
	c.open(d)
	c.say(manage)
	expect(t, d.hear(), manage)
	ds.set(false)
	d.conn.Close()
	if answer := c.hear(); !strings.Contains(answer, `"id":7,`) || !strings.Contains(answer, "may have taken effect") {
		t.Errorf("answer %s", answer)
	}
	// One that was not sent yet is no risk: it waits for the daemon.
	c.say(manage)
	ds.set(true)
	d = ds.next()
	d.hear()
	d.hear()
	expect(t, d.hear(), manage)
}

func TestCancelledCallIsNotRepeated(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial})
	c.say(search)
	d := ds.next()
	d.hear()
	c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	d.hear()
	d.conn.Close()
	other := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	c.say(other)
	expect(t, ds.next().hear(), other)
}

func TestPatienceEnds(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial, Patience: 50 * time.Millisecond})
	c.say(ready)
	d := ds.next()
	d.hear()
	c.say(search)
	d.hear()
	ds.set(false)
	d.conn.Close()
	if answer := c.hear(); !strings.Contains(answer, `"id":"a",`) || !strings.Contains(answer, `"error"`) {
		t.Errorf("answer %s", answer)
	}
}

func TestEndOfInputWaitsForAnswers(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial})
	c.say(search)
	d := ds.next()
	d.hear()
	c.in.Close()
	d.say(`{"jsonrpc":"2.0","id":"a","result":{}}`)
	c.hear()
	if err := c.ends(); err != nil {
		t.Error(err)
	}
}

func TestEndOfInputWithoutDaemonEnds(t *testing.T) {
	c := start(t, Options{Dial: newDaemons(t, false).dial, FirstPatience: 1})
	c.in.Close()
	if err := c.ends(); err != nil {
		t.Error(err)
	}
}

func TestStartsADaemonForEachOutageThatSomebodyNotices(t *testing.T) {
	ds := newDaemons(t, false)
	starts := make(chan struct{}, 10)
	c := start(t, Options{Dial: ds.dial, Start: func() (<-chan error, error) {
		starts <- struct{}{}
		ds.set(true)
		return nil, nil
	}})
	for range 2 {
		c.say(search)
		d := ds.next()
		expect(t, d.hear(), search)
		d.say(`{"jsonrpc":"2.0","id":"a","result":{}}`)
		c.hear()
		ds.set(false)
		d.conn.Close()
	}
	if len(starts) != 2 {
		t.Errorf("started %d times", len(starts))
	}
}

func TestADaemonThatEndsAtOnceIsToldWithItsReasonAndStartedForTheNextRequest(t *testing.T) {
	ds := newDaemons(t, false)
	starts := make(chan struct{}, 10)
	c := start(t, Options{Dial: ds.dial, Start: func() (<-chan error, error) {
		starts <- struct{}{}
		ended := make(chan error, 1)
		ended <- errors.New("nothing to serve")
		return ended, nil
	}})
	for range 2 {
		c.say(search)
		if answer := c.hear(); !strings.Contains(answer, "nothing to serve") {
			t.Errorf("answer %s", answer)
		}
	}
	if len(starts) != 2 {
		t.Errorf("started %d times", len(starts))
	}
}

func TestOverlongAndGarbledLinesAreAnsweredAndTheRestGoesOn(t *testing.T) {
	ds := newDaemons(t, false)
	c := start(t, Options{Dial: ds.dial})
	long := `{"jsonrpc":"2.0","id":1,"x":"` + strings.Repeat("x", lineLimit) + `"}`
	go func() { _, _ = io.WriteString(c.in, long+"\n") }()
	if answer := c.hear(); !strings.Contains(answer, "-32600") || !strings.Contains(answer, `"id":null`) {
		t.Errorf("overlong: %s", answer)
	}
	c.say(`no json`)
	if answer := c.hear(); !strings.Contains(answer, "-32700") {
		t.Errorf("garbled: %s", answer)
	}
	ds.set(true)
	c.say(search)
	expect(t, ds.next().hear(), search)
}

// TestADaemonThatTurnsUsAwayIsNotAskedOverAndOver: it says why and closes, each time.
func TestADaemonThatTurnsUsAwayIsNotAskedOverAndOver(t *testing.T) {
	var mu sync.Mutex
	dialled := 0
	c := start(t, Options{Dial: func(context.Context) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		dialled++
		near, far := net.Pipe()
		go func() {
			_, _ = io.WriteString(far, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"user 7 is not served on this socket"}}`+"\n")
			far.Close()
		}()
		return near, nil
	}})
	for _, id := range []string{"1", `"two"`} {
		c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"save_outline"}}`)
		if got := c.hear(); !strings.Contains(got, `"id":`+id) || !strings.Contains(got, "user 7 is not served") {
			t.Errorf("heard %s", got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if dialled > 4 {
		t.Errorf("%d connections for two requests", dialled)
	}
}

func TestABridgeRestsOnceAfterEachSpellOfLines(t *testing.T) {
	ds := newDaemons(t, true)
	rested := make(chan struct{}, 10)
	c := start(t, Options{Dial: ds.dial, Rested: func() { rested <- struct{}{} }})
	wait := func() {
		select {
		case <-rested:
		case <-time.After(guard):
			t.Fatal("it does not rest")
		}
	}
	wait()
	c.say(search)
	d := ds.next()
	expect(t, d.hear(), search)
	d.say(`{"jsonrpc":"2.0","id":"a","result":{}}`)
	expect(t, c.hear(), `{"jsonrpc":"2.0","id":"a","result":{}}`)
	wait()
	if n := len(rested); n != 0 {
		t.Errorf("it rested %d times more", n)
	}
}
