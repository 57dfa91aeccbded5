package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"shelfd/store"
)

// hit is one passage that was found.
type hit struct {
	DocPath      string           `json:"doc_path"`
	DocID        int64            `json:"doc_id"`
	Title        string           `json:"title"`
	Shelf        string           `json:"shelf"`
	ShelfState   store.ShelfState `json:"shelf_state,omitempty"` // when the shelf is not up to date
	NodeID       string           `json:"node_id"`
	TitlePath    []string         `json:"title_path"`
	LineStart    int              `json:"line_start,omitempty"` // none of a derived text: they are not the source's
	LineEnd      int              `json:"line_end,omitempty"`
	SourcePath   string           `json:"source_path,omitempty"`  // of a derived text
	DisplayPath  string           `json:"display_path,omitempty"` // where the shelf has a name in the caller's language
	Snippet      string           `json:"snippet"`
	Score        float64          `json:"score"`
	Citation     string           `json:"citation"`
	MatchedTerms []string         `json:"matched_terms"`
	Match        store.Match      `json:"match"`
	Context      string           `json:"context,omitempty"`
	More         int              `json:"more_in_document,omitempty"` // passages beyond the three of a document that are shown; search with its doc_path finds them
	evidence
	floored bool
}

// evidence is what detail "evidence" adds to a hit; empty without.
type evidence struct {
	ChunkKey        string   `json:"chunk_key,omitempty"`
	ChunkOrdinal    *int     `json:"chunk_ordinal,omitempty"` // from 0
	SectionLevel    *int     `json:"section_level,omitempty"`
	Quote           string   `json:"quote,omitempty"`
	Paragraph       *int     `json:"paragraph,omitempty"` // ordinal of the quote's paragraph in get_chunk, from 0
	ParagraphText   string   `json:"paragraph_text,omitempty"`
	HighlightText   string   `json:"highlight_text,omitempty"`
	HighlightRanges [][2]int `json:"highlight_ranges,omitzero"` // [start, end) in characters of highlight_text
	ViewerCitation  string   `json:"viewer_citation,omitempty"` // the citation with what should light up

	Retrieval       store.Retrieval `json:"retrieval,omitempty"`
	RetrievalReason string          `json:"retrieval_reason,omitempty"` // fts-floor: it stands here for its fts_rank alone
	FTSRank         int             `json:"fts_rank,omitempty"`         // from 1
	VectorRank      int             `json:"vector_rank,omitempty"`      // from 1
	RRFScore        float64         `json:"rrf_score,omitempty"`
	FTSScore        float64         `json:"fts_score,omitempty"`
	VectorScore     float64         `json:"vector_score,omitempty"` // cosine

	located
	SectionSummary string `json:"section_summary,omitempty"` // of the section or the nearest one around it
	DocSummary     string `json:"doc_summary,omitempty"`
	SummaryStatus  string `json:"summary_status,omitempty"`
}

