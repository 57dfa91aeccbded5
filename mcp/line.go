package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/zap"
)

// hangUpCheck is how often a connection that is not being read is asked whether its peer is still there.
const hangUpCheck = 200 * time.Millisecond

// connection is a session whose messages are lines. One goroutine reads it, one writes it, each call has its own.
type connection struct {
	exchange
	conn    net.Conn
	w       *writer
	calls   sync.WaitGroup
	slots   chan struct{}      // one in it = one call in flight
	ctx     context.Context    // of the calls: ends when nobody waits for their answers
	abandon context.CancelFunc // ends ctx
	reading context.Context    // ends when nothing more is read: streams end with it
	endRead context.CancelFunc // ends reading
}

// ServeConn serves one session and returns when it is over and its calls have ended. It closes c. When ctx ends, the
// calls in flight get their grace.
func (s *Server) ServeConn(ctx context.Context, c net.Conn) {
	defer c.Close()
	peer := peerOf(c)
	viewer := s.options.Viewer(peer)
	if refusal := s.refuse(peer, viewer); refusal != nil {
		_, _ = (&patient{c, time.Second}).Write(append(errorFrame(refusal), '\n')) // it may be gone already
		return
	}
	defer s.sessions.Add(-1)
	l := s.connect(ctx, c, peer, viewer)
	defer l.end()
	l.serve(ctx)
}

// refuse counts a session in, or says why it is not served.
func (s *Server) refuse(p Peer, v Viewer) *fault {
	if !v.Served() {
		s.log.Warn("peer refused", zap.Int("uid", p.UID), zap.Int("pid", p.PID))
		return &fault{code: codeServer, text: fmt.Sprintf("user %d is not served on this socket", p.UID)}
	}
	if n := s.sessions.Add(1); n > int64(s.options.MaxConnections) {
		s.sessions.Add(-1)
		return &fault{code: codeServer, text: fmt.Sprintf("%d connections are open already; close one and try again", s.options.MaxConnections)}
	}
	return nil
}

func (s *Server) connect(ctx context.Context, c net.Conn, peer Peer, viewer Viewer) *connection {
	ses := s.newSession(peer, viewer)
	w := newWriter(c, s.options.WriteDeadline, s.options.MaxInFlight, ses.outbox)
	l := &connection{
		exchange: exchange{session: ses, send: w.send, notes: func() chan<- mcp.JSONRPCNotification { return w.notes }},
		conn:     c,
		w:        w,
		slots:    make(chan struct{}, s.options.MaxInFlight),
	}
	l.ctx, l.abandon = context.WithCancel(s.protocol.WithContext(context.WithoutCancel(ctx), &l.exchange))
	l.reading, l.endRead = context.WithCancel(ctx)
	return l
}

func (l *connection) serve(ctx context.Context) {
	defer l.abandon()
	defer l.endRead()
	stopReading := context.AfterFunc(ctx, func() { _ = l.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stopReading()
	go func() {
		if err := l.w.run(); err != nil {
			l.log.Info("client left or does not read", zap.Error(err))
		}
		l.abandon()
		_ = l.conn.SetReadDeadline(time.Unix(1, 0))
	}()
	l.read(ctx)
	l.endRead()
	l.drain(ctx)
	close(l.w.quit)
	<-l.w.ended.Done()
}

// read serves messages until the client has sent its last one, or ctx ends.
func (l *connection) read(ctx context.Context) {
	in := newLines(l.conn, l.server.options.MaxLine)
	for ctx.Err() == nil {
		line, err := in.next()
		switch {
		case errors.Is(err, errLineTooLong):
			l.refuse(&fault{code: codeInvalidRequest, text: fmt.Sprintf("a message is longer than %d bytes", in.limit)})
			if in.skip() != nil {
				return
			}
		case err != nil:
			return
		default:
			l.dispatch(ctx, line)
		}
	}
}

func (l *connection) refuse(f *fault) { l.w.send(errorFrame(f)) }

// dispatch starts what a line asks for. It waits when too much is in flight, and so does the client.
func (l *connection) dispatch(ctx context.Context, line []byte) {
	m, err := parse(line)
	var f *fault
	switch {
	case errors.As(err, &f):
		l.refuse(f)
	case m.response:
	case m.method == string(mcp.MethodNotificationCancelled) && m.id == nil:
		l.running.cancel(cancelledKey(m.params))
	case m.id == nil, m.inOrder():
		if frame := l.answer(l.ctx, m); frame != nil {
			l.w.send(frame)
		}
	case m.listens():
		l.listen(m)
	default:
		l.start(ctx, m)
	}
}

// start runs a call in its own goroutine, once there is a free slot.
func (l *connection) start(ctx context.Context, m message) {
	if !l.acquire(ctx) {
		return
	}
	callCtx, begun := l.begin(m)
	if !begun {
		<-l.slots
		return
	}
	l.calls.Go(func() {
		defer func() { <-l.slots }()
		l.respond(callCtx, m, func(frame []byte) {
			if l.running.end(m.key) && frame != nil {
				l.w.send(frame)
			}
		})
	})
}

// begin enters a call under its id. false: the id is in use, which the client has been told.
func (l *connection) begin(m message) (context.Context, bool) {
	ctx, cancel := context.WithCancel(l.ctx)
	if l.running.begin(m.key, cancel) {
		return ctx, true
	}
	cancel()
	l.refuse(&fault{code: codeInvalidRequest, text: "this id belongs to a call that is still running", id: m.id})
	return nil, false
}

// listen keeps a stream of notifications open, which takes no slot: it may stay as long as the connection.
func (l *connection) listen(m message) {
	ctx, begun := l.begin(m)
	if !begun {
		return
	}
	st, f := l.openStream(ctx, m, l.outbox)
	if f != nil {
		l.running.end(m.key)
		l.refuse(f)
		return
	}
	l.calls.Go(func() {
		defer l.running.end(m.key)
		if !st.nothing() {
			select {
			case <-ctx.Done():
			case <-l.reading.Done():
			}
		}
		l.closeStream(st)
		if ctx.Err() != nil { // cancelled, or nobody is there
			st.silence()
			return
		}
		l.outbox.post(endedKey(m.id), l.server.streamEnd(m.id))
	})
}

// acquire takes a slot. false: the session is over.
func (l *connection) acquire(ctx context.Context) bool {
	tick := time.NewTicker(hangUpCheck)
	defer tick.Stop()
	for {
		select {
		case l.slots <- struct{}{}:
			return true
		case <-ctx.Done():
			return false
		case <-l.ctx.Done():
			return false
		case <-tick.C:
			if hungUp(l.conn) {
				return false
			}
		}
	}
}

// drain waits for the calls in flight: as long as they take when the client has only closed its sending side, for the
// grace when the daemon ends, not at all when nobody is left to answer.
func (l *connection) drain(ctx context.Context) {
	done := make(chan struct{})
	go func() { l.calls.Wait(); close(done) }()
	tick := time.NewTicker(hangUpCheck)
	defer tick.Stop()
	stopping := ctx.Done()
	var grace <-chan time.Time
	for {
		if hungUp(l.conn) {
			l.abandon()
		}
		select {
		case <-done:
			return
		case <-tick.C:
		case <-stopping:
			grace, stopping = time.After(l.server.options.Grace), nil
		case <-grace:
			l.abandon()
		}
	}
}
