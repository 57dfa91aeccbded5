package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"shelfd/indexer"
	"shelfd/internal/access"
	"shelfd/internal/config"
	"shelfd/internal/metrics"
	"shelfd/internal/semantic"
	"shelfd/mcp"
	"shelfd/store"
	"shelfd/watcher"
)

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve [FOLDER...]",
		Short: "Run the daemon in the foreground",
		Long: `Run the daemon in the foreground. Each FOLDER becomes a shelf named after it, beside those of the configuration and
those made with 'shelfd add'. Nothing is ever written below a FOLDER.

SIGHUP and a change of the configuration file reload it; SIGINT and SIGTERM end the daemon.`,
		Example: `  shelfd serve ~/notes
  shelfd serve                      # what the configuration says`,
		RunE: func(c *cobra.Command, args []string) error { return p.settled(p.serve(c.Context(), args)) },
	}
}

// daemon is what serve wires together.
type daemon struct {
	program *program
	paths   config.Paths
	folders []config.Shelf // of the command line
	started time.Time
	log     *zap.Logger
	level   zap.AtomicLevel

	config      config.Config
	lock        *lock
	store       *store.Store
	ledger      *store.Ledger
	listener    net.Listener
	activated   bool           // the listener is the service manager's
	web         mcp.WebOptions // with webListener
	webListener net.Listener
	metrics     *metrics.Metrics
	watcher     *watcher.Watcher
	indexer     *indexer.Indexer
	access      *access.Access
	vectors     *semantic.Index // nil without a provider, and when they could not be opened: noVectors says why
	noVectors   *embeddingLine
	ended       atomic.Bool            // everything that run started
	declared    atomic.Bool            // the indexer knows the shelves: before that, having compared all of them means nothing
	refused     atomic.Pointer[string] // why the configuration that stands there now was not taken, "" when it was
}

// serve runs the daemon. A database that turns out to be damaged is moved aside once, and built again from the folders.
func (p *program) serve(ctx context.Context, folders []string) error {
	err := p.serveOnce(ctx, folders)
	if !store.IsCorrupt(err) || ctx.Err() != nil {
		return err
	}
	paths, pathsErr := p.paths()
	if pathsErr != nil {
		return err
	}
	aside, asideErr := store.SetAside(paths.Database)
	if asideErr != nil {
		return errors.Join(err, asideErr)
	}
	fmt.Fprintf(p.err, "shelfd: the index is damaged (%v); it was moved to %s and is being rebuilt\n", err, aside)
	return p.serveOnce(ctx, folders)
}

func (p *program) serveOnce(ctx context.Context, folders []string) error {
	d := &daemon{program: p, started: time.Now(), access: access.New()}
	defer d.close()
	for _, folder := range folders {
		root, name, err := config.Folder(folder)
		if err != nil {
			return &exit{exitUsage, err}
		}
		d.folders = append(d.folders, config.DefaultShelf(name, root))
	}
	if err := d.prepare(); err != nil {
		return err
	}
	if err := d.open(ctx); err != nil {
		return err
	}
	return d.run(ctx)
}

// prepare reads the configuration and sees to the program's own folders. It changes nothing else.
func (d *daemon) prepare() error {
	var err error
	if d.paths, err = d.program.paths(); err != nil {
		return err
	}
	if err := d.adopt(); err != nil {
		return err
	}
	if d.config, err = d.program.config(d.paths); err != nil {
		return err
	}
	d.log, d.level = d.program.logger(d.config.Log)
	shelves, err := d.shelves(d.config)
	if err != nil {
		return &exit{exitUsage, err}
	}
	if len(shelves) == 0 && len(d.config.ShelfFolders) == 0 && !d.anyAdded() {
		return usage("nothing to serve; type: shelfd serve FOLDER")
	}
	if err := config.MakeFolder(filepath.Dir(d.paths.Database)); err != nil {
		return &exit{exitDatabase, err}
	}
	if err := refuseRemote(filepath.Dir(d.paths.Database), remoteDisk); err != nil {
		return &exit{exitDatabase, err}
	}
	if d.activated {
		return nil // The place and the mode of the socket are the service manager's.
	}
	if err := config.CheckSocketPath(d.paths.Socket); err != nil {
		return &exit{exitUsage, err}
	}
	if err := config.MakeFolder(filepath.Dir(d.paths.Socket)); err != nil {
		return &exit{exitUsage, err}
	}
	if err := config.CheckEnterable(d.paths.Socket, d.config.SocketMode); err != nil {
		return &exit{exitUsage, err}
	}
	return nil
}

// anyAdded says whether the ledger holds a shelf that was made at run time. A ledger that cannot be read is open's to
// report.
func (d *daemon) anyAdded() bool {
	ledger, _, err := store.OpenLedger(d.paths.Ledger, true)
	return err != nil || len(ledger.Said().Shelves) > 0
}

// shelves are those of a configuration and of the command line, none of which holds the program's own files.
func (d *daemon) shelves(c config.Config) ([]config.Shelf, error) {
	shelves, err := config.WithFolders(c.All(), d.folders)
	if err != nil {
		return nil, err
	}
	return shelves, config.CheckPlacement(d.paths, rootsOf(shelves))
}

