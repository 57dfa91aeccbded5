package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// The arithmetic of the limits.
const (
	// spare is what a database needs beside the text: twice the text for tables and terms, once more while one is built
	// beside the other.
	spare = 3
	// slack is what is wanted free even for an empty shelf: write-ahead log and ledger.
	slack = 64 << 20
	// fewFiles open files are what many sessions and readers need at once.
	fewFiles = 512
	// skew of clocks between hosts that is no reason to worry.
	skew = 2 * time.Minute
)

// Judge says what the facts mean, in the order in which a person would mend them.
func Judge(f Facts) []Finding {
	var found []Finding
	found = append(found, state(f)...)
	found = append(found, socket(f)...)
	for _, s := range f.Shelves {
		found = append(found, shelf(s)...)
	}
	found = append(found, watches(f)...)
	found = append(found, clock(f)...)
	if f.Files > 0 && f.Files < fewFiles {
		found = append(found, Finding{
			Wrong, "open files", fmt.Sprintf("%d may be open at once", f.Files),
			fmt.Sprintf("raise the limit: ulimit -n %d, or LimitNOFILE= in the unit", 2*fewFiles),
		})
	}
	for _, c := range f.Clients {
		found = append(found, client(c))
	}
	return found
}

func state(f Facts) []Finding {
	const about = "database"
	d := f.State
	if d.Err != nil {
		return []Finding{{Wrong, about, d.Err.Error(), "name another place with --db"}}
	}
	var found []Finding
	add := func(level Level, what, remedy string) { found = append(found, Finding{level, about, what, remedy}) }
	switch {
	case NoWAL(d.FileSystem, d.Remote):
		add(Wrong, fmt.Sprintf("%s is on %s, where SQLite's write-ahead log cannot be shared", d.Path, d.FileSystem),
			"name a folder of a local disk with --db or $SHELFD_DB_PATH")
	case d.Remote:
		add(Note, fmt.Sprintf("%s is on %s", d.Path, d.FileSystem), "a local disk is faster and safer: --db or $SHELFD_DB_PATH")
	}
	if reason := shared(d, f.UID); reason != "" {
		add(Wrong, fmt.Sprintf("%s %s", d.There, reason), "chmod go-w it, or name another place with --db")
	}
	if !d.Writable {
		add(Wrong, d.There+" cannot be written to", "name another place with --db or $SHELFD_DB_PATH")
	}
	var text uint64
	for _, s := range f.Shelves {
		text += s.Bytes
	}
	if need := spare*text + slack; d.Free < need {
		add(Wrong, fmt.Sprintf("%s has %s free; %s of documents want %s", d.There, size(d.Free), size(text), size(need)),
			"make room, or name a larger disk with --db")
	}
	if len(found) == 0 {
		add(Fine, fmt.Sprintf("%s, %s free", d.Path, size(d.Free)), "")
	}
	return found
}

// NoWAL says whether a write-ahead log on such a file system would corrupt the database: it needs memory that all
// processes share. FUSE shares it on one host and passes.
func NoWAL(fileSystem string, remote bool) bool {
	return remote && !strings.Contains(fileSystem, "fuse")
}

// shared says why others could tamper with what is in a folder. Only a folder that is there already is judged.
func shared(d Folder, uid int) string {
	sticky := d.Mode&0o1000 != 0
	switch {
	case d.There != d.Path:
		return ""
	case d.Owner != uid && !(sticky && d.Owner == 0):
		return fmt.Sprintf("belongs to user %d, not to you", d.Owner)
	case d.Mode&0o022 != 0 && !sticky:
		return fmt.Sprintf("can be written to by others (mode %04o)", d.Mode)
	}
	return ""
}

func socket(f Facts) []Finding {
	const about = "socket"
	s := f.Socket
	var found []Finding
	if s.TooLong != nil {
		found = append(found, Finding{Wrong, about, s.TooLong.Error(), "name a shorter one with --socket or $SHELFD_SOCKET"})
	}
	if s.Answers { // Whoever listens there has settled all else.
		return append(found, Finding{Fine, about, s.Path + ", a daemon listens", ""})
	}
	if s.Folder.Err != nil {
		return append(found, Finding{Wrong, about, s.Folder.Err.Error(), "name another place with --socket"})
	}
	if reason := shared(s.Folder, f.UID); reason != "" {
		found = append(found, Finding{Wrong, about, s.Folder.There + " " + reason, "chmod go-w it, or name another place with --socket"})
	}
	if !s.Folder.Writable {
		found = append(found, Finding{Wrong, about, s.Folder.There + " cannot be written to", "name another place with --socket or $SHELFD_SOCKET"})
	}
	if len(found) == 0 {
		found = append(found, Finding{Note, about, s.Path + ", no daemon answers", "start one: shelfd service install, or shelfd serve"})
	}
	return found
}

