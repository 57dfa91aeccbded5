package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the program: scripts call it as shelfd.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"shelfd": func() { os.Exit(run()) }})
}

// TestScripts runs the program as a person would: see testdata. Each script has a home of its own, a copy of the test
// library in $WORK/library, and a short $SHELFD_SOCKET: the folders of tests are too deep for the address of a socket.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitCode, "until": until, "hear": hear, "fetch": fetch, "session": session, "damage": damage},
		Setup: func(e *testscript.Env) error {
			socket, err := os.MkdirTemp("", "shelfd")
			if err != nil {
				return err
			}
			e.Defer(func() { os.RemoveAll(socket) })
			e.Setenv("SHELFD_SOCKET", filepath.Join(socket, "s"))
			e.Setenv("NOTIFY_SOCKET", filepath.Join(socket, "n"))
			port, err := freePort()
			if err != nil {
				return err
			}
			e.Setenv("PORT", port)
			embedder := newEmbedder()
			e.Defer(embedder.Close)
			e.Setenv("EMBEDDER", embedder.URL)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_STATE_HOME", "")
			e.Setenv("XDG_CONFIG_HOME", "")
			return os.CopyFS(filepath.Join(e.WorkDir, "library"), os.DirFS("../../testdata/library"))
		},
	})
}

// exitCode runs a program and compares its exit code: exitcode 2 shelfd serve
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE PROGRAM [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// until runs a program again and again until its standard output matches: until 'watching' shelfd shelves. With ! it
// waits until the output no longer matches.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] until REGEXP PROGRAM [ARGUMENT...]")
	}
	wanted, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	guard := time.After(20 * time.Second)
	for {
		err := ts.Exec(args[1], args[2:]...)
		if seen := ts.ReadFile("stdout"); err == nil && wanted.MatchString(seen) != neg {
			return
		}
		select {
		case <-tick.C:
		case <-guard:
			ts.Fatalf("still not so; last seen:\n%s%s", ts.ReadFile("stdout"), ts.ReadFile("stderr"))
		}
	}
}

// hear opens a datagram socket and, called again with a text, waits for a datagram that holds it: hear SOCKET [TEXT].
func hear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: hear SOCKET [TEXT]")
	}
	if len(args) == 1 {
		conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: args[0], Net: "unixgram"})
		ts.Check(err)
		ts.Defer(func() { conn.Close() })
		ears.Store(args[0], conn)
		return
	}
	found, _ := ears.Load(args[0])
	conn, ok := found.(*net.UnixConn)
	if !ok {
		ts.Fatalf("nobody listens on %s", args[0])
	}
	ts.Check(conn.SetReadDeadline(time.Now().Add(20 * time.Second)))
	var heard []string
	for datagram := make([]byte, 1024); ; {
		n, err := conn.Read(datagram)
		if err != nil {
			ts.Fatalf("heard %q, want %q: %v", heard, args[1], err)
		}
		heard = append(heard, string(datagram[:n]))
		if strings.Contains(heard[len(heard)-1], args[1]) {
			return
		}
	}
}

// ears are the sockets that hear opened, by path.
var ears sync.Map

// freePort is a TCP port that nobody had a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// fetch asks for a URL and prints the answer: fetch STATUS URL [HEADER: VALUE]...
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fetch STATUS URL [HEADER: VALUE]...")
	}
	request, err := http.NewRequest(http.MethodGet, args[1], nil)
	ts.Check(err)
	for _, header := range args[2:] {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
		if name == "Host" {
			request.Host = value
		}
	}
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	_, err = io.Copy(ts.Stdout(), response.Body)
	ts.Check(err)
	if got := strconv.Itoa(response.StatusCode); got != args[0] {
		ts.Fatalf("%s: status %s, want %s", args[1], got, args[0])
	}
}
