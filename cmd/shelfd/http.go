package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"shelfd/internal/config"
	"shelfd/internal/metrics"
	"shelfd/store"
)

// Limits of the HTTP listener: who is slower holds a connection that others want.
const (
	headerLimit = 5 * time.Second
	answerLimit = 30 * time.Second
	idleLimit   = time.Minute
	headerBytes = 16 << 10
	httpGrace   = time.Second
)

// listenHTTP makes the second listener, nil when none is configured.
func (d *daemon) listenHTTP(ctx context.Context) error {
	address := d.config.HTTP.Listen
	if address == "" {
		return nil
	}
	token, err := readToken(d.config.HTTP)
	if err != nil {
		return &exit{exitUsage, err}
	}
	var c net.ListenConfig
	c.SetMultipathTCP(false) // Landlock does not see it
	l, err := c.Listen(ctx, "tcp", address)
	if err != nil {
		return &exit{exitUsage, fmt.Errorf("http.listen: %w", err)}
	}
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", d.metrics)
	d.web = &http.Server{
		Handler: guarded(token, routes), ReadHeaderTimeout: headerLimit, ReadTimeout: answerLimit, WriteTimeout: answerLimit,
		IdleTimeout: idleLimit, MaxHeaderBytes: headerBytes,
	}
	d.webListener = l
	return nil
}

// serveHTTP serves until ctx ends.
func (d *daemon) serveHTTP(ctx context.Context) error {
	if d.web == nil {
		return nil
	}
	ended := make(chan error, 1)
	go func() { ended <- d.web.Serve(d.webListener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("http: %w", err)
	case <-ctx.Done():
	}
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), httpGrace)
	defer stop()
	if d.web.Shutdown(grace) != nil {
		d.web.Close()
	}
	<-ended
	return nil
}

// readToken reads what callers must show. Without a file nothing is asked, which only this host's own interface may do.
func readToken(c config.HTTP) (string, error) {
	if c.TokenFile == "" {
		if !loopback(c.Listen) {
			return "", fmt.Errorf("http.listen %q can be reached from other hosts; name a token_file, or listen on 127.0.0.1", c.Listen)
		}
		return "", nil
	}
	stat, err := os.Stat(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("http.token_file: %w", err)
	}
	if stat.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("http.token_file %q can be read by others (mode %04o); chmod 600 it", c.TokenFile, stat.Mode().Perm())
	}
	text, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("http.token_file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("http.token_file %q is empty", c.TokenFile)
	}
	return token, nil
}

// loopback says whether an address with a port is this host's alone.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// guarded asks for the token, if there is one. Without one the request must name this host: a page in a browser reaches
// loopback too, by a name of its own (DNS rebinding), and sends its Origin.
func guarded(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		switch {
		case token != "" && subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "show the token: Authorization: Bearer …", http.StatusUnauthorized)
		case token == "" && (!loopback(r.Host) || r.Header.Get("Origin") != ""):
			http.Error(w, "without a token only this host's own programs are answered", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// reading is how the daemon stands, for metrics.
func (d *daemon) reading(ctx context.Context) (metrics.Reading, error) {
	s := d.indexer.Status()
	r := metrics.Reading{
		Version: release, Indexing: s.Progress.State != "ready", Paused: s.LastError != "",
		Queue: s.Queue, Commits: s.Commits, LastCommit: s.LastCommit,
	}
	states := d.watcher.States()
	err := d.store.View(ctx, func(v *store.View) error {
		counts, err := v.Counts()
		if err != nil {
			return err
		}
		r.Links, r.ContentBytes, r.DatabaseBytes, r.WALBytes = counts.Links, counts.ContentBytes, counts.DatabaseBytes, counts.WALBytes
		shelves, err := v.Shelves()
		for _, s := range shelves {
			chunks, failed := v.ShelfChunks(s.ID)
			err = errors.Join(err, failed)
			w := states[s.Name]
			r.Shelves = append(r.Shelves, metrics.Shelf{
				Name: s.Name, State: string(s.State), Documents: s.Documents, Chunks: chunks, Problems: s.Problems,
				Watches: w.Watches, Overflows: w.Overflows, ReconciledAt: s.ReconciledAt,
			})
		}
		return err
	})
	return r, err
}
