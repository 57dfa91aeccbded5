package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Tx is one write transaction.
type Tx struct {
	*View
	sql                     *sql.Tx
	now                     int64
	reserved, reservedKnown bool  // whether any id is reserved
	nextChunk               int64 // first id after those of all chunks; 0 = not asked for yet

	names                                   names // of documents, until the transaction ends
	chunkTerms, documentTerms, summaryTerms ftsWrites
	written                                 [2][]ftsRow // of chunks and of documents, when they have been
	change                                  change      // what searches are told of it
	deleted                                 int         // documents
}

// Update runs f in one write transaction: all of it is seen, or nothing. It is not cut short when ctx ends: f is.
func (s *Store) Update(ctx context.Context, f func(*Tx) error) error { return s.meet(s.update(ctx, f)) }

func (s *Store) update(ctx context.Context, f func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a context that can end costs the driver a goroutine a statement
	sqlTx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("store: begin: %w", err)
	}
	defer sqlTx.Rollback()
	tx := &Tx{View: &View{tx: sqlTx, ctx: ctx, s: s, writer: true}, sql: sqlTx, now: time.Now().UnixNano()}
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.settleNames(); err != nil {
		return err
	}
	if err := tx.flushTerms(); err != nil {
		return err
	}
	s.censuses.telling <- struct{}{}
	defer func() { <-s.censuses.telling }()
	if err := sqlTx.Commit(); err != nil {
		return fmt.Errorf("store: commit: %w", err)
	}
	s.commits.Add(1)
	s.chunkWords.follow(tx.written[0])
	s.nameWords.follow(tx.written[1])
	s.tell(ctx, tx)
	return nil
}

// tell lets the next search know what a transaction did, so that it need not look at everything.
func (s *Store) tell(ctx context.Context, tx *Tx) {
	var stamp string
	if err := s.writer.QueryRowContext(ctx, stampQuery, structureRecord).Scan(&stamp); err != nil {
		s.censuses.forget(s.commits.Load()) // it looks at everything
		return
	}
	tx.change.gains = s.censuses.gains(tx.written)
	s.censuses.follow(tx.change, stamp, s.commits.Load())
}

// View is one consistent picture of the database: a read transaction.
type View struct {
	tx     *sql.Tx
	ctx    context.Context
	s      *Store
	writer bool // on the writer's connection

	commits int64 // how many transactions the store had committed when the picture was taken, at least

	sight *Sight // nil = everything is seen
	seen  string // with sight: another one whenever the disk or those who are seen say something else

	counted *census // of this picture, once asked for

	prepared map[string]*sql.Stmt // of the writer: its one connection is ours, so they live as long as the transaction
}

// View runs f on a consistent picture of the database. The picture ends with f.
func (s *Store) View(ctx context.Context, f func(*View) error) error {
	return s.picture(ctx, func() *sql.DB { return s.readers }, f)
}

// picture runs f in a read transaction on one of some connections, when fewer than maxViews are under way. They are
// asked for then: what Reopen changes is only to be read while it cannot run.
func (s *Store) picture(ctx context.Context, connections func() *sql.DB, f func(*View) error) error {
	select {
	case s.views <- struct{}{}:
		defer func() { <-s.views }()
	case <-ctx.Done():
		return fmt.Errorf("store: begin: %w", ctx.Err())
	}
	commits := s.commits.Load()
	tx, err := connections().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("store: begin: %w", s.meet(err))
	}
	defer tx.Rollback()
	return s.meet(f(&View{tx: tx, ctx: ctx, s: s, commits: commits}))
}

// stmt is the prepared form of text: kept for the life of the Store for readers, of the transaction for the writer.
func (v *View) stmt(text string) (*sql.Stmt, error) {
	if v.writer {
		return v.writerStmt(text)
	}
	pool, statements := v.s.readers, v.s.statements
	if v.sight != nil {
		pool, statements = v.s.narrow, v.s.narrowed
	}
	v.s.mu.Lock()
	stmt, ok := statements[text]
	v.s.mu.Unlock()
	if ok {
		return v.tx.StmtContext(v.ctx, stmt), nil
	}
	stmt, err := pool.PrepareContext(v.ctx, text)
	if err != nil {
		return nil, err
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if first, ok := statements[text]; ok {
		stmt.Close()
		stmt = first
	} else {
		statements[text] = stmt
	}
	return v.tx.StmtContext(v.ctx, stmt), nil
}

func (v *View) writerStmt(text string) (*sql.Stmt, error) {
	if stmt, ok := v.prepared[text]; ok {
		return stmt, nil
	}
	stmt, err := v.tx.PrepareContext(v.ctx, text)
	if err != nil {
		return nil, err
	}
	if v.prepared == nil {
		v.prepared = map[string]*sql.Stmt{}
	}
	v.prepared[text] = stmt
	return stmt, nil
}

// query runs a prepared SELECT.
func (v *View) query(text string, args ...any) (*sql.Rows, error) {
	stmt, err := v.stmt(text)
	if err != nil {
		return nil, fmt.Errorf("store: prepare: %w", err)
	}
	rows, err := stmt.QueryContext(v.ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("store: query: %w", err)
	}
	return rows, nil
}

// queryRow runs a prepared SELECT for one row and scans it; ErrNotFound without one.
func (v *View) queryRow(text string, args []any, into ...any) error {
	stmt, err := v.stmt(text)
	if err != nil {
		return fmt.Errorf("store: prepare: %w", err)
	}
	err = stmt.QueryRowContext(v.ctx, args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("store: query: %w", err)
	}
	return nil
}

// exec runs a prepared writing statement.
func (tx *Tx) exec(text string, args ...any) (sql.Result, error) {
	stmt, err := tx.stmt(text)
	if err != nil {
		return nil, fmt.Errorf("store: prepare: %w", err)
	}
	result, err := stmt.ExecContext(tx.ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("store: write: %w", err)
	}
	return result, nil
}

// each scans every row of a prepared SELECT through scan.
func (v *View) each(text string, args []any, scan func(*sql.Rows) error) error {
	rows, err := v.query(text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return fmt.Errorf("store: scan: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("store: read rows: %w", err)
	}
	return nil
}
