package watcher

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// fileBudget is how many files may be open for watching: inotify needs one, whatever the tree.
func fileBudget() int { return math.MaxInt }

// explainLimit turns what the kernel says when a limit is met into what a person can do about it. needed is the number
// of folders that want a watch in vain.
func explainLimit(path string, needed int, err error) error {
	switch {
	case errors.Is(err, unix.ENOSPC):
		limit := readLimit("/proc/sys/fs/inotify/max_user_watches")
		where := ""
		if inner := readLimit("/proc/sys/user/max_inotify_watches"); inner < limit {
			limit, where = inner, " and user.max_inotify_watches"
		}
		return fmt.Errorf("watcher: watch %q: inotify limit reached (%d); raise fs.inotify.max_user_watches%s to %d",
			path, limit, where, limit+needed)
	case errors.Is(err, unix.EMFILE):
		limit := readLimit("/proc/sys/fs/inotify/max_user_instances")
		return fmt.Errorf("watcher: watch %q: too many inotify instances (%d) or open files; "+
			"raise fs.inotify.max_user_instances to %d, or ulimit -n", path, limit, limit+1)
	}
	return fmt.Errorf("watcher: watch %q: %w", path, err)
}

// readLimit reads a sysctl; math.MaxInt32 when it can't be read.
func readLimit(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return math.MaxInt32
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return math.MaxInt32
	}
	return n
}
