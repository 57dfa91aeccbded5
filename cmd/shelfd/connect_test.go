package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// guard bounds every wait of these tests; none waits for it to pass.
const guard = 20 * time.Second

// house is the built program with a folder of Markdown and places of its own.
type house struct {
	t       testing.TB
	program string
	home    string
	root    string
	socket  string
}

// buildProgram builds the program as it is shipped.
func buildProgram(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "shelfd")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

func newHouse(t testing.TB, program string) *house {
	t.Helper()
	home, err := os.MkdirTemp("", "s") // short: a socket path holds 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	h := &house{t: t, home: home, program: program, root: filepath.Join(home, "notes"), socket: filepath.Join(home, "sock", "s")}
	h.write("a.md", "# Valves\n\nThe valve opens at 3 bar.\n")
	return h
}

func (h *house) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) command(args ...string) *exec.Cmd {
	c := exec.Command(h.program, args...)
	c.Env = append(os.Environ(), "HOME="+h.home, "SHELFD_SOCKET="+h.socket, "SHELFD_DB_PATH="+filepath.Join(h.home, "state", "index.db"), "XDG_CONFIG_HOME="+h.home)
	return c
}

// serve starts a daemon and waits until it answers. stop kills it.
func (h *house) serve(args ...string) (stop func()) {
	h.t.Helper()
	return h.start(append(args, h.root)...)
}

// start is serve with what the configuration says.
func (h *house) start(args ...string) (stop func()) {
	h.t.Helper()
	return h.launch(h.command(append([]string{"serve"}, args...)...))
}

// launch is start with a command that becomes the daemon.
func (h *house) launch(c *exec.Cmd) (stop func()) {
	h.t.Helper()
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	stop = sync.OnceFunc(func() { _ = c.Process.Kill(); _ = c.Wait() })
	h.t.Cleanup(stop)
	if out, err := h.command("status", "--wait", "20s").CombinedOutput(); err != nil {
		stop()
		h.t.Fatalf("the daemon does not answer: %v\n%s%s", err, out, log.String())
	}
	return stop
}

// agent is an MCP client that has started shelfd connect.
type agent struct {
	t    testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	next int
}

func (h *house) connect(args ...string) *agent {
	h.t.Helper()
	return h.agent(func(*exec.Cmd) {}, append([]string{"connect"}, args...)...)
}

// agent starts a client, prepared in some way.
func (h *house) agent(prepare func(*exec.Cmd), args ...string) *agent {
	h.t.Helper()
	a := &agent{t: h.t, cmd: h.command(args...)}
	a.cmd.Stderr = os.Stderr
	prepare(a.cmd)
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		h.t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	a.out = bufio.NewReaderSize(out, 1<<20)
	if err := a.cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { a.in.Close(); _ = a.cmd.Process.Kill(); _ = a.cmd.Wait() })
	return a
}

