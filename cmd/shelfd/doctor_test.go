package main

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelfd/internal/client"
)

func TestADatabaseOnANetworkFileSystemIsRefused(t *testing.T) {
	on := func(name string, remote bool) func(string) (string, bool) {
		return func(string) (string, bool) { return name, remote }
	}
	for name, refused := range map[string]bool{"nfs": true, "smb": true, "9p": true, "fuse": false} {
		err := refuseRemote("/net/state", on(name, true))
		if (err != nil) != refused {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !(strings.Contains(err.Error(), "/net/state") && strings.Contains(err.Error(), "--db") && strings.Contains(err.Error(), name)) {
			t.Errorf("the error must name place, kind and remedy: %v", err)
		}
	}
	if err := refuseRemote("/state", on("ext4", false)); err != nil {
		t.Error(err)
	}
}

// Whoever has the socket and says nothing is told apart from nobody, and from one who refuses.
func TestADaemonThatGivesNoAnswerIsCalledSilent(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := askWithin(t.Context(), socket, time.Millisecond); !errors.Is(err, errSilent) {
		t.Errorf("silent: %v", err)
	}
	if _, err := askWithin(t.Context(), socket+"x", time.Minute); !errors.Is(err, client.ErrNoDaemon) {
		t.Errorf("nobody: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := askWithin(ended, socket, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}
