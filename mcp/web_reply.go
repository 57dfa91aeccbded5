package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// webReply is the answer to one HTTP request: a JSON object, or a stream of events as soon as something is said ahead of
// the response. Its methods may be called from any goroutine; what is sent is written in that order.
type webReply struct {
	request  *http.Request
	deadline time.Duration

	mu      sync.Mutex
	rw      http.ResponseWriter // guarded by mu, like all below
	control *http.ResponseController
	events  bool // it is a stream of events
	over    bool
	pump    *pump
}

func newReply(rw http.ResponseWriter, r *http.Request, deadline time.Duration) *webReply {
	return &webReply{request: r, deadline: deadline, rw: rw, control: http.NewResponseController(rw)}
}

// send writes a notification ahead of the response. A client that takes no events gets none.
func (y *webReply) send(frame []byte) { _ = y.event("", frame) }

var errReplyOver = errors.New("the reply is over")

// event writes an event; id "" = none. A nil frame is a sign of life.
func (y *webReply) event(id string, frame []byte) error {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.eventLocked(id, frame)
}

func (y *webReply) eventLocked(id string, frame []byte) error {
	if y.over || !accepts(y.request, "text/event-stream") {
		return errReplyOver
	}
	if !y.events {
		y.events = true
		h := y.rw.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no")
		y.rw.WriteHeader(http.StatusOK)
	}
	var b bytes.Buffer
	switch {
	case frame == nil:
		b.WriteString(":\n\n")
	case id != "":
		b.WriteString("id: " + id + "\n")
		fallthrough
	default:
		b.WriteString("event: message\ndata: ")
		b.Write(frame) // one line: JSON has no line breaks of its own
		b.WriteString("\n\n")
	}
	_ = y.control.SetWriteDeadline(time.Now().Add(y.deadline))
	if _, err := y.rw.Write(b.Bytes()); err != nil {
		y.over = true
		return err
	}
	return y.control.Flush()
}

// finish writes the response. Nothing is written after it.
func (y *webReply) finish(frame []byte, status int) {
	y.pump.stop()
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.over {
		return
	}
	if y.events {
		_ = y.eventLocked("", frame)
	} else {
		_ = y.control.SetWriteDeadline(time.Now().Add(y.deadline))
		writeJSON(y.rw, status, frame)
	}
	y.over = true
}

// accepts says whether a client takes that type of content. One that doesn't say takes all.
func accepts(r *http.Request, kind string) bool {
	all := r.Header.Values("Accept")
	if len(all) == 0 {
		return true
	}
	for _, one := range strings.Split(strings.Join(all, ","), ",") {
		one, _, _ = strings.Cut(strings.TrimSpace(one), ";")
		family, _, _ := strings.Cut(kind, "/")
		if one == "*/*" || strings.EqualFold(one, kind) || strings.EqualFold(one, family+"/*") {
			return true
		}
	}
	return false
}

// pump carries what mcp-go says ahead of a response. mcp-go hands it to a channel and does not wait; the response waits
// until the channel is empty, so that nothing comes late and nothing is lost on the way.
type pump struct {
	notes chan mcp.JSONRPCNotification
	quit  chan struct{}
	done  chan struct{}
}

// notes is mcp-go's entrance, made when it is first used: nothing of this server's goes that way.
func (y *webReply) notes() chan<- mcp.JSONRPCNotification {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.pump == nil {
		y.pump = &pump{make(chan mcp.JSONRPCNotification, noteBuffer), make(chan struct{}), make(chan struct{})}
		go y.pump.run(y)
	}
	return y.pump.notes
}

func (p *pump) run(y *webReply) {
	defer close(p.done)
	for {
		select {
		case note := <-p.notes:
			y.sendNote(note)
			continue
		default:
		}
		select {
		case note := <-p.notes:
			y.sendNote(note)
		case <-p.quit:
			if len(p.notes) == 0 {
				return
			}
		}
	}
}

func (y *webReply) sendNote(note mcp.JSONRPCNotification) {
	if frame, err := json.Marshal(note); err == nil {
		y.send(frame)
	}
}

// stop waits until everything is carried. It may be called of nil.
func (p *pump) stop() {
	if p != nil {
		close(p.quit)
		<-p.done
	}
}

// follow writes what is posted to the outbox as it comes, until ctx ends or stop is closed; then true, with everything
// written. What could not be written goes back into the outbox.
func (o *outbox) follow(ctx context.Context, stop <-chan struct{}, y *webReply, id func(post) string) bool {
	quiet := time.NewTicker(webQuiet)
	defer quiet.Stop()
	for {
		stopped := false
		select {
		case <-o.wake:
		case <-quiet.C:
			if y.event("", nil) != nil {
				return false
			}
		case <-ctx.Done():
			return false
		case <-stop:
			stopped = true
		}
		posts := o.take()
		for i, p := range posts {
			if y.event(id(p), p.frame) != nil {
				o.putBack(posts[i:])
				return false
			}
		}
		if stopped {
			return true
		}
	}
}

// unnumbered is for streams of 2026-07-28, which cannot be resumed.
func (p post) unnumbered() string { return "" }

// id numbers the events of a session, so that a client that comes back can say how far it got.
func (p post) id() string { return strconv.FormatUint(p.number, 10) }
