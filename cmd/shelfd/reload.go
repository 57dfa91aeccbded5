package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"shelfd/indexer"
	"shelfd/internal/config"
	"shelfd/internal/text"
	"shelfd/store"
	"shelfd/watcher"
)

// reloadQuiet is how long the configuration must have been quiet before it is read: editors write in steps.
const reloadQuiet = 100 * time.Millisecond

// How often the file and the folders of shelf_folders are looked at anyway: the floor when events fail.
const (
	reloadPoll = 10 * time.Second // while one of the folders is not watched
	reloadRest = time.Minute      // while all are
)

// keepConfigured declares the shelves and keeps them as the configuration says while it changes.
func (d *daemon) keepConfigured(ctx context.Context) error {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	notify(d.program.getenv, "READY=1") // The socket listens, and a request to reload would no longer end the program.
	shelves, err := d.declare(ctx, d.config, nil)
	if err != nil {
		return ignoreEnd(ctx, err)
	}
	d.declared.Store(true)
	d.log.Info("serving", zap.String("socket", d.paths.Socket), zap.String("database", d.paths.Database), zap.Int("shelves", len(shelves)))
	changes := d.watchConfig(ctx)
	defer changes.running.Wait()
	poll := time.NewTimer(reloadPoll)
	defer poll.Stop()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		every := reloadPoll
		if changes.look(configFolders(d.paths, d.config)) {
			every = reloadRest
		}
		poll.Reset(time.Until(watcher.NextBeat(time.Now(), every)))
		select {
		case <-ctx.Done():
			return nil
		case <-changes.seen:
			quiet.Reset(reloadQuiet)
			continue
		case <-hangup:
			notify(d.program.getenv, "RELOADING=1\nMONOTONIC_USEC="+monotonicMicroseconds())
			shelves = d.reload(ctx, shelves)
			notify(d.program.getenv, "READY=1")
			continue
		case <-quiet.C:
		case <-poll.C:
		}
		shelves = d.reload(ctx, shelves)
	}
}

func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// reload reads the configuration and declares what it says. A bad one is refused, and everything stays as it is.
func (d *daemon) reload(ctx context.Context, old []config.Shelf) []config.Shelf {
	c, err := d.program.config(d.paths)
	var shelves []config.Shelf
	if stat, missing := os.Stat(d.paths.Config); err == nil && missing == nil && stat.Size() == 0 {
		err = errors.New("the configuration is empty, as if it were being written; to serve no shelf write: shelves: []")
	}
	if err == nil {
		shelves, err = d.declare(ctx, c, old)
	}
	if ctx.Err() != nil {
		return old
	}
	if err != nil {
		d.refuse(text.Plainly(err.Error()))
		return old
	}
	d.refuse("")
	d.setLevel(c.Log.Level)
	if keys := changedSettings(c, d.config); len(keys) > 0 {
		d.log.Warn("restart needed: a running daemon follows changes of shelves, access and the log level only", zap.Strings("keys", keys))
	}
	if !reflect.DeepEqual(shelves, old) {
		d.log.Info("configuration read", zap.Int("shelves", len(shelves)))
	}
	d.config = c
	return shelves
}

// refuse notes why the configuration was not taken, "" when it was, and says so once.
func (d *daemon) refuse(reason string) {
	if was := d.refused.Swap(&reason); reason != "" && (was == nil || *was != reason) {
		d.log.Error("configuration refused, the old one stays", zap.String("reason", reason))
	}
}

// changedSettings are the keys that are read at the start only and differ between two configurations.
func changedSettings(a, b config.Config) (keys []string) {
	for _, setting := range []struct {
		key      string
		now, was any
	}{
		{"settle", a.Settle, b.Settle},
		{"settle_max", a.SettleMax, b.SettleMax},
		{"reconcile", a.Reconcile, b.Reconcile},
		{"socket_mode", a.SocketMode, b.SocketMode},
		{"http", a.HTTP, b.HTTP},
		{"summaries", a.Summaries, b.Summaries},
		{"correlate", a.Correlate, b.Correlate},
		{"embedding", a.Embedding, b.Embedding},
		{"log.format", a.Log.Format, b.Log.Format},
	} {
		if !reflect.DeepEqual(setting.now, setting.was) {
			keys = append(keys, setting.key)
		}
	}
	return keys
}

