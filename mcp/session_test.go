package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

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
		sessionOf(ctx).Initialize()
		for i := range 5 {
			sessionOf(ctx).w.send(encode(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{"progressToken": "p", "progress": i}}))
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

func TestTheThirtyThirdCallWaitsUntilOneEnds(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	for i := range 33 {
		p.send(toolCall(fmt.Sprint(i), "sleep", nil))
	}
	for range 32 {
		await(t, "a call to start", z.started)
	}
	p.send(ping)
	if r, err := p.next(100 * time.Millisecond); !isTimeout(err) {
		t.Errorf("reading did not wait: %+v %v", r, err)
	}
	select {
	case <-z.started:
		t.Error("33 calls are in flight")
	default:
	}
	z.wake()
	for range 34 {
		p.receive()
	}
}

func TestADisconnectCancelsTheCalls(t *testing.T) {
	for name, inFlight := range map[string]int{"one call": 1, "as many as fit": 32, "reading waits": 40} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, Options{})
			z := s.addSleeper("sleep")
			p := s.dial(t)
			for i := range inFlight {
				p.send(toolCall(fmt.Sprint(i), "sleep", nil))
			}
			for range min(inFlight, 32) {
				await(t, "a call to start", z.started)
			}
			p.conn.Close()
			for range min(inFlight, 32) {
				if err := await(t, "a call to end", z.ended); !errors.Is(err, context.Canceled) {
					t.Errorf("ended with %v", err)
				}
			}
		})
	}
}

func TestAHalfClosedConnectionGetsItsAnswersAndIsClosed(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("2", "sleep", nil))
	if _, err := p.conn.Write([]byte(ping)); err != nil { // the last line needs no newline
		t.Fatal(err)
	}
	if err := p.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	await(t, "the call to start", z.started)
	if r := p.receive(); r.Error != nil { // the ping
		t.Errorf("%+v", r.Error)
	}
	if _, err := p.next(2 * hangUpCheck); !isTimeout(err) {
		t.Errorf("the call must go on: %v", err)
	}
	z.wake()
	if r := p.receive(); r.Error != nil {
		t.Errorf("the call: %+v", r.Error)
	}
	if _, err := p.next(guard); !errors.Is(err, io.EOF) {
		t.Errorf("the server must close: %v", err)
	}
}

func TestACallerThatHangsUpAfterHalfClosingIsNoticed(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("1", "sleep", nil))
	await(t, "the call to start", z.started)
	if err := p.conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.next(2 * hangUpCheck); !isTimeout(err) {
		t.Errorf("unexpected: %v", err)
	}
	p.conn.Close()
	if err := await(t, "the call to end", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestAClientThatDoesNotReadIsClosedAfterTheWriteDeadline(t *testing.T) {
	s := serve(t, Options{WriteDeadline: 100 * time.Millisecond})
	big := strings.Repeat("x", 1<<20)
	s.add("big", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(big), nil
	})
	p := s.dial(t)
	_ = p.conn.SetWriteDeadline(time.Now().Add(guard))
	for i := 0; ; i++ {
		if _, err := fmt.Fprintln(p.conn, toolCall(fmt.Sprint(i), "big", nil)); err != nil {
			if isTimeout(err) {
				t.Error("the connection stayed open")
			}
			return
		}
	}
}

func TestShutdownLetsCallsFinishWithinTheGrace(t *testing.T) {
	s := serve(t, Options{})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("1", "sleep", nil))
	await(t, "the call to start", z.started)
	s.stop()
	if _, err := p.next(50 * time.Millisecond); !isTimeout(err) {
		t.Errorf("the call must go on: %v", err)
	}
	z.wake()
	if r := p.receive(); r.Error != nil || string(r.ID) != "1" {
		t.Errorf("the call: %+v", r)
	}
	s.wait(t)
	if _, err := os.Lstat(s.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket file is still there: %v", err)
	}
}

func TestShutdownCancelsCallsAfterTheGrace(t *testing.T) {
	s := serve(t, Options{Grace: 50 * time.Millisecond})
	z := s.addSleeper("sleep")
	p := s.dial(t)
	p.send(toolCall("1", "sleep", nil))
	await(t, "the call to start", z.started)
	s.stop()
	if err := await(t, "the call to end", z.ended); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	s.wait(t)
}

