package mcp

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// webSession is a session of a client before 2026-07-28: its requests name it in a header.
type webSession struct {
	*session
	id    string
	ctx   context.Context // of its calls: a connection that breaks cancels nothing in these revisions
	close context.CancelFunc
	slots chan struct{}

	busy      int       // requests and streams under way; guarded by web.mu, like all below
	last      time.Time // when one last ended
	streaming bool      // its stream is open
	streams   int       // that were opened
}

// postInSession serves a message of a revision that has sessions.
func (w *web) postInSession(rw http.ResponseWriter, r *http.Request, m message) {
	if v := r.Header.Get(mcp.HeaderProtocolVersion); v != "" && !mcp.IsValidProtocolVersion(v) {
		refuseWeb(rw, http.StatusBadRequest, &fault{code: codeInvalidRequest, text: quoted(v) + " is no protocol version of this server", id: m.id})
		return
	}
	if m.method == string(mcp.MethodInitialize) && m.id != nil {
		w.open(rw, r, m)
		return
	}
	ses := w.enter(rw, r, m)
	if ses == nil {
		return
	}
	defer w.leave(ses)
	switch {
	case m.response:
		rw.WriteHeader(http.StatusAccepted) // this server asks its clients nothing
	case m.id == nil:
		if m.method == string(mcp.MethodNotificationCancelled) {
			ses.running.cancel(cancelledKey(m.params))
		} else {
			e := &exchange{session: ses.session, send: func([]byte) {}, notes: newReply(rw, r, 0).notes}
			e.answer(w.server.protocol.WithContext(ses.ctx, e), m)
		}
		rw.WriteHeader(http.StatusAccepted)
	default:
		w.call(rw, r, ses, m)
	}
}

// open begins a session.
func (w *web) open(rw http.ResponseWriter, r *http.Request, m message) {
	caller := callerOf(r)
	ses := &webSession{session: w.server.newSession(caller.peer, caller.viewer), id: rand.Text(), slots: make(chan struct{}, w.server.options.MaxInFlight), busy: 1}
	ses.ctx, ses.close = context.WithCancel(context.Background())
	w.mu.Lock()
	full := len(w.sessions) >= webSessions
	if !full {
		w.sessions[ses.id] = ses
	}
	w.mu.Unlock()
	if full {
		ses.finish()
		refuseWeb(rw, http.StatusServiceUnavailable, &fault{code: codeServer, text: count(webSessions, "session is", "sessions are") + " open already; end one and try again", id: m.id})
		return
	}
	defer w.leave(ses)
	reply := newReply(rw, r, w.server.options.WriteDeadline)
	e := &exchange{session: ses.session, send: reply.send, notes: reply.notes}
	frame := e.answer(w.server.protocol.WithContext(ses.ctx, e), m)
	if ses.ProtocolVersion() == "" { // refused
		w.end(ses)
	} else {
		rw.Header().Set(sessionHeader, ses.id)
	}
	reply.finish(frame, http.StatusOK)
}

// call serves a request. It goes on when the connection breaks: these revisions cancel in words.
func (w *web) call(rw http.ResponseWriter, r *http.Request, ses *webSession, m message) {
	select {
	case ses.slots <- struct{}{}:
		defer func() { <-ses.slots }()
	case <-r.Context().Done():
		return
	}
	ctx, cancel := context.WithCancel(ses.ctx)
	if !ses.running.begin(m.key, cancel) {
		cancel()
		refuseWeb(rw, http.StatusBadRequest, &fault{code: codeInvalidRequest, text: "this id belongs to a call that is still running", id: m.id})
		return
	}
	reply := newReply(rw, r, w.server.options.WriteDeadline)
	e := &exchange{session: ses.session, send: reply.send, notes: reply.notes}
	e.respond(w.server.protocol.WithContext(ctx, e), m, func(frame []byte) {
		if !ses.running.end(m.key) {
			frame = errorFrame(&fault{code: codeServer, text: "this call was cancelled", id: m.id}) // HTTP wants some answer
		}
		reply.finish(frame, http.StatusOK)
	})
}

// stream is where a session hears what it did not ask for.
func (w *web) stream(rw http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		refuseWeb(rw, http.StatusNotAcceptable, &fault{code: codeInvalidRequest, text: "the Accept header must allow text/event-stream"})
		return
	}
	ses := w.enter(rw, r, message{})
	if ses == nil {
		return
	}
	defer w.leave(ses)
	if !w.holdStream(ses) {
		refuseWeb(rw, http.StatusConflict, &fault{code: codeServer, text: "the stream of this session is open already"})
		return
	}
	defer w.releaseStream(ses)
	if ses.streams > 1 && r.Header.Get("Last-Event-ID") != ses.outbox.lastID() {
		ses.lookAgain() // what was on its way when the last stream broke is lost
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(ses.ctx, cancel)()
	reply := newReply(rw, r, w.server.options.WriteDeadline)
	if reply.event("", nil) == nil {
		ses.outbox.follow(ctx, w.stop.Done(), reply, post.id)
	}
}

func (w *web) delete(rw http.ResponseWriter, r *http.Request) {
	ses := w.enter(rw, r, message{})
	if ses == nil {
		return
	}
	defer w.leave(ses)
	w.end(ses)
	rw.WriteHeader(http.StatusNoContent)
}

// enter finds the session of a request and keeps it from being reaped; nil when there is none, which has been told.
func (w *web) enter(rw http.ResponseWriter, r *http.Request, m message) *webSession {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		refuseWeb(rw, http.StatusBadRequest, &fault{code: codeInvalidRequest, text: "the header " + sessionHeader + " is missing; open a session with initialize", id: m.id})
		return nil
	}
	w.mu.Lock()
	ses := w.sessions[id]
	if ses != nil && ses.peer.UID != callerOf(r).peer.UID {
		ses = nil // another user's
	}
	if ses != nil {
		ses.busy++
	}
	w.mu.Unlock()
	if ses == nil {
		refuseWeb(rw, http.StatusNotFound, &fault{code: codeServer, text: "no such session; open one with initialize", id: m.id})
	}
	return ses
}

func (w *web) leave(ses *webSession) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ses.busy--
	ses.last = time.Now()
}

func (w *web) holdStream(ses *webSession) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ses.streaming {
		return false
	}
	ses.streaming = true
	ses.streams++
	return true
}

func (w *web) releaseStream(ses *webSession) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ses.streaming = false
}

// end takes a session out: its calls are cancelled, its stream ends.
func (w *web) end(ses *webSession) {
	w.mu.Lock()
	delete(w.sessions, ses.id)
	w.mu.Unlock()
	ses.finish()
}

func (ses *webSession) finish() {
	ses.close()
	ses.session.end()
}

// reap ends the sessions that nobody has used for long: most clients never say goodbye.
func (w *web) reap(now time.Time) {
	for _, ses := range w.all(func(ses *webSession) bool { return ses.busy == 0 && now.Sub(ses.last) > w.options.Idle }) {
		w.end(ses)
	}
}

func (w *web) endAll() {
	for _, ses := range w.all(func(*webSession) bool { return true }) {
		w.end(ses)
	}
}

func (w *web) all(which func(*webSession) bool) []*webSession {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*webSession
	for _, ses := range w.sessions {
		if which(ses) {
			list = append(list, ses)
		}
	}
	return list
}
