package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"shelfd/store"
)

// Methods by which clients watch: the first two up to 2025-11-25, the last from 2026-07-28 on.
const (
	subscribeMethod   = string(mcp.MethodResourcesSubscribe)
	unsubscribeMethod = string(mcp.MethodResourcesUnsubscribe)
	listenMethod      = string(mcp.MethodSubscriptionsListen)
)

// What one session may watch. It bounds the outbox.
const (
	maxWatched = 1000 // documents, by subscriptions and streams together
	maxStreams = 32
)

// watched is what a session wants to hear of.
type watched struct {
	mu      sync.Mutex
	uris    map[string]string // doc_path → URI as the client wrote it; guarded by mu, like all below
	streams map[*stream]struct{}
	count   int // documents
}

// stream is one subscriptions/listen. It does not change.
type stream struct {
	id   json.RawMessage
	uris map[string]string // doc_path → URI as the client wrote it
	list bool
	box  *outbox
}

// tell puts into the outboxes what of the news the client wants to hear. The client may hear all of it.
func (ses *session) tell(changed map[string]struct{}, listed bool) {
	w := &ses.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, uri := range w.uris {
		if _, ok := changed[path]; ok {
			ses.outbox.post(updatedKey(nil, uri), updatedNote(nil, uri))
		}
	}
	if listed && ses.handshaken() {
		ses.outbox.post(listedKey(nil), listedNote(nil))
	}
	for st := range w.streams {
		for path, uri := range st.uris {
			if _, ok := changed[path]; ok {
				st.box.post(updatedKey(st.id, uri), updatedNote(st.id, uri))
			}
		}
		if listed && st.list {
			st.box.post(listedKey(st.id), listedNote(st.id))
		}
	}
}

// wanted are those of the changed documents that somebody at the other end watches, and whether anybody there wants to
// hear of changes of the list.
func (ses *session) wanted(changed map[string]struct{}) (watched []string, list bool) {
	w := &ses.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	list = ses.handshaken()
	want := func(uris map[string]string) {
		for path := range uris {
			if _, ok := changed[path]; ok {
				watched = append(watched, path)
			}
		}
	}
	want(w.uris)
	for st := range w.streams {
		want(st.uris)
		list = list || st.list
	}
	return watched, list
}

// lookAgain tells of everything a client has subscribed to: something it was told may not have reached it.
func (ses *session) lookAgain() {
	sight := ses.viewer.Sight("")
	w := &ses.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	for path, uri := range w.uris {
		if !sight.Sees(path) {
			continue
		}
		ses.outbox.post(updatedKey(nil, uri), updatedNote(nil, uri))
	}
	ses.outbox.post(listedKey(nil), listedNote(nil))
}

// Keys of the outbox. An id is JSON and a URI holds no line break.
func updatedKey(stream json.RawMessage, uri string) string {
	return "updated\n" + string(stream) + "\n" + uri
}
func listedKey(stream json.RawMessage) string { return "listed\n" + string(stream) }

func acknowledgedKey(stream json.RawMessage) string { return "acknowledged\n" + string(stream) }

func endedKey(stream json.RawMessage) string { return "ended\n" + string(stream) }

func updatedNote(stream json.RawMessage, uri string) []byte {
	return note("notifications/resources/updated", stream, map[string]any{"uri": uri})
}

func listedNote(stream json.RawMessage) []byte {
	return note("notifications/resources/list_changed", stream, map[string]any{})
}

// note is a notification, marked as one of a stream unless that is nil.
func note(method string, stream json.RawMessage, params map[string]any) []byte {
	if stream != nil {
		params["_meta"] = map[string]any{mcp.MetaKeySubscriptionID: stream}
	}
	return encode(struct {
		JSONRPC string         `json:"jsonrpc"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params,omitempty"`
	}{mcp.JSONRPC_VERSION, method, params})
}

// roomLocked refuses what goes over a session's limits.
func (w *watched) roomLocked(documents, streams int) *fault {
	switch {
	case w.count+documents > maxWatched:
		return &fault{code: codeInvalidParams, text: fmt.Sprintf("a session may watch %d documents; unsubscribe from some first", maxWatched)}
	case len(w.streams)+streams > maxStreams:
		return &fault{code: codeInvalidParams, text: fmt.Sprintf("a session may have %d streams open; cancel one first", maxStreams)}
	}
	return nil
}

