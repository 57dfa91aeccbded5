package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"shelfd/indexer"
	"shelfd/internal/text"
	"shelfd/store"
)

type exported struct {
	Manifest   store.Manifest `json:"manifest"`
	Pagination pagination     `json:"pagination"`
}

type imported struct {
	Shelf     string   `json:"shelf"`
	DryRun    bool     `json:"dry_run"`
	Total     int      `json:"total"` // links in the manifest
	Changed   int      `json:"changed"`
	Summaries int      `json:"summaries"` // taken over
	Warnings  []string `json:"warnings"`
	LeftOut   int      `json:"warnings_left_out,omitempty"`
}

// manifestEntry is a document or a link of a manifest.
type manifestEntry struct {
	document *store.ManifestDocument
	link     *store.ManifestLink
}

// exportShelf answers with a manifest in parts, each of which is a manifest and can be imported by itself.
func exportShelf(ctx context.Context, c call) (json.RawMessage, error) {
	shelf := c.args.text("shelf")
	if err := c.checkShelf(ctx, shelf); err != nil {
		return nil, err
	}
	var m store.Manifest
	err := c.view(ctx, func(v *store.View) (err error) {
		m, err = v.Manifest(shelf)
		return err
	})
	if err != nil {
		return nil, err
	}
	render := func(entries []manifestEntry, p pagination) answer {
		return answer{exported{piece(m, entries), p}, exportAdvice(shelf, p)}
	}
	return pick(manifestParts(m, room(render)), c.args.number("part"), render)
}

// piece is the manifest with some of its entries.
func piece(m store.Manifest, entries []manifestEntry) store.Manifest {
	m.Documents, m.Links = []store.ManifestDocument{}, []store.ManifestLink{}
	for _, e := range entries {
		if e.document != nil {
			m.Documents = append(m.Documents, *e.document)
		} else {
			m.Links = append(m.Links, *e.link)
		}
	}
	return m
}

func manifestParts(m store.Manifest, max int) [][]manifestEntry {
	var g group[manifestEntry]
	for i := range m.Documents {
		d := &m.Documents[i]
		if units(encode(d)) > max { // a title or tags without end: a manifest is for finding documents again by path
			d.Title, d.Tags = clip(d.Title, clipTitle), some(d.Tags, 2000)
		}
		g.add(manifestEntry{document: d}, units(encode(d)), max)
	}
	for i := range m.Links {
		l := &m.Links[i]
		g.add(manifestEntry{link: l}, units(encode(l)), max)
	}
	return g.all()
}

func exportAdvice(shelf string, p pagination) steps {
	more := ""
	if p.HasMore {
		more = callText("docs_management", "action", `"export"`, "shelf", arg(shelf), "part", fmt.Sprint(p.Part+1)) + " brings the next part."
	}
	return next(fmt.Sprintf("Part %d of %d. Each part is a manifest of its own; documents and document_links of all together are the whole.", p.Part, p.Parts), more,
		"The command line writes it whole: shelfd export SHELF > FILE")
}

func importManifest(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	m, err := store.ParseManifest(encode(c.args.object("manifest")))
	if err != nil {
		return nil, invalid("manifest", clip(strings.TrimPrefix(text.Plainly(err.Error()), "manifest: "), 600), "an object as export gives it, with format_version 2")
	}
	shelf, dry := c.args.text("shelf"), c.args.flag("dry_run")
	report, err := reporting(c, func(progress func(indexer.Progress)) (indexer.Import, error) {
		return x.Import(ctx, m, shelf, dry, progress)
	})
	if errors.Is(err, indexer.ErrUnknownShelf) {
		return nil, c.noShelfFor(ctx, shelf, m)
	}
	if err != nil {
		return nil, linkRefusal(ctx, err)
	}
	return longest(len(report.Warnings), func(n int) answer {
		data := imported{Shelf: clip(report.Shelf, clipProse), DryRun: dry, Total: report.Links, Changed: report.Changed, Summaries: report.Summaries, Warnings: []string{}, LeftOut: len(report.Warnings) - n}
		for _, w := range report.Warnings[:n] {
			data.Warnings = append(data.Warnings, clip(w, 2000))
		}
		return answer{data, importAdvice(data, len(report.Warnings))}
	}), nil
}

// noShelfFor says that the shelf to import into is not there, and how to name another.
func (c call) noShelfFor(ctx context.Context, shelf string, m store.Manifest) error {
	if shelf != "" {
		return c.checkShelf(ctx, shelf)
	}
	var r *refusal
	if err := c.checkShelf(ctx, m.Shelf.Name); !errors.As(err, &r) {
		return &refusal{code: InvalidInput, text: "the manifest names no shelf", steps: next("Name the shelf to import into with the argument shelf.")}
	}
	named := *r
	named.steps = next("The manifest is of a shelf that is not here.", "Add the shelf first, or name the one to import into with the argument shelf.")
	return &named
}

func importAdvice(i imported, warnings int) steps {
	trouble := ""
	if warnings > 0 {
		trouble = count(warnings, "link or summary", "links and summaries") + " could not be taken over; the rest was. Once the documents are there, import again."
	}
	if i.DryRun {
		return next(fmt.Sprintf("%s would be new or changed, and %s taken over; nothing was.", count(i.Changed, "link", "links"), count(i.Summaries, "summary", "summaries")),
			"The same call without dry_run imports.", trouble)
	}
	return next(fmt.Sprintf("%s new or changed, %s taken over; nothing else was touched.", count(i.Changed, "link is", "links are"), count(i.Summaries, "summary was", "summaries were")), trouble)
}
