package mcp

import (
	"bufio"
	"encoding/json"
	"net"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// noteBuffer is how many notifications of mcp-go's own may wait for the writer. mcp-go drops what does not fit; all it
// sends to this server's sessions are acknowledgements of subscriptions/listen, at most one a call in flight.
const noteBuffer = 64

// writer is the one goroutine that writes to a connection, in the order in which frames were sent. A notification sent
// before a response is written before it.
type writer struct {
	conn     net.Conn
	deadline time.Duration
	frames   chan []byte
	notes    chan mcp.JSONRPCNotification // mcp-go's entrance
	quit     chan struct{}                // closed: write what is there and end
	ended    chan struct{}                // closed by run
}

func newWriter(c net.Conn, deadline time.Duration, backlog int) *writer {
	return &writer{
		conn:     c,
		deadline: deadline,
		frames:   make(chan []byte, backlog),
		notes:    make(chan mcp.JSONRPCNotification, noteBuffer),
		quit:     make(chan struct{}),
		ended:    make(chan struct{}),
	}
}

// send queues a frame and waits while the queue is full: a slow client slows its own calls. After the writer has ended
// frames go nowhere.
func (w *writer) send(frame []byte) {
	select {
	case w.frames <- frame:
	case <-w.ended:
	}
}

// run writes until quit, or until the client does not take what is written within the deadline.
func (w *writer) run() error {
	defer close(w.ended)
	out := bufio.NewWriterSize(&patient{w.conn, w.deadline}, 32<<10)
	for {
		select {
		case frame := <-w.frames:
			w.writeNotes(out)
			writeLine(out, frame)
		case note := <-w.notes:
			writeNote(out, note)
		case <-w.quit:
			return w.finish(out)
		}
		if len(w.frames) > 0 {
			continue // one system call for answers that are ready together
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

func (w *writer) finish(out *bufio.Writer) error {
	for {
		select {
		case frame := <-w.frames:
			w.writeNotes(out)
			writeLine(out, frame)
		default:
			w.writeNotes(out)
			return out.Flush()
		}
	}
}

func (w *writer) writeNotes(out *bufio.Writer) {
	for {
		select {
		case note := <-w.notes:
			writeNote(out, note)
		default:
			return
		}
	}
}

func writeNote(out *bufio.Writer, note mcp.JSONRPCNotification) {
	if frame, err := json.Marshal(note); err == nil {
		writeLine(out, frame)
	}
}

// writeLine keeps an error in out, where Flush finds it.
func writeLine(out *bufio.Writer, frame []byte) {
	_, _ = out.Write(frame)
	_ = out.WriteByte('\n')
}

// patient gives each write its own deadline.
type patient struct {
	conn     net.Conn
	deadline time.Duration
}

func (p *patient) Write(b []byte) (int, error) {
	if err := p.conn.SetWriteDeadline(time.Now().Add(p.deadline)); err != nil {
		return 0, err
	}
	return p.conn.Write(b)
}
