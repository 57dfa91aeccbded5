package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/sync/semaphore"
)

// noteBuffer is how many notifications of mcp-go's own may wait for the writer. mcp-go drops what does not fit, so
// nothing of this server's goes that way.
const noteBuffer = 64

// queueBytes is what may wait for the writer of one connection; a longer frame waits until it is alone.
const queueBytes = 8 << 20

// writer is the one goroutine that writes to a connection, in the order in which frames were sent. A notification sent
// before a response is written before it.
type writer struct {
	conn     net.Conn
	deadline time.Duration
	frames   chan []byte
	notes    chan mcp.JSONRPCNotification // mcp-go's entrance
	outbox   *outbox
	room     *semaphore.Weighted // what of queueBytes is free
	quit     chan struct{}       // closed: write what is there and end
	ended    context.Context     // done when run has returned
	end      context.CancelFunc
}

func newWriter(c net.Conn, deadline time.Duration, backlog int, o *outbox) *writer {
	w := &writer{
		conn:     c,
		deadline: deadline,
		frames:   make(chan []byte, backlog),
		notes:    make(chan mcp.JSONRPCNotification, noteBuffer),
		outbox:   o,
		room:     semaphore.NewWeighted(queueBytes),
		quit:     make(chan struct{}),
	}
	w.ended, w.end = context.WithCancel(context.Background())
	return w
}

// send queues a frame and waits while the queue is full: a slow client slows its own calls. After the writer has ended
// frames go nowhere.
func (w *writer) send(frame []byte) {
	if w.room.Acquire(w.ended, weight(frame)) != nil {
		return
	}
	select {
	case w.frames <- frame:
	case <-w.ended.Done():
	}
}

// run writes until quit, or until the client does not take what is written within the deadline.
func (w *writer) run() error {
	defer w.end()
	out := bufio.NewWriterSize(&patient{w.conn, w.deadline}, 32<<10)
	for {
		select {
		case frame := <-w.frames:
			w.write(out, frame)
		case note := <-w.notes:
			writeNote(out, note)
		case <-w.outbox.wake:
			w.writeOutbox(out)
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
			w.write(out, frame)
		default:
			w.writeNotes(out)
			w.writeOutbox(out)
			return out.Flush()
		}
	}
}

func (w *writer) write(out *bufio.Writer, frame []byte) {
	w.writeNotes(out)
	writeLine(out, frame)
	w.room.Release(weight(frame))
}

func weight(frame []byte) int64 { return min(int64(len(frame)), queueBytes) }

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

func (w *writer) writeOutbox(out *bufio.Writer) {
	for _, p := range w.outbox.take() {
		writeLine(out, p.frame)
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
