package indexer_test

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"shelfd/store"
)

// Mounts cause no event, and an empty mount point is no empty shelf.
func TestAnUnmountedRootIsOffline(t *testing.T) {
	l := shelf(t, 0)
	root := l.Path("notes")
	mount := func() {
		if err := unix.Mount("none", root, "tmpfs", 0, ""); err != nil {
			t.Skip("no mounts here: ", err)
		}
	}
	mount()
	t.Cleanup(func() { _ = unix.Unmount(root, unix.MNT_DETACH) })
	for n := range 30 {
		l.Write(fmt.Sprintf("notes/%d.md", n), "# Valve\n")
	}
	script(t, l, `cp -a notes away`)
	l.Sync()
	id := l.ID("notes/7.md")
	if err := unix.Unmount(root, 0); err != nil {
		t.Fatal(err)
	}
	l.Sync() // mounts cause no event
	offline(l)
	l.Write("notes/stray.md", "# A file below the mount point\n") // another device, and most is not there
	if reports := l.Sync(); reports[0].Documents != 30 || reports[0].State != store.StateOffline {
		t.Errorf("%+v", reports)
	}
	l.Remove("notes/stray.md")
	mount() // a new device number, new inodes
	script(t, l, `cp -a away/. notes/`)
	online(l)
	l.Sync()
	if l.ID("notes/7.md") != id {
		t.Errorf("id %d, was %d", l.ID("notes/7.md"), id)
	}
}