// open takes the lock, then what it guards, then the socket.
func (d *daemon) open(ctx context.Context) error {
	var err error
	if d.lock, err = lockDatabase(d.paths.Lock); err != nil {
		return &exit{exitDatabase, err}
	}
	var notice store.Notice
	if d.store, notice, err = store.Open(ctx, d.paths.Database, store.Options{}); err != nil {
		return &exit{exitDatabase, err}
	}
	if notice != "" {
		d.log.Warn(string(notice))
	}
	var warnings []string
	if d.ledger, warnings, err = store.OpenLedger(d.paths.Ledger, false); err != nil {
		return &exit{exitDatabase, err}
	}
	for _, w := range warnings {
		d.log.Warn(w)
	}
	return nil
}

// run serves until ctx ends or something fails that waiting cannot mend.
func (d *daemon) run(ctx context.Context) error {
	limitMemory()
	for _, w := range d.config.Warnings {
		d.log.Warn(w.Error())
	}
	var err error
	c := d.config
	d.watcher, err = watcher.Open(watcher.Options{Settle: c.Settle, SettleMax: c.SettleMax, Reconcile: c.Reconcile, Log: d.log})
	if err != nil {
		return err
	}
	var server *mcp.Server // made after the indexer and before it runs
	d.indexer = indexer.New(indexer.Options{
		Store: d.store, Ledger: d.ledger, Watcher: d.watcher, Correlate: correlation(c.Correlate), OnlyAsked: !c.Correlate.Auto, Log: d.log,
		Extractive: c.Summaries == "extractive",
		Changed:    func(changed indexer.Changed) { server.Announce(changed); d.tellVectors(changed) },
		Committed:  func(lag time.Duration) { d.metrics.Committed(lag) },
	})
	if err := d.listen(); err != nil {
		return err
	}
	d.metrics = metrics.New(d.reading)
	if err := d.listenHTTP(); err != nil {
		return err
	}
	d.confine()
	d.access.Set(accessRules(d.config, d.config.All()))
	d.openVectors()
	server = mcp.New(mcp.Options{
		Store: d.store, Indexer: d.indexer, Version: release, Log: d.log, Status: d.status, Viewer: d.viewer, Answered: d.metrics.Answered, Near: d.near(),
		MaxConnections: connections(openFiles(), d.listeners()),
	})
	batches := make(chan watcher.Batch)
	// Told to end. A part that fails ends the others as well, but after that the daemon may be served again.
	defer context.AfterFunc(ctx, func() { notify(d.program.getenv, "STOPPING=1") })()
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, d.insist)()
	defer d.ended.Store(true)
	group.Go(func() error { return d.watcher.Run(ctx, batches) })
	group.Go(func() error { return d.indexer.Run(ctx, batches) })
	group.Go(func() error { return d.runVectors(ctx) })
	group.Go(func() error { return server.Serve(ctx, d.listener) })
	group.Go(func() error { return d.keepConfigured(ctx) })
	group.Go(func() error { return d.report(ctx) })
	group.Go(func() error { return d.serveHTTP(ctx, server) })
	err = group.Wait()
	if err == nil {
		d.log.Info("ended")
	}
	return err
}

// endLimit is how long the end may take: longer, and service managers would kill, which is the same but unexplained.
const endLimit = 5 * time.Second

// insist ends the program when it does not end by itself. The database stands that: its log is replayed.
func (d *daemon) insist() {
	time.AfterFunc(endLimit, func() {
		if d.ended.Load() {
			return
		}
		d.log.Error("ending by force: something did not end in time", zap.Duration("limit", endLimit))
		os.Exit(exitWrong)
	})
}

// listen makes the socket, unless the service manager did.
func (d *daemon) listen() error {
	if d.activated {
		return nil
	}
	var err error
	if d.listener, err = mcp.Listen(d.paths.Socket); err != nil {
		return d.listenError(err)
	}
	if mode := d.config.SocketMode; mode != 0o600 {
		if err := os.Chmod(d.paths.Socket, mode); err != nil {
			return &exit{exitUsage, err}
		}
	}
	return nil
}

// listenError gives the reasons of a socket their exit codes.
func (d *daemon) listenError(err error) error {
	if errors.Is(err, mcp.ErrAlreadyServing) {
		return &exit{exitDatabase, err}
	}
	return &exit{exitUsage, err}
}

// close lets go of everything in the reverse order of open.
func (d *daemon) close() {
	if d.listener != nil {
		d.listener.Close()
	}
	if d.webListener != nil {
		d.webListener.Close()
	}
	if d.ledger != nil {
		d.ledger.Close()
	}
	if d.vectors != nil {
		if err := d.vectors.Close(); err != nil {
			d.log.Warn("close the vectors", zap.Error(err))
		}
	}
	if d.store != nil {
		if err := d.store.Close(); err != nil {
			d.log.Warn("close the database", zap.Error(err))
		}
	}
	if d.lock != nil {
		d.lock.release()
	}
	if d.log != nil {
		_ = d.log.Sync() // A terminal cannot be synced; there is nothing to do about it.
	}
}

// limitMemory makes the collector work harder near the size the daemon is meant to have, unless $GOMEMLIMIT says
// otherwise. 256 MiB leaves room below 300 MiB for what the Go heap does not count: SQLite's caches and the stacks.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(256 << 20)
	}
}
