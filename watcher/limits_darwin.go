package watcher

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileBudget is how many files may be open for watching. kqueue opens every file of a watched folder; a quarter of the
// limit leaves room for the database, sockets and files being read. The Go runtime has raised the soft limit to the
// hard one when the program began.
func fileBudget() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 64
	}
	return int(min(limit.Cur, 1<<20) / 4)
}

// explainLimit says what limit was met.
func explainLimit(path string, _ int, err error) error {
	return fmt.Errorf("watcher: watch %q: %w; raise the limit of open files (ulimit -n)", path, err)
}
