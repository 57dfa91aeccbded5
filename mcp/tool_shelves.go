package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"shelfd/indexer"
	"shelfd/store"
)

type shelfEntry struct {
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Root        string           `json:"root"`
	Origin      string           `json:"origin"`
	State       store.ShelfState `json:"state"`
	Reason      string           `json:"reason,omitempty"`
	Since       string           `json:"since,omitempty"`
	Parents     []string         `json:"parents"`
	Documents   int              `json:"documents"`
	Chunks      int              `json:"chunks"`
	Problems    int              `json:"problems"`
}

type shelfList struct {
	Shelves []shelfEntry `json:"shelves"`
	LeftOut int          `json:"shelves_left_out,omitempty"`
}

type shelfChange struct {
	Changed int        `json:"changed"`
	Shelf   shelfShort `json:"shelf"`
}

type shelfShort struct {
	Name string `json:"name"`
	Root string `json:"root,omitempty"`
}

func listShelves(ctx context.Context, c call) (json.RawMessage, error) {
	shelves, err := c.shelves(ctx)
	if err != nil {
		return nil, err
	}
	return longest(len(shelves), func(n int) answer {
		l := shelfList{Shelves: []shelfEntry{}, LeftOut: len(shelves) - n}
		for _, s := range shelves[:n] {
			l.Shelves = append(l.Shelves, shelfEntryOf(s))
		}
		return answer{l, next(count(len(shelves), "shelf", "shelves")+".", "browse_documents() lists them with paging; its folder argument opens one.")}
	}), nil
}

func shelfEntryOf(s store.Shelf) shelfEntry {
	e := shelfEntry{
		Name: clip(s.Name, clipProse), Description: clip(s.Description, clipProse), Root: clip(s.Root, clipPath), Origin: s.Origin,
		State: s.State, Reason: clip(s.Reason, clipProse), Parents: some(s.Parents, 2000),
		Documents: s.Documents, Chunks: s.Chunks, Problems: s.Problems,
	}
	if !s.Since.IsZero() {
		e.Since = stamp(s.Since)
	}
	return e
}

func addShelf(ctx context.Context, c call) (json.RawMessage, error) {
	root, name := c.args.text("root"), c.args.text("name")
	switch {
	case root == "":
		return nil, invalid("root", "operation add needs it", "the absolute path of a folder")
	case !filepath.IsAbs(root):
		return nil, invalid("root", quoted(root)+" is not absolute", "the absolute path of a folder on the daemon's machine")
	}
	if name == "" {
		name = c.args.text("shelf")
	}
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	name, err = x.AddShelf(ctx, name, filepath.Clean(root), c.args.text("description"))
	if err != nil {
		return nil, shelfRefusal(ctx, err)
	}
	return answer{shelfChange{1, shelfShort{clip(name, clipProse), root}}, next(fmt.Sprintf("Shelf %s was added and is being read; searches find its documents as they come in.", quoted(name)),
		callText("sync", "shelf", arg(name))+" waits until all of it is there.", callText("browse_documents", "folder", arg(name)))}.encode(), nil
}

// named is the shelf that remove and rename are about: shelf, or name.
func (c call) named(ctx context.Context) (string, error) {
	name := c.args.text("shelf")
	if name == "" {
		name = c.args.text("name")
	}
	if name == "" {
		return "", invalid("shelf", "operation "+c.args.text("operation")+" needs it", "the name of a shelf")
	}
	return name, c.checkShelf(ctx, name)
}

func removeShelf(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	name, err := c.named(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.RemoveShelf(ctx, name); err != nil {
		return nil, shelfRefusal(ctx, err)
	}
	return answer{shelfChange{1, shelfShort{Name: name}}, next(fmt.Sprintf("Shelf %s was removed from the library; its files were not touched.", quoted(name)), "browse_documents() lists the shelves that are left.")}.encode(), nil
}

func renameShelf(ctx context.Context, c call) (json.RawMessage, error) {
	to := c.args.text("new_name")
	if to == "" {
		return nil, invalid("new_name", "operation rename needs it", "the shelf's name from now on")
	}
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	name, err := c.named(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.RenameShelf(ctx, name, to); err != nil {
		return nil, shelfRefusal(ctx, err)
	}
	// Documents get their new paths one after another: whoever reads after this answer shall find them all.
	if _, err := x.Sync(ctx, to, false, nil); err != nil {
		return nil, err
	}
	return answer{shelfChange{1, shelfShort{Name: to}}, next("Every doc_path of the shelf begins with the new name now; ids and citations stay.", callText("browse_documents", "folder", arg(to)))}.encode(), nil
}

// shelfRefusal tells why the indexer would not change a shelf: its errors say what a person can do. What the client or
// the clock ended is told as such.
func shelfRefusal(ctx context.Context, err error) error {
	if ctx.Err() != nil || unwritable(err) || errors.Is(err, indexer.ErrNotRunning) {
		return err
	}
	return &refusal{
		code: InvalidInput, text: clip(err.Error(), 800),
		steps: next("Nothing was changed.", `docs_management(action="manage_shelves", operation="list") shows the shelves, their roots and where they come from.`),
	}
}

func forgetShelf(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	name := c.args.text("shelf")
	if name == "" {
		name = c.args.text("name")
	}
	if name == "" {
		return nil, invalid("shelf", "operation forget needs it", "the name of a shelf whose folder is gone")
	}
	documents, err := x.ForgetShelf(ctx, name)
	if errors.Is(err, indexer.ErrUnknownShelf) {
		if err := c.checkShelf(ctx, name); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, shelfRefusal(ctx, err)
	}
	return answer{shelfChange{1, shelfShort{Name: name}}, next(fmt.Sprintf("Shelf %s is forgotten: %s and all that was said about them.", quoted(name), count(documents, "document", "documents")))}.encode(), nil
}
