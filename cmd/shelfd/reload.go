package main

import (
	"context"
	"os"
	"os/signal"
	"reflect"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/zap"

	"shelfd/indexer"
	"shelfd/internal/config"
)

// reloadQuiet is how long the configuration must have been quiet before it is read: editors write in steps.
const reloadQuiet = 100 * time.Millisecond

// reloadPoll is the floor when events fail: how often the file and the folders of shelf_folders are looked at anyway.
const reloadPoll = 10 * time.Second

// keepConfigured declares the shelves and keeps them as the configuration says while it changes.
func (d *daemon) keepConfigured(ctx context.Context, shelves []config.Shelf) error {
	if err := d.indexer.SetShelves(ctx, d.indexerShelves(shelves)); err != nil {
		return ignoreEnd(ctx, err)
	}
	d.declared.Store(true)
	notify(d.program.getenv, "READY=1")
	d.log.Info("serving", zap.String("socket", d.paths.Socket), zap.String("database", d.paths.Database), zap.Int("shelves", len(shelves)))
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	events, closeEvents := d.configEvents()
	defer closeEvents()
	poll := time.NewTicker(reloadPoll)
	defer poll.Stop()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-events:
			quiet.Reset(reloadQuiet)
			continue
		case <-hangup:
			d.log.Info("SIGHUP: reading the configuration")
		case <-quiet.C:
		case <-poll.C:
		}
		next := d.reload(shelves)
		if reflect.DeepEqual(next, shelves) {
			continue
		}
		if err := d.indexer.SetShelves(ctx, d.indexerShelves(next)); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			d.log.Error("configuration refused, the old one stays", zap.Error(err))
			continue
		}
		shelves = next
		d.log.Info("configuration read", zap.Int("shelves", len(shelves)))
	}
}

func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// reload reads the configuration. A bad one is refused and the shelves stay as they are.
func (d *daemon) reload(old []config.Shelf) []config.Shelf {
	c, err := d.program.config(d.paths)
	if err == nil {
		var next []config.Shelf
		if next, err = d.shelves(c); err == nil {
			d.config = c
			d.setLevel(c.Log.Level)
			return next
		}
	}
	d.log.Error("configuration refused, the old one stays", zap.Error(err))
	return old
}

// configEvents says when the configuration file or a folder of shelf_folders may have changed. The folder of the file
// is watched, not the file: editors replace it. Without events the poll is left.
func (d *daemon) configEvents() (<-chan struct{}, func()) {
	changed := make(chan struct{}, 1)
	w, err := fsnotify.NewWatcher()
	if err != nil {
		d.log.Warn("watch the configuration", zap.Error(err))
		return changed, func() {}
	}
	for _, folder := range d.configFolders() {
		if err := w.Add(folder); err != nil {
			d.log.Warn("watch the configuration", zap.Error(err))
		}
	}
	go func() {
		for range w.Events {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}()
	go func() {
		for err := range w.Errors {
			d.log.Warn("watch the configuration", zap.Error(err))
		}
	}()
	return changed, func() { w.Close() }
}

func (d *daemon) indexerShelves(shelves []config.Shelf) []indexer.Shelf {
	out := make([]indexer.Shelf, 0, len(shelves))
	for _, s := range shelves {
		out = append(out, indexerShelf(s))
	}
	return out
}
