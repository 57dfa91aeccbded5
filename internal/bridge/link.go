package bridge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// link is one connection to the daemon with its two goroutines, which end when it is closed.
type link struct {
	conn     net.Conn
	outgoing chan []byte
	done     chan struct{}
	once     sync.Once

	written chan struct{} // closed when write has ended
	unsent  []byte        // the line of which nothing was sent when the connection ended; after written

	halfClosed bool // the daemon has been told that nothing more comes; the owner's
}

// received is a line of the daemon; line is nil at the end of the connection.
type received struct {
	from *link
	line []byte
}

func open(conn net.Conn, incoming chan<- received) *link {
	l := &link{conn: conn, outgoing: make(chan []byte), done: make(chan struct{}), written: make(chan struct{})}
	go l.write()
	go l.read(incoming)
	return l
}

// close ends both goroutines. It may be called twice, and of nil.
func (l *link) close() {
	if l == nil {
		return
	}
	l.once.Do(func() {
		close(l.done)
		l.conn.Close()
	})
	<-l.written
}

// write sends what comes; nil says that nothing more does. On an error it closes the connection: read then reports the end.
func (l *link) write() {
	defer close(l.written)
	for {
		select {
		case line := <-l.outgoing:
			if line == nil {
				if half, ok := l.conn.(interface{ CloseWrite() error }); ok {
					_ = half.CloseWrite() // a connection that is lost is noticed by read
				}
				continue
			}
			if n, err := l.conn.Write(append(line[:len(line):len(line)], '\n')); err != nil {
				if n == 0 {
					l.unsent = line
				}
				l.conn.Close()
				return
			}
		case <-l.done:
			return
		}
	}
}

func (l *link) read(incoming chan<- received) {
	in := bufio.NewReader(l.conn)
	for {
		line, err := readLine(in, 0)
		if err != nil {
			line = nil
		} else if len(line) == 0 {
			continue
		}
		select {
		case incoming <- received{l, line}:
		case <-l.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// readLines sends each line of in to lines, nil for one over the limit, and closes lines at the end.
func readLines(ctx context.Context, in io.Reader, lines chan<- []byte) {
	defer close(lines)
	r := bufio.NewReader(in)
	for {
		line, err := readLine(r, lineLimit)
		if err != nil && !errors.Is(err, errLong) {
			return
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		select {
		case lines <- line:
		case <-ctx.Done():
			return
		}
	}
}

// errLong says that a line was longer than the limit; it was skipped.
var errLong = errors.New("line too long")

// readLine reads one line without its end; limit 0 = any length. A last line without an end counts.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if limit > 0 && len(line) > limit+1 {
			line, long = nil, true
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (len(line) == 0 && !long || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		if long {
			return nil, errLong
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// Dial connects to a Unix socket, giving up after two seconds: a daemon that listens accepts at once.
func Dial(socket string) func(context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: 2 * time.Second}
	return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "unix", socket) }
}
