package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"
)

// viewInterval is how often the live view is drawn anew: what it shows changes no faster than a person reads.
const viewInterval = time.Second

// Control sequences of the live view: a screen of its own without wrapped lines, left as it was found.
const (
	enterView = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	leaveView = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	topLeft   = "\x1b[H"
	lineEnd   = "\x1b[K\r\n"
	restEmpty = "\x1b[J"
)

// liveView shows the status on a terminal, drawn anew every second, until a person ends it with Ctrl-C.
func (p *program) liveView(ctx context.Context) error {
	tick := time.NewTicker(viewInterval)
	defer tick.Stop()
	return draw(ctx, p.out, tick.C, func() ([]byte, error) {
		report, err := p.statusReport(ctx)
		if err != nil {
			return nil, err
		}
		var frame bytes.Buffer
		painted := *p
		painted.out, painted.colour = &frame, p.screen().colour
		painted.printStatus(report)
		fmt.Fprintf(&frame, "\n%s  Ctrl-C ends this view.\n", time.Now().Format(time.TimeOnly))
		return frame.Bytes(), nil
	})
}

// draw draws a frame now and at every tick until ctx ends, which is no error, or a frame fails.
func draw(ctx context.Context, out io.Writer, tick <-chan time.Time, frame func() ([]byte, error)) error {
	fmt.Fprint(out, enterView)
	defer fmt.Fprint(out, leaveView)
	for {
		text, err := frame()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		text = bytes.ReplaceAll(text, []byte("\n"), []byte(lineEnd))
		if _, err := fmt.Fprintf(out, "%s%s%s", topLeft, text, restEmpty); err != nil {
			return err
		}
		select {
		case <-tick:
		case <-ctx.Done():
			return nil
		}
	}
}
