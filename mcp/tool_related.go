package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"shelfd/store"
)

type linkEntry struct {
	Source     string             `json:"source"`
	Target     string             `json:"target"`
	SourceID   int64              `json:"source_document_id"`
	TargetID   int64              `json:"target_document_id"`
	Title      string             `json:"title,omitempty"` // of the other end
	Relation   string             `json:"relation"`
	Origin     store.Origin       `json:"origin"`
	Score      float64            `json:"score,omitempty"`
	Confidence float64            `json:"confidence,omitempty"`
	Label      string             `json:"label,omitempty"`
	Rationale  string             `json:"rationale,omitempty"`
	Signals    map[string]float64 `json:"signals,omitempty"`
	Lines      []int              `json:"lines,omitempty"` // of the source, where its author wrote the link
	Depth      int                `json:"depth,omitempty"` // steps from the document asked about
}

type neighbourhood struct {
	DocPath    string           `json:"doc_path"`
	ShelfState store.ShelfState `json:"shelf_state,omitempty"` // when the shelf is not up to date
	Links      []linkEntry      `json:"links"`
	Total      int              `json:"total"`
}

func related(ctx context.Context, c call) (json.RawMessage, error) {
	var path string
	var state store.ShelfState
	var links []linkEntry
	var total int
	err := c.view(ctx, func(v *store.View) error {
		d, err := openDocument(v, c.args.text("doc_path"))
		if err != nil {
			return err
		}
		path = d.Path
		if state, err = outOfDate(v, d.Shelf); err != nil {
			return err
		}
		list, n, err := v.Links(neighboursOf(d.ID, c.args))
		for _, l := range list {
			links = append(links, entryOf(l, d.ID))
		}
		total = n
		return err
	})
	if err != nil {
		return nil, err
	}
	return longest(len(links), func(n int) answer {
		shown := append([]linkEntry{}, links[:n]...)
		return answer{neighbourhood{path, state, shown, total}, relatedAdvice(path, shown, total)}
	}), nil
}

func neighboursOf(id int64, args values) store.Related {
	r := store.Related{Document: id, Direction: store.Direction(args.text("direction")), Depth: args.number("depth"), Limit: args.number("limit")}
	for _, o := range args.list("origins") {
		r.Origins = append(r.Origins, store.Origin(o))
	}
	return r
}

func entryOf(l store.Link, asked int64) linkEntry {
	e := linkEntry{
		Source: clip(l.Source, clipPath), Target: clip(l.Target, clipPath), SourceID: l.SourceID, TargetID: l.TargetID,
		Relation: clip(l.Relation, clipTitle), Origin: l.Origin, Score: round(l.Score), Confidence: round(l.Confidence),
		Label: clip(l.Label, clipTitle), Rationale: clip(l.Rationale, clipTitle), Depth: l.Depth,
	}
	e.Title = clip(l.TargetTitle, clipTitle)
	if l.TargetID == asked {
		e.Title = clip(l.SourceTitle, clipTitle)
	}
	for name, value := range l.Signals {
		if value == 0 {
			continue
		}
		if e.Signals == nil {
			e.Signals = map[string]float64{}
		}
		e.Signals[name] = round(value)
	}
	for _, m := range l.Mentions[:min(len(l.Mentions), 5)] {
		e.Lines = append(e.Lines, m.Line)
	}
	return e
}

func relatedAdvice(path string, links []linkEntry, total int) steps {
	if total == 0 {
		return next("No links with these conditions.", "Leave out direction and origins.", "search_documents with the document's own words finds what resembles it.")
	}
	other := links[0].Target
	if other == path {
		other = links[0].Source
	}
	summary := count(total, "link", "links") + ", strongest first."
	if len(links) < total {
		summary = fmt.Sprintf("%d of %s, strongest first; direction, origins or a larger limit show others.", len(links), count(total, "link", "links"))
	}
	return next(summary, callText("get_document", "doc_path", arg(other))+" describes the first.")
}
