package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLineTooLong says that a line passed the limit; lines.skip leads to the next one.
var errLineTooLong = errors.New("line too long")

// lines cuts a stream into messages. It never holds more than limit bytes.
type lines struct {
	r     *bufio.Reader
	limit int
	line  []byte
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// next returns the next line that is not blank, without its end, valid until the next call; a last line needs no
// newline. errLineTooLong comes as soon as the limit is passed, before the rest of the line has arrived: a client that
// never ends its line is told all the same.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if errors.Is(err, errLineTooLong) {
			return nil, err
		}
		if line = bytes.Trim(line, " \t\r\n"); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *lines) read() ([]byte, error) {
	l.line = l.line[:0]
	for {
		piece, err := l.r.ReadSlice('\n')
		ended := err == nil
		if len(l.line)+len(bytes.TrimRight(piece, "\r\n")) > l.limit {
			return nil, l.tooLong(ended)
		}
		if ended && len(l.line) == 0 {
			return piece, nil // the usual case: no copy
		}
		l.line = append(l.line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.line, err
		}
	}
}

// tooLong lets go of the memory and puts a newline that was read already back for skip to find.
func (l *lines) tooLong(ended bool) error {
	l.line = nil
	if ended {
		if err := l.r.UnreadByte(); err != nil {
			return err
		}
	}
	return errLineTooLong
}

// skip reads up to the end of a line that was too long.
func (l *lines) skip() error {
	for {
		_, err := l.r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
