package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// errLocked says that another process has the database.
var errLocked = errors.New("held by another daemon")

// lock is held by whoever may write the database and the ledger. The kernel lets it go when the process ends, however
// it ends. The pid inside is for the message only; nothing trusts it.
type lock struct{ file *os.File }

// lockDatabase takes the lock at path. errLocked when another process has it.
func lockDatabase(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer f.Close()
		return nil, fmt.Errorf("lock %q: %w (pid %s); one database has one daemon. To give it a folder more: shelfd add FOLDER", path, errLocked, holder(f))
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %q: %w", path, err)
	}
	return &lock{f}, nil
}

// holder reads the pid that the lock's holder wrote.
func holder(f *os.File) string {
	written, err := io.ReadAll(io.LimitReader(f, 20))
	if pid := strings.TrimSpace(string(written)); err == nil && pid != "" {
		return pid
	}
	return "unknown" // It holds the lock and has not written yet.
}

// release lets the lock go. The file stays: removing it would let a third process lock a new file beside a second one
// that waits for the old.
func (l *lock) release() { l.file.Close() }