// declare tells the indexer which shelves there are, unless they are as before.
func (d *daemon) declare(ctx context.Context, c config.Config, old []config.Shelf) ([]config.Shelf, error) {
	shelves, err := d.shelves(c)
	if err != nil {
		return nil, err
	}
	if shelves, err = d.withRemembered(ctx, c, shelves); err != nil {
		return nil, err
	}
	before := d.access.Set(accessRules(c, shelves)) // first: documents that come must not be seen by the old rules
	if old != nil && reflect.DeepEqual(shelves, old) {
		return old, nil
	}
	declared := make([]indexer.Shelf, 0, len(shelves))
	for _, s := range shelves {
		declared = append(declared, indexerShelf(s))
	}
	if err := d.indexer.SetShelves(ctx, declared); err != nil {
		d.access.Set(before)
		return nil, err
	}
	return shelves, nil
}

// withRemembered keeps the shelves of a folder of shelf_folders that is missing or empty now: a disk that is not
// mounted must look like shelves that are offline, not like shelves that somebody removed.
func (d *daemon) withRemembered(ctx context.Context, c config.Config, shelves []config.Shelf) ([]config.Shelf, error) {
	err := d.store.View(ctx, func(v *store.View) error {
		known, err := v.Shelves()
		for _, s := range known {
			taken := func(other config.Shelf) bool { return other.Name == s.Name || other.Root == s.Root }
			if s.Origin != originConfig || !absent(c.ShelfFolders, filepath.Dir(s.Root)) || slices.ContainsFunc(shelves, taken) {
				continue
			}
			kept := config.DefaultShelf(s.Name, s.Root)
			kept.Origin = c.File
			shelves = append(shelves, kept)
		}
		return err
	})
	return shelves, err
}

// absent says whether folder is one of folders and has nothing in it, or is not there itself.
func absent(folders []string, folder string) bool {
	if !slices.Contains(folders, folder) {
		return false
	}
	entries, err := os.ReadDir(folder)
	return err != nil || len(entries) == 0
}

// configFolders are the folders whose entries say what is configured. That of the file is watched, not the file:
// editors replace it.
func configFolders(paths config.Paths, c config.Config) []string {
	folders := slices.Clone(c.ShelfFolders)
	if paths.Config != "" {
		folders = append(folders, filepath.Dir(paths.Config))
		if real, err := filepath.EvalSymlinks(paths.Config); err == nil && real != paths.Config {
			folders = append(folders, filepath.Dir(real))
		}
	}
	return folders
}

// configChanges tells that something happened in the folders that are looked at. Without events the poll is left.
type configChanges struct {
	seen    chan struct{}
	watcher *fsnotify.Watcher // nil when the system grants none
	log     *zap.Logger
	running sync.WaitGroup
}

// watchConfig watches until ctx ends; its owner waits for running.
func (d *daemon) watchConfig(ctx context.Context) *configChanges {
	c := &configChanges{seen: make(chan struct{}, 1), log: d.log}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		d.log.Warn("watch the configuration", zap.Error(err))
		return c
	}
	c.watcher = w
	c.running.Go(func() { c.run(ctx) })
	return c
}

func (c *configChanges) run(ctx context.Context) {
	defer c.watcher.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.watcher.Events:
		case err := <-c.watcher.Errors:
			c.log.Warn("watch the configuration", zap.Error(err))
		}
		select {
		case c.seen <- struct{}{}:
		default:
		}
	}
}

// look makes folders the ones that are watched, and says whether all are.
func (c *configChanges) look(folders []string) (all bool) {
	if c.watcher == nil {
		return false
	}
	all = true
	watched := c.watcher.WatchList()
	for _, folder := range folders {
		if !slices.Contains(watched, folder) {
			all = c.watcher.Add(folder) == nil && all // It may not be there yet; the next look tries again.
		}
	}
	for _, folder := range watched {
		if !slices.Contains(folders, folder) {
			_ = c.watcher.Remove(folder) // It may be gone by itself.
		}
	}
	return all
}
