package indexer

import (
	"context"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// stirs are the events after which a name of a folder may stand for another file, or for an emptied one. Writing is
// none of them: the log is written all the time.
const stirs = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_CLOSE_WRITE |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// stirIn tells until ctx ends when something happened in folders, whatever it was. What does so is counted in running.
func stirIn(ctx context.Context, running *sync.WaitGroup, folders []string) (<-chan struct{}, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("indexer: watch %q: %w", folders, err)
	}
	events := os.NewFile(uintptr(fd), "inotify")
	for _, folder := range folders {
		if _, err := unix.InotifyAddWatch(fd, folder, stirs); err != nil {
			events.Close()
			return nil, fmt.Errorf("indexer: watch %q: %w", folder, err)
		}
	}
	stop := context.AfterFunc(ctx, func() { events.Close() })
	stir := make(chan struct{}, 1)
	running.Go(func() {
		defer stop()
		defer events.Close()
		raw := make([]byte, 4096)
		for {
			if _, err := events.Read(raw); err != nil {
				return // closed, or nothing more is told; the minute's look is left
			}
			select {
			case stir <- struct{}{}:
			default:
			}
		}
	})
	return stir, nil
}
