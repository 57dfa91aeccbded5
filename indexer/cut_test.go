package indexer

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"shelfd/watcher"
)

// TestWhatIsNoFileAnyMoreIsForTheNextLookToTell: readers come to a file later than the look that found it, and maybe later
// than one that found it replaced. A fault of reading would stay, since nobody looks again.
func TestWhatIsNoFileAnyMoreIsForTheNextLookToTell(t *testing.T) {
	root := watcher.Root{Path: t.TempDir()}
	at := func(path string) string { return filepath.Join(root.Path, path) }
	for _, err := range []error{
		os.Mkdir(at("folder.md"), 0o700), os.WriteFile(at("file"), nil, 0o600), syscall.Mkfifo(at("pipe.md"), 0o600), os.WriteFile(at("note.md"), []byte("# Note\n"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	folder, err := systemDisk{}.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for path, vanished := range map[string]bool{"folder.md": true, "file/below.md": true, "pipe.md": true, "gone.md": true, "note.md": false} {
		o := cutFile((&shelf{}).job(folder, Change{Entry: watcher.Entry{Path: path}}))
		if o.vanished != vanished || o.failed != nil || len(o.problems) > 0 || (o.prepared != nil) == vanished {
			t.Errorf("%s: vanished %v, failed %v, problems %v", path, o.vanished, o.failed, o.problems)
		}
	}
}