// heard is any line of the daemon.
type heard struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params map[string]any  `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (a *agent) say(method, params string) int {
	a.t.Helper()
	a.next++
	if _, err := fmt.Fprintf(a.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", a.next, method, params); err != nil {
		a.t.Fatal(err)
	}
	return a.next
}

func (a *agent) hear() heard {
	a.t.Helper()
	type read struct {
		line []byte
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := a.out.ReadBytes('\n')
		got <- read{line, err}
	}()
	select {
	case r := <-got:
		var h heard
		if r.err != nil || json.Unmarshal(r.line, &h) != nil {
			a.t.Fatalf("heard %q %v", r.line, r.err)
		}
		return h
	case <-time.After(guard):
		a.t.Fatal("heard nothing")
	}
	return heard{}
}

// ask is a request and its answer; notifications before it go to others.
func (a *agent) ask(method, params string) (answer heard, others []heard) {
	a.t.Helper()
	id := a.say(method, params)
	for {
		if answer = a.hear(); answer.Method == "" && answer.ID == id {
			return answer, others
		}
		others = append(others, answer)
	}
}

func (a *agent) open() {
	a.t.Helper()
	if answer, _ := a.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`); answer.Error != nil {
		a.t.Fatalf("initialize: %+v", answer.Error)
	}
	if _, err := io.WriteString(a.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// TestConnect looks at the bridge as a client does: as a process between two pipes.
func TestConnect(t *testing.T) {
	program := buildProgram(t)
	t.Run("a client does not notice that the daemon was killed", func(t *testing.T) { testKilledDaemon(t, program) })
	t.Run("nothing but messages is written", func(t *testing.T) { testNothingButMessages(t, program) })
	t.Run("a bridge that is told to end writes whole messages", func(t *testing.T) { testToldToEnd(t, program) })
	t.Run("the bridge goes with its client", func(t *testing.T) { testKilledClient(t, program) })
	t.Run("what a bridge costs", func(t *testing.T) { testCosts(t, program) })
}

const findValve = `{"name":"search_documents","arguments":{"query":"valve"}}`

// M10 and M11: a daemon is killed under a session and started again; the client sees answers and news, nothing else.
func testKilledDaemon(t *testing.T, program string) {
	h := newHouse(t, program)
	stop := h.serve()
	a := h.connect()
	a.open()
	if answer, _ := a.ask("resources/subscribe", `{"uri":"shelf://notes/a.md"}`); answer.Error != nil {
		t.Fatalf("subscribe: %+v", answer.Error)
	}
	for range 3 {
		stop()
		id := a.say("tools/call", findValve)
		stop = h.serve()
		for {
			answer := a.hear()
			if answer.Method != "" {
				continue // look again
			}
			if answer.ID != id || answer.Error != nil || !strings.Contains(string(answer.Result), "3 bar") {
				t.Fatalf("answer %d %s %+v", answer.ID, answer.Result, answer.Error)
			}
			break
		}
	}
	h.write("a.md", "# Valves\n\nThe valve opens at 4 bar.\n")
	for {
		if news := a.hear(); news.Method == "notifications/resources/updated" && news.Params["uri"] == "shelf://notes/a.md" {
			break
		}
	}
	if answer, _ := a.ask("resources/read", `{"uri":"shelf://notes/a.md"}`); !strings.Contains(string(answer.Result), "4 bar") {
		t.Errorf("read %s", answer.Result)
	}
	a.in.Close()
	if err := a.cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

// M01: whatever goes wrong, standard output holds JSON-RPC lines or nothing.
func testNothingButMessages(t *testing.T, program string) {
	h := newHouse(t, program)
	for name, c := range map[string]struct {
		args  []string
		input string
		lines int
	}{
		"a wrong flag":      {[]string{"connect", "--nonsense"}, "", 0},
		"a wrong argument":  {[]string{"connect", "somewhere"}, "", 0},
		"a wrong config":    {[]string{"connect", "--config", "/nonexistent"}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 1},
		"no daemon":         {[]string{"connect"}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 1},
		"no daemon, no end": {[]string{"connect"}, `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":2,"me`, 2},
		"garbage":           {[]string{"connect"}, "hello\n\x00\xff\n", 2},
		"a socket too long": {[]string{"connect", "--socket", "/" + strings.Repeat("x", 300)}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := h.command(c.args...)
			command.Stdin = strings.NewReader(c.input)
			out, _ := command.Output() // its code is told by other tests
			lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
			if len(out) == 0 {
				lines = nil
			}
			for _, line := range lines {
				var m map[string]any
				if json.Unmarshal(line, &m) != nil || m["jsonrpc"] != "2.0" {
					t.Errorf("not a message: %q", line)
				}
			}
			if len(lines) > c.lines {
				t.Errorf("%d lines, want at most %d: %s", len(lines), c.lines, out)
			}
		})
	}
}

// M01 with SIGTERM: a client that is slow to read has the pipe full of answers, the last of them in part.
func testToldToEnd(t *testing.T, program string) {
	h := newHouse(t, program)
	h.write("long.md", "# Long\n\n"+strings.Repeat("The valve opens at some pressure or other.\n\n", 400))
	h.serve()
	a := h.connect()
	a.open()
	for range 20 { // a pipe holds three or four of them
		a.say("tools/call", `{"name":"get_node_content","arguments":{"doc_path":"notes/long.md","node_ids":["long"]}}`)
	}
	if _, err := a.out.Peek(1); err != nil {
		t.Fatal(err)
	}
	var rest []byte
	read := make(chan error)
	go func() { // what is not taken for a second after the signal is given up
		var err error
		rest, err = io.ReadAll(a.out)
		read <- err
	}()
	if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	hangs := time.AfterFunc(guard, func() { _ = a.cmd.Process.Kill() })
	if err := <-read; err != nil || !hangs.Stop() {
		t.Fatalf("read %d bytes: %v", len(rest), err)
	}
	for line := range bytes.Lines(rest) {
		var m heard
		if json.Unmarshal(line, &m) != nil || line[len(line)-1] != '\n' {
			t.Errorf("not a message: %d bytes, %q…", len(line), line[:min(len(line), 60)])
		}
	}
}

// M09: the client is killed while others hold its ends of the pipes.
func testKilledClient(t *testing.T, program string) {
	h := newHouse(t, program)
	h.serve()
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inWrite.Close() // nobody closes the input
	defer outRead.Close()
	client := h.command()
	client.Path, client.Args = "/bin/sh", []string{"sh", "-c", "exec 3<&0; " + h.program + " connect <&3 & wait"} // a job has no input of its own
	client.Stdin, client.Stdout = inRead, outWrite
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	inRead.Close()
	outWrite.Close()
	if _, err := io.WriteString(inWrite, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(outRead)
	if line, err := out.ReadString('\n'); err != nil || !strings.Contains(line, `"result"`) {
		t.Fatalf("heard %q %v", line, err)
	}
	start := time.Now()
	_ = client.Process.Signal(syscall.SIGKILL)
	_ = client.Wait()
	if err := outRead.SetReadDeadline(start.Add(guard)); err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); err != io.EOF {
		t.Fatalf("the bridge is still there after %v: %q %v", time.Since(start), line, err)
	}
	if took := time.Since(start); took > 4*clientCheck+time.Second {
		t.Errorf("the bridge was there for another %v", took)
	}
}

// What a bridge costs in memory. What it adds to a call is measured by: go run ./bench mcp
func testCosts(t *testing.T, program string) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	h := newHouse(t, program)
	h.write("long.md", "# Long\n\n"+strings.Repeat("The valve opens at some pressure or other.\n\n", 400))
	h.serve()
	a := h.connect()
	a.open()
	for range 100 {
		a.ask("tools/call", findValve)
		a.ask("tools/call", `{"name":"get_node_content","arguments":{"doc_path":"notes/long.md","node_ids":["long"]}}`)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); ; <-tick.C { // it rests a moment after the last line
		resident := residentKB(t, a.cmd.Process.Pid)
		if resident < 15000 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("resident %d kB, want less than 15 MB", resident)
		}
	}
}

func residentKB(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(rest)
	kb, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb
}
