package bridge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const (
	listen = `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["u"]}}}`
	ack    = `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["u"]}}}`
	ended  = `{"jsonrpc":"2.0","id":"s","result":{"resultType":"complete"}}`
)

// A stream goes on with the next daemon: its end and the new beginning are the bridge's affair, and the client is told
// to look again.
func TestAStreamOutlivesTheDaemon(t *testing.T) {
	for name, goodbye := range map[string]bool{"ended in peace": true, "killed": false} {
		t.Run(name, func(t *testing.T) {
			ds := newDaemons(t, true)
			c := start(t, Options{Dial: ds.dial})
			c.say(listen)
			d := ds.next()
			expect(t, d.hear(), listen)
			d.say(ack)
			expect(t, c.hear(), ack)
			if goodbye {
				d.say(ended)
			}
			d.conn.Close()
			d = ds.next()
			expect(t, d.hear(), listen)
			d.say(ack)
			expect(t, c.hear(), `{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}}`)
			expect(t, c.hear(), `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"uri":"u"}}`)
			c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
			d.hear()
			d.conn.Close()
			c.say(search) // nothing else is left to do over the next connection
			expect(t, ds.next().hear(), search)
		})
	}
}

func TestAStreamWithNothingToTellEndsForGood(t *testing.T) {
	ds := newDaemons(t, true)
	c := start(t, Options{Dial: ds.dial})
	c.say(listen)
	d := ds.next()
	d.hear()
	empty := strings.Replace(ack, `"resourcesListChanged":true,"resourceSubscriptions":["u"]`, "", 1)
	d.say(empty)
	expect(t, c.hear(), empty)
	d.say(ended)
	expect(t, c.hear(), ended)
	c.in.Close()
	if err := c.ends(); err != nil {
		t.Error(err)
	}
}

// M11: whoever asks while the daemon is away for a moment is answered when it is back.
func TestACallDuringTheRestartWaitsForTheDaemon(t *testing.T) {
	for name, met := range map[string]bool{"met before": true, "never met": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ds := newDaemons(t, met)
				c := start(t, Options{Dial: ds.dial})
				if met {
					c.say(search)
					d := ds.next()
					d.hear()
					d.say(`{"jsonrpc":"2.0","id":"a","result":{}}`)
					c.hear()
					ds.set(false)
					d.conn.Close()
				}
				c.say(manage) // even one that writes: it has not been sent
				time.AfterFunc(3*time.Second, func() { ds.set(true) })
				d := ds.next()
				expect(t, d.hear(), manage)
				d.say(`{"jsonrpc":"2.0","id":7,"result":{}}`)
				expect(t, c.hear(), `{"jsonrpc":"2.0","id":7,"result":{}}`)
				c.in.Close()
				_ = c.ends()
			})
		})
	}
}

// After patience has ended each request is refused after one attempt, and the session is taken up whenever the daemon
// comes back.
func TestALongOutageRefusesAtOnceAndEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ds := newDaemons(t, true)
		c := start(t, Options{Dial: ds.dial, Patience: 2 * time.Second})
		c.say(`{"jsonrpc":"2.0","method":"notifications/roots"}`)
		d := ds.next()
		d.hear()
		c.open(d)
		ds.set(false)
		d.conn.Close()
		for i := range 3 {
			start := time.Now()
			c.say(search)
			if answer := c.hear(); !strings.Contains(answer, `"error"`) {
				t.Errorf("answer %s", answer)
			}
			if took := time.Since(start); i > 0 && took > 0 {
				t.Errorf("refusal %d took %v", i, took)
			}
		}
		time.AfterFunc(time.Hour, func() { ds.set(true) })
		d = <-ds.conns // nobody asked
		if line := d.hear(); !strings.Contains(line, "shelfd-connect:initialize") {
			t.Errorf("replay %s", line)
		}
		c.in.Close()
		go func() { _, _ = io.Copy(io.Discard, d.conn); d.conn.Close() }()
		_ = c.ends()
	})
}

func TestAnotherVersionAndAnotherProtocolAreTold(t *testing.T) {
	ds := newDaemons(t, true)
	told := make(chan string, 10)
	c := start(t, Options{Dial: ds.dial, Version: "2.0", Tell: func(text string) { told <- text }})
	c.say(initLine)
	d := ds.next()
	d.hear()
	d.say(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"version":"1.0"}}}`)
	c.hear()
	if text := <-told; !strings.Contains(text, "1.0") || !strings.Contains(text, "2.0") {
		t.Errorf("told %q", text)
	}
	d.conn.Close()
	d = ds.next()
	d.hear()
	d.say(`{"jsonrpc":"2.0","id":"shelfd-connect:initialize","result":{"protocolVersion":"2025-06-18","serverInfo":{"version":"2.0"}}}`)
	if text := <-told; !strings.Contains(text, "2025-06-18") || !strings.Contains(text, "2025-11-25") {
		t.Errorf("told %q", text)
	}
	c.say(`{"jsonrpc":"2.0","id":4,"method":"server/discover"}`)
	d.hear()
	d.say(`{"jsonrpc":"2.0","id":4,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"version":"3.0"}}}}`)
	if text := <-told; !strings.Contains(text, "3.0") {
		t.Errorf("told %q", text)
	}
}

// A client that is gone ends the bridge though its pipes are kept open by somebody else and nothing is read from them.
func TestAClientThatIsGoneEndsTheBridge(t *testing.T) {
	ds := newDaemons(t, true)
	gone := make(chan struct{})
	c := start(t, Options{Dial: ds.dial, Gone: gone})
	c.say(search)
	d := ds.next()
	d.hear()
	d.say(`{"jsonrpc":"2.0","id":"a","result":{}}`) // stuck in the pipe
	close(gone)
	if err := c.ends(); !errors.Is(err, errClientGone) {
		t.Errorf("ended with %v", err)
	}
}

// The daemon reads the end of the input after the last line, answers what is left and closes.
func TestTheEndOfTheInputReachesTheDaemon(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		all, err := io.ReadAll(conn)
		fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":"a","result":{"read":%d,"error":%q}}`+"\n", len(all), fmt.Sprint(err))
	}()
	c := start(t, Options{Dial: Dial(path)})
	c.say(search)
	c.say(manage)
	c.in.Close()
	expect(t, c.hear(), fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","result":{"read":%d,"error":"<nil>"}}`, len(search)+len(manage)+2))
	if answer := c.hear(); !strings.Contains(answer, `"id":7,"error"`) {
		t.Errorf("the call that was not answered: %s", answer)
	}
	if err := c.ends(); err != nil {
		t.Error(err)
	}
}

func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "b") // a socket path holds 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
