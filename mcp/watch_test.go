package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// heard is a notification as its client reads it.
type heard struct{ stream, method, uri string }

func (r reply) heard() heard {
	h := heard{method: strings.TrimPrefix(r.Method, "notifications/")}
	h.uri, _ = r.Params["uri"].(string)
	if meta, ok := r.Params["_meta"].(map[string]any); ok {
		h.stream = fmt.Sprint(meta["io.modelcontextprotocol/subscriptionId"])
	}
	return h
}

// hears wants these notifications next, in any order, and none beside them.
func (p *peer) hears(want ...heard) {
	p.t.Helper()
	left := map[heard]int{}
	for _, h := range want {
		left[h]++
	}
	for range want {
		r := p.receive()
		if left[r.heard()]--; left[r.heard()] < 0 {
			p.t.Errorf("heard %+v, want %+v", r.heard(), want)
		}
	}
}

// handshake opens a session as revisions before 2026-07-28 do.
func (p *peer) handshake() {
	p.t.Helper()
	p.request("initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}`, nil)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const (
	listed  = "resources/list_changed"
	updated = "resources/updated"
)

func TestOneSaveOfAWatchedDocumentIsOneUpdate(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n", "b.md": "# B\n\n[a](a.md)\n"})
	p := l.dial(t)
	p.handshake()
	a := "shelf://Standard/a.md"
	p.request("resources/subscribe", uriParam(a), nil)
	p.request("resources/subscribe", uriParam(a), nil) // twice is once
	for i := range 3 {
		l.write("b.md", fmt.Sprintf("# B\n\n%d\n", i))
		l.write("a.md", fmt.Sprintf("# A\n\n%d\n", i))
		l.sync()
		p.hears(heard{"", updated, a})
		p.silent()
	}
	p.request("resources/unsubscribe", uriParam(a), nil)
	p.request("resources/unsubscribe", uriParam(a), nil)
	p.request("resources/subscribe", uriParam("shelf://Standard/b.md"), nil)
	l.write("a.md", "# A\n\nonce more\n")
	l.sync()
	l.write("b.md", "# B\n\nonce more\n")
	l.sync()
	p.hears(heard{"", updated, "shelf://Standard/b.md"})
	p.silent()
}

func TestDocumentsThatComeAndGoAreAChangeOfTheList(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	p := l.dial(t)
	p.handshake()
	p.request("resources/subscribe", uriParam("shelf://Standard/a.md"), nil)
	for i := range 50 {
		l.write(fmt.Sprintf("new%d.md", i), "# New\n")
	}
	l.sync()
	p.hears(heard{"", listed, ""})
	if err := os.Remove(filepath.Join(l.root, "a.md")); err != nil {
		t.Fatal(err)
	}
	l.sync()
	p.hears(heard{"", updated, "shelf://Standard/a.md"}, heard{"", listed, ""})
	p.fails(codeNoResource, "resources/read", uriParam("shelf://Standard/a.md"))
	l.write("a.md", "# A is back\n")
	l.sync()
	p.hears(heard{"", updated, "shelf://Standard/a.md"}, heard{"", listed, ""})
	p.silent()
}

// A session that was never opened, and one of 2026-07-28 that listens to nothing, hear nothing.
func TestNobodyHearsWhatTheyDidNotAskFor(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	never, modernOnly, witness := l.dial(t), l.dial(t), l.dial(t)
	never.silent()
	modernOnly.request("tools/list", modern, nil)
	witness.handshake()
	witness.silent()
	l.write("b.md", "# B\n")
	l.sync()
	witness.hears(heard{"", listed, ""})
	never.silent()
	modernOnly.silent()
}

func listenTo(id, filter string) string { return rpc(id, "subscriptions/listen", filter+modern) }

func TestStreamsAreToldApartAndHearOnlyWhatTheyListenTo(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n", "b.md": "# B\n"})
	p := l.dial(t)
	a, b := "shelf://Standard/a.md", "shelf://Standard/b.md"
	p.send(listenTo("7", `"notifications":{"resourceSubscriptions":["`+a+`","shelf://Standard/none.md","x:y"],"toolsListChanged":true},`))
	ack := p.receive()
	if got := encode(ack.Params["notifications"]); string(got) != `{"resourceSubscriptions":["`+a+`"]}` || ack.heard() != (heard{"7", "subscriptions/acknowledged", ""}) {
		t.Errorf("acknowledged %+v", ack)
	}
	p.send(listenTo(`"s"`, `"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["`+a+`","`+b+`"]},`))
	p.hears(heard{"s", "subscriptions/acknowledged", ""})
	l.write("b.md", "# B\n\nnew\n")
	l.sync()
	p.hears(heard{"s", updated, b})
	l.write("a.md", "# A\n\nnew\n")
	l.sync()
	p.hears(heard{"7", updated, a}, heard{"s", updated, a})
	l.write("c.md", "# C\n")
	l.sync()
	p.hears(heard{"s", listed, ""})

	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	p.silent()
	l.write("a.md", "# A\n\nnewer\n")
	l.sync()
	p.hears(heard{"s", updated, a})
	p.send(listenTo("7", `"notifications":{"resourceSubscriptions":["`+a+`"]},`)) // the id is free again
	p.hears(heard{"7", "subscriptions/acknowledged", ""})
	p.send(listenTo("7", `"notifications":{"resourcesListChanged":true},`))
	if r := p.receive(); r.Error == nil || r.Error.Code != codeInvalidRequest {
		t.Errorf("an id in use: %+v", r)
	}
	p.silent()
}

// A stream has an end that says so: when nothing would come of it, when the client stops sending, when the daemon ends.
func TestAStreamEndsWithItsResult(t *testing.T) {
	ends := func(t *testing.T, p *peer) {
		t.Helper()
		r := p.receive()
		var result struct {
			ResultType string         `json:"resultType"`
			Meta       map[string]any `json:"_meta"`
		}
		if err := json.Unmarshal(r.Result, &result); err != nil || string(r.ID) != "1" {
			t.Fatalf("%+v: %v", r, err)
		}
		if result.ResultType != "complete" || fmt.Sprint(result.Meta["io.modelcontextprotocol/subscriptionId"]) != "1" {
			t.Errorf("result %+v", result)
		}
	}
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	open := func(t *testing.T, filter string) *peer {
		t.Helper()
		p := l.dial(t)
		p.send(listenTo("1", `"notifications":{`+filter+`},`))
		p.hears(heard{"1", "subscriptions/acknowledged", ""})
		return p
	}
	ends(t, open(t, ``))
	ends(t, open(t, `"toolsListChanged":true`))
	p := open(t, `"resourcesListChanged":true`)
	if err := p.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	ends(t, p)
	p = open(t, `"resourcesListChanged":true`)
	l.stop()
	ends(t, p)
}

func TestStreamsTakeNoSlotsAndAreBounded(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	p := l.dial(t)
	for i := range maxStreams {
		p.send(listenTo(fmt.Sprint(i), `"notifications":{"resourcesListChanged":true},`))
		p.receive()
	}
	p.silent()
	p.fails(codeInvalidParams, "subscriptions/listen", `"notifications":{"resourcesListChanged":true},`+modern)
	p.fails(codeInvalidParams, "subscriptions/listen", modern)
	p.fails(codeMethodNotFound, "subscriptions/listen", `"notifications":{"resourcesListChanged":true}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`, listenTo("3", `"notifications":{"resourcesListChanged":true},`))
	for { // the cancelled stream gives its place free in its own time
		r := p.receive()
		if r.Method != "" {
			break
		}
		p.send(listenTo("3", `"notifications":{"resourcesListChanged":true},`))
	}
	l.write("b.md", "# B\n")
	l.sync()
	for range maxStreams {
		if r := p.receive(); r.heard().method != listed {
			t.Errorf("heard %+v", r)
		}
	}
	p.silent()
}

func TestASessionWatchesSoManyDocumentsAndNoMore(t *testing.T) {
	files := map[string]string{}
	for i := range maxWatched + 1 {
		files[fmt.Sprintf("%04d.md", i)] = "# N\n"
	}
	p := newLibrary(t, files).dial(t)
	for i := range maxWatched {
		p.request("resources/subscribe", uriParam(fmt.Sprintf("shelf://Standard/%04d.md", i)), nil)
	}
	p.fails(codeInvalidParams, "resources/subscribe", uriParam(fmt.Sprintf("shelf://Standard/%04d.md", maxWatched)))
	p.request("resources/subscribe", uriParam("shelf://Standard/0003.md"), nil)
	p.request("resources/unsubscribe", uriParam("shelf://Standard/0003.md"), nil)
	p.request("resources/subscribe", uriParam(fmt.Sprintf("shelf://Standard/%04d.md", maxWatched)), nil)
}

// What happens while a client does not read is told when it reads again, once: nothing is lost and nothing piles up.
func TestNewsWaitsForASlowClientAndIsToldOnce(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n", "large.md": "# Large\n\n" + strings.Repeat("word ", 1<<19)})
	p := l.dial(t)
	p.handshake()
	a := "shelf://Standard/a.md"
	p.request("resources/subscribe", uriParam(a), nil)
	for i := range 5 { // fills the socket, and what the server keeps
		p.send(rpc(fmt.Sprint(i), "resources/read", uriParam("shelf://Standard/large.md")))
	}
	if _, err := p.in.Peek(1); err != nil { // the first answer is on its way, and larger than what a socket holds
		t.Fatal(err)
	}
	witness := l.dial(t)
	witness.handshake()
	witness.request("resources/subscribe", uriParam(a), nil)
	for i := range 20 {
		l.write("a.md", fmt.Sprintf("# A\n\n%d\n", i))
		l.sync()
		witness.hears(heard{"", updated, a})
	}
	p.send(rpc(`"end"`, "ping", ""))
	answers, news := 0, 0
	for answers < 6 {
		if r := p.receive(); r.Method == "" {
			answers++
		} else {
			news++
		}
	}
	if news == 0 || news > 2 { // one may have been on its way already
		t.Errorf("told %d times", news)
	}
}

// list_changed is told at most once a second while a shelf is built, and the last one is not swallowed.
func TestManyChangesOfTheListAreToldAtAPaceAndTheLastForCertain(t *testing.T) {
	l := newLibrary(t, nil)
	p := l.dial(t)
	p.handshake()
	p.silent()
	start := time.Now()
	for i := range 10 {
		l.write(fmt.Sprintf("%d.md", i), "# N\n")
		l.sync()
	}
	told := 0
	for {
		var page resourceList
		if r := p.receive(); r.heard().method != listed {
			t.Fatalf("heard %+v", r)
		}
		told++
		p.request("resources/list", "", &page)
		if len(page.Resources) == 10 {
			break
		}
	}
	if most := 2 + int(time.Since(start)/listPause); told > most {
		t.Errorf("told %d times within %v", told, time.Since(start))
	}
}
