package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"shelfd/indexer"
	"shelfd/internal/text"
	"shelfd/store"
)

// AcceptDeletions is a key in a request's _meta with which the command line says that documents whose root is empty
// or missing are gone indeed. It is no argument: that is a person's decision, not a model's.
const AcceptDeletions = "io.shelfd/accept-deletions"

// RepairIndex is a key in a request's _meta with which the command line has the index compared with itself as well, and
// mended.
const RepairIndex = "io.shelfd/repair"

type shelfReport struct {
	Name      string `json:"name"`
	State     string `json:"state"`
	Documents int    `json:"documents"`
	Chunks    int    `json:"chunks"`
	Indexed   int    `json:"indexed"`
	Unchanged int    `json:"unchanged"`
	Removed   int    `json:"removed"`
	Problems  int    `json:"problems"`
}

type synced struct {
	Shelves   []shelfReport `json:"shelves"`
	LeftOut   int           `json:"shelves_left_out,omitempty"`
	UpdatedAt string        `json:"updated_at"`
}

func synchronise(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	shelf := c.args.text("shelf")
	if err := c.checkShelf(ctx, shelf); err != nil {
		return nil, err
	}
	accept, repair := false, false
	if c.meta != nil {
		accept, _ = c.meta.AdditionalFields[AcceptDeletions].(bool)
		repair, _ = c.meta.AdditionalFields[RepairIndex].(bool)
	}
	var list []indexer.ShelfReport
	if c.server.seesAll(ctx) {
		list, err = reporting(c, func(report func(indexer.Progress)) ([]indexer.ShelfReport, error) {
			if repair {
				return x.Repair(ctx, report)
			}
			return x.Sync(ctx, shelf, accept, report)
		})
	} else {
		list, err = c.syncSeen(ctx, x, shelf)
	}
	if err != nil {
		return nil, err
	}
	now := stamp(time.Now())
	return longest(len(list), func(n int) answer { return syncedAnswer(list, n, now) }), nil
}

// syncSeen synchronises for a caller to whom something is hidden: the shelves that it sees ("" = all of them), without
// progress, which would count what it does not see. Of a shelf that it sees in part it learns what it could see itself.
func (c call) syncSeen(ctx context.Context, x *indexer.Indexer, shelf string) ([]indexer.ShelfReport, error) {
	seen, err := c.shelves(ctx)
	if err != nil {
		return nil, err
	}
	var list []indexer.ShelfReport
	for _, s := range seen {
		if shelf != "" && s.Name != shelf {
			continue
		}
		reports, err := x.Sync(ctx, s.Name, false, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, reports...)
	}
	sight := c.server.viewerOf(ctx).Sight("")
	if seen, err = c.shelves(ctx); err != nil {
		return nil, err
	}
	for i, r := range list {
		at := slices.IndexFunc(seen, func(s store.Shelf) bool { return s.Name == r.Name })
		if at >= 0 && !sight.Whole(r.Name) {
			s := seen[at]
			list[i] = indexer.ShelfReport{Name: s.Name, State: s.State, Documents: s.Documents, Chunks: s.Chunks, Unchanged: s.Documents, Problems: s.Problems}
		}
	}
	return list, nil
}

// shelves are those that the caller sees, with what is in them counted.
func (c call) shelves(ctx context.Context) (shelves []store.Shelf, err error) {
	err = c.view(ctx, func(v *store.View) error {
		shelves, err = v.CountedShelves()
		return err
	})
	return shelves, err
}

func syncedAnswer(list []indexer.ShelfReport, n int, now string) answer {
	s := synced{Shelves: []shelfReport{}, LeftOut: len(list) - n, UpdatedAt: now}
	problems, changed := 0, 0
	for i, r := range list {
		problems += r.Problems
		changed += r.Indexed + r.Removed
		if i < n {
			s.Shelves = append(s.Shelves, shelfReport{clip(r.Name, clipProse), string(r.State), r.Documents, r.Chunks, r.Indexed, r.Unchanged, r.Removed, r.Problems})
		}
	}
	trouble := ""
	if problems > 0 {
		trouble = count(problems, "file was", "files were") + " not read as it should be; `shelfd status` lists them, get_document tells the problem of one."
	}
	return answer{s, next(fmt.Sprintf("The index equals the disk; %s.", count(changed, "document changed", "documents changed")), "Repeat the search or the reading that looked out of date.", trouble)}
}

// checkShelf refuses a shelf that is not there; "" means all.
func (c call) checkShelf(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	return c.view(ctx, func(v *store.View) error {
		shelves, err := v.Shelves()
		if err != nil {
			return err
		}
		names := make([]string, len(shelves))
		for i, s := range shelves {
			if names[i] = s.Name; s.Name == name {
				return nil
			}
		}
		return missing("shelf", name, text.Nearest(name, names, 5), "", "shelf")
	})
}

// progressPause is the shortest time between two progress notifications.
const progressPause = 200 * time.Millisecond

// reporting runs f with the function that the indexer calls with its progress, and ends reporting however f ends.
func reporting[T any](c call, f func(report func(indexer.Progress)) (T, error)) (T, error) {
	report, stop := c.reportProgress()
	defer stop()
	return f(report)
}

// reportProgress returns the function that the indexer calls with its progress, nil when nobody asked for it, and one
// that ends reporting. The indexer never waits for a client: it leaves the latest progress in a box of one.
func (c call) reportProgress() (report func(indexer.Progress), stop func()) {
	if c.via == nil || c.meta == nil || c.meta.ProgressToken == nil {
		return nil, func() {}
	}
	latest := make(chan indexer.Progress, 1)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		c.forward(latest, quit)
	}()
	report = func(p indexer.Progress) {
		select {
		case <-latest:
		default:
		}
		select {
		case latest <- p:
		default:
		}
	}
	return report, func() { close(quit); <-ended }
}

// forward sends progress at a human pace and only when it rises, as the protocol asks.
func (c call) forward(latest <-chan indexer.Progress, quit <-chan struct{}) {
	pace := time.NewTicker(progressPause)
	defer pace.Stop()
	sent := -1
	for {
		select {
		case p := <-latest:
			if p.Done > sent {
				sent = p.Done
				c.via.send(encode(progressNote(c.meta.ProgressToken, p)))
			}
		case <-quit:
			return
		}
		select {
		case <-pace.C:
		case <-quit:
			return
		}
	}
}

func progressNote(token mcp.ProgressToken, p indexer.Progress) any {
	params := map[string]any{"progressToken": token, "progress": p.Done, "message": p.State}
	if p.Total > 0 {
		params["total"] = p.Total
	}
	return map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": "notifications/progress", "params": params}
}
