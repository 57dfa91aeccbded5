package main

import (
	"context"
	"fmt"
	"os"

	"shelfd/watcher"
)

// status answers shelfd/status.
func (d *daemon) status(context.Context) (any, error) {
	s := d.indexer.Status()
	l := live{
		PID: os.Getpid(), Version: release, StartedAt: d.started, Socket: d.paths.Socket, Config: d.paths.Config,
		Index: indexLine(s.Progress), Queue: s.Queue, Commits: s.Commits, LagMS: float64(s.Lag.Microseconds()) / 1e3,
		LastError: s.LastError, Watch: map[string]watchLine{}, Embedding: d.embedding(),
	}
	calls := d.metrics.Calls()
	l.Calls = callsLine{calls.Total, calls.Median.Seconds() * 1e3, calls.P99.Seconds() * 1e3}
	for _, n := range s.Notices {
		l.Notices = append(l.Notices, noticeLine(n))
	}
	if !d.declared.Load() {
		l.Index.State = "indexing"
	}
	if reason := d.refused.Load(); reason != nil {
		l.ConfigError = *reason
	}
	if !s.LastCommit.IsZero() {
		l.LastCommit = &s.LastCommit
	}
	for shelf, w := range d.watcher.States() {
		l.Watch[shelf] = watchLine{w.Root, modeName(w.Mode), w.Reason, w.Since, w.Watches, w.Overflows}
	}
	return l, nil
}

func modeName(m watcher.Mode) string {
	switch m {
	case watcher.ModeWatching:
		return "notify"
	case watcher.ModePolling:
		return "poll"
	case watcher.ModeDegraded:
		return "degraded"
	case watcher.ModeMissing:
		return "missing"
	}
	return fmt.Sprintf("mode %d", m)
}
