package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"shelfd/indexer"
	"shelfd/store"
)

type linkList struct {
	Links      []linkEntry `json:"links"`
	Total      int         `json:"total"`
	Offset     int         `json:"offset"`
	HasMore    bool        `json:"has_more"`
	NextOffset int         `json:"next_offset,omitempty"`
}

type pruning struct {
	Apply      bool        `json:"apply"`
	Candidates []linkEntry `json:"candidates"`
	Total      int         `json:"total"`
	Removed    int         `json:"removed"`
	Remaining  int         `json:"remaining,omitempty"` // as weak, moved up into the places of those removed
}

// place is one end of a link in the arguments: by path or by id.
type place struct{ path, id string }

// document finds the document that the arguments name in one of two ways. A document that is not there at present but
// that someone's statement names is found where gone says so.
func (c call) document(ctx context.Context, args values, at place, gone bool) (string, error) {
	if args.has(at.path) == args.has(at.id) {
		reason := "one of the two is needed"
		if args.has(at.path) {
			reason = "give one of the two, not both"
		}
		return "", invalid(at.path+" or "+at.id, reason, "the doc_path or the id of a document")
	}
	var path string
	err := c.view(ctx, func(v *store.View) error {
		var d store.Document
		var err error
		if args.has(at.path) {
			d, err = openDocument(v, args.text(at.path))
		} else if d, err = v.DocumentByID(int64(args.number(at.id))); errors.Is(err, store.ErrNotFound) {
			err = missing("document with the id", fmt.Sprint(args.number(at.id)), nil, "get_document", "doc_path")
		}
		path = d.Path
		return err
	})
	if err != nil && gone && c.server.seesAll(ctx) { // whether it would be seen can't be told of one that is not there
		if x := c.server.options.Indexer; x != nil {
			if stated := x.Stated(args.text(at.path), int64(args.number(at.id))); stated != "" {
				return stated, nil
			}
		}
	}
	return path, err
}

func sourcePlace() place { return place{"source_document", "source_document_id"} }
func targetPlace() place { return place{"target_document", "target_document_id"} }

func listLinks(ctx context.Context, c call) (json.RawMessage, error) {
	q := store.LinkQuery{
		Shelf: c.args.text("shelf"), Origin: store.Origin(c.args.text("origin")), Limit: c.args.number("limit"), Offset: c.args.number("offset"),
	}
	if err := c.checkShelf(ctx, q.Shelf); err != nil {
		return nil, err
	}
	var err error
	if q.Source, err = c.optional(ctx, "source", sourcePlace()); err != nil {
		return nil, err
	}
	if q.Target, err = c.optional(ctx, "target", targetPlace()); err != nil {
		return nil, err
	}
	links, total, err := c.find(ctx, q)
	if err != nil {
		return nil, err
	}
	return longest(len(links), func(n int) answer {
		l := linkList{Links: append([]linkEntry{}, links[:n]...), Total: total, Offset: q.Offset, HasMore: q.Offset+n < total}
		if l.HasMore {
			l.NextOffset = q.Offset + n
		}
		return answer{l, listAdvice(l)}
	}), nil
}

func listAdvice(l linkList) steps {
	if l.Total == 0 {
		return next("No links with these conditions.", "Leave out shelf, source, target or origin.")
	}
	more := ""
	if l.HasMore {
		more = fmt.Sprintf("offset=%d goes on.", l.NextOffset)
	}
	return next(count(l.Total, "link", "links")+": stated ones first, then those that authors wrote, then those worked out.", more)
}

// optional is the id of the document that a condition names, 0 for none. short is a third name for its path.
func (c call) optional(ctx context.Context, short string, at place) (int64, error) {
	args := values{}
	for _, name := range []string{short, at.path, at.id} {
		if !c.args.has(name) {
			continue
		}
		if len(args) > 0 {
			return 0, invalid(name, "the document is named twice", "one of "+short+", "+at.path+", "+at.id)
		}
		if name == short {
			args[at.path] = c.args[name]
		} else {
			args[name] = c.args[name]
		}
	}
	if len(args) == 0 {
		return 0, nil
	}
	path, err := c.document(ctx, args, at, false)
	if err != nil {
		return 0, err
	}
	var id int64
	err = c.view(ctx, func(v *store.View) error {
		d, err := v.Document(path)
		id = d.ID
		return err
	})
	return id, err
}

func (c call) find(ctx context.Context, q store.LinkQuery) (entries []linkEntry, total int, err error) {
	err = c.view(ctx, func(v *store.View) error {
		links, n, err := v.Find(q)
		for _, l := range links {
			entries = append(entries, entryOf(l, 0))
		}
		total = n
		return err
	})
	return entries, total, err
}

func pruneLinks(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	shelf, apply := c.args.text("shelf"), c.args.flag("apply")
	if err := c.checkShelf(ctx, shelf); err != nil {
		return nil, err
	}
	p, err := reporting(c, func(report func(indexer.Progress)) (indexer.Pruned, error) {
		return x.Prune(ctx, shelf, c.args.float("max_confidence"), apply, report)
	})
	if err != nil {
		return nil, linkRefusal(ctx, err)
	}
	entries := make([]linkEntry, len(p.Links))
	for i, l := range p.Links {
		entries[i] = entryOf(l, 0)
	}
	return longest(min(len(entries), maxSamples), func(n int) answer {
		data := pruning{Apply: apply, Candidates: append([]linkEntry{}, entries[:n]...), Total: len(entries), Removed: p.Removed, Remaining: p.Remaining}
		return answer{data, pruneAdvice(data, c.args)}
	}), nil
}

func pruneAdvice(p pruning, args values) steps {
	switch {
	case p.Total == 0:
		return next("No worked-out link is as weak as that.", "Raise max_confidence.")
	case !p.Apply:
		return next(count(p.Total, "link", "links")+" would be removed for good, weakest first; links that authors wrote and that someone stated are not among them.",
			append(unshown(p.Total-len(p.Candidates), "manage_document_links list with origin=\"heuristic\" goes through all of them"),
				fmt.Sprintf("The same call with apply=true removes %s.", count(p.Total, "it", "them")))...)
	case p.Remaining > 0:
		return next(fmt.Sprintf("Removed; %s as weak moved up into their places.", count(p.Remaining, "link", "links")),
			`docs_management(action="correlate", mode="shelf", min_confidence=…, apply=true) keeps weak links away altogether.`)
	}
	return next("Removed for good: these pairs will not be linked again unless someone states it.")
}

// linkRefusal tells why a link cannot be, as the indexer says it.
func linkRefusal(ctx context.Context, err error) error {
	if ctx.Err() != nil || unwritable(err) || errors.Is(err, indexer.ErrNotRunning) || errors.Is(err, store.ErrNotFound) {
		return err
	}
	return &refusal{code: InvalidInput, text: clip(err.Error(), 800), steps: next("Nothing was changed. Correct the arguments and call again.")}
}
