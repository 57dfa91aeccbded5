package bridge

import (
	"context"
	"errors"
	"io"
	"time"
)

// outlet writes to the client in a goroutine of its own: while the client does not read, the bridge still sees that it
// is gone.
type outlet struct {
	lines  chan []byte
	broken chan struct{} // closed when writing failed, with err set before
	done   chan struct{} // closed when everything is written
	err    error
}

func openOutlet(out io.Writer) *outlet {
	o := &outlet{lines: make(chan []byte), broken: make(chan struct{}), done: make(chan struct{})}
	go o.run(out)
	return o
}

func (o *outlet) run(out io.Writer) {
	for line := range o.lines {
		if _, err := out.Write(append(line, '\n')); err != nil {
			o.err = err
			close(o.broken)
			return
		}
	}
	close(o.done)
}

// next is the line to write and where to; a nil channel while there is nothing.
func (o *outlet) next(answers [][]byte) (chan<- []byte, []byte) {
	if len(answers) == 0 {
		return nil, nil
	}
	return o.lines, answers[0]
}

// lastLine is how long the client has for the rest of a line when the bridge is told to end.
const lastLine = time.Second

// close writes what is left, unless nobody reads it, and what was begun also when ctx ends: half a line is no message.
func (o *outlet) close(ctx context.Context, gone <-chan struct{}, left [][]byte) error {
	err := o.writeAll(ctx, gone, left)
	close(o.lines)
	if err == nil {
		err = o.wait(ctx, gone)
	}
	if ctx.Err() != nil {
		rest, end := context.WithTimeout(context.WithoutCancel(ctx), lastLine)
		defer end()
		_ = o.wait(rest, gone)
	}
	return err
}

func (o *outlet) writeAll(ctx context.Context, gone <-chan struct{}, lines [][]byte) error {
	for _, line := range lines {
		select {
		case o.lines <- line:
		case <-o.broken:
			return errors.Join(errClientGone, o.err)
		case <-gone:
			return errClientGone
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// wait returns when everything was written.
func (o *outlet) wait(ctx context.Context, gone <-chan struct{}) error {
	select {
	case <-o.done:
		return nil
	case <-o.broken:
		return errors.Join(errClientGone, o.err)
	case <-gone:
		return errClientGone
	case <-ctx.Done():
		return ctx.Err()
	}
}