type progress struct {
	State string `json:"state"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

type found struct {
	Hits            []hit           `json:"hits"`
	Total           int             `json:"total"`
	Offset          int             `json:"offset"`
	HasMore         bool            `json:"has_more"`
	NextOffset      int             `json:"next_offset,omitempty"`
	Relaxed         bool            `json:"relaxed"`
	Queries         []string        `json:"queries"`
	Suggestions     []string        `json:"suggestions"`
	RelatedSections []lead          `json:"related_sections"`
	Retrieval       store.Retrieval `json:"retrieval"`
	Floored         int             `json:"floor_replacements,omitempty"` // hits here whose retrieval_reason is fts-floor
	VectorWarning   string          `json:"vector_warning,omitempty"`
	Index           progress        `json:"index"`
}

func search(ctx context.Context, c call) (json.RawMessage, error) {
	q := queryOf(c.args)
	// Before the picture of the store is taken: a provider may take its time.
	warning := AskVectors(ctx, c.server.options.Near, &q, !c.server.seesAll(ctx))
	var hits []hit
	var f found
	look := func(v *store.View) (err error) {
		hits, f, err = c.found(v, q)
		return err
	}
	scope := c.args.text("scope")
	var index progress
	err := c.view(ctx, func(v *store.View) (err error) {
		if err := checkPlace(v, &q); err != nil {
			return err
		}
		if index, err = c.progress(ctx, v); err != nil || scope != "" {
			return err
		}
		return look(v)
	})
	if err == nil && scope != "" { // a document of another kind is there, and is no hit
		err = c.server.options.Store.ViewAs(ctx, c.server.viewerOf(ctx).Sight(scope), look)
	}
	if err != nil {
		return nil, err
	}
	f.VectorWarning, f.Index = clip(warning, clipProse), index
	return longest(len(hits), func(n int) answer { return f.page(hits, n, c.args) }), nil
}

// found runs a query.
func (c call) found(v *store.View, q store.Query) (hits []hit, f found, err error) {
	a, err := v.Search(q)
	if err != nil {
		return nil, f, queryRefusal(q, err)
	}
	f = found{Total: a.Total, Offset: q.Offset, Relaxed: a.Relaxed, Queries: shortTexts(a.Queries, 6), Suggestions: shortTexts(a.Suggestions, 5)}
	f.Retrieval = cmp.Or(a.Retrieval, store.RetrievedByText)
	if hits, err = hitsOf(v, a.Hits, q, c.args.text("locale")); err != nil {
		return nil, f, err
	}
	f.RelatedSections, err = leads(v, q)
	return hits, f, err
}

func queryOf(args values) store.Query {
	return store.Query{
		Text: args.text("query"), Where: args.text("where"), Folder: strings.Trim(args.text("folder"), "/"), Path: args.text("doc_path"),
		Limit: args.number("limit"), Offset: args.number("offset"), Mode: store.Mode(args.text("mode")),
		Evidence: args.text("detail") == "evidence",
	}
}

// queryRefusal names the argument that the store could not read: only where and a regular expression can be wrong.
func queryRefusal(q store.Query, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && (q.Mode == store.ModeLiteral || q.Mode == store.ModeRegex) {
		return &refusal{
			code: Unavailable, text: "looking through the text took too long and was stopped",
			steps: next("Leave less text to look through.", "The same call with folder, doc_path or where.", "A longer part of the text as it stands: what every match must hold is looked for first."),
		}
	}
	var fault *store.QueryError
	if !errors.As(err, &fault) {
		return err
	}
	field, expected := "where", `filters such as tag:safety after:2025-01-01 status=draft`
	if q.Mode == store.ModeRegex {
		field, expected = "query", "a regular expression in Go's syntax; mode literal takes the text as it stands"
		if q.Where != "" {
			field = "query or where"
		}
	}
	return invalid(field, fmt.Sprintf("at character %d: %s", fault.Position, clip(fault.Reason, clipProse)), expected)
}

// checkPlace refuses a document or folder that is not there: no hits would mean something else. A source stands for
// its text.
func checkPlace(v *store.View, q *store.Query) error {
	switch {
	case q.Path != "":
		d, err := openDocument(v, q.Path)
		q.Path = d.Path
		return err
	case q.Folder != "":
		there, err := v.HasFolder(q.Folder)
		if err == nil && !there {
			err = noFolder(v, q.Folder)
		}
		return err
	}
	return nil
}

func hitsOf(v *store.View, list []store.Hit, q store.Query, locale string) ([]hit, error) {
	shelves, err := v.Shelves()
	if err != nil {
		return nil, err
	}
	states, labels := map[string]store.ShelfState{}, map[string]string{}
	for _, s := range shelves {
		labels[s.Name] = labelOf(s.Labels, locale)
		if s.State.Stale() {
			states[s.Name] = s.State
		}
	}
	levels := levelsOf{v: v}
	hits := make([]hit, len(list))
	for i, h := range list {
		hits[i] = concise(h)
		if h.Fusion != nil { // reciprocal ranks are small numbers
			hits[i].Score, hits[i].floored = round6(h.Score), h.Fusion.Reason == store.ReasonFloor
		}
		hits[i].ShelfState = states[h.Document.Shelf]
		hits[i].DisplayPath = besides(displayPath(h.Document, labels[h.Document.Shelf]))
		if h.Evidence == nil {
			continue
		}
		hits[i].evidence = evidenceOf(h)
		if h.Fusion == nil {
			hits[i].Retrieval, hits[i].FTSRank, hits[i].FTSScore = store.RetrievedByText, q.Offset+i+1, hits[i].Score
		} else {
			hits[i].fused(*h.Fusion)
		}
		if err := levels.complete(&hits[i], h); err != nil {
			return nil, err
		}
		if hits[i].located, err = locate(v, h); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

func evidenceOf(h store.Hit) evidence {
	ordinal := h.Document.Ordinal(h.Chunk)
	e := evidence{
		ChunkKey: store.KeyString(h.Chunk.Key), ChunkOrdinal: &ordinal,
		Quote: h.Evidence.Quote, HighlightText: h.Evidence.Highlight, HighlightRanges: rangesOf(h.Evidence),
		ViewerCitation: store.CitationWithHints(h.Document.ID, h.Chunk.Key, h.Terms, *h.Evidence, maxArgument),
	}
	if at := h.Evidence.Paragraph; at >= 0 {
		e.Paragraph, e.ParagraphText = &at, clip(h.Evidence.Paragraphs[at], clipProse)
	}
	return e
}

// fused tells how a hit came to its place.
func (e *evidence) fused(f store.Fusion) {
	e.Retrieval, e.RetrievalReason, e.FTSRank, e.VectorRank = f.Retrieval, f.Reason, f.FTSRank, f.VectorRank
	e.RRFScore, e.FTSScore, e.VectorScore = round6(f.RRFScore), round(f.FTSScore), round(f.VectorScore)
}

func concise(h store.Hit) hit {
	lines := linesOf(h.Document, h.Chunk)
	return hit{
		DocPath: clip(h.Document.Path, clipPath), DocID: h.Document.ID, Title: clip(h.Document.Title, clipTitle), Shelf: clip(h.Document.Shelf, clipProse),
		NodeID: shownID(store.Node{ID: h.NodeID, Ordinal: h.Chunk.Node}), TitlePath: clipTrailOf(h.TitlePath),
		LineStart: lines.Start, LineEnd: lines.End, SourcePath: besides(h.Document.Source), Snippet: clip(h.Snippet, clipProse), Score: round(h.Score),
		Citation: store.Citation(h.Document.ID, h.Chunk.Key), MatchedTerms: some(h.Terms, 1000), Match: h.Match, Context: clip(h.Context, clipProse), More: h.More,
	}
}

// levelsOf reads the outline of each document once.
type levelsOf struct {
	v     *store.View
	nodes map[int64][]store.Node
	said  map[int64]summaries
}

func (l *levelsOf) complete(out *hit, h store.Hit) error {
	nodes, ok := l.nodes[h.Document.ID]
	if !ok {
		var err error
		if nodes, err = l.v.Nodes(h.Document.ID); err != nil {
			return err
		}
		if l.nodes == nil {
			l.nodes = map[int64][]store.Node{}
		}
		l.nodes[h.Document.ID] = nodes
	}
	if h.Chunk.Node < len(nodes) {
		out.SectionLevel = &nodes[h.Chunk.Node].Level
	}
	return l.summarise(out, h, nodes)
}

// shortTexts keeps n texts at most, each of readable length.
func shortTexts(list []string, n int) []string {
	out := []string{}
	for _, s := range list[:min(len(list), n)] {
		out = append(out, clip(s, clipProse))
	}
	return out
}

// round keeps four decimal places: more is noise that costs tokens.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// significant keeps four digits of a score, however small: where few texts hold a word, BM25 is next to nothing.
func significant(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

func round6(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// progress is how far the index has come. Who does not see all of it is told whether a shelf that it sees is growing, and
// no numbers.
func (c call) progress(ctx context.Context, v *store.View) (progress, error) {
	if c.server.options.Indexer == nil {
		return progress{State: "ready"}, nil
	}
	if !c.server.seesAll(ctx) {
		shelves, err := v.Shelves()
		if slices.ContainsFunc(shelves, func(s store.Shelf) bool { return s.State == store.StateIndexing }) {
			return progress{State: "indexing"}, err
		}
		return progress{State: "ready"}, err
	}
	p := c.server.options.Indexer.Progress()
	return progress{p.State, p.Done, p.Total}, nil
}
