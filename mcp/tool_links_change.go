package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"shelfd/indexer"
	"shelfd/store"
)

type linkChange struct {
	Changed int         `json:"changed"`
	Links   []linkEntry `json:"links"`
	LeftOut int         `json:"links_left_out,omitempty"`
}

// linkOf reads the members of a link from arguments.
func linkOf(args values, source, target string) store.ManualLink {
	return store.ManualLink{
		Source: source, Target: target, Relation: args.text("relation"), Confidence: args.float("confidence"),
		Label: args.text("label"), Rationale: args.text("rationale"),
	}
}

// linkEnds are the documents that the arguments of a link name; see document for gone.
func (c call) linkEnds(ctx context.Context, gone bool) (source, target string, err error) {
	if source, err = c.document(ctx, c.args, sourcePlace(), gone); err != nil {
		return "", "", err
	}
	target, err = c.document(ctx, c.args, targetPlace(), gone)
	return source, target, err
}

func addLink(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	source, target, err := c.linkEnds(ctx, false)
	if err != nil {
		return nil, err
	}
	link := linkOf(c.args, source, target)
	changed, err := x.AddLinks(ctx, link)
	if err != nil {
		return nil, linkRefusal(ctx, err)
	}
	return c.linksChanged(ctx, changed, source, func(l linkEntry) bool {
		return l.Target == clip(target, clipPath) && l.Relation == clip(link.Relation, clipTitle)
	})
}

func removeLink(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	source, target, err := c.linkEnds(ctx, true)
	if err != nil {
		return nil, err
	}
	changed, err := x.RemoveLinks(ctx, source, target, c.args.text("relation"))
	if err != nil {
		return nil, linkRefusal(ctx, err)
	}
	return c.linksChanged(ctx, changed, source, nil)
}

func replaceLinks(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	source, err := c.document(ctx, c.args, sourcePlace(), true)
	if err != nil {
		return nil, err
	}
	links := []store.ManualLink{}
	for i, args := range c.args.objects("links") {
		target, err := c.document(ctx, args, targetPlace(), false)
		if err != nil {
			return nil, inEntry(err, i)
		}
		links = append(links, linkOf(args, source, target))
	}
	changed, err := c.replace(ctx, x, source, links)
	if err != nil {
		return nil, linkRefusal(ctx, err)
	}
	return c.linksChanged(ctx, changed, source, nil)
}

// replace makes links all that the source has, as far as the caller can see: links to what it can't see stay.
func (c call) replace(ctx context.Context, x *indexer.Indexer, source string, links []store.ManualLink) (int, error) {
	if c.server.seesAll(ctx) {
		return x.ReplaceLinks(ctx, source, links, nil)
	}
	var had []store.Link
	err := c.view(ctx, func(v *store.View) error {
		d, err := v.Document(source)
		if err == nil {
			had, _, err = v.Find(store.LinkQuery{Source: d.ID, Origin: store.OriginManual})
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return x.ReplaceLinks(ctx, source, links, func(m store.ManualLink) bool {
		return slices.ContainsFunc(had, func(l store.Link) bool { return m.Target == l.Target && m.Relation == l.Relation })
	})
}

// inEntry says of which entry of links a refusal speaks.
func inEntry(err error, i int) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	placed := *r
	placed.text = fmt.Sprintf("links[%d]: %s", i, r.text)
	return &placed
}

// linksChanged answers with the manual links that the source has now, those for which shown holds.
func (c call) linksChanged(ctx context.Context, changed int, source string, shown func(linkEntry) bool) (json.RawMessage, error) {
	var links []linkEntry
	err := c.view(ctx, func(v *store.View) error {
		d, err := v.Document(source)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		list, _, err := v.Find(store.LinkQuery{Source: d.ID, Origin: store.OriginManual})
		for _, l := range list {
			if e := entryOf(l, 0); shown == nil || shown(e) {
				links = append(links, e)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	summary := count(changed, "link changed", "links changed") + "."
	if changed == 0 {
		summary = "It was so already; nothing changed."
	}
	return longest(len(links), func(n int) answer {
		return answer{
			linkChange{changed, append([]linkEntry{}, links[:n]...), len(links) - n},
			next(summary, callText("related_documents", "doc_path", arg(source))+" shows all its links."),
		}
	}), nil
}
