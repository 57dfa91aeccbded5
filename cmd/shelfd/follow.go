package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Intervals of asking the daemon.
const (
	followInterval = 200 * time.Millisecond
	waitInterval   = 20 * time.Millisecond
)

// follow shows how indexing comes along, on standard error, and returns when all is indexed.
func (p *program) follow(ctx context.Context) error {
	c, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	bar := newBar(p.err, "indexing")
	defer bar.end()
	for {
		var l live
		if err := c.Ask(ctx, statusMethod, &l); err != nil {
			return err
		}
		ready := l.Index.State == "ready" && l.Queue == 0
		if !ready || bar.begun() {
			bar.set(l.Index.Done, l.Index.Total)
		}
		if ready {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitReady returns when a daemon is there and has compared every shelf with the disk once.
func (p *program) waitReady(ctx context.Context, limit time.Duration) error {
	paths, err := p.paths()
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	tick := time.NewTicker(waitInterval)
	defer tick.Stop()
	var last *live
	for {
		l, err := askLive(ctx, paths.Socket)
		if err == nil {
			last = l
			if l.Index.State == "ready" {
				return nil
			}
		}
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
		}
		if last != nil {
			return fmt.Errorf("still %v after %v", last.Index, limit)
		}
		return &exit{exitNoDaemon, fmt.Errorf("no daemon answers on %q after %v", paths.Socket, limit)}
	}
}

// bar is a progress bar that redraws itself on a terminal and writes a line a tenth elsewhere.
type bar struct {
	out    io.Writer
	what   string
	redraw bool
	tenth  int // the last one written
	drawn  bool
}

func newBar(out io.Writer, what string) *bar {
	return &bar{out: out, what: what, redraw: terminal(out), tenth: -1}
}

// barWidth leaves room for the words and numbers on a screen of 80 columns.
const barWidth = 40

func (b *bar) set(done, total int) {
	if total <= 0 {
		return
	}
	done = min(done, total)
	if !b.redraw {
		if tenth := 10 * done / total; tenth > b.tenth {
			b.tenth = tenth
			fmt.Fprintf(b.out, "%s %d of %d\n", b.what, done, total)
		}
		return
	}
	full := barWidth * done / total
	fmt.Fprintf(b.out, "\r%s [%s%s] %d/%d", b.what, strings.Repeat("█", full), strings.Repeat("·", barWidth-full), done, total)
	b.drawn = true
}

// begun says whether anything was shown.
func (b *bar) begun() bool { return b.drawn || b.tenth >= 0 }

// end leaves the last bar standing on a line of its own.
func (b *bar) end() {
	if b.drawn {
		fmt.Fprintln(b.out)
	}
}
