package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/zap"
)

// hangUpCheck is how often a connection that is not being read is asked whether its peer is still there.
const hangUpCheck = 200 * time.Millisecond

// session is one connection. One goroutine reads it, one writes it, each call has its own.
type session struct {
	client
	server  *Server
	conn    net.Conn
	log     *zap.Logger
	w       *writer
	running running
	calls   sync.WaitGroup
	slots   chan struct{}      // one in it = one call in flight
	ctx     context.Context    // of the calls: ends when nobody waits for their answers
	abandon context.CancelFunc // ends ctx
}

// ServeConn serves one session and returns when it is over and its calls have ended. It closes c. When ctx ends, the
// calls in flight get their grace.
func (s *Server) ServeConn(ctx context.Context, c net.Conn) {
	defer c.Close()
	peer := peerOf(c)
	if refusal := s.refuse(peer); refusal != nil {
		_, _ = (&patient{c, time.Second}).Write(append(errorFrame(refusal), '\n')) // it may be gone already
		return
	}
	defer s.sessions.Add(-1)
	ses := s.newSession(ctx, c, peer)
	if err := s.protocol.RegisterSession(ses.ctx, ses); err != nil {
		ses.log.Error("session not registered", zap.Error(err))
		return
	}
	defer s.protocol.UnregisterSession(ctx, ses.SessionID())
	ses.serve(ctx)
}

// refuse counts a session in, or says why it is not served.
func (s *Server) refuse(p Peer) *fault {
	if !s.options.Admit(p) {
		s.log.Warn("peer refused", zap.Int("uid", p.UID), zap.Int("pid", p.PID))
		return &fault{code: codeServer, text: fmt.Sprintf("user %d is not served on this socket", p.UID)}
	}
	if n := s.sessions.Add(1); n > int64(s.options.MaxConnections) {
		s.sessions.Add(-1)
		return &fault{code: codeServer, text: fmt.Sprintf("%d connections are open already; close one and try again", s.options.MaxConnections)}
	}
	return nil
}

func (s *Server) newSession(ctx context.Context, c net.Conn, peer Peer) *session {
	id := fmt.Sprintf("session-%d", s.opened.Add(1))
	ses := &session{
		server: s,
		conn:   c,
		log:    s.log.With(zap.String("session", id), zap.Int("pid", peer.PID)),
		w:      newWriter(c, s.options.WriteDeadline, s.options.MaxInFlight),
		slots:  make(chan struct{}, s.options.MaxInFlight),
	}
	ses.client = client{id: id, notes: ses.w.notes}
	ses.ctx, ses.abandon = context.WithCancel(s.protocol.WithContext(context.WithoutCancel(ctx), ses))
	return ses
}

