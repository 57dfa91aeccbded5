package indexer

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"shelfd/store"
	"shelfd/watcher"
)

// Who reads why a shelf is offline learns how much is kept and that waiting is safe before the command that deletes.
func TestAnOfflineReasonSaysThatWaitingIsSafeBeforeWhatDeletes(t *testing.T) {
	s := &shelf{Shelf: Shelf{ShelfSpec: store.ShelfSpec{Name: "notes"}, Root: watcher.Root{Path: "/n"}}}
	known := make([]store.File, 7)
	for name, reason := range map[string]string{
		"empty":          emptyReason(s, nil, 7),
		"no root":        emptyReason(s, errors.New("no such file"), 7),
		"missing":        faultReason(s, fs.ErrNotExist, 7),
		"another device": (&run{}).offlineReason(s, &sight{shelf: s, listing: watcher.Listing{RootDevice: 2, Entries: []watcher.Entry{{Path: "x"}}}}, known, 1),
	} {
		safe, deletes := strings.Index(reason, "waiting is safe"), strings.Index(reason, "--accept-deletions notes")
		if safe < 0 || deletes < safe || !strings.Contains(reason, "/n") || !strings.Contains(reason, "7 documents are kept") {
			t.Errorf("%s: %s", name, reason)
		}
	}
}

// A folder that may not be read, or not now, need not be put back.
func TestAFolderThatMayNotBeReadIsToldHowToBe(t *testing.T) {
	s := &shelf{Shelf: Shelf{ShelfSpec: store.ShelfSpec{Name: "notes"}, Root: watcher.Root{Path: "/n"}}}
	denied := fmt.Errorf("open: %w", fs.ErrPermission)
	for _, n := range []int{0, 5} {
		if reason := faultReason(s, denied, n); !strings.Contains(reason, permit("linux")) && !strings.Contains(reason, permit("darwin")) || strings.Contains(reason, "put the folder back") {
			t.Error(reason)
		}
	}
	short := fmt.Errorf("open: %w", syscall.EMFILE)
	if reason := faultReason(s, short, 5); !strings.Contains(reason, "ulimit -n") || strings.Contains(reason, "put the folder back") {
		t.Error(reason)
	}
	if !strings.Contains(permit("darwin"), "Full Disk Access") || !strings.Contains(permit("linux"), "chmod") {
		t.Error(permit("darwin"), permit("linux"))
	}
}
