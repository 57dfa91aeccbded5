package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// local refuses what a browser may have been tricked into: a page from elsewhere, or a name from elsewhere that was
// made to mean this machine. It holds for a Unix socket as well, which may stand behind a forwarder.
func (w *web) local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		caller := callerOf(r)
		switch {
		case !caller.viewer.Served():
			refuseWeb(rw, http.StatusForbidden, &fault{code: codeServer, text: "this user is not served here"})
		case !localHost(r.Host, caller.peer.Known):
			refuseWeb(rw, http.StatusForbidden, &fault{code: codeServer, text: "the Host header names another machine"})
		case !localOrigin(r.Header.Values("Origin")):
			refuseWeb(rw, http.StatusForbidden, &fault{code: codeServer, text: "requests of pages from elsewhere are not served"})
		default:
			next.ServeHTTP(rw, r)
		}
	})
}

// localHost says whether a Host header means this machine. Clients of a Unix socket make up a name: one without a dot
// cannot come from the DNS of somebody else.
func localHost(host string, unixSocket bool) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") || unixSocket && !strings.Contains(host, ".") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func localOrigin(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !localHost(u.Host, false) {
			return false // "null" too: a page without an origin is not to be trusted
		}
	}
	return true
}

// authorised asks for the token, where there is one.
func (w *web) authorised(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(w.options.Token))
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(shown)))
		if w.options.Token != "" && !(strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1) {
			rw.Header().Set("WWW-Authenticate", `Bearer realm="shelfd"`)
			refuseWeb(rw, http.StatusUnauthorized, &fault{code: codeServer, text: "show the token of the token file: Authorization: Bearer <token>"})
			return
		}
		next.ServeHTTP(rw, r)
	})
}

type peerKey struct{}

// caller is who stands at the other end of a connection.
type caller struct {
	peer   Peer
	viewer Viewer
}

// withPeer finds out who has connected, once for all requests of the connection.
func (w *web) withPeer(ctx context.Context, c net.Conn) context.Context {
	if counted, ok := c.(*counted); ok {
		c = counted.Conn
	}
	peer := peerOf(c)
	return context.WithValue(ctx, peerKey{}, caller{peer, w.server.options.Viewer(peer)})
}

func callerOf(r *http.Request) caller {
	if c, ok := r.Context().Value(peerKey{}).(caller); ok {
		return c
	}
	return caller{Peer{}, stranger{}}
}

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// crowd is a listener that keeps the number of connections down: those above are told and closed.
type crowd struct {
	net.Listener
	most int64
	open atomic.Int64
}

type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}

// Accept makes an error of no single connection an end of the listener.
func (l *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err != nil && outOfFiles(err):
			pause(context.Background(), 100*time.Millisecond)
		case err != nil:
			return nil, err
		case l.open.Add(1) > l.most:
			l.open.Add(-1)
			go turnAway(conn)
		default:
			return &counted{conn, sync.OnceFunc(func() { l.open.Add(-1) })}, nil
		}
	}
}

// turnAway answers once something was asked: a client takes no answer before.
func turnAway(conn net.Conn) {
	defer conn.Close()
	if conn.SetReadDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = conn.Read(make([]byte, webHeader))
	}
	_, _ = (&patient{conn, time.Second}).Write([]byte("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
}