func (ses *session) serve(ctx context.Context) {
	defer ses.abandon()
	stopReading := context.AfterFunc(ctx, func() { _ = ses.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stopReading()
	go func() {
		if err := ses.w.run(); err != nil {
			ses.log.Info("client left or does not read", zap.Error(err))
		}
		ses.abandon()
		_ = ses.conn.SetReadDeadline(time.Unix(1, 0))
	}()
	ses.read(ctx)
	ses.drain(ctx)
	close(ses.w.quit)
	<-ses.w.ended
}

// read serves messages until the client has sent its last one, or ctx ends.
func (ses *session) read(ctx context.Context) {
	in := newLines(ses.conn, ses.server.options.MaxLine)
	for ctx.Err() == nil {
		line, err := in.next()
		switch {
		case errors.Is(err, errLineTooLong):
			ses.refuse(&fault{code: codeInvalidRequest, text: fmt.Sprintf("a message is longer than %d bytes", in.limit)})
			if in.skip() != nil {
				return
			}
		case err != nil:
			return
		default:
			ses.dispatch(ctx, line)
		}
	}
}

func (ses *session) refuse(f *fault) { ses.w.send(errorFrame(f)) }

// dispatch starts what a line asks for. It waits when too much is in flight, and so does the client.
func (ses *session) dispatch(ctx context.Context, line []byte) {
	m, err := parse(line)
	var f *fault
	switch {
	case errors.As(err, &f):
		ses.refuse(f)
	case m.response:
	case m.method == string(mcp.MethodNotificationCancelled) && m.id == nil:
		ses.running.cancel(cancelledKey(m.params))
	case m.id == nil, m.method == string(mcp.MethodInitialize):
		ses.answer(ses.ctx, m) // in order: what follows relies on it
	default:
		ses.start(ctx, m)
	}
}

// start runs a call in its own goroutine, once there is a free slot.
func (ses *session) start(ctx context.Context, m message) {
	if !ses.acquire(ctx) {
		return
	}
	callCtx, cancel := context.WithCancel(ses.ctx)
	if !ses.running.begin(m.key, cancel) {
		cancel()
		<-ses.slots
		ses.refuse(&fault{code: codeInvalidRequest, text: "this id belongs to a call that is still running", id: m.id})
		return
	}
	ses.calls.Go(func() {
		defer func() { <-ses.slots }()
		ses.answer(callCtx, m)
	})
}

// acquire takes a slot. false: the session is over.
func (ses *session) acquire(ctx context.Context) bool {
	tick := time.NewTicker(hangUpCheck)
	defer tick.Stop()
	for {
		select {
		case ses.slots <- struct{}{}:
			return true
		case <-ctx.Done():
			return false
		case <-ses.ctx.Done():
			return false
		case <-tick.C:
			if hungUp(ses.conn) {
				return false
			}
		}
	}
}

// drain waits for the calls in flight: as long as they take when the client has only closed its sending side, for the
// grace when the daemon ends, not at all when nobody is left to answer.
func (ses *session) drain(ctx context.Context) {
	done := make(chan struct{})
	go func() { ses.calls.Wait(); close(done) }()
	tick := time.NewTicker(hangUpCheck)
	defer tick.Stop()
	stopping := ctx.Done()
	var grace <-chan time.Time
	for {
		if hungUp(ses.conn) {
			ses.abandon()
		}
		select {
		case <-done:
			return
		case <-tick.C:
		case <-stopping:
			grace, stopping = time.After(ses.server.options.Grace), nil
		case <-grace:
			ses.abandon()
		}
	}
}

// answer serves a request or a notification. A panic is this call's internal error and nobody else's concern.
func (ses *session) answer(ctx context.Context, m message) {
	frame := ses.result(ctx, m)
	wanted := m.key == "" || m.method == string(mcp.MethodInitialize) || ses.running.end(m.key)
	if wanted && frame != nil {
		ses.w.send(frame)
	}
}

func (ses *session) result(ctx context.Context, m message) (frame []byte) {
	defer func() {
		if p := recover(); p != nil {
			ses.log.Error("panic in a call", zap.String("method", m.method), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			frame = nil
			if m.id != nil {
				frame = errorFrame(&fault{code: codeInternal, text: "internal error; the daemon's log says more", id: m.id})
			}
		}
	}()
	if m.method == statusMethod && m.id != nil && ses.server.options.Status != nil {
		return ses.status(ctx, m)
	}
	return encodeResponse(ses.server.protocol.HandleMessage(ctx, m.encoded()), m.id)
}

// statusMethod is not MCP: the command line asks a running daemon with it.
const statusMethod = "shelfd/status"

func (ses *session) status(ctx context.Context, m message) []byte {
	v, err := ses.server.options.Status(ctx)
	if err != nil {
		return errorFrame(&fault{code: codeInternal, text: err.Error(), id: m.id})
	}
	return encodeResponse(mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: v}, m.id)
}

// encodeResponse writes a response under the id the client wrote: mcp-go has read it as a float. nil for no response.
func encodeResponse(response mcp.JSONRPCMessage, id json.RawMessage) []byte {
	switch r := response.(type) {
	case nil:
		return nil
	case mcp.JSONRPCResponse:
		r.ID = mcp.NewRequestId(id)
		response = r
	case mcp.JSONRPCError:
		r.ID = mcp.NewRequestId(id)
		response = r
	}
	frame, err := json.Marshal(response)
	if err != nil {
		return errorFrame(&fault{code: codeInternal, text: "the answer could not be encoded", id: id})
	}
	return frame
}
