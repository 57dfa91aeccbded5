package watcher

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Source tells of changes in single folders. The real one is an fsnotify.Watcher; tests drop, double, delay and
// reorder its events, or refuse folders. Add of a folder that is watched already must be harmless.
type Source interface {
	Add(folder string) error
	Remove(folder string) error
	Events() <-chan fsnotify.Event // closed by Close
	Errors() <-chan error
	Close() error
}

// NewSource returns the real Source: one inotify instance or kqueue.
func NewSource() (Source, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return notifier{w}, nil
}

type notifier struct{ *fsnotify.Watcher }

// errDots: fsnotify takes a last name of three dots as a wish to watch recursively, which it can't.
var errDots = errors.New(`a folder named "..." can't be watched`)

func (n notifier) Add(folder string) error {
	if filepath.Base(folder) == "..." {
		return fmt.Errorf("watcher: watch %q: %w", folder, errDots)
	}
	return n.Watcher.Add(folder)
}

func (n notifier) Events() <-chan fsnotify.Event { return n.Watcher.Events }
func (n notifier) Errors() <-chan error          { return n.Watcher.Errors }
