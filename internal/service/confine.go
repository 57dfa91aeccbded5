package service

// Walls say what the daemon will still do once it is confined. All that is not here (writing to a shelf, starting a
// program, speaking TCP to anything else) fails from then on, for the whole process and for good. Reading stays free:
// shelves come and go while the daemon runs.
type Walls struct {
	Write   []string // folders whose files it makes, writes and removes
	Bind    []string // folders in which it makes and removes sockets
	Listen  []uint16 // TCP ports
	Connect []uint16 // TCP ports
}
