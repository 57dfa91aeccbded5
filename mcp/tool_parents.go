package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"shelfd/indexer"
	"shelfd/store"
)

// parentEntry is one pair of the hierarchy.
type parentEntry struct {
	Parent   string `json:"parent_shelf"`
	Child    string `json:"child_shelf"`
	Relation string `json:"relation"`
	Origin   string `json:"origin"`                // config | manual
	Declared string `json:"declared_at,omitempty"` // file and line
}

type familyEntry struct {
	Name    string   `json:"name"`
	Parents []string `json:"parents"`
}

type hierarchy struct {
	Shelves []familyEntry `json:"shelves"`
	Links   []parentEntry `json:"links"`
	LeftOut int           `json:"shelves_left_out,omitempty"`
}

type parentsChange struct {
	Changed int         `json:"changed"`
	Shelf   familyEntry `json:"shelf"`
}

func listParents(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	name := c.args.text("shelf")
	if err := c.checkShelf(ctx, name); err != nil {
		return nil, err
	}
	origins, err := x.ParentOrigins(ctx)
	if err != nil {
		return nil, err
	}
	families, err := c.families(ctx)
	if err != nil {
		return nil, err
	}
	origins = slices.DeleteFunc(origins, func(o indexer.ParentOrigin) bool { return !holds(families, o.Shelf) || !holds(families, o.Parent) })
	if name != "" {
		families = touching(families, origins, name)
	}
	return longest(len(families), func(n int) answer {
		h := hierarchy{Shelves: append([]familyEntry{}, families[:n]...), Links: []parentEntry{}, LeftOut: len(families) - n}
		for _, o := range origins {
			if (name == "" || o.Shelf == name || o.Parent == name) && holds(h.Shelves, o.Shelf) {
				h.Links = append(h.Links, parentEntry{clip(o.Parent, clipProse), clip(o.Shelf, clipProse), "parent", o.Origin, clip(o.At, clipProse)})
			}
		}
		return answer{h, next(fmt.Sprintf("%s; documents of a child link to those of its parents, never the other way round.", count(len(h.Links), "parent link", "parent links")),
			`docs_management(action="manage_shelf_links", operation="add_parent", shelf=…, parent_shelf=…) adds one.`)}
	}), nil
}

// touching are the shelf itself and those directly above and below it.
func touching(families []familyEntry, origins []indexer.ParentOrigin, name string) []familyEntry {
	near := map[string]bool{name: true}
	for _, o := range origins {
		if o.Shelf == name || o.Parent == name {
			near[o.Shelf], near[o.Parent] = true, true
		}
	}
	var kept []familyEntry
	for _, f := range families {
		if near[f.Name] {
			kept = append(kept, f)
		}
	}
	return kept
}

func holds(families []familyEntry, name string) bool {
	for _, f := range families {
		if f.Name == name {
			return true
		}
	}
	return false
}

// families are all shelves with their parents.
func (c call) families(ctx context.Context) ([]familyEntry, error) {
	var all []familyEntry
	err := c.view(ctx, func(v *store.View) error {
		shelves, err := v.Shelves()
		for _, s := range shelves {
			all = append(all, familyEntry{s.Name, some(s.Parents, 2000)})
		}
		return err
	})
	return all, err
}

func addParent(ctx context.Context, c call) (json.RawMessage, error) {
	return c.changeParents(ctx, []string{c.args.text("parent_shelf")}, func(x *indexer.Indexer, shelf string, parents []string) (int, error) {
		return x.AddParent(ctx, shelf, parents[0])
	})
}

func removeParent(ctx context.Context, c call) (json.RawMessage, error) {
	return c.changeParents(ctx, nil, func(x *indexer.Indexer, shelf string, _ []string) (int, error) {
		return x.RemoveParent(ctx, shelf, c.args.text("parent_shelf"))
	})
}

func setParents(ctx context.Context, c call) (json.RawMessage, error) {
	return c.changeParents(ctx, c.args.list("parent_shelves"), func(x *indexer.Indexer, shelf string, parents []string) (int, error) {
		return x.SetParents(ctx, shelf, parents)
	})
}

// changeParents checks the names, changes, and answers with the parents that the shelf has then.
func (c call) changeParents(ctx context.Context, parents []string, change func(*indexer.Indexer, string, []string) (int, error)) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	shelf := c.args.text("shelf")
	for _, name := range append([]string{shelf}, parents...) {
		if err := c.checkShelf(ctx, name); err != nil {
			return nil, err
		}
	}
	changed, err := change(x, shelf, parents)
	if err != nil {
		return nil, shelfRefusal(ctx, err)
	}
	families, err := c.families(ctx)
	if err != nil {
		return nil, err
	}
	now := familyEntry{Name: shelf, Parents: []string{}}
	for _, f := range families {
		if f.Name == shelf {
			now = f
		}
	}
	now.Name = clip(now.Name, clipProse)
	return answer{parentsChange{changed, now}, next("Links between the documents of these shelves are being worked out again.",
		callText("docs_management", "action", `"correlate"`, "mode", `"shelf"`, "shelf", arg(shelf))+" shows what comes of it.")}.encode(), nil
}
