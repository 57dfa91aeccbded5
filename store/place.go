package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrDisplaced says that the path of the database does not name the open file any more: what is written goes nowhere.
var ErrDisplaced = errors.New("deleted or replaced while in use")

// footing is what the paths of a database named when they were opened.
type footing struct {
	file os.FileInfo
	log  os.FileInfo // the write-ahead log, nil until it was seen
}

// stand notes what the paths name: the files that were just opened.
func (s *Store) stand() (err error) {
	if s.stood.file, err = os.Stat(s.path); err != nil {
		return err
	}
	if log, err := os.Stat(s.path + "-wal"); err == nil {
		s.stood.log = log
	}
	return nil
}

// Displaced compares the path with the open file, which takes two looks at the disk: ErrDisplaced when somebody
// deleted, replaced or emptied it, or took its log away. It is the writer's, as Update and Reopen are.
func (s *Store) Displaced() error {
	now, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("store: %q: %w", s.path, ErrDisplaced)
	case err != nil:
		return nil //nolint:nilerr // it cannot be told
	case !os.SameFile(s.stood.file, now), now.Size() == 0 && s.stood.file.Size() > 0:
		return fmt.Errorf("store: %q: %w", s.path, ErrDisplaced)
	}
	s.stood.file = now
	log, err := os.Stat(s.path + "-wal")
	if s.stood.log != nil && (errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(s.stood.log, log)) {
		return fmt.Errorf("store: %q: %w", s.path+"-wal", ErrDisplaced)
	}
	if err == nil {
		s.stood.log = log
	}
	return nil
}

// Reopen opens what stands at the path now, as Open does, in place of the open file. A file that was deleted, or is
// damaged and moved aside therefore, is made anew and knows the ids of the old one as far as they can be read. It waits
// for the Views under way; later ones see the new file. After an error it may be called again.
func (s *Store) Reopen(ctx context.Context) (Notice, error) {
	for held := range maxViews {
		select {
		case s.views <- struct{}{}:
			defer func() { <-s.views }()
		case <-ctx.Done():
			return "", fmt.Errorf("store: reopen %q after %d views: %w", s.path, held, ctx.Err())
		}
	}
	if known, err := idsIn(ctx, s.readers); err == nil && known.plausible() {
		s.kept = &known
	}
	moved, empty, err := s.makeWay()
	if err != nil {
		return "", err
	}
	next, notice, err := Open(ctx, s.path, Options{})
	if err != nil {
		return "", err
	}
	next.close() // it has nothing beside
	s.writer, s.readers, s.narrow, s.stood = next.writer, next.readers, nil, next.stood
	s.opened++
	s.catalogue.Store(nil)
	s.censuses.forget(s.commits.Load())
	s.chunkWords.forget()
	s.nameWords.forget()
	s.warm.Store(false)
	s.whole()
	if empty && s.kept != nil {
		err = s.Update(ctx, func(tx *Tx) error { return tx.reserve(*s.kept) })
	}
	if err == nil {
		s.kept = nil
	}
	return moved + notice, err
}

// makeWay closes the files and sees to it that what stands at the path then is to be opened. empty: nothing does.
func (s *Store) makeWay() (moved Notice, empty bool, err error) {
	now, err := os.Stat(s.path)
	empty = errors.Is(err, fs.ErrNotExist)
	ours := err == nil && os.SameFile(s.stood.file, now)
	_ = s.closeFiles() // before the new one is opened: the last to close may remove the log by its name
	if empty || err == nil && !ours {
		return "", empty, s.dropLog()
	}
	if damage := s.Damage(); damage != nil && ours {
		aside, err := moveAside(s.path, "damaged")
		return movedNotice(ErrDamaged, aside), true, err
	}
	return "", false, nil
}

// dropLog removes the log that SQLite left when its file had moved: it would be played into the next one.
func (s *Store) dropLog() error {
	log, err := os.Stat(s.path + "-wal")
	if err != nil || s.stood.log != nil && !os.SameFile(s.stood.log, log) {
		return nil //nolint:nilerr // there is none, or it came with the new file
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(s.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: reopen %q: %w", s.path, err)
		}
	}
	return nil
}

// Pause is why nothing can be written at present. It cannot stand in the database.
type Pause struct {
	Reason string
	Since  time.Time
}

// SetPaused has every shelf that this Store shows be degraded for a reason; nil = none any more.
func (s *Store) SetPaused(p *Pause) { s.paused.Store(p) }

// markPaused shows a shelf as it is while nothing can be written.
func (s *Store) markPaused(shelf *Shelf) {
	if p := s.paused.Load(); p != nil && shelf.State != StateOffline {
		shelf.State, shelf.Reason, shelf.Since = StateDegraded, p.Reason, p.Since
	}
}

// forget lets go of the words of a file that is not open any more.
func (l *lexicon) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.base, l.known, l.added = nil, nil, nil
}
