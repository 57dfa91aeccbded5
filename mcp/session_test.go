package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// Every line gets the answer in the table, and the session goes on.
func TestMessagesAreAnsweredOrRefusedAndTheSessionGoesOn(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	for _, c := range []struct {
		name, line string
		id         string // of the answer; "" = none is wanted
		code       int    // 0 = a result
	}{
		{"ping", ping, `1`, 0},
		{"carriage return", ping + "\r", `1`, 0},
		{"blank lines", "\n\r\n  \n" + ping, `1`, 0},
		{"space around", "  " + ping + " \t", `1`, 0},
		{"string id", `{"jsonrpc":"2.0","id":"a\"b","method":"ping"}`, `"a\"b"`, 0},
		{"empty string id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, `""`, 0},
		{"zero id", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `0`, 0},
		{"negative id", `{"jsonrpc":"2.0","id":-7,"method":"ping"}`, `-7`, 0},
		{"largest id", `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, `9007199254740992`, 0},
		{"id too large", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `null`, codeInvalidRequest},
		{"fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `null`, codeInvalidRequest},
		{"exponent as id", `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, `null`, codeInvalidRequest},
		{"true as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `null`, codeInvalidRequest},
		{"object as id", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `null`, codeInvalidRequest},
		{"list as id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `null`, codeInvalidRequest},
		{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, codeInvalidRequest},
		{"ID is not id", `{"jsonrpc":"2.0","ID":4,"method":"ping"}`, ``, 0},
		{"garbage", `GET / HTTP/1.1`, `null`, codeParse},
		{"truncated", `{"jsonrpc":"2.0","id":1,`, `null`, codeParse},
		{"two objects", ping + ping, `null`, codeParse},
		{"NUL", "\x00\x00", `null`, codeParse},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", `null`, codeParse},
		{"lone surrogate", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, `"\ud800"`, 0},
		{"batch", "[" + ping + "]", `null`, codeInvalidRequest},
		{"empty batch", `[]`, `null`, codeInvalidRequest},
		{"a number", `17`, `null`, codeInvalidRequest},
		{"a string", `"ping"`, `null`, codeInvalidRequest},
		{"null", `null`, `null`, codeInvalidRequest},
		{"deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + deep + `}`, `null`, codeInvalidRequest},
		{"very deep", strings.Repeat("[", 20000), `null`, codeInvalidRequest},
		{"no version", `{"id":3,"method":"ping"}`, `3`, codeInvalidRequest},
		{"version 1.0", `{"jsonrpc":"1.0","id":3,"method":"ping"}`, `3`, codeInvalidRequest},
		{"no method", `{"jsonrpc":"2.0","id":3}`, `3`, codeInvalidRequest},
		{"number as method", `{"jsonrpc":"2.0","id":3,"method":5}`, `3`, codeInvalidRequest},
		{"list as params", `{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}`, `3`, codeInvalidParams},
		{"unknown method", `{"jsonrpc":"2.0","id":3,"method":"no/such"}`, `3`, codeMethodNotFound},
		{"unknown tool", toolCall("3", "no_such", nil), `3`, codeInvalidParams},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/nonsense"}`, ``, 0},
		{"cancel of nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, ``, 0},
		{"cancel without id", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, ``, 0},
		{"a response nobody asked for", `{"jsonrpc":"2.0","id":9,"result":{}}`, ``, 0},
		{"an error nobody asked for", `{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"x"}}`, ``, 0},
		{"tools before initialize", `{"jsonrpc":"2.0","id":"t","method":"tools/list"}`, `"t"`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := serve(t, Options{}).dial(t)
			p.send(c.line)
			if c.id != "" {
				r := p.receive()
				code := 0
				if r.Error != nil {
					code = r.Error.Code
				}
				if !sameJSON(string(r.ID), c.id) || code != c.code || r.JSONRPC != "2.0" {
					t.Errorf("answer id %s code %d (%+v), want id %s code %d", r.ID, code, r.Error, c.id, c.code)
				}
			}
			p.silent()
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

func TestALineOverTheLimitIsSkippedAndTheSessionGoesOn(t *testing.T) {
	p := serve(t, Options{MaxLine: 1000}).dial(t)
	exact := strings.Repeat(" ", 1000-len(ping)) + ping
	for _, line := range []string{exact, exact + "\r"} {
		p.send(line)
		if r := p.receive(); r.Error != nil {
			t.Errorf("a line of the limit was refused: %+v", r.Error)
		}
	}
	for _, n := range []int{1001, 1002, 70000, 1 << 20} {
		p.send(strings.Repeat("x", n))
		if r := p.receive(); r.Error == nil || r.Error.Code != codeInvalidRequest || string(r.ID) != "null" {
			t.Errorf("%d bytes: %+v, want %d with id null", n, r, codeInvalidRequest)
		}
		p.silent()
	}
}

func TestALineThatNeverEndsIsToldBeforeItEnds(t *testing.T) {
	p := serve(t, Options{MaxLine: 1000}).dial(t)
	if _, err := p.conn.Write(bytes.Repeat([]byte("x"), 40000)); err != nil {
		t.Fatal(err)
	}
	if r := p.receive(); r.Error == nil || r.Error.Code != codeInvalidRequest {
		t.Errorf("got %+v", r)
	}
	p.send("") // ends the line
	p.silent()
}

func TestEveryRevisionIsNegotiated(t *testing.T) {
	s := serve(t, Options{Version: "1.2.3"})
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2099-01-01": "2025-11-25",
	} {
		p := s.dial(t)
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`, asked),
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		var init struct {
			ProtocolVersion string         `json:"protocolVersion"`
			Instructions    string         `json:"instructions"`
			Capabilities    map[string]any `json:"capabilities"`
			ServerInfo      struct{ Name, Version string }
		}
		if err := json.Unmarshal(p.receive().Result, &init); err != nil {
			t.Fatal(err)
		}
		if init.ProtocolVersion != want || init.Instructions != instructions || init.ServerInfo.Name != "shelfd" || init.ServerInfo.Version != "1.2.3" {
			t.Errorf("%s: %+v", asked, init)
		}
		if _, ok := init.Capabilities["elicitation"]; ok {
			t.Errorf("%s: elicitation is no capability of a server", asked)
		}
		if r := p.receive(); string(r.ID) != "2" || !strings.Contains(string(r.Result), "browse_documents") {
			t.Errorf("%s: tools/list: %s", asked, r.Result)
		}
	}
}

func TestTheStatelessRevisionIsServedBesideTheOthers(t *testing.T) {
	p := serve(t, Options{}).dial(t)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	p.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`)
	r := p.receive()
	var discovered struct {
		SupportedVersions []string `json:"supportedVersions"`
		Instructions      string   `json:"instructions"`
		ResultType        string   `json:"resultType"`
	}
	if err := json.Unmarshal(r.Result, &discovered); err != nil {
		t.Fatal(err, r.Error)
	}
	if len(discovered.SupportedVersions) != 5 || discovered.Instructions != instructions || discovered.ResultType == "" {
		t.Errorf("discover: %+v", discovered)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browse_documents","arguments":{},` + meta + `}}`)
	if out := p.receive().tool(t); out.IsError || !strings.Contains(out.Content[0].Text, `"success":true`) {
		t.Errorf("tools/call: %+v", out)
	}
	p.send(`{"jsonrpc":"2.0","id":3,"method":"ping","params":{` + meta + `}}`)
	if r := p.receive(); r.Error == nil || r.Error.Code != codeMethodNotFound {
		t.Errorf("ping is gone from this revision: %+v", r)
	}
	p.send(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`)
	if ack := p.receive(); ack.Method != "notifications/subscriptions/acknowledged" {
		t.Errorf("the acknowledgement must come before the result: %+v", ack)
	}
	if r := p.receive(); string(r.ID) != "4" || r.Error != nil {
		t.Errorf("listen: %+v", r)
	}
	p.silent()
}

func TestCancelSentRightBehindTheCallIsNeverLostAndNothingIsAnswered(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	for i := range 100 {
		p.send(toolCall(fmt.Sprint(i), "sleep", nil), fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
	}
	p.silent()
	for len(z.started) > 0 { // those that had begun when they were cancelled
		<-z.started
		if err := await(t, "the end of a cancelled call", z.ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a call ended with %v", err)
		}
	}
}

func TestCancelTellsNumbersFromStrings(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall(`5`, "sleep", nil), toolCall(`"5"`, "sleep", nil))
	await(t, "first", z.started)
	await(t, "second", z.started)
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	if err := await(t, "the cancelled call", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	z.wake()
	if r := p.receive(); string(r.ID) != `"5"` || r.Error != nil {
		t.Errorf("the other call: id %s, %+v", r.ID, r.Error)
	}
	p.silent()
}

func TestAnIDInUseIsRefused(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall(`1`, "sleep", nil), toolCall(`1`, "sleep", nil))
	if r := p.receive(); string(r.ID) != "1" || r.Error == nil || r.Error.Code != codeInvalidRequest {
		t.Errorf("second call: %+v", r)
	}
	z.wake()
	if r := p.receive(); string(r.ID) != "1" || r.Error != nil {
		t.Errorf("first call: %+v", r.Error)
	}
}

// Progress is queued before the response; it must be read before it, every time.
func TestNotificationsComeBeforeTheResponseTheyPrecede(t *testing.T) {
	s := serve(t, Options{})
	s.add("noisy", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		exchangeOf(ctx).Initialize()
		for i := range 5 {
			exchangeOf(ctx).send(encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{"progressToken": "p", "progress": i}}))
		}
		for range 5 { // mcp-go's own way in
			if err := s.protocol.SendNotificationToClient(ctx, "notifications/message", map[string]any{"level": "info"}); err != nil {
				return nil, err
			}
		}
		return mcp.NewToolResultText("done"), nil
	})
	p := s.dial(t)
	for i := range 200 {
		p.send(toolCall(fmt.Sprint(i), "noisy", nil))
		for n := range 10 {
			if r := p.receive(); r.Method == "" {
				t.Fatalf("call %d was answered after %d of 10 notifications: %s %+v", i, n, r.Result, r.Error)
			}
		}
		if r := p.receive(); string(r.ID) != fmt.Sprint(i) {
			t.Fatalf("call %d: %+v", i, r)
		}
	}
}

func TestAPanicIsOneCallsInternalError(t *testing.T) {
	s := serve(t, Options{})
	s.add("panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("secret detail") })
	p, other := s.dial(t), s.dial(t)
	p.send(toolCall("1", "panic", nil))
	r := p.receive()
	if r.Error == nil || r.Error.Code != codeInternal || string(r.ID) != "1" || strings.Contains(r.Error.Message, "secret") {
		t.Errorf("got %+v", r.Error)
	}
	p.silent()
	other.silent()
}
