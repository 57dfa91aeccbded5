package doctor

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"
)

// well is a machine on which nothing is wrong.
func well() Facts {
	own := Folder{Path: "/home/u/.local/state/shelfd", There: "/home/u/.local/state/shelfd", Owner: 1000, Mode: 0o700, Writable: true, Free: 1 << 40}
	return Facts{
		Now: time.Unix(2e9, 0), Built: time.Unix(1.9e9, 0), UID: 1000, State: own, Socket: Socket{Path: "/run/s", Folder: own, Answers: true},
		Shelves: []Shelf{{Name: "notes", Root: "/home/u/notes", Folders: 10, Bytes: 1 << 20}},
		Watches: Watches{PerUser: 8192, Instances: 128}, Files: 1024,
		Clients: []Client{{Name: "codex", Path: "/home/u/.codex/config.toml", Mentions: true}},
	}
}

func TestAWellMachineHasNoRemedies(t *testing.T) {
	for _, f := range Judge(well()) {
		if f.Level != Fine || f.Remedy != "" {
			t.Errorf("%+v", f)
		}
	}
}

func TestEachTroubleIsNamedWithItsRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(*Facts)
		level         Level
		found, remedy string
	}{
		"state on nfs": {
			func(f *Facts) { f.State.Remote, f.State.FileSystem = true, "nfs" }, Wrong,
			"is on nfs, where SQLite's write-ahead log cannot be shared", "--db or $SHELFD_DB_PATH",
		},
		"state on fuse":    {func(f *Facts) { f.State.Remote, f.State.FileSystem = true, "fuse" }, Note, "is on fuse", "local disk"},
		"state of another": {func(f *Facts) { f.State.Owner = 7 }, Wrong, "belongs to user 7", "--db"},
		"state open":       {func(f *Facts) { f.State.Mode = 0o777 }, Wrong, "written to by others (mode 0777)", "chmod go-w"},
		"state read-only":  {func(f *Facts) { f.State.Writable = false }, Wrong, "cannot be written to", "--db"},
		"state no folder":  {func(f *Facts) { f.State.Err = errors.New("not a directory") }, Wrong, "not a directory", "--db"},
		"little room": {
			func(f *Facts) { f.State.Free, f.Shelves[0].Bytes = 1<<30, 1<<30 }, Wrong,
			"1 GiB free; 1 GiB of documents want 3 GiB", "larger disk",
		},
		"socket too long": {func(f *Facts) { f.Socket.TooLong = errors.New("108 bytes") }, Wrong, "108 bytes", "--socket"},
		"nobody answers":  {func(f *Facts) { f.Socket.Answers = false }, Note, "no daemon answers", "shelfd service install"},
		"socket folder open": {
			func(f *Facts) { f.Socket.Answers, f.Socket.Folder.Mode = false, 0o777 }, Wrong, "written to by others", "chmod go-w",
		},
		"root gone":   {func(f *Facts) { f.Shelves[0].Err = fs.ErrNotExist }, Wrong, "not exist", "bring the folder back"},
		"root closed": {func(f *Facts) { f.Shelves[0].Err = syscall.EPERM }, Wrong, "not permitted", "Full Disk Access"},
		"file closed": {
			func(f *Facts) { f.Shelves[0].Denied, f.Shelves[0].Unreadable = 2, []string{"a.md", "b.md"} }, Wrong,
			"2 paths cannot be read: a.md, b.md", "chmod",
		},
		"root on smb":      {func(f *Facts) { f.Shelves[0].Remote, f.Shelves[0].FileSystem = true, "smb" }, Note, "is on smb", "poll_interval"},
		"too many folders": {func(f *Facts) { f.Shelves[0].Folders = 10000 }, Wrong, "10000 folders to watch, 8192 allowed", "max_user_watches=32768"},
		"many folders":     {func(f *Facts) { f.Shelves[0].Folders = 5000 }, Note, "5000 folders to watch", "max_user_watches=16384"},
		"no instance":      {func(f *Facts) { f.Watches.Refused = syscall.EMFILE }, Wrong, "no inotify instance left of 128", "max_user_instances=256"},
		"no inotify, many files": {
			func(f *Facts) { f.Watches, f.Shelves[0].Files = Watches{}, 1000 }, Note,
			"1010 files and folders to watch, each an open file, of which 1024", "ulimit -n 8192",
		},
		"clock behind":      {func(f *Facts) { f.Now = time.Unix(1e9, 0) }, Wrong, "before this program was made", "set the clock"},
		"from the future":   {func(f *Facts) { f.Shelves[0].Newest = f.Now.Add(time.Hour) }, Note, "documents from the future", "set the clock"},
		"few files":         {func(f *Facts) { f.Files = 256 }, Wrong, "256 may be open", "ulimit -n 1024"},
		"client moved away": {func(f *Facts) { f.Clients[0].Missing, f.Clients[0].Command = true, "/x/shelfd" }, Wrong, "starts /x/shelfd, which is not there", "--print codex"},
		"client new":        {func(f *Facts) { f.Clients[0].Mentions = false }, Note, "does not know shelfd", "--print codex"},
	} {
		facts := well()
		c.change(&facts)
		var odd []Finding
		for _, f := range Judge(facts) {
			if f.Level != Fine {
				odd = append(odd, f)
			}
		}
		if len(odd) != 1 || odd[0].Level != c.level || !strings.Contains(odd[0].Found, c.found) || !strings.Contains(odd[0].Remedy, c.remedy) {
			t.Errorf("%s: %+v", name, odd)
		}
	}
}

// TestPolledAndRemoteShelvesNeedNoWatches: they would only raise an alarm about a limit that they don't meet.
func TestPolledAndRemoteShelvesNeedNoWatches(t *testing.T) {
	facts := well()
	facts.Shelves = append(facts.Shelves, Shelf{Name: "polled", Polled: true, Folders: 1 << 19}, Shelf{Name: "remote", Remote: true, FileSystem: "nfs", Folders: 1 << 19})
	for _, f := range Judge(facts) {
		if f.About == "watches" && f.Level != Fine {
			t.Errorf("%+v", f)
		}
	}
}
