package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"go.uber.org/zap"

	"shelfd/internal/config"
	"shelfd/internal/metrics"
	"shelfd/mcp"
	"shelfd/store"
)

// listenHTTP makes the second listener, if one is configured.
func (d *daemon) listenHTTP() error {
	address := d.config.HTTP.Listen
	if address == "" {
		return nil
	}
	if err := d.checkWebFiles(); err != nil {
		return &exit{exitUsage, err}
	}
	d.web = mcp.WebOptions{Routes: map[string]http.Handler{"GET /metrics": d.metrics}}
	var err error
	if mcp.NeedsToken(address) {
		if d.web.Token, err = mcp.Token(d.tokenFile()); err != nil {
			return &exit{exitUsage, err}
		}
		// Documents ask for the token always. Numbers do once somebody has named a file for it.
		d.web.RoutesOpen = d.config.HTTP.TokenFile == ""
	}
	if d.webListener, err = mcp.ListenWeb(address); err != nil {
		return &exit{exitUsage, fmt.Errorf("http.listen: %w", err)}
	}
	d.log.Info("serving HTTP", zap.String("address", address), zap.String("token_file", d.tokenFile()))
	return nil
}

// tokenFile is what clients of a TCP port take their token from, "" on a Unix socket.
func (d *daemon) tokenFile() string {
	switch {
	case !mcp.NeedsToken(d.config.HTTP.Listen):
		return ""
	case d.config.HTTP.TokenFile != "":
		return d.config.HTTP.TokenFile
	}
	return filepath.Join(filepath.Dir(d.paths.Database), "http.token")
}

// webSocket is the path of the Unix socket that HTTP is served on, "" for TCP and for none.
func webSocket(c config.HTTP) string {
	path, ok := strings.CutPrefix(c.Listen, "unix:")
	if !ok {
		return ""
	}
	return path
}

// checkWebFiles refuses own files below a root, as config.CheckPlacement does.
func (d *daemon) checkWebFiles() error {
	for _, own := range []struct{ key, path string }{{"listen", webSocket(d.config.HTTP)}, {"token_file", d.tokenFile()}} {
		for _, s := range d.config.All() {
			if own.path != "" && config.Inside(config.Resolve(own.path), s.Root) {
				return fmt.Errorf("http.%s: %q is inside the shelf root %q, where shelfd never writes", own.key, own.path, s.Root)
			}
		}
	}
	return nil
}

// serveHTTP serves until ctx ends.
func (d *daemon) serveHTTP(ctx context.Context, server *mcp.Server) error {
	if d.webListener == nil {
		return nil
	}
	return server.ServeWeb(ctx, d.webListener, d.web)
}

// reading is how the daemon stands, for metrics.
func (d *daemon) reading(ctx context.Context) (metrics.Reading, error) {
	s := d.indexer.Status()
	r := metrics.Reading{
		Version: release, Indexing: s.Progress.State != "ready", Paused: s.LastError != "",
		Queue: s.Queue, Commits: s.Commits, LastCommit: s.LastCommit,
		Embedding: d.embeddingReading(),
	}
	states := d.watcher.States()
	err := d.store.View(ctx, func(v *store.View) error {
		counts, err := v.Counts()
		if err != nil {
			return err
		}
		r.Links, r.ContentBytes, r.DatabaseBytes, r.WALBytes = counts.Links, counts.ContentBytes, counts.DatabaseBytes, counts.WALBytes
		shelves, err := v.CountedShelves()
		for _, s := range shelves {
			w := states[s.Name]
			r.Shelves = append(r.Shelves, metrics.Shelf{
				Name: s.Name, State: string(s.State), Documents: s.Documents, Chunks: s.Chunks, Problems: s.Problems,
				Watches: w.Watches, Overflows: w.Overflows, ReconciledAt: s.ReconciledAt,
			})
		}
		return err
	})
	return r, err
}
