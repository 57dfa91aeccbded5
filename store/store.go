// Package store is the only SQL: the cache and the ledger, reading, searching, checking.
//
// Invariant: the database is a function of the shelves' folders and the ledger; a reader sees a document whole or not
// at all. It refuses to open files below a shelf root.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// LayoutVersion numbers schema.sql; it is the database's user_version. History:
//
//	1: first.
//	2: outlines and summaries.
//	3: chunks that went.
//	4: sources of derived documents, their blocks, boxes of chunks.
//	5: texts of inbound links.
//	6: scope terms with a sign of their own; languages in the index of chunks.
//	7: features say which names a text says itself.
//	8: free pages can be given back.
//	9: spare heuristic links.
const LayoutVersion = 9

// ContentVersion numbers what cutting and segmentation make of the same bytes; a document cut by another version is
// cut again. History:
//
//	1: first.
//	2: features know headings by the ids that authors gave them.
//	3: problems of lists of blocks name the list; boxes are bounded.
//	4: languages of short texts, and those that front matter names.
const ContentVersion = 4

// applicationID marks the file as ours ("shlf").
const applicationID = 0x73686c66

// What Open and Update can say beside plain failures.
var (
	ErrNewer    = errors.New("written by a newer program")
	ErrNotFound = errors.New("not found")
	ErrNoIndex  = errors.New("no index yet")
	ErrNoFile   = errors.New("stands where a file of the database belongs; move it away, and start again")
)

//go:embed schema.sql
var schema string

// Store is an open database: one writer connection and a pool of readers, each with every pragma in its DSN.
type Store struct {
	path     string
	readOnly bool
	writer   *sql.DB       // nil when read only; the writer's, as Reopen changes it
	readers  *sql.DB       // read in Views, as Reopen changes it while there are none
	views    chan struct{} // holds one for each View under way

	mu         sync.Mutex
	statements map[string]*sql.Stmt // of readers, by text
	narrow     *sql.DB              // connections of Views with a Sight; nil until there is one
	narrowed   map[string]*sql.Stmt // their statements

	censuses   censuses
	chunkWords lexicon
	nameWords  lexicon
	commits    atomic.Int64 // transactions that were committed

	opened    int                       // how often Reopen has changed the file; read in Views, changed while there are none
	catalogue atomic.Pointer[catalogue] // of the last search that asked for it

	warm    atomic.Bool     // Warm is under way or done
	closing context.Context // ends with the store
	close   context.CancelFunc
	beside  sync.WaitGroup // what reads beside searches

	stood  footing // the files when they were opened; the writer's
	kept   *ids    // of a file that is being replaced
	damage damage
	paused atomic.Pointer[Pause]
}

// Options say how to open. The zero value opens for writing.
type Options struct {
	ReadOnly bool // never create, never write; several may be open beside a writer
}

// Notice is what a person should be told about an opened database; empty when all is as it was.
type Notice string

// Open opens the database at path, making it and its folder (0700) when absent. An unreadable file is moved aside and
// a new one made, which the Notice says. ErrNewer: a newer program wrote it, and it stays untouched. ErrNoFile: what is
// there is no file, and stays as well.
func Open(ctx context.Context, path string, o Options) (*Store, Notice, error) {
	if err := onlyFiles(path); err != nil {
		return nil, "", err
	}
	if o.ReadOnly {
		s, err := openExisting(ctx, path, true)
		return s, "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, "", fmt.Errorf("store: make folder %q: %w", filepath.Dir(path), err)
	}
	if stat, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && stat.Size() == 0 && fileSize(path+"-wal") == 0 {
		s, err := create(ctx, path) // a file without a byte is one whose making was interrupted
		return s, "", err
	}
	s, err := openExisting(ctx, path, false)
	switch {
	case err == nil:
		return s, "", nil
	case errors.Is(err, errOlderLayout):
		return replaceOlder(ctx, path)
	case errors.Is(err, errUnfinished), isUnreadable(err):
		return replaceUnreadable(ctx, path, err)
	}
	return nil, "", err
}

// onlyFiles says what stands at a path of the database and is no file. SQLite would tell a number.
func onlyFiles(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		stat, err := os.Stat(path + suffix)
		if err != nil || stat.Mode().IsRegular() {
			continue // what cannot be looked at, SQLite says
		}
		kind := "a folder"
		if !stat.IsDir() {
			kind = "a device, pipe or socket"
		}
		return fmt.Errorf("store: open %q: %s %w", path+suffix, kind, ErrNoFile)
	}
	return nil
}

// errOlderLayout says that the file has a layout of an earlier program.
var errOlderLayout = errors.New("it has the layout of an earlier version; the daemon builds it anew and keeps the ids when it starts")

func openExisting(ctx context.Context, path string, readOnly bool) (*Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: open %q: %w", path, ErrNoIndex)
	}
	s := newStore(path, readOnly)
	db := s.readers
	if !readOnly {
		db = s.writer // which can take back what an interrupted transaction left
	}
	var layout, application int
	err := db.QueryRowContext(ctx, `SELECT * FROM pragma_user_version, pragma_application_id`).Scan(&layout, &application)
	if err == nil {
		_, err = db.ExecContext(ctx, `SELECT count(*) FROM sqlite_schema`)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("store: open %q: %w", path, err)
	case layout > LayoutVersion:
		err = fmt.Errorf("store: open %q: schema %d is newer than this program (%d): %w", path, layout, LayoutVersion, ErrNewer)
	case application == 0 && layout == 0 && s.holdsNothing(ctx):
		err = fmt.Errorf("store: open %q: %w", path, errUnfinished)
	case application != applicationID:
		err = fmt.Errorf("store: open %q: %w", path, errForeign)
	case layout < LayoutVersion:
		err = fmt.Errorf("store: open %q: %w", path, errOlderLayout)
	case !readOnly:
		if err = s.secure(ctx); err == nil {
			err = s.stand()
		}
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// errUnfinished says that the making of the file was interrupted before it held anything.
var errUnfinished = errors.New("its making was interrupted")

// holdsNothing says whether the file is a database without a table.
func (s *Store) holdsNothing(ctx context.Context) bool {
	var n int
	err := s.readers.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&n)
	return err == nil && n == 0
}

