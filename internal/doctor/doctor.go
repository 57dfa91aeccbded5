// Package doctor says what of this machine would bite the daemon, and what to do about it.
//
// Look gathers facts and changes nothing; Judge turns them into findings and asks the machine nothing. It refuses to
// guess: what could not be found out is a finding of its own.
package doctor

import "time"

// Level is how bad a finding is.
type Level string

// The levels.
const (
	Fine  Level = "fine"
	Note  Level = "note"  // worth knowing; works as it is
	Wrong Level = "wrong" // will not work, or not as promised
)

// Finding is one thing that was looked at.
type Finding struct {
	Level  Level  `json:"level"`
	About  string `json:"about"` // configuration, database, socket, watches, clock, shelf NAME, client NAME …
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// Facts are what Look found.
type Facts struct {
	Now     time.Time
	Built   time.Time // when the program was made; zero = not known
	UID     int
	State   Folder // of the database
	Socket  Socket
	Shelves []Shelf
	Watches Watches
	Files   uint64 // open files that the process may have; 0 = not known
	Clients []Client
}

// Folder is a folder of the program's own, or the nearest one above it that is there.
type Folder struct {
	Path       string // as configured
	There      string // what exists of it
	Owner      int
	Mode       uint32 // permission bits, sticky as 01000
	Writable   bool
	FileSystem string
	Remote     bool
	Free       uint64 // bytes that this user may still write
	Err        error  // it could not be looked at
}

// Socket is where the daemon is reached.
type Socket struct {
	Path    string
	Folder  Folder
	TooLong error
	Answers bool // a daemon is there
}

// Shelf is a root as it stands on disk.
type Shelf struct {
	Name, Root string
	FileSystem string
	Remote     bool
	Polled     bool // as configured
	Folders    int
	Files      int       // of any kind
	Bytes      uint64    // of the documents
	Newest     time.Time // latest change of a document
	Unreadable []string  // paths that could not be read, the first few
	Denied     int       // how many there are
	Err        error     // the root itself could not be read
	Cut        bool      // too large to look at wholly
}

// Watches are the limits of the system's change notices. Zero = there is no such limit here.
type Watches struct {
	PerUser   uint64 // watches
	Instances uint64
	Queue     uint64
	Refused   error // making an instance now
}

// Client is the configuration file of an MCP client.
type Client struct {
	Name, Path string
	Mentions   bool   // shelfd stands in it
	Command    string // what it would start, "" = not told
	Missing    bool   // there is no such program
}