func shelf(s Shelf) []Finding {
	about := "shelf " + s.Name
	if s.Err != nil {
		remedy := "bring the folder back, or take the shelf out of the configuration; its documents stay until then"
		if os.IsPermission(s.Err) {
			remedy = fmt.Sprintf("give this user the right to read it: chmod u+rx %q; on macOS, System Settings, Privacy & Security, Full Disk Access", s.Root)
		}
		return []Finding{{Wrong, about, s.Err.Error(), remedy}}
	}
	var found []Finding
	if s.Denied > 0 {
		found = append(found, Finding{
			Wrong, about, fmt.Sprintf("%d paths cannot be read: %s", s.Denied, strings.Join(s.Unreadable, ", ")),
			"chmod them, or leave them out with exclude:",
		})
	}
	if s.Remote && !s.Polled {
		found = append(found, Finding{
			Note, about, fmt.Sprintf("%s is on %s, which tells of no changes made elsewhere; it is polled", s.Root, s.FileSystem),
			"shorten poll_interval: if that is too seldom",
		})
	}
	if s.Cut {
		found = append(found, Finding{Note, about, "over " + folders(s.Folders) + "; the rest was not looked at", "leave out what holds no documents with exclude:"})
	}
	if len(found) == 0 {
		found = append(found, Finding{Fine, about, fmt.Sprintf("%s, %s, %s of documents", s.Root, folders(s.Folders), size(s.Bytes)), ""})
	}
	return found
}

func folders(n int) string {
	if n == 1 {
		return "1 folder"
	}
	return fmt.Sprintf("%d folders", n)
}

// watches compares the folders that will be watched with what the system grants. Half is left to other programs: the
// limit is one user's, not one program's.
func watches(f Facts) []Finding {
	const about = "watches"
	w := f.Watches
	if w.Refused != nil {
		return []Finding{{
			Wrong, about, fmt.Sprintf("no inotify instance left of %d: %v", w.Instances, w.Refused),
			fmt.Sprintf("sysctl fs.inotify.max_user_instances=%d", 2*max(w.Instances, 128)),
		}}
	}
	var need, open uint64
	for _, s := range f.Shelves {
		if !s.Remote && !s.Polled {
			need += uint64(s.Folders)
			open += uint64(s.Folders + s.Files)
		}
	}
	if w.PerUser == 0 {
		return openFiles(open, f.Files)
	}
	found := fmt.Sprintf("%s to watch, %d allowed", folders(int(need)), w.PerUser)
	switch {
	case need > w.PerUser:
		return []Finding{{
			Wrong, about, found + "; the rest would be polled",
			fmt.Sprintf("sysctl fs.inotify.max_user_watches=%d", roundUp(2*need)),
		}}
	case 2*need > w.PerUser:
		return []Finding{{Note, about, found + " for all programs of this user", fmt.Sprintf("sysctl fs.inotify.max_user_watches=%d", roundUp(2*need))}}
	}
	return []Finding{{Fine, about, found, ""}}
}

// openFiles judges where watching a folder opens every file in it. The watcher takes a quarter of what may be open.
func openFiles(need, limit uint64) []Finding {
	if limit == 0 || need <= limit/4 {
		return nil
	}
	return []Finding{{
		Note, "watches", fmt.Sprintf("%d files and folders to watch, each an open file, of which %d may be; the rest will be polled", need, limit),
		fmt.Sprintf("ulimit -n %d, or SoftResourceLimits in the plist", roundUp(4*need)),
	}}
}

// roundUp gives the next power of two, as limits are usually written.
func roundUp(n uint64) uint64 {
	p := uint64(8192)
	for p < n {
		p *= 2
	}
	return p
}

// clock notices a clock that is behind: files would then change without their times moving on.
func clock(f Facts) []Finding {
	if !f.Built.IsZero() && f.Now.Before(f.Built) {
		return []Finding{{Wrong, "clock", fmt.Sprintf("it is %s, before this program was made (%s)", f.Now.Format(time.DateOnly), f.Built.Format(time.DateOnly)), "set the clock"}}
	}
	for _, s := range f.Shelves {
		if s.Newest.After(f.Now.Add(skew)) {
			return []Finding{{
				Note, "clock", fmt.Sprintf("shelf %s has documents from the future (%s)", s.Name, s.Newest.Format(time.DateTime)),
				"set the clock, or touch the files; they are read again at every look until then",
			}}
		}
	}
	return []Finding{{Fine, "clock", f.Now.Format(time.DateTime), ""}}
}

func client(c Client) Finding {
	about := "client " + c.Name
	switch {
	case c.Missing:
		return Finding{Wrong, about, fmt.Sprintf("%s starts %s, which is not there", c.Path, c.Command), "write it anew: shelfd connect --print " + c.Name}
	case c.Mentions:
		return Finding{Fine, about, c.Path + " knows shelfd", ""}
	}
	return Finding{Note, about, c.Path + " does not know shelfd", "see what to add: shelfd connect --print " + c.Name}
}

func size(bytes uint64) string {
	value, unit := float64(bytes), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}

// modeOf is the mode of a folder as Folder has it.
func modeOf(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSticky != 0 {
		bits |= 0o1000
	}
	return bits
}
