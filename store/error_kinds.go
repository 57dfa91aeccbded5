package store

import (
	"errors"
	"syscall"

	"modernc.org/sqlite"
)

func isUnreadable(err error) bool {
	var e *sqlite.Error
	if errors.As(err, &e) {
		code := e.Code() & 0xff
		return code == 11 || code == 26 // SQLITE_CORRUPT, SQLITE_NOTADB
	}
	return false
}

// IsFull says whether err means that the disk, or what one may have of it, is full.
func IsFull(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == 13 // SQLITE_FULL
}

// IsBusy says whether err means that somebody else held the database longer than the busy timeout.
func IsBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == 5 || e.Code()&0xff == 6) // SQLITE_BUSY, SQLITE_LOCKED
}

// IsCorrupt says whether err means that the file is damaged: it must be rebuilt.
func IsCorrupt(err error) bool { return isUnreadable(err) }
