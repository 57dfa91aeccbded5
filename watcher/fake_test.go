package watcher

import (
	"errors"
	"sync"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// scripted is a Source whose events the test makes up.
type scripted struct {
	events chan fsnotify.Event
	faults chan error

	mu      sync.Mutex
	watched map[string]bool
	limit   int // watches that it grants; 0 = no limit
	err     error
}

func newScripted(limit int) *scripted {
	return &scripted{events: make(chan fsnotify.Event), faults: make(chan error), watched: map[string]bool{}, limit: limit, err: unix.ENOSPC}
}

func (s *scripted) Add(folder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 && len(s.watched) >= s.limit && !s.watched[folder] {
		return s.err
	}
	s.watched[folder] = true
	return nil
}

func (s *scripted) Remove(folder string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.watched[folder] {
		return errors.New("not watched")
	}
	delete(s.watched, folder)
	return nil
}

func (s *scripted) raise(limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = limit
}

func (s *scripted) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watched)
}

func (s *scripted) Events() <-chan fsnotify.Event { return s.events }
func (s *scripted) Errors() <-chan error          { return s.faults }
func (s *scripted) Close() error                  { return nil }