func subscribe(ctx context.Context, e *exchange, params json.RawMessage) (any, error) {
	uri, path, err := documentParam(params)
	if err != nil {
		return nil, err
	}
	if err := e.server.view(ctx, func(v *store.View) error { return exists(v, uri, path) }); err != nil {
		return nil, err
	}
	w := &e.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.uris == nil {
		w.uris = map[string]string{}
	}
	if _, again := w.uris[path]; !again {
		if f := w.roomLocked(1, 0); f != nil {
			return nil, f
		}
		w.count++
	}
	w.uris[path] = uri
	return struct{}{}, nil
}

// unsubscribe from what was never subscribed to does nothing.
func unsubscribe(_ context.Context, e *exchange, params json.RawMessage) (any, error) {
	_, path, err := documentParam(params)
	if err != nil {
		return nil, err
	}
	w := &e.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if uri, ok := w.uris[path]; ok {
		delete(w.uris, path)
		w.count--
		e.outbox.withdraw(updatedKey(nil, uri))
	}
	return struct{}{}, nil
}

// listens says that a message is a well-formed request for a stream. One that is not goes to mcp-go, which refuses it.
func (m message) listens() bool {
	if m.method != listenMethod || m.id == nil {
		return false
	}
	modern, valid := eraOf(m.params)
	return modern && valid
}

// openStream begins to pass notifications to box, the acknowledgement first.
func (e *exchange) openStream(ctx context.Context, m message, box *outbox) (*stream, *fault) {
	var p struct {
		Notifications *struct {
			List bool     `json:"resourcesListChanged"`
			URIs []string `json:"resourceSubscriptions"`
		} `json:"notifications"`
	}
	if err := json.Unmarshal(m.params, &p); err != nil || p.Notifications == nil {
		return nil, &fault{code: codeInvalidParams, text: `"notifications" must say what to listen for`, id: m.id}
	}
	st := &stream{id: m.id, box: box, list: p.Notifications.List}
	if err := st.find(ctx, e.server, p.Notifications.URIs); err != nil {
		f := faultOf(err)
		f.id = m.id
		return nil, f
	}
	w := &e.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if f := w.roomLocked(len(st.uris), 1); f != nil {
		f.id = m.id
		return nil, f
	}
	if w.streams == nil {
		w.streams = map[*stream]struct{}{}
	}
	w.streams[st] = struct{}{}
	w.count += len(st.uris)
	box.post(acknowledgedKey(m.id), st.acknowledgement())
	return st, nil
}

// find keeps those documents that are there: the acknowledgement tells the client which.
func (st *stream) find(ctx context.Context, s *Server, uris []string) error {
	if len(uris) > maxWatched {
		return &fault{code: codeInvalidParams, text: fmt.Sprintf("a session may watch %d documents", maxWatched)}
	}
	st.uris = map[string]string{}
	return s.view(ctx, func(v *store.View) error {
		for _, uri := range uris {
			path, ok := pathOf(uri)
			if !ok {
				continue
			}
			switch err := exists(v, uri, path); {
			case err == nil:
				st.uris[path] = uri
			case !isFault(err):
				return err
			}
		}
		return nil
	})
}

func (st *stream) acknowledgement() []byte {
	agreed := map[string]any{}
	if st.list {
		agreed["resourcesListChanged"] = true
	}
	if len(st.uris) > 0 {
		uris := make([]string, 0, len(st.uris))
		for _, uri := range st.uris {
			uris = append(uris, uri)
		}
		agreed["resourceSubscriptions"] = uris
	}
	return note("notifications/subscriptions/acknowledged", st.id, map[string]any{"notifications": agreed})
}

// nothing says that the stream will never say anything.
func (st *stream) nothing() bool { return !st.list && len(st.uris) == 0 }

// closeStream makes the news pass a stream by. What waits for the client still goes to it.
func (ses *session) closeStream(st *stream) {
	w := &ses.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.streams, st)
	w.count -= len(st.uris)
}

// silence takes back what waits for the client: it has cancelled the stream.
func (st *stream) silence() {
	keys := []string{listedKey(st.id), acknowledgedKey(st.id)}
	for _, uri := range st.uris {
		keys = append(keys, updatedKey(st.id, uri))
	}
	st.box.withdraw(keys...)
}

// streamEnd is the response that ends a stream: this side has closed it.
func (s *Server) streamEnd(id json.RawMessage) []byte {
	d := s.decoration(false)
	d.Meta[mcp.MetaKeySubscriptionID] = id
	return encodeResponse(mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: d}, id)
}
