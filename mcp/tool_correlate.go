package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"shelfd/indexer"
	"shelfd/store"
)

type correlated struct {
	Mode       string       `json:"mode"`
	Apply      bool         `json:"apply"`
	Shelf      string       `json:"shelf,omitempty"`
	Document   string       `json:"document,omitempty"`
	Parameters parameters   `json:"parameters"`
	Candidates int          `json:"candidates"`
	Proposed   int          `json:"proposed"`
	Written    int          `json:"written"`
	Removed    int          `json:"removed"`
	Samples    []sampleLink `json:"sample_links"`
}

// parameters are those that the links were worked out with; documents with their own keep to these.
type parameters struct {
	Scope         string  `json:"scope"`
	MinConfidence float64 `json:"min_confidence"`
	MinSignals    int     `json:"min_signal_count"`
	MaxLinks      int     `json:"max_links_per_document"`
}

type sampleLink struct {
	Source      string             `json:"source"`
	Target      string             `json:"target"`
	SourceID    int64              `json:"source_document_id"`
	TargetID    int64              `json:"target_document_id"`
	Relation    string             `json:"relation"`
	Score       float64            `json:"score"`
	Confidence  float64            `json:"confidence"`
	SignalCount int                `json:"signal_count"`
	Stored      bool               `json:"stored"`
	Signals     map[string]float64 `json:"signals"`
	Rationale   string             `json:"rationale"`
}

// maxSamples is how many links an answer shows at most, if its budget lets it.
const maxSamples = 200

func correlateDocuments(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	ask, err := c.correlation(ctx)
	if err != nil {
		return nil, err
	}
	p, err := reporting(c, func(report func(indexer.Progress)) (indexer.Proposal, error) { return x.Correlate(ctx, ask, report) })
	if err != nil {
		return nil, linkRefusal(ctx, err)
	}
	data := correlated{
		Mode: c.args.text("mode"), Apply: ask.Apply, Shelf: clip(ask.Shelf, clipProse), Document: clip(ask.Document, clipPath),
		Parameters: parameters{p.Params.Scope.String(), p.Params.MinConfidence, p.Params.MinSignals, p.Params.MaxLinks},
		Candidates: p.Candidates, Proposed: p.Proposed, Written: p.Written, Removed: p.Removed,
	}
	samples := make([]sampleLink, min(len(p.Links), maxSamples))
	for i := range samples {
		samples[i] = sampleOf(p.Links[i])
	}
	return longest(len(samples), func(n int) answer {
		data.Samples = append([]sampleLink{}, samples[:n]...)
		return answer{data, correlateAdvice(data)}
	}), nil
}

func sampleOf(l indexer.ProposedLink) sampleLink {
	s := sampleLink{
		Source: clip(l.SourcePath, clipPath), Target: clip(l.TargetPath, clipPath), SourceID: l.Source, TargetID: l.Target,
		Relation: l.Relation, Score: round(l.Score), Confidence: round(l.Confidence), SignalCount: l.Signals.Count(),
		Stored: l.Stored, Signals: l.Signals.Map(), Rationale: clip(l.Rationale, clipTitle),
	}
	for name, value := range s.Signals {
		s.Signals[name] = round(value)
	}
	return s
}

// correlation reads what is asked.
func (c call) correlation(ctx context.Context) (indexer.Correlation, error) {
	ask := indexer.Correlation{Apply: c.args.flag("apply"), Settings: store.Settings{Scope: c.args.text("scope")}}
	if c.args.has("min_confidence") {
		f := c.args.float("min_confidence")
		ask.Settings.MinConfidence = &f
	}
	for name, into := range map[string]**int{"min_signal_count": &ask.Settings.MinSignals, "max_links_per_document": &ask.Settings.MaxLinks} {
		if c.args.has(name) {
			n := c.args.number(name)
			*into = &n
		}
	}
	named := c.args.has("document") || c.args.has("document_id")
	if c.args.text("mode") == "shelf" {
		ask.Shelf = c.args.text("shelf")
		switch {
		case named:
			return ask, invalid("document", "mode shelf takes a shelf", `mode "document", or the name of a shelf`)
		case ask.Shelf == "":
			return ask, invalid("shelf", "mode shelf needs it", "the name of a shelf")
		}
		return ask, c.checkShelf(ctx, ask.Shelf)
	}
	if c.args.has("shelf") {
		return ask, invalid("shelf", "mode document takes a document", `mode "shelf", or document or document_id`)
	}
	var err error
	ask.Document, err = c.document(ctx, c.args, place{"document", "document_id"}, false)
	return ask, err
}

func correlateAdvice(d correlated) steps {
	fresh := 0
	for _, s := range d.Samples {
		if !s.Stored {
			fresh++
		}
	}
	switch {
	case d.Proposed == 0:
		return next("No document is alike enough.", "Lower min_confidence or min_signal_count, or widen scope.",
			`docs_management(action="manage_document_links", operation="add", …) states a link that you are sure of.`)
	case d.Apply:
		return next(fmt.Sprintf("Applied: %s, %s. These settings hold from now on, also when documents change.",
			count(d.Written, "link was written", "links were written"), count(d.Removed, "was removed", "were removed")),
			`docs_management(action="manage_document_links", operation="prune_heuristic_links", …) removes weak ones for good.`)
	case fresh == 0 && len(d.Samples) == d.Proposed:
		return next("All these links stand already.", "State those you are sure of with manage_document_links add.")
	}
	return next(count(d.Proposed, "link passes", "links pass")+"; those with stored=false are new.", append(unshown(d.Proposed-len(d.Samples),
		`mode="document" with one of the sources shows its own`),
		"The same call with apply=true writes them and keeps these settings.", "State those you are sure of with manage_document_links add.")...)
}

// unshown says of links that an answer had no room for how to see them.
func unshown(n int, how string) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s not shown here: %s.", count(n, "link is", "links are"), how)}
}
