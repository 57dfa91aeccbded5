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

// Pauses between attempts: a daemon that restarts is back within a fraction of a second, so the first ones are close;
// one that stays away is asked for as long as the client's session lasts.
const (
	firstPause = 20 * time.Millisecond
	longPause  = 500 * time.Millisecond
	idlePause  = 2 * time.Second
)

// outage is a time without a connection.
type outage struct {
	since   time.Time    // zero: there is none
	trying  bool         // an attempt is under way
	started bool         // Start was tried
	ended   <-chan error // says why the daemon that was started is not there any more
	why     error
	over    bool             // patience has ended: who asks is refused after one more attempt
	pauses  time.Duration    // the last one
	pause   <-chan time.Time // not to try before
}

// asked makes the next attempt come at once when nobody waits for the daemon any more; start: one is started again.
func (o *outage) asked(start bool) {
	switch {
	case o.over && start && !o.trying:
		*o = outage{}
	case o.over:
		o.pause = nil
	}
}

// attempt is what came of one attempt to reach the daemon.
type attempt struct {
	conn    net.Conn
	err     error
	started bool // Start was called, with this outcome
	ended   <-chan error
}

// reconnect begins an attempt unless one is under way or it is too early.
func (b *bridge) reconnect(ctx context.Context) {
	if b.outage.trying || b.outage.pause != nil {
		return
	}
	if b.outage.since.IsZero() {
		b.outage.since = time.Now()
	}
	b.outage.trying = true
	start := b.Start
	if b.outage.started {
		start = nil
	}
	go func() {
		a := attempt{}
		if a.conn, a.err = b.Dial(ctx); absentDaemon(a.err) && start != nil {
			a.started = true
			if ended, err := start(); err != nil {
				a.err = err
			} else {
				a.ended = ended
			}
		}
		select {
		case b.attempts <- a:
		case <-ctx.Done():
			if a.conn != nil {
				a.conn.Close()
			}
		}
	}()
}

// absentDaemon says that nobody listens (yet), as opposed to a socket that cannot be used.
func absentDaemon(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// attempted takes up a new connection, or plans the next attempt.
func (b *bridge) attempted(a attempt) {
	o := &b.outage
	o.trying = false
	if a.err == nil {
		*o = outage{}
		b.link = open(a.conn, b.incoming)
		b.queue = append(b.session.replay(), b.queue...)
		b.met = true
		return
	}
	if a.started {
		o.started, o.ended, o.since = true, a.ended, time.Now()
	}
	o.pauses = min(max(2*o.pauses, firstPause), longPause)
	err := b.impatience(a.err)
	if err != nil {
		o.over = true
		b.refuseAll(codeNoDaemon, err.Error()+b.advice())
		o.pauses = idlePause
	}
	o.pause = time.After(o.pauses)
}

// turnedAway answers what waits with what the daemon said. The next attempt comes with the next request, or in a while:
// at once it would come to the same, over and over.
func (b *bridge) turnedAway(why string) {
	b.link.close()
	b.link = nil
	b.refuseAll(codeNoDaemon, why)
	b.outage = outage{since: time.Now(), over: true, pauses: idlePause, pause: time.After(idlePause)}
}

// impatience is why nobody should wait any longer, nil while there is hope.
func (b *bridge) impatience(err error) error {
	patience := b.Patience
	if !b.met && !b.outage.started {
		patience = b.FirstPatience
	}
	select {
	case b.outage.why = <-b.outage.ended:
		// It may have found another one, just started, which will answer in a moment.
		b.outage.ended, b.outage.since = nil, time.Now().Add(time.Second-patience)
	default:
	}
	switch {
	case !absentDaemon(err), b.outage.over, time.Since(b.outage.since) >= patience:
		if b.outage.why != nil {
			return b.outage.why
		}
		return err
	}
	return nil
}

func (b *bridge) advice() string {
	if b.Advice == "" {
		return ""
	}
	return "; " + b.Advice
}

// refuseAll answers everything that waits, and sends nothing of it.
func (b *bridge) refuseAll(code int, text string) {
	b.queue = nil
	for _, id := range b.inOrder() {
		delete(b.flying, id)
		delete(b.session.streams, id)
		b.refuse([]byte(id), code, text)
	}
}

// lost puts what was under way back into the queue when the connection ended; what may have written is refused. last:
// the client has ended its input and the daemon its output, so there is nothing to come.
func (b *bridge) lost(last bool) {
	b.link.close()
	halfClosed, unsent := b.link.halfClosed, b.link.unsent
	b.link = nil
	if last && halfClosed {
		b.refuseAll(codeLost, "the daemon closed the connection without an answer")
		return
	}
	var repeats []line
	for _, id := range b.inOrder() {
		switch r := b.flying[id]; {
		case !r.sent:
		case r.safe, sameLine(r.text, unsent):
			r.sent = false
			b.flying[id] = r
			repeats = append(repeats, line{r.text, id})
		default:
			delete(b.flying, id)
			b.refuse([]byte(id), codeLost, lostText)
		}
	}
	b.queue = append(repeats, b.queue...)
}

// sameLine says whether two slices are one: equal lines may be two calls.
func sameLine(a, b []byte) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

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
