package store

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"
)

// The file of the ledger can be deleted, replaced or cut while the program runs: by a cleaning script, by a sync
// program, by a hand. Before and after each append the path is compared with the open file; what was said is in memory
// and, where the name alone went, in the open file, so it can be put back.

func openForAppending(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
}

// takeIn makes what is in the open file what is known to be there.
func (l *Ledger) takeIn() error {
	raw, err := l.contents()
	if err != nil {
		return err
	}
	l.size, l.sum = int64(len(raw)), crc32.ChecksumIEEE(raw)
	return l.noteTime()
}

// contents are the bytes of the open file, whatever its path names now.
func (l *Ledger) contents() ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(l.file, 0, math.MaxInt64))
}

func (l *Ledger) noteTime() error {
	stat, err := l.file.Stat()
	if err == nil {
		l.mtime = stat.ModTime()
	}
	return err
}

// reopen opens the file that the path names now.
func (l *Ledger) reopen() error {
	next, err := openForAppending(l.path)
	if err != nil {
		return err
	}
	err = l.file.Close()
	l.file = next
	return errors.Join(err, l.takeIn())
}

// write adds whole lines to the file and returns when they are on the disk under the path.
func (l *Ledger) write(b []byte) error {
	if err := l.keep(); err != nil {
		return err
	}
	_, err := l.file.Write(b)
	if err == nil {
		err = l.file.Sync()
	}
	if err == nil && l.size == 0 {
		err = syncFolder(filepath.Dir(l.path))
	}
	size, sum := l.size, l.sum
	if err == nil {
		l.size += int64(len(b))
		l.sum = crc32.Update(l.sum, crc32.IEEETable, b)
		if err = l.noteTime(); err == nil {
			err = l.keep() // what was written to a file without a name is not on the disk
		}
	}
	if err != nil {
		l.size, l.sum = size, sum
		return errors.Join(err, l.file.Truncate(l.size), l.noteTime())
	}
	return nil
}

// Check puts a file that somebody deleted, replaced or cut back in place, and returns what befell it since the last
// call, for a person to read.
func (l *Ledger) Check() (notices []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil, nil
	}
	if err := l.keep(); err != nil {
		return nil, fmt.Errorf("store: keep ledger %q: %w", l.path, err)
	}
	notices, l.told = l.told, nil
	return notices, nil
}

// keep makes the path name a file that holds all that was said. As a rule it does: that takes two looks.
func (l *Ledger) keep() error {
	open, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l.putBack("was deleted", false)
	case err != nil:
		return err
	case !os.SameFile(open, there):
		return l.putBack("was replaced by another file", true)
	case open.Size() == l.size && open.ModTime().Equal(l.mtime):
		return nil
	}
	return l.judge()
}

// judge finds out what somebody did to the open file: lines added behind ours stay, anything else is mended.
func (l *Ledger) judge() error {
	raw, err := l.contents()
	if err != nil {
		return err
	}
	if int64(len(raw)) < l.size || crc32.ChecksumIEEE(raw[:l.size]) != l.sum {
		return l.putBack("was cut or overwritten", true)
	}
	if int64(len(raw)) > l.size {
		l.told = append(l.told, fmt.Sprintf("ledger %q: lines were added by somebody else; they count from the next start on", l.path))
		if raw[len(raw)-1] != '\n' {
			if _, err := l.file.WriteString("\n"); err != nil {
				return err
			}
		}
	}
	return l.takeIn()
}

// putBack writes the whole ledger anew. What stands at its path is kept beside it.
func (l *Ledger) putBack(what string, aside bool) error {
	b, err := l.whole()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	notice := fmt.Sprintf("ledger %q %s while in use; it was written anew", l.path, what)
	if aside {
		kept := fmt.Sprintf("%s.replaced-%d", l.path, time.Now().UnixNano())
		if err := keepAside(l.path, kept); err != nil {
			return err
		}
		notice += fmt.Sprintf(", and what stood there is kept as %q", kept)
	}
	if err := l.put(b); err != nil {
		return err
	}
	l.told = append(l.told, notice)
	return l.reopen()
}

// keepAside gives a file a second name, so that at no time is there none; what cannot have two is renamed.
func keepAside(path, kept string) error {
	if os.Link(path, kept) == nil {
		return nil
	}
	return os.Rename(path, kept)
}

// whole is all that was said: the bytes of the open file if they are as they should be, which keeps statements of newer
// programs too, else what is in memory.
func (l *Ledger) whole() ([]byte, error) {
	raw, err := l.contents()
	if err == nil && int64(len(raw)) == l.size && crc32.ChecksumIEEE(raw) == l.sum {
		return raw, nil
	}
	records := l.said.Records()
	for i := range records {
		records[i].At = l.last
	}
	l.lines = len(records)
	return AppendLines(nil, records)
}
