package main

import "syscall"

const (
	// maxConnections is how many clients are served at once where the system allows so many open files.
	maxConnections = 512
	// reservedFiles are those that clients must not take: two for each of 20 connections to the database, ledger, lock,
	// log and events, and what is listed and read at the moment.
	reservedFiles = 56
	// fewConnections are served in any case.
	fewConnections = 4
)

// connections is how many clients may be served at once on each of so many listeners, of a process that may have limit
// files open. The Go runtime has raised the limit as far as it may.
func connections(limit uint64, listeners int) int {
	if limit <= reservedFiles {
		return fewConnections
	}
	return int(min(maxConnections, max(fewConnections, (limit-reservedFiles)/uint64(listeners))))
}

// listeners is how many of them there are.
func (d *daemon) listeners() int {
	if d.webListener != nil {
		return 2
	}
	return 1
}

// openFiles is how many files this process may have open.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024 // what is usual
	}
	return limit.Cur
}