// errForeign says that the file is a database, but not one of ours.
var errForeign = errors.New("not a shelfd index")

func create(ctx context.Context, path string) (*Store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: create %q: %w", path, err)
	}
	f.Close()
	s := newStore(path, false)
	err = s.create(ctx)
	if err == nil {
		err = s.stand()
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("store: create %q: %w", path, err)
	}
	return s, nil
}

func (s *Store) create(ctx context.Context) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	script := schema + fmt.Sprintf(`
PRAGMA application_id = %d;
PRAGMA user_version = %d;
INSERT INTO meta (one, content_version, created_at) VALUES (1, %d, %d);`,
		applicationID, LayoutVersion, ContentVersion, time.Now().UnixNano())
	if _, err := tx.ExecContext(ctx, script); err != nil {
		return err
	}
	return tx.Commit()
}

// secure narrows the files to their owner: SQLite makes its -wal and -shm with the mode of the main file.
func (s *Store) secure(context.Context) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(s.path+suffix, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: chmod %q: %w", s.path+suffix, err)
		}
	}
	return nil
}

// maxViews is how many Views there are at once; more wait. Each holds a connection, and to prepare a statement for all
// of them takes one more: without it, as many Views as connections would wait for each other for ever.
const maxViews = 8

// idleReader is how long a connection that nobody reads with is kept, with its cache.
const idleReader = 30 * time.Second

func newStore(path string, readOnly bool) *Store {
	s := &Store{path: path, readOnly: readOnly, statements: map[string]*sql.Stmt{}, narrowed: map[string]*sql.Stmt{}, views: make(chan struct{}, maxViews)}
	s.damage.new, s.censuses.telling = make(chan struct{}, 1), make(chan struct{}, 1)
	s.chunkWords.table, s.nameWords.table = "chunk_terms", "document_terms"
	s.closing, s.close = context.WithCancel(context.Background())
	if !readOnly {
		// auto_vacuum before journal_mode, which makes the file: afterwards it can't be chosen any more, and choosing it
		// writes, also to a file that is to stay untouched. secure_delete: what was removed is not to be found in the file;
		// it costs a tenth more bytes written.
		vacuum := ""
		if fileSize(path) == 0 {
			vacuum = "&_pragma=auto_vacuum(INCREMENTAL)"
		}
		s.writer = openPool(path, "_txlock=immediate&_pragma=busy_timeout(5000)"+vacuum+"&_pragma=secure_delete(ON)&_pragma=journal_mode(WAL)"+
			"&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_pragma=cache_size(-32768)&_pragma=journal_size_limit(8388608)&_pragma=wal_autocheckpoint(4000)&_pragma=temp_store(MEMORY)")
		s.writer.SetMaxOpenConns(1)
	}
	reading := "mode=ro" // not mapped: searches are no slower, and every connection's pages would count as memory of ours
	if readOnly && sealed(path) {
		reading += "&immutable=1"
	}
	s.readers = openPool(path, reading+"&_pragma=busy_timeout(5000)&_pragma=query_only(1)&_pragma=cache_size(-8192)&_pragma=temp_store(MEMORY)")
	s.readers.SetMaxOpenConns(maxViews + 1)
	s.readers.SetMaxIdleConns(maxViews + 1)
	s.readers.SetConnMaxIdleTime(idleReader)
	return s
}

// sealed says whether the database can be read, but the files that readers share cannot be made beside it, and nothing
// waits in its log: then it is read as one that nobody writes.
func sealed(path string) bool {
	return unix.Access(filepath.Dir(path), unix.W_OK) != nil && fileSize(path+"-wal") == 0
}

func openPool(path, query string) *sql.DB {
	db, err := sql.Open("sqlite", dsn(path, query))
	if err != nil {
		panic(err) // only an unknown driver name fails here
	}
	return db
}

func dsn(path, query string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query
}

// Path is the file of the database.
func (s *Store) Path() string { return s.path }

// Close ends all connections. The last one folds the write-ahead log into the file.
func (s *Store) Close() error {
	s.close()
	s.beside.Wait()
	return s.closeFiles()
}

func (s *Store) closeFiles() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, statements := range []map[string]*sql.Stmt{s.statements, s.narrowed} {
		for text, stmt := range statements {
			stmt.Close()
			delete(statements, text)
		}
	}
	err := s.readers.Close()
	if s.narrow != nil {
		err = errors.Join(err, s.narrow.Close())
	}
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	return err
}

// Checkpoint folds the write-ahead log into the file and empties it. false: readers held it; try again later. It does
// not wait for them longer than an edit could.
func (s *Store) Checkpoint(ctx context.Context) (emptied bool, err error) {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return false, fmt.Errorf("store: checkpoint %q: %w", s.path, err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 50`); err != nil {
		return false, fmt.Errorf("store: checkpoint %q: %w", s.path, err)
	}
	var busy, frames, moved int
	err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved)
	_, restored := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA busy_timeout = 5000`)
	if err = errors.Join(err, restored); err != nil {
		return false, fmt.Errorf("store: checkpoint %q: %w", s.path, err)
	}
	return busy == 0, nil
}
