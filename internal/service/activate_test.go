package service

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// held is a listening socket as a service manager holds it.
func held(t *testing.T) (*os.File, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "held")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	f, err := l.File()
	l.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, path
}

// TestTheManagersSocketOutlivesListeners: a client that comes between two listeners waits and is served by the second.
func TestTheManagersSocketOutlivesListeners(t *testing.T) {
	f, path := held(t)
	first, err := Listener(f)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatalf("the socket went with its listener: %v", err)
	}
	defer client.Close()
	second, err := Listener(f)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	served, err := second.Accept()
	if err != nil {
		t.Fatal(err)
	}
	served.Close()
}

func TestWhatIsNoListeningUnixSocketIsRefused(t *testing.T) {
	f, path := held(t)
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	l, err := Listener(f)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	connected, err := client.(*net.UnixConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer connected.Close()
	if _, err := Listener(connected); err == nil || !strings.Contains(err.Error(), "does not listen") {
		t.Errorf("a connection: %v", err)
	}
	web, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	tcp, err := web.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	if _, err := Listener(tcp); err == nil || !strings.Contains(err.Error(), "a Unix socket is wanted") {
		t.Errorf("a TCP socket: %v", err)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := Listener(file); err == nil {
		t.Error("no socket at all was taken")
	}
}
