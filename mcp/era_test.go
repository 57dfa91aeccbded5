package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// What each method is worth before and from 2026-07-28 on: 0 = a result, else the code of the error.
func TestEachRevisionHasItsMethods(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	const gone, bad, none = codeMethodNotFound, codeInvalidParams, codeNoResource
	for _, c := range []struct {
		method, params string
		old, new       int
	}{
		{"initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}`, 0, gone},
		{"server/discover", ``, gone, 0},
		{"ping", ``, 0, gone},
		{"tools/list", ``, 0, 0},
		{"tools/call", `"name":"browse_documents"`, 0, 0},
		{"tools/call", `"name":"browse_documents","arguments":{"folder":7}`, 0, 0}, // a refusal is a result
		{"tools/call", `"name":"no_such"`, bad, bad},
		{"resources/list", ``, 0, 0},
		{"resources/templates/list", ``, 0, 0},
		{"resources/read", uriParam("shelf://Standard/a.md"), 0, 0},
		{"resources/read", uriParam("shelf://Standard/b.md"), none, bad},
		{"resources/read", uriParam("file:///etc/passwd"), none, bad},
		{"resources/subscribe", uriParam("shelf://Standard/a.md"), 0, gone},
		{"resources/unsubscribe", uriParam("shelf://Standard/a.md"), 0, gone},
		{"subscriptions/listen", `"notifications":{}`, gone, 0},
		{"prompts/list", ``, 0, 0},
		{"prompts/get", `"name":"summarise_document","arguments":{"doc_path":"Standard/a.md"}`, 0, 0},
		{"prompts/get", `"name":"no_such"`, bad, bad},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"summarise_document"},"argument":{"name":"doc_path","value":""}`, 0, 0},
		{"logging/setLevel", `"level":"debug"`, gone, gone}, // nothing is logged to clients
		{"tasks/list", ``, gone, gone},
		{"sampling/createMessage", ``, gone, gone},
		{"no/such", ``, gone, gone},
	} {
		for era, want := range map[string]int{"": c.old, modern: c.new} {
			p := l.dial(t)
			p.send(rpc(`"x"`, c.method, strings.Trim(c.params+","+era, ",")))
			r := p.receive()
			for r.Method != "" { // the acknowledgement of a stream
				r = p.receive()
			}
			code := 0
			if r.Error != nil {
				code = r.Error.Code
			}
			if code != want || string(r.ID) != `"x"` {
				t.Errorf("%s %s (modern %v): %d %+v, want %d", c.method, c.params, era != "", code, r.Error, want)
			}
			p.silent()
		}
	}
}

// A request of 2026-07-28 brings all that belongs to it, or is refused with what the server would take.
func TestARequestThatIsHalfModernIsRefused(t *testing.T) {
	p := newLibrary(t, map[string]string{"a.md": "# A\n"}).dial(t)
	for _, method := range []string{"tools/list", "resources/list", "resources/read", "subscriptions/listen", "server/discover"} {
		for meta, want := range map[string]int{
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`:                                                      codeInvalidParams,
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":5}`:       codeInvalidParams,
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities":{}}`:      -32022,
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28-rc","io.modelcontextprotocol/clientCapabilities":{}}`:   -32022,
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"9999-99-99","io.modelcontextprotocol/clientCapabilities":{"x":1}}`: -32022,
		} {
			p.send(rpc("1", method, meta+`,"uri":"shelf://Standard/a.md","notifications":{}`))
			line := p.line()
			var r struct {
				Error struct {
					Code int
					Data struct{ Supported []string }
				}
			}
			if err := json.Unmarshal(line, &r); err != nil || r.Error.Code != want {
				t.Errorf("%s %s: %s, want %d", method, meta, line, want)
			}
			if want == -32022 && strings.Join(r.Error.Data.Supported, " ") != "2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05" {
				t.Errorf("%s: supported %q", method, r.Error.Data.Supported)
			}
		}
	}
}

// line is what the server says next, as it stands.
func (p *peer) line() []byte {
	p.t.Helper()
	if err := p.conn.SetReadDeadline(time.Now().Add(guard)); err != nil {
		p.t.Fatal(err)
	}
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return line
}

// Both revisions on one connection, in any order: neither colours the other.
func TestErasMixOnOneConnection(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	p := l.dial(t)
	for range 3 {
		var old, new map[string]any
		p.request("tools/list", modern, &new)
		p.request("tools/list", "", &old)
		if old["ttlMs"] != nil || new["ttlMs"] == nil {
			t.Errorf("old %v, new %v", old["ttlMs"], new["ttlMs"])
		}
	}
	p.handshake()
	p.request("tools/list", modern, nil)
	p.request("resources/subscribe", uriParam("shelf://Standard/a.md"), nil)
	p.send(listenTo(`"s"`, `"notifications":{"resourceSubscriptions":["shelf://Standard/a.md"]},`))
	p.hears(heard{"s", "subscriptions/acknowledged", ""})
	l.write("a.md", "# A\n\nnew\n")
	l.sync()
	p.hears(heard{"", updated, "shelf://Standard/a.md"}, heard{"s", updated, "shelf://Standard/a.md"})
	p.silent()
}

// An answer has the id of its request, letter by letter, in every method and in both eras.
func TestIDsComeBackAsTheyWereWritten(t *testing.T) {
	p := newLibrary(t, map[string]string{"a.md": "# A\n"}).dial(t)
	for _, id := range []string{`0`, `-1`, `9007199254740992`, `-9007199254740992`, `""`, `"0"`, `"ü 界\n\u0000"`, `"` + strings.Repeat("x", 5000) + `"`} {
		for _, method := range []string{"tools/list", "resources/list", "prompts/list", "resources/read", "no/such"} {
			for _, era := range []string{"", "," + modern} {
				p.send(rpc(id, method, uriParam("shelf://Standard/a.md")+era))
				if r := p.receive(); !sameJSON(string(r.ID), id) {
					t.Errorf("%s: id %.40s came back as %.40s", method, id, r.ID)
				}
			}
		}
	}
}

// A client that writes a byte at a time is served like any other, and nobody waits for it.
func TestASlowWriterIsServedAndHoldsNobodyUp(t *testing.T) {
	l := newLibrary(t, map[string]string{"a.md": "# A\n"})
	slow, other := l.dial(t), l.dial(t)
	for _, b := range []byte(toolCall("1", "browse_documents", nil) + "\r\n") {
		if _, err := slow.conn.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
		other.silent()
	}
	if r := slow.receive(); string(r.ID) != "1" || r.Error != nil {
		t.Errorf("got %+v", r)
	}
	if _, err := slow.conn.Write([]byte(`{"jsonrpc":"2.0","id":2,"meth`)); err != nil {
		t.Fatal(err)
	}
	slow.conn.Close() // in the middle of a message
	other.silent()
}
