package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// sessionHeader carries the id of a session, up to 2025-11-25.
const sessionHeader = "Mcp-Session-Id"

// post serves one message.
func (w *web) post(rw http.ResponseWriter, r *http.Request) {
	body, status, f := w.body(rw, r)
	if f != nil {
		refuseWeb(rw, status, f)
		return
	}
	m, err := parse(body)
	if errors.As(err, &f) {
		refuseWeb(rw, http.StatusBadRequest, f)
		return
	}
	if modern, _ := eraOf(m.params); modern || mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		w.postModern(rw, r, m)
		return
	}
	w.postInSession(rw, r, m)
}

// body reads a message of at most the size of a line.
func (w *web) body(rw http.ResponseWriter, r *http.Request) (body []byte, status int, f *fault) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, http.StatusUnsupportedMediaType, &fault{code: codeInvalidRequest, text: "the Content-Type must be application/json"}
	}
	control := http.NewResponseController(rw)
	_ = control.SetReadDeadline(time.Now().Add(webHeaderTime)) // what cannot be set is not there to be slow
	limit := w.server.options.MaxLine
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, int64(limit)))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, &fault{code: codeInvalidRequest, text: "a message may have " + count(limit, "byte", "bytes")}
	case err != nil:
		return nil, http.StatusBadRequest, &fault{code: codeParse, text: "the body could not be read"}
	}
	_ = control.SetReadDeadline(time.Time{})
	if body = []byte(strings.TrimSpace(string(body))); len(body) == 0 {
		return nil, http.StatusBadRequest, &fault{code: codeParse, text: "the body is empty"}
	}
	return body, 0, nil
}

// postModern serves a request of 2026-07-28, which stands alone: closing the connection cancels it.
func (w *web) postModern(rw http.ResponseWriter, r *http.Request, m message) {
	if f := checkHeaders(r.Header, m); f != nil {
		f.id = m.id
		refuseWeb(rw, http.StatusBadRequest, f)
		return
	}
	if m.id == nil {
		rw.WriteHeader(http.StatusAccepted) // nothing that a client may tell in this revision changes anything
		return
	}
	caller := callerOf(r)
	ses := w.server.newSession(caller.peer, caller.viewer)
	defer ses.end()
	reply := newReply(rw, r, w.server.options.WriteDeadline)
	e := &exchange{session: ses, send: reply.send, notes: reply.notes}
	ctx := w.server.protocol.WithContext(r.Context(), e)
	if m.listens() {
		w.listen(ctx, e, m, reply)
		return
	}
	e.respond(ctx, m, func(frame []byte) { reply.finish(frame, statusOf(frame)) })
}

// checkHeaders compares the headers that repeat what the body says: who routes by them must see what is done.
func checkHeaders(h http.Header, m message) *fault {
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	_ = json.Unmarshal(m.params, &p) // what has no _meta has no version
	said, meant := h.Get(mcp.HeaderProtocolVersion), p.Meta.ProtocolVersion()
	switch {
	case m.response:
		return &fault{code: codeInvalidRequest, text: "responses are not taken: this server asks nothing"}
	case m.id == nil:
		return nil
	case said == "":
		return &fault{code: mcp.HEADER_MISMATCH, text: "the header " + mcp.HeaderProtocolVersion + " is missing"}
	case meant == "":
		return &fault{code: codeInvalidParams, text: "_meta lacks " + mcp.MetaKeyProtocolVersion}
	case said != meant:
		return &fault{code: mcp.HEADER_MISMATCH, text: "the header " + mcp.HeaderProtocolVersion + " says " + quoted(said) + ", the message " + quoted(meant)}
	case !mcp.IsValidProtocolVersion(meant):
		return nil // mcp-go answers with what is served
	}
	if err := mcp.ValidateStandardHeaders(h.Get, meant, mcp.MCPMethod(m.method), m.params); err != nil {
		return &fault{code: mcp.HEADER_MISMATCH, text: err.Error()}
	}
	return nil
}

// statusOf is the HTTP status of a response of 2026-07-28.
func statusOf(frame []byte) int {
	var r struct {
		Error *struct{ Code int } `json:"error"`
	}
	const errorsAreShort = 64 << 10
	if len(frame) > errorsAreShort || json.Unmarshal(frame, &r) != nil || r.Error == nil {
		return http.StatusOK
	}
	switch r.Error.Code {
	case codeMethodNotFound:
		return http.StatusNotFound
	case codeParse, codeInvalidRequest, codeInvalidParams, mcp.HEADER_MISMATCH, mcp.UNSUPPORTED_PROTOCOL_VERSION, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// listen keeps a stream of notifications open until the client closes it or the daemon ends.
func (w *web) listen(ctx context.Context, e *exchange, m message, reply *webReply) {
	st, f := e.openStream(ctx, m, e.outbox)
	if f != nil {
		reply.finish(errorFrame(f), http.StatusBadRequest)
		return
	}
	defer e.closeStream(st)
	stop := w.stop.Done()
	if st.nothing() {
		closed := make(chan struct{})
		close(closed)
		stop = closed
	}
	if e.outbox.follow(ctx, stop, reply, post.unnumbered) {
		reply.finish(w.server.streamEnd(m.id), http.StatusOK)
	}
}
