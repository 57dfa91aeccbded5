package bridge

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"slices"
	"syscall"
	"time"
)

// Back-off of redialling: a daemon that restarts is back within a fraction of a second, so the first tries are close.
const (
	firstPause = 20 * time.Millisecond
	longPause  = 500 * time.Millisecond
)

// dial tries to reach the daemon in a goroutine that reports to run. A daemon that was never met gets one try.
func (b *bridge) dial(ctx context.Context) {
	b.dialling = true
	var patience time.Duration
	if b.met {
		patience = b.Patience
	}
	start := b.Start
	if b.started {
		start = nil
	}
	b.started = b.started || start != nil
	go func() {
		d := dialUntil(ctx, b.Dial, time.Now().Add(patience))
		if absentDaemon(d.err) && start != nil {
			if err := start(); err != nil {
				d.err = err
			} else {
				d = dialUntil(ctx, b.Dial, time.Now().Add(b.Patience))
			}
		}
		select {
		case b.dialled <- d:
		case <-ctx.Done():
			if d.conn != nil {
				d.conn.Close()
			}
		}
	}()
}

// dialUntil dials until it succeeds, the deadline passes, or the error is one that waiting does not mend.
func dialUntil(ctx context.Context, dial func(context.Context) (net.Conn, error), deadline time.Time) dialled {
	pause := firstPause
	for {
		conn, err := dial(ctx)
		if err == nil || !absentDaemon(err) || time.Now().Add(pause).After(deadline) {
			return dialled{conn, err}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return dialled{nil, ctx.Err()}
		}
		pause = min(2*pause, longPause)
	}
}

// absentDaemon says that nobody listens (yet), as opposed to a socket that cannot be used.
func absentDaemon(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// connected takes up a new connection, or tells everybody that there is none.
func (b *bridge) connected(d dialled) error {
	b.dialling = false
	if d.err != nil {
		b.met = false
		return b.refuseAll(d.err)
	}
	b.link = open(d.conn, b.incoming)
	b.queue = append(b.session.replay(), b.queue...)
	b.met = true
	return nil
}

// refuseAll answers what waits with an error that says how to start a daemon.
func (b *bridge) refuseAll(cause error) error {
	text := cause.Error()
	if b.Advice != "" {
		text += "; " + b.Advice
	}
	b.queue = nil
	for _, id := range b.inOrder() {
		delete(b.flying, id)
		if err := b.answer([]byte(id), codeNoDaemon, text); err != nil {
			return err
		}
	}
	return nil
}

// lost puts what was under way back into the queue when the connection ended; what may have written is refused.
func (b *bridge) lost() error {
	b.link.close()
	b.link = nil
	var repeats [][]byte
	for _, id := range b.inOrder() {
		switch r := b.flying[id]; {
		case !r.sent:
		case r.safe:
			r.sent = false
			b.flying[id] = r
			repeats = append(repeats, r.line)
		default:
			delete(b.flying, id)
			if err := b.answer([]byte(id), codeLost, lostText); err != nil {
				return err
			}
		}
	}
	b.queue = append(repeats, b.queue...)
	return nil
}

const lostText = "the daemon went away during this call, which may have taken effect; look before repeating it"

// inOrder are the ids of flying requests as they came.
func (b *bridge) inOrder() []string {
	ids := make([]string, 0, len(b.flying))
	for id := range b.flying {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(x, y string) int { return cmp.Compare(b.flying[x].order, b.flying[y].order) })
	return ids
}
