// Package watcher says where to look again: walk, filter, file system events → quiet batches.
//
// Invariant: events are hints. A Batch says "look again here"; the disk decides what is true, through List. A lost,
// doubled or late event costs latency, never truth. Of contents it reads ignore files only, and it never writes.
package watcher

import (
	"time"
)

// Root is one shelf's folder and the rules that say which files below it are documents.
// The zero values of the options are those of the configuration's defaults.
type Root struct {
	Shelf string // name of the shelf
	Path  string // absolute; symlinks resolved where the folder exists

	Include        []string // doublestar patterns; default **/*.md, **/*.markdown, **/*.mdx
	Exclude        []string // gitignore syntax
	NoGitignore    bool     // do not honour .gitignore and .shelfignore files
	FollowSymlinks bool     // follow links that leave the root

	Watch        Watch         // auto, notify or poll
	PollInterval time.Duration // default 30s
}

// Watch says how a root is to be watched.
type Watch uint8

// The ways of watching.
const (
	WatchAuto Watch = iota // notify, but poll on network and FUSE file systems
	WatchNotify
	WatchPoll
)

// Batch says where to look again. It carries no truth: call List.
type Batch struct {
	Shelf  string
	Dirty  []string  // exact bytes relative to the root, slash separated, sorted, unique; a folder stands for all below it
	All    bool      // look everywhere below the root; Dirty is then nil
	Reason string    // why All: "start", "periodic", "overflow", "watch error: …", "root changed", "poll", "asked"; "" for events
	First  time.Time // when the first event of the batch arrived: the lag from event to commit is measured from it
}

// Entry is one regular file that the rules accept, as the disk showed it.
type Entry struct {
	Path       string // exact bytes relative to the root, slash separated
	Size       int64  // bytes
	ModTime    int64  // unix nanoseconds
	ChangeTime int64  // unix nanoseconds; 0 where the platform has none
	Inode      uint64
	Device     uint64
	Links      uint32 // names of the file; a change made through one gives no event at the others

	// Derived: the file is named like another one beside it with ".md" added: it is the text of that source.
	Derived bool
	// Blocks is what stands beside it as the list of blocks of that source, "<source>.blocks.json": a regular file or
	// whatever else has that name; else zero. A change of it dirties the text.
	Blocks Stat
}

// Fault is a path that could not be looked at. Absence below it proves nothing.
type Fault struct {
	Path string // relative to the root; "" = the root itself
	Err  error
}

// Listing is what List saw.
type Listing struct {
	Entries    []Entry  // sorted by Path, bytewise
	Under      []string // what was looked at: nil = the whole root, else the paths asked for
	Faults     []Fault  // what could not be read; documents at or below a Fault are to be kept
	Skipped    []Fault  // special files (FIFO, socket, device) and links that were left out, with the reason
	RootDevice uint64   // device of the root folder; 0 when the root itself is a Fault
	RootInode  uint64
}

// State is how a shelf is being watched right now.
type State struct {
	Root      string // path
	Mode      Mode
	Reason    string    // why not plainly watching; "" otherwise
	Since     time.Time // when Mode or Reason last changed
	Watches   int       // folders under watch
	Overflows int       // event queue overflows since start
	Pending   int       // paths that something was heard of and that were not handed out yet
}

// Mode is the manner in which changes of a shelf are noticed.
type Mode uint8

// The modes. ModeMissing: the root is absent or unreadable; it is looked for every two seconds.
const (
	ModeWatching Mode = iota
	ModePolling
	ModeDegraded
	ModeMissing
)

func (m Mode) String() string {
	switch m {
	case ModeWatching:
		return "watching"
	case ModePolling:
		return "polling"
	case ModeDegraded:
		return "degraded"
	case ModeMissing:
		return "missing"
	}
	return "unknown"
}
