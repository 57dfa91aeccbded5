package main

import (
	"shelfd/correlate"
	"shelfd/indexer"
	"shelfd/internal/config"
	"shelfd/store"
	"shelfd/watcher"
)

// originConfig marks shelves that the configuration declares.
const originConfig = "config"

// indexerShelf is a configured shelf in the indexer's words.
func indexerShelf(s config.Shelf) indexer.Shelf {
	origin := originConfig
	if s.Origin == "" {
		origin = "command"
	}
	return indexer.Shelf{
		ShelfSpec: store.ShelfSpec{
			Name: s.Name, Description: s.Description, Root: s.Root, Origin: origin, Labels: s.Labels, Contexts: s.Contexts,
		},
		Parents: s.Parents, Declared: s.Origin, ParentsAt: s.ParentsOrigin,
		Root: watcher.Root{
			Shelf: s.Name, Path: s.Root, Include: s.Include, Exclude: s.Exclude, NoGitignore: !s.Gitignore,
			FollowSymlinks: s.FollowSymlinks, Watch: watchOf(s.Watch), PollInterval: s.PollInterval,
		},
		MaxFileSize: s.MaxFileSize, Parts: partsOf(s),
	}
}

func watchOf(name string) watcher.Watch {
	switch name {
	case "notify":
		return watcher.WatchNotify
	case "poll":
		return watcher.WatchPoll
	}
	return watcher.WatchAuto
}

// correlation are the settings of the heuristic links.
func correlation(c config.Correlate) *correlate.Params {
	return &correlate.Params{
		Weights:       correlate.Weights(c.Weights),
		Scope:         scopeOf(c.Scope),
		MinConfidence: c.MinConfidence,
		MinSignals:    c.MinSignalCount,
		MaxLinks:      c.MaxLinksPerDocument,
	}
}

func scopeOf(name string) correlate.Scope {
	switch name {
	case "shelf":
		return correlate.ScopeShelf
	case "cross_shelf":
		return correlate.ScopeCrossShelf
	}
	return correlate.ScopeShelfWithParents
}
