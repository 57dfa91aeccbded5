package doctor

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// systemWatches reads what the kernel grants a user, and tries one instance.
func systemWatches() Watches {
	w := Watches{
		PerUser:   smaller("fs/inotify/max_user_watches", "user/max_inotify_watches"),
		Instances: smaller("fs/inotify/max_user_instances", "user/max_inotify_instances"),
		Queue:     smaller("fs/inotify/max_queued_events"),
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		w.Refused = err
		return w
	}
	unix.Close(fd)
	return w
}

// smaller is the least of limits that hold at once; 0 when none can be read.
func smaller(names ...string) uint64 {
	var least uint64
	for _, name := range names {
		text, err := os.ReadFile("/proc/sys/" + name)
		if err != nil {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
