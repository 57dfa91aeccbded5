// Package bridge carries one MCP client's lines between its standard streams and the daemon's socket.
//
// Invariant: every request that came in is answered once, by the daemon or by an error that says what to do, over
// restarts of the daemon as well; nothing but JSON-RPC lines goes out. It refuses to repeat a call that may write.
package bridge

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// Limits of carrying.
const (
	// LineLimit is that of the daemon: it would refuse a longer line anyway, after the bridge had held it.
	LineLimit = 4 << 20
	// queueLimit bounds what waits for the daemon; above it the client's next line stays in the pipe.
	queueLimit = 64
	// lastAnswers is how long answers may still come after the client closed its end: the daemon's own deadline of a
	// read.
	lastAnswers = 10 * time.Second
)

// Options say how to reach the daemon.
type Options struct {
	Dial func(context.Context) (net.Conn, error)
	// Start starts a daemon when there is none; nil = don't.
	Start func() error
	// Patience is how long a daemon that went away, or was just started, is waited for; default 8s.
	Patience time.Duration
	// Advice ends the error that requests get when there is no daemon.
	Advice string
}

// Run carries lines from in and to out until in ends and what was asked is answered. It owns the connection.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Patience == 0 {
		o.Patience = 8 * time.Second
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := &bridge{
		Options:  o,
		out:      out,
		dialled:  make(chan dialled),
		incoming: make(chan received),
		flying:   map[string]request{},
		session:  session{subscriptions: map[string][]byte{}},
	}
	lines := make(chan []byte)
	go readLines(ctx, in, lines)
	return b.run(ctx, lines)
}

// bridge is owned by the goroutine of run; nobody else touches it.
type bridge struct {
	Options
	out io.Writer

	link     *link    // nil while there is no connection
	dialling bool     // a dial is under way
	met      bool     // a daemon was reached once: it is worth waiting for
	started  bool     // Start was tried
	queue    [][]byte // lines that wait to be sent
	dialled  chan dialled
	incoming chan received

	flying  map[string]request // sent or queued, by raw id, and not answered
	order   uint64             // of requests, so that repeats keep theirs
	session session
}

// request is one that awaits its answer.
type request struct {
	line  []byte
	order uint64
	sent  bool
	safe  bool // may be repeated
}

// dialled is what came of a dial.
type dialled struct {
	conn net.Conn
	err  error
}

// errClientGone ends run when nobody reads the answers.
var errClientGone = errors.New("bridge: nobody reads the answers")

func (b *bridge) run(ctx context.Context, lines chan []byte) error {
	defer func() { b.link.close() }()
	var overdue <-chan time.Time
	for {
		if lines == nil && len(b.flying) == 0 && b.flushed() {
			return nil
		}
		// An open session is taken up again at once: the daemon may have something to tell.
		if b.link == nil && !b.dialling && (len(b.queue) > 0 || b.met && b.session.opened && lines != nil) {
			b.dial(ctx)
		}
		source := lines
		if len(b.queue) >= queueLimit {
			source = nil
		}
		send, head := b.next()
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-overdue:
			return b.refuseAll(errors.New("no answer in time after the input ended"))
		case line, open := <-source:
			if !open {
				lines, overdue = nil, time.After(lastAnswers)
				continue
			}
			err = b.fromClient(line)
		case send <- head:
			b.queue = b.queue[1:]
			b.markSent(head)
		case r := <-b.incoming:
			err = b.fromDaemon(r)
		case d := <-b.dialled:
			err = b.connected(d)
		}
		if err != nil {
			return err
		}
	}
}

// flushed says that nothing waits to be sent, or never will be.
func (b *bridge) flushed() bool { return len(b.queue) == 0 || b.link == nil && !b.dialling }

// next is the line to send and where to; nil channels while there is nothing or nobody.
func (b *bridge) next() (chan<- []byte, []byte) {
	if b.link == nil || len(b.queue) == 0 {
		return nil, nil
	}
	return b.link.outgoing, b.queue[0]
}

// fromClient takes one line of the client.
func (b *bridge) fromClient(line []byte) error {
	m, ok := parse(line)
	switch {
	case line == nil:
		return b.answer(nil, codeInvalidRequest, "the line is longer than 4 MiB")
	case !ok && b.link == nil:
		return b.answer(nil, codeParse, "not a JSON-RPC message")
	case m.isRequest():
		b.order++
		b.flying[string(m.ID)] = request{line: line, order: b.order, safe: m.safe()}
	case m.Method == "notifications/cancelled":
		delete(b.flying, m.cancels())
	}
	b.session.note(m, line)
	b.queue = append(b.queue, line)
	return nil
}

func (b *bridge) markSent(line []byte) {
	if m, _ := parse(line); m.isRequest() {
		if r, flying := b.flying[string(m.ID)]; flying {
			r.sent = true
			b.flying[string(m.ID)] = r
		}
	}
}

// fromDaemon takes one line of the daemon, or the end of the connection.
func (b *bridge) fromDaemon(r received) error {
	if r.from != b.link {
		return nil // Of a connection that was given up.
	}
	if r.line == nil {
		return b.lost()
	}
	m, _ := parse(r.line)
	if m.isAnswer() {
		if b.session.answered(m) {
			return nil
		}
		delete(b.flying, string(m.ID))
	}
	return b.write(r.line)
}

// write sends one line to the client.
func (b *bridge) write(line []byte) error {
	if _, err := b.out.Write(append(line, '\n')); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}
