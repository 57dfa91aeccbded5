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
	// lineLimit is that of the daemon: it would refuse a longer line anyway, after the bridge had held it.
	lineLimit = 4 << 20
	// queueLimit bounds what waits for the daemon or the client; above it the next line stays where it is.
	queueLimit = 64
	// lastAnswers is how long answers may still come after the client closed its end: the daemon's own deadline of a
	// read.
	lastAnswers = 10 * time.Second
	// restAfter is how long nothing is carried before the bridge is at rest.
	restAfter = time.Second
)

// Options say how to reach the daemon.
type Options struct {
	Dial func(context.Context) (net.Conn, error)
	// Start starts a daemon when there is none; nil = don't. What it returns says when that daemon ended early, and why.
	Start func() (ended <-chan error, err error)
	// Patience is how long a daemon that went away, or was just started, is waited for; default 8s.
	Patience time.Duration
	// FirstPatience is how long one that was never met is: it may be on its way up; default 3.5s.
	FirstPatience time.Duration
	// Advice ends the error that requests get when there is no daemon.
	Advice string
	// Gone says that whoever started the bridge is not there any more; nil = only the end of the input says so.
	Gone <-chan struct{}
	// Rested hears once when nothing was carried for restAfter; nil = nobody.
	Rested func()
	// Version is this program's. Tell hears once when the daemon's is another, or when a restarted daemon speaks another
	// protocol than the client agreed on; nil = nobody.
	Version string
	Tell    func(string)
}

// Run carries lines from in and to out until in ends and what was asked is answered. It owns the connection.
func Run(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	if o.Patience == 0 {
		o.Patience = 8 * time.Second
	}
	if o.FirstPatience == 0 {
		o.FirstPatience = 3500 * time.Millisecond
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := &bridge{
		Options:  o,
		attempts: make(chan attempt),
		incoming: make(chan received),
		flying:   map[string]request{},
		session:  newSession(),
		outlet:   openOutlet(out),
	}
	lines := make(chan []byte)
	go readLines(ctx, in, lines)
	err := b.run(ctx, lines)
	if left := b.outlet.close(ctx, o.Gone, b.answers); err == nil {
		err = left
	}
	return err
}

// bridge is owned by the goroutine of run; nobody else touches it.
type bridge struct {
	Options
	outlet  *outlet
	answers [][]byte // lines that wait for the client

	link     *link // nil while there is no connection
	met      bool  // a daemon was reached once
	outage   outage
	queue    []line // that wait to be sent
	attempts chan attempt
	incoming chan received

	flying  map[string]request // sent or queued, by raw id, and not answered
	order   uint64             // of requests, so that repeats keep theirs
	session session
}

// line is one line of the client; id is that of a request, raw.
type line struct {
	text []byte
	id   string
}

// request is one that awaits its answer.
type request struct {
	text   []byte
	method string
	order  uint64
	sent   bool
	safe   bool // may be repeated
}

// errClientGone ends run when nobody reads the answers.
var errClientGone = errors.New("bridge: nobody reads the answers")

func (b *bridge) run(ctx context.Context, lines chan []byte) error {
	defer func() { b.link.close() }()
	var overdue <-chan time.Time
	quiet := time.NewTimer(restAfter)
	defer quiet.Stop()
	rests := b.Rested == nil
	for {
		if lines == nil && !b.awaited() && b.flushed() {
			return nil
		}
		if b.link == nil && (len(b.queue) > 0 || lines != nil && b.session.lasts()) {
			b.reconnect(ctx)
		}
		source, incoming := lines, b.incoming
		if len(b.queue) >= queueLimit {
			source = nil
		}
		if len(b.answers) >= queueLimit {
			incoming = nil
		}
		send, head := b.next(lines == nil)
		write, answer := b.outlet.next(b.answers)
		if !rests {
			quiet.Reset(restAfter)
		}
		rests = b.Rested == nil
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.Gone:
			return errClientGone
		case <-b.outlet.broken:
			return errors.Join(errClientGone, b.outlet.err)
		case <-overdue:
			b.refuseAll(codeLost, "no answer in time after the input ended")
		case text, open := <-source:
			if !open {
				lines, overdue = nil, time.After(lastAnswers)
				b.session.forgetStreams(b.flying)
				continue
			}
			b.fromClient(text)
		case send <- head:
			b.sent()
		case write <- answer:
			b.answers = b.answers[1:]
		case r := <-incoming:
			err = b.fromDaemon(r, lines == nil)
		case a := <-b.attempts:
			b.attempted(a)
		case <-b.outage.pause:
			b.outage.pause = nil
		case <-quiet.C:
			if rests = true; b.Rested != nil {
				b.Rested()
			}
		}
		if err != nil {
			return err
		}
	}
}

