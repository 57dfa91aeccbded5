package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"shelfd/internal/client"
	"shelfd/internal/config"
	"shelfd/internal/text"
	"shelfd/store"
)

// program is one run of the binary: where it reads and writes, and what the common flags say.
type program struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	flags    config.Flags
	socket   *os.File // of the service manager, nil without one
	colour   bool     // paint what goes to out, which is no terminal itself
	entered  bool     // a command's own code has begun: errors before that are the command line's
}

// Exit codes.
const (
	exitWrong    = 1 // ran and found something wrong
	exitUsage    = 2 // usage or configuration
	exitNoDaemon = 3
	exitDatabase = 4 // the database cannot be used
)

// exit is an error that ends the program with a code of its own. A nil cause was told already.
type exit struct {
	code  int
	cause error
}

func (e *exit) Error() string {
	if e.cause == nil {
		return ""
	}
	return e.cause.Error()
}

func (e *exit) Unwrap() error { return e.cause }

// usage makes an error that ends with exitUsage.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

func (p *program) run(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	p.tell(command, err)
	return p.codeOf(err)
}

// tell prints an error. Faults of a configuration stand a line each as they are, so that editors can jump to them.
func (p *program) tell(command *cobra.Command, err error) {
	var faults config.Faults
	if errors.As(err, &faults) {
		fmt.Fprintln(p.err, faults)
		return
	}
	if message := strings.TrimSpace(err.Error()); message != "" {
		fmt.Fprintln(p.err, "shelfd:", text.Plainly(message))
	}
	if !p.entered {
		fmt.Fprintf(p.err, "Try: %s --help\n", command.CommandPath())
	}
}

func (p *program) codeOf(err error) int {
	var e *exit
	var faults config.Faults
	var query *store.QueryError
	switch {
	case errors.As(err, &e):
		return e.code
	case !p.entered, errors.As(err, &faults), errors.As(err, &query):
		return exitUsage
	case errors.Is(err, client.ErrNoDaemon), errors.Is(err, store.ErrNoIndex):
		return exitNoDaemon
	case errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrNoFile), errors.Is(err, errLocked):
		return exitDatabase
	}
	return exitWrong
}

// paths are the program's files as flags and environment say.
func (p *program) paths() (config.Paths, error) {
	paths, err := config.Locate(p.flags, p.getenv)
	if err != nil {
		return paths, &exit{exitUsage, err}
	}
	if paths.Config != "" {
		if _, err := os.Stat(paths.Config); err != nil {
			return paths, usage("config: %w; name another with --config or $SHELFD_CONFIG", err)
		}
	}
	return paths, nil
}

// config reads the configuration file; the default when there is none.
func (p *program) config(paths config.Paths) (config.Config, error) {
	if paths.Config == "" {
		return config.Default(), nil
	}
	c, err := config.Load(paths.Config)
	if err != nil {
		return c, &exit{exitUsage, err}
	}
	return c, nil
}

// view runs f on one picture of the database, which is opened for reading only: also beside a daemon.
func (p *program) view(ctx context.Context, f func(*store.View) error) error {
	return p.database(ctx, func(s *store.Store) error { return s.View(ctx, f) })
}

// database opens the database for reading only.
func (p *program) database(ctx context.Context, f func(*store.Store) error) error {
	paths, err := p.paths()
	if err != nil {
		return err
	}
	s, _, err := store.Open(ctx, paths.Database, store.Options{ReadOnly: true})
	if err != nil {
		return readError(paths.Database, err)
	}
	defer s.Close()
	return f(s)
}

// readError says what to do about a database that cannot be read.
func readError(path string, err error) error {
	if errors.Is(err, store.ErrNoIndex) {
		return &exit{exitNoDaemon, fmt.Errorf("no index at %q; start one with: shelfd serve FOLDER", path)}
	}
	return &exit{exitDatabase, err}
}

// dial reaches the daemon.
func (p *program) dial(ctx context.Context) (*client.Client, error) {
	paths, err := p.paths()
	if err != nil {
		return nil, err
	}
	if err := config.CheckSocketPath(paths.Socket); err != nil {
		return nil, &exit{exitUsage, err}
	}
	c, err := client.Dial(ctx, paths.Socket)
	if errors.Is(err, client.ErrNoDaemon) {
		return nil, &exit{exitNoDaemon, fmt.Errorf("no daemon at %q; start one with: shelfd serve FOLDER", paths.Socket)}
	}
	return c, err
}

// terminal says whether w is a screen.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