func TestTooManyConnectionsAreTold(t *testing.T) {
	s := serve(t, Options{MaxConnections: 2})
	a, b := s.dial(t), s.dial(t)
	a.silent()
	b.silent()
	c := s.dial(t)
	if r := c.receive(); r.Error == nil || r.Error.Code != codeServer {
		t.Errorf("third connection: %+v", r)
	}
	a.silent()
}

func TestAPeerThatIsNotAdmittedIsTold(t *testing.T) {
	var asked Peer
	s := serve(t, Options{Admit: func(p Peer) bool { asked = p; return false }})
	p := s.dial(t)
	if r := p.receive(); r.Error == nil || r.Error.Code != codeServer {
		t.Errorf("got %+v", r)
	}
	if !asked.Known || asked.UID != os.Getuid() || asked.PID != os.Getpid() {
		t.Errorf("the peer is told as %+v", asked)
	}
}

func TestStatusAnswersOnlyWhenTheProgramGivesIt(t *testing.T) {
	line := `{"jsonrpc":"2.0","id":1,"method":"shelfd/status"}`
	p := serve(t, Options{}).dial(t)
	p.send(line)
	if r := p.receive(); r.Error == nil || r.Error.Code != codeMethodNotFound {
		t.Errorf("got %+v", r)
	}
	p = serve(t, Options{Status: func(context.Context) (any, error) { return map[string]int{"queue": 3}, nil }}).dial(t)
	p.send(line)
	if r := p.receive(); string(r.Result) != `{"queue":3}` || string(r.ID) != "1" {
		t.Errorf("got %s %+v", r.Result, r.Error)
	}
}

func TestASessionOverAPipe(t *testing.T) {
	s := New(Options{Store: newStore(t)})
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() { s.ServeConn(t.Context(), theirs); close(ended) }()
	if _, err := fmt.Fprintln(ours, ping); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	if n, err := ours.Read(buffer); err != nil || !strings.Contains(string(buffer[:n]), `"result"`) {
		t.Errorf("%s %v", buffer[:n], err)
	}
	ours.Close()
	await(t, "the session to end", ended)
}

// Fifty clients work while one never reads, one sends garbage and one sends a line of 100 MB.
func TestFiftyClientsDoNotNoticeThreeBadOnes(t *testing.T) {
	s := serve(t, Options{})
	big := strings.Repeat("x", 1<<20)
	s.add("big", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(big), nil
	})
	bad := make(chan struct{})
	var attackers sync.WaitGroup
	defer attackers.Wait()
	defer close(bad)
	attack := func(f func(c net.Conn)) {
		c := s.dial(t).conn
		attackers.Go(func() { f(c) })
		attackers.Go(func() { <-bad; c.Close() })
	}
	attack(func(c net.Conn) { // asks and never reads
		for i := 0; ; i++ {
			if _, err := fmt.Fprintln(c, toolCall(fmt.Sprint(i), "big", nil)); err != nil {
				return
			}
		}
	})
	attack(func(c net.Conn) {
		go func() { _, _ = io.Copy(io.Discard, c) }()
		for {
			if _, err := c.Write(bytes.Repeat([]byte("garbage\n\x00\xff{]\n"), 100)); err != nil {
				return
			}
		}
	})
	hundred := make(chan struct{})
	attack(func(c net.Conn) {
		defer close(hundred)
		piece := bytes.Repeat([]byte("y"), 1<<20)
		for range 100 {
			if _, err := c.Write(piece); err != nil {
				return
			}
		}
		_, _ = fmt.Fprintf(c, "\n%s\n", ping)
		answers := make([]byte, 1000)
		_ = c.SetReadDeadline(time.Now().Add(guard))
		n, err := io.ReadAtLeast(c, answers, 120)
		if err != nil || !strings.Contains(string(answers[:n]), fmt.Sprint(codeInvalidRequest)) || !strings.Contains(string(answers[:n]), `"result"`) {
			t.Errorf("100 MB line: %s %v", answers[:n], err)
		}
	})
	var good sync.WaitGroup
	for n := range 50 {
		p := s.dial(t)
		good.Go(func() {
			for i := range 40 {
				id := fmt.Sprintf(`"%d-%d"`, n, i)
				p.send(toolCall(id, "browse_documents", map[string]any{}))
				if r := p.receive(); string(r.ID) != id || r.Error != nil {
					t.Errorf("client %d: id %s, %+v", n, r.ID, r.Error)
					return
				}
			}
		})
	}
	good.Wait()
	await(t, "the 100 MB line", hundred)
}
