package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"shelfd/indexer"
	"shelfd/internal/service"
)

func TestWatchdogIsForTheProcessItNames(t *testing.T) {
	for _, c := range []struct {
		pid, microseconds string
		want              time.Duration
	}{
		{"", "", 0},
		{"", "30000000", 30 * time.Second},
		{strconv.Itoa(7), "30000000", 30 * time.Second},
		{"8", "30000000", 0},
		{"", "-1", 0},
		{"", "soon", 0},
	} {
		env := map[string]string{"WATCHDOG_PID": c.pid, "WATCHDOG_USEC": c.microseconds}
		if got := watchdogInterval(func(name string) string { return env[name] }, 7); got != c.want {
			t.Errorf("%v: %v, want %v", env, got, c.want)
		}
	}
}

func TestPingsComeTwiceInTheTimeOfTheWatchdog(t *testing.T) {
	if got := pause("ready", 20*time.Second); got != 10*time.Second {
		t.Error(got)
	}
	if got := pause("ready", 0); got != reportIdle {
		t.Errorf("without a watchdog an idle daemon sleeps: %v", got)
	}
}

// TestAStuckIndexerIsNotCalledAlive: its loop, which was never started, answers nothing, and so the watchdog must not
// hear from us. The status still comes.
func TestAStuckIndexerIsNotCalledAlive(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "n"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	env := map[string]string{"NOTIFY_SOCKET": filepath.Join(dir, "n"), "WATCHDOG_USEC": "50000"}
	d := &daemon{program: &program{getenv: func(name string) string { return env[name] }}, indexer: indexer.New(indexer.Options{})}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.report(ctx) }()
	heard := 0
	if err := socket.SetReadDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for datagram := make([]byte, 1024); ; heard++ {
		n, err := socket.Read(datagram)
		if err != nil {
			break
		}
		if strings.Contains(string(datagram[:n]), "WATCHDOG=1") {
			t.Errorf("heard %q", datagram[:n])
		}
	}
	if heard == 0 {
		t.Error("no status was told")
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestLaunchdDoesNotTryAgainWhatTryingCannotMend: KeepAlive starts again after every failure, so there must be none.
func TestLaunchdDoesNotTryAgainWhatTryingCannotMend(t *testing.T) {
	wrong := errors.New("config.yaml:1:1: no")
	for _, c := range []struct {
		name string
		err  error
		ends bool
	}{
		{service.Label, &exit{exitUsage, wrong}, true},
		{service.Label, &exit{exitDatabase, wrong}, true},
		{service.Label, &exit{exitWrong, wrong}, false},
		{"0", &exit{exitUsage, wrong}, false},
		{"", &exit{exitUsage, wrong}, false},
	} {
		p := &program{err: io.Discard, entered: true, getenv: func(string) string { return c.name }}
		if got := p.settled(c.err); (got == nil) != c.ends {
			t.Errorf("%q, %v: %v", c.name, c.err, got)
		}
	}
}
