package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// ErrDamaged says that the open file is not as SQLite wrote it: it must be set aside and built anew.
var ErrDamaged = errors.New("damaged")

// damage is the first sign that the open file is damaged, whoever met it: readers meet pages that the writer never
// touches.
type damage struct {
	met atomic.Pointer[error]
	new chan struct{} // receives when there is one
}

// meet notes err when it shows damage, and returns it.
func (s *Store) meet(err error) error {
	if isUnreadable(err) {
		s.damaged(err)
	}
	return err
}

func (s *Store) damaged(err error) {
	err = fmt.Errorf("store: %q: %w: %w", s.path, ErrDamaged, err)
	if s.damage.met.CompareAndSwap(nil, &err) {
		s.damage.new <- struct{}{} // it has room for one, which whole takes out
	}
}

// whole says that another file is open, of which no damage is known.
func (s *Store) whole() {
	s.damage.met.Store(nil)
	select {
	case <-s.damage.new:
	default:
	}
}

// GiveUp declares the open file damaged for a reason that Check has found.
func (s *Store) GiveUp(reason string) { s.damaged(errors.New(reason)) }

// Damage is ErrDamaged with what was met, or nil. Reopen mends it.
func (s *Store) Damage() error {
	if err := s.damage.met.Load(); err != nil {
		return *err
	}
	return nil
}

// DamageMet can be received from once when somebody has met damage.
func (s *Store) DamageMet() <-chan struct{} { return s.damage.new }

// Inspect reads the whole database once, so that damage is found before somebody meets it; Damage tells it then. It
// goes table by table, which lets the log be emptied in between, and gives each at most limit.
func (s *Store) Inspect(ctx context.Context, limit time.Duration) error {
	var tables []string
	err := s.View(ctx, func(v *View) error {
		return v.each(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow', 'virtual')`, nil, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			tables = append(tables, name)
			return err
		})
	})
	for _, table := range tables {
		if err != nil || s.Damage() != nil {
			break
		}
		if err = s.inspect(ctx, table, limit); errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
	}
	return err
}

// inspect has SQLite check the pages of a table and its indexes, and of an FTS table the structure of what it found.
func (s *Store) inspect(ctx context.Context, table string, limit time.Duration) error {
	ctx, end := context.WithTimeout(ctx, limit)
	defer end()
	var line string
	err := s.View(ctx, func(v *View) error {
		if err := v.readStructures(); err != nil {
			return err
		}
		return v.tx.QueryRowContext(ctx, `SELECT quick_check FROM pragma_quick_check(?)`, table).Scan(&line)
	})
	if err == nil && line != "ok" {
		s.damaged(errors.New(line))
	}
	return cmpErr(ctx.Err(), err)
}
