package main

import (
	"strings"
	"testing"
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
