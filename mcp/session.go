package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/zap"
)

// session is what one client has with the server, over whatever transport its messages come.
type session struct {
	client
	server  *Server
	log     *zap.Logger
	peer    Peer
	viewer  Viewer
	running running
	watched watched
	untold  untold
	life    context.Context // ends with the session
	over    context.CancelFunc
	outbox  *outbox       // what the session is told unasked
	whole   chan struct{} // one in it = a whole document is in memory for this session
}

// newSession makes a session that hears of changes until it is ended.
func (s *Server) newSession(peer Peer, viewer Viewer) *session {
	id := fmt.Sprintf("session-%d", s.opened.Add(1))
	ses := &session{
		server: s, peer: peer, viewer: viewer, outbox: newOutbox(), whole: make(chan struct{}, 1),
		log: s.log.With(zap.String("session", id), zap.Int("pid", peer.PID)),
	}
	ses.id = id
	ses.life, ses.over = context.WithCancel(context.Background())
	s.news.join(ses)
	return ses
}

func (ses *session) end() {
	ses.server.news.leave(ses)
	ses.over()
}

// exchange is the way on which a request came and its answer goes. mcp-go knows it as the client's session.
type exchange struct {
	*session
	send  func(frame []byte) // to the client, ahead of the answer, in the order of the calls
	notes func() chan<- mcp.JSONRPCNotification
}

var (
	_ server.SessionWithClientInfo      = (*exchange)(nil)
	_ server.SessionWithProtocolVersion = (*exchange)(nil)
)

// NotificationChannel is mcp-go's entrance.
func (e *exchange) NotificationChannel() chan<- mcp.JSONRPCNotification { return e.notes() }

// exchangeOf is how a call came, nil for a call over no transport.
func exchangeOf(ctx context.Context) *exchange {
	e, _ := server.ClientSessionFromContext(ctx).(*exchange)
	return e
}

// respond answers a request through write. Whole documents are read and written one after the other: a client that asks
// for many large ones and reads none holds one in memory.
func (e *exchange) respond(ctx context.Context, m message, write func(frame []byte)) {
	if m.method == string(mcp.MethodResourcesRead) {
		select {
		case e.whole <- struct{}{}:
			defer func() { <-e.whole }()
		case <-ctx.Done():
		}
	}
	write(e.answer(ctx, m))
}

// answer is the frame that answers a request, nil for a notification. A panic is this call's internal error and nobody
// else's concern.
func (e *exchange) answer(ctx context.Context, m message) (frame []byte) {
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("panic in a call", zap.String("method", m.method), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			frame = nil
			if m.id != nil {
				frame = errorFrame(&fault{code: codeInternal, text: "internal error; the daemon's log says more", id: m.id})
			}
		}
	}()
	if frame, served := e.own(ctx, m); served {
		return frame
	}
	response := e.server.protocol.HandleMessage(ctx, m.encoded())
	if r, refused := response.(mcp.JSONRPCError); refused && m.method == string(mcp.MethodResourcesRead) && r.Error.Data == nil {
		if uri, _, err := documentParam(m.params); errors.Is(err, errElsewhere) {
			r.Error.Data = noResource(uri).data
			response = r
		}
	}
	if r, refused := response.(mcp.JSONRPCError); refused && m.method == string(mcp.MethodPromptsGet) && r.Error.Code == codeInternal {
		r.Error.Code = codeInvalidParams // a prompt fails by its arguments only
		response = r
	}
	return encodeResponse(response, m.id)
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
