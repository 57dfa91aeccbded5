package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Times and numbers of Streamable HTTP.
const (
	webIdle       = 30 * time.Minute // a session without a request or an open stream
	webSessions   = 512              // of clients before 2026-07-28; later ones have none
	webHeaderTime = 10 * time.Second // for the header of a request, and again for its body
	webQuiet      = 15 * time.Second // a stream says at least so often that it is there
	webHeader     = 64 << 10         // bytes of a header
)

// WebOptions say how Streamable HTTP is served. The zero value of a field is the default named beside it.
type WebOptions struct {
	// Token is what a client must show as a bearer token; "" for a Unix socket only, whose peers are known.
	Token string
	// Idle is how long an idle session stays: 30 min.
	Idle time.Duration
	// Routes are served beside /mcp and /healthz. RoutesOpen: they ask for no token.
	Routes     map[string]http.Handler
	RoutesOpen bool
}

// web serves MCP over HTTP. Requests of 2026-07-28 stand alone; those before belong to a session.
type web struct {
	server  *Server
	options WebOptions
	stop    context.Context // done when the daemon ends: streams say goodbye

	mu       sync.Mutex
	sessions map[string]*webSession // by id; guarded by mu
}

// ServeWeb serves Streamable HTTP on l until ctx ends, then closes l, lets requests finish within the grace and returns
// nil. Any other end of l is an error.
func (s *Server) ServeWeb(ctx context.Context, l net.Listener, o WebOptions) error {
	o.Idle = positive(o.Idle, webIdle)
	w := &web{server: s, options: o, stop: ctx, sessions: map[string]*webSession{}}
	server := &http.Server{
		Handler:           w.routes(),
		ReadHeaderTimeout: webHeaderTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    webHeader,
		ErrorLog:          discardLog(),
		ConnContext:       w.withPeer,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(&crowd{Listener: l, most: int64(s.options.MaxConnections)}) }()
	reap := time.NewTicker(o.Idle / 4)
	defer reap.Stop()
	defer w.endAll()
	for {
		select {
		case <-reap.C:
			w.reap(time.Now())
		case err := <-ended:
			return fmt.Errorf("mcp: serve HTTP on %q: %w", l.Addr(), err)
		case <-ctx.Done():
			grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Grace)
			defer cancel()
			if errors.Is(server.Shutdown(grace), context.DeadlineExceeded) {
				server.Close()
			}
			return nil
		}
	}
}

func (w *web) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", w.authorised(http.HandlerFunc(w.endpoint)))
	for pattern, h := range w.options.Routes {
		if !w.options.RoutesOpen {
			h = w.authorised(h)
		}
		mux.Handle(pattern, h)
	}
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = rw.Write([]byte("ok\n"))
	})
	return w.local(mux)
}

func (w *web) endpoint(rw http.ResponseWriter, r *http.Request) {
	modern := mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
	switch {
	case r.Method == http.MethodPost:
		w.post(rw, r)
	case r.Method == http.MethodGet && !modern:
		w.stream(rw, r)
	case r.Method == http.MethodDelete && !modern:
		w.delete(rw, r)
	default:
		rw.Header().Set("Allow", "GET, POST, DELETE")
		if modern {
			rw.Header().Set("Allow", http.MethodPost)
		}
		refuseWeb(rw, http.StatusMethodNotAllowed, &fault{code: codeServer, text: r.Method + " is not served here"})
	}
}

// refuseWeb answers with a JSON-RPC error: clients of both revisions look for one in the body.
func refuseWeb(rw http.ResponseWriter, status int, f *fault) {
	writeJSON(rw, status, errorFrame(f))
}

func writeJSON(rw http.ResponseWriter, status int, frame []byte) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_, _ = rw.Write(append(frame, '\n')) // a client that is gone needs no answer
}