// awaited says that a request still wants its answer.
func (b *bridge) awaited() bool { return len(b.flying) > 0 }

// flushed says that nothing waits to be sent, or never will be.
func (b *bridge) flushed() bool { return len(b.queue) == 0 || b.link == nil && b.outage.over }

// next is the line to send and where to; a nil channel while there is nothing or nobody. A nil line says that nothing
// more comes.
func (b *bridge) next(last bool) (chan<- []byte, []byte) {
	switch {
	case b.link == nil:
		return nil, nil
	case len(b.queue) > 0:
		return b.link.outgoing, b.queue[0].text
	case last && !b.link.halfClosed:
		return b.link.outgoing, nil
	}
	return nil, nil
}

func (b *bridge) sent() {
	if len(b.queue) == 0 {
		b.link.halfClosed = true
		return
	}
	if r, flies := b.flying[b.queue[0].id]; flies {
		r.sent = true
		b.flying[b.queue[0].id] = r
	}
	b.queue[0] = line{}
	b.queue = b.queue[1:]
}

// fromClient takes one line of the client.
func (b *bridge) fromClient(text []byte) {
	m, ok := parse(text)
	switch {
	case text == nil:
		b.refuse(nil, codeInvalidRequest, "the line is longer than 4 MiB")
		return
	case !ok && b.link == nil:
		b.refuse(nil, codeParse, "not a JSON-RPC message")
		return
	case m.isRequest():
		b.order++
		b.flying[string(m.ID)] = request{text: text, method: m.Method, order: b.order, safe: m.safe()}
		b.outage.asked(b.Start != nil)
	case m.Method == "notifications/cancelled":
		delete(b.flying, m.cancels())
		b.session.cancelled(m.cancels())
	}
	b.session.note(m, text)
	b.queue = append(b.queue, line{text, string(m.ID)})
}

// fromDaemon takes one line of the daemon, or the end of the connection.
func (b *bridge) fromDaemon(r received, last bool) error {
	if r.from != b.link {
		return nil // Of a connection that was given up.
	}
	if r.line == nil {
		b.lost(last)
		return nil
	}
	m := glance(r.line)
	switch {
	case m.isAnswer() && b.session.replayed(string(m.ID)):
		b.renewed(string(m.ID), r.line)
		return nil
	case m.isAnswer() && b.session.holdsBack(string(m.ID), r.line):
		return nil // The stream goes on over the next connection.
	case m.isAnswer():
		b.compare(b.flying[string(m.ID)].method, r.line)
		b.session.answered(string(m.ID))
		delete(b.flying, string(m.ID))
	case turnsAway(m, r.line) != "":
		b.turnedAway(turnsAway(m, r.line))
		return nil
	case m.Method == acknowledgedMethod:
		if again := b.session.acknowledged(r.line); again != nil {
			b.answers = append(b.answers, again...)
			return nil
		}
	}
	b.answers = append(b.answers, r.line)
	return nil
}

// renewed takes the answer to a request that the bridge made itself, which the client must not see. What may have
// changed while there was no daemon is told: look again.
func (b *bridge) renewed(id string, answer []byte) {
	if id == replayed("initialize") {
		b.compare("initialize", answer)
	}
	b.answers = append(b.answers, b.session.news(id)...)
}
