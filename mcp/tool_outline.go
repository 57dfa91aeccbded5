package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"shelfd/indexer"
	"shelfd/store"
)

func outlineTool() *tool {
	return &tool{
		name: "save_outline", title: "Save summaries of a document", destroys: true, repeatable: true, judges: true, run: saveOutline,
		about: "Saves your own summaries of a document you have read: one of the whole, one for each section that deserves it. They lead others to the right section; they are never evidence. " +
			"Replaces all summaries of the document. Everything is checked first and one fault refuses the whole call, with a list of what would pass. " +
			"Read with get_node_content before you summarise; `source_hash` is the `content_hash` of get_document. After the file changes the summaries count as stale.",
		params: []param{
			docPath(),
			{
				name: "summary", kind: aString, required: true, min: indexer.SummaryMin, max: indexer.SummaryMax,
				about: "What the whole document is about, what it holds and for whom; in its language. More than its title says.",
			},
			{
				name: "sections", kind: aList, required: true, max: maxSections, entries: sectionParams(),
				about: "One entry a section, [] for none.",
			},
			{name: "source_hash", kind: aString, required: true, min: 1, max: maxArgument, about: "content_hash of the document as you read it."},
			{name: "summary_version", kind: aString, min: 1, max: indexer.VersionMax, about: "A name of your own for this set, such as 2."},
		},
	}
}

// maxSections is far above any outline worth having.
const maxSections = 5000

func sectionParams() []param {
	return []param{
		{name: "node_id", kind: aString, required: true, min: 1, max: maxArgument, about: "Exactly as get_document_structure gave it."},
		{name: "summary", kind: aString, required: true, min: indexer.SectionMin, max: indexer.SectionMax, about: "What stands in the section."},
		{name: "key_facts", kind: aList, max: indexer.MaxFacts, about: "Single facts worth finding: a figure, a date, a duty."},
		{name: "chunk_keys", kind: aList, max: indexer.MaxChunkKeys, about: "Keys of the passages it was drawn from: chunk_key of search_documents with detail=evidence."},
	}
}

type savedOutline struct {
	DocPath string         `json:"doc_path"`
	Version string         `json:"summary_version,omitempty"`
	Kind    string         `json:"summary_kind"`
	Written writtenOutline `json:"written"`
}

type writtenOutline struct {
	DocSummary       bool `json:"doc_summary"`
	Sections         int  `json:"sections"`
	SectionSummaries int  `json:"section_summaries"`
	KeyFacts         int  `json:"key_facts"`
	SummaryChunks    int  `json:"summary_chunks"`
}

func saveOutline(ctx context.Context, c call) (json.RawMessage, error) {
	x, err := c.indexer()
	if err != nil {
		return nil, err
	}
	path := c.args.text("doc_path")
	o, near, seen, err := c.outline(ctx, path)
	if err != nil {
		return nil, err
	}
	at := path
	if !seen {
		at = "" // there is none: one that is hidden is refused in the same words
	}
	faults := make([]indexer.Rejection, len(c.faults))
	for i, f := range c.faults {
		faults[i] = indexer.Rejection{Field: f.Field, Reason: f.Reason, Expected: f.Expected}
	}
	saved, err := x.SaveOutline(ctx, at, o, faults...)
	var refused *indexer.OutlineRefused
	if errors.As(err, &refused) {
		return nil, outlineRefusal(path, near, refused.Rejections)
	}
	if err != nil {
		return nil, err
	}
	data := savedOutline{
		DocPath: path, Version: saved.Version, Kind: string(store.OutlineSaved),
		Written: writtenOutline{saved.DocumentSummary, saved.Sections, saved.SectionSummaries, saved.KeyFacts, saved.SummaryChunks},
	}
	return answer{data, next(fmt.Sprintf("Saved: the summary of the document and of %s. They are searched until the file changes.", count(saved.SectionSummaries, "section", "sections")),
		callText("get_document_structure", "doc_path", arg(path))+" shows them.")}.encode(), nil
}

// outline reads the arguments as an outline; node ids that were shown shortened get their full form. near are the
// documents with paths like one that is not seen.
func (c call) outline(ctx context.Context, path string) (o store.Outline, near []string, seen bool, err error) {
	o = store.Outline{SourceHash: c.args.text("source_hash"), Version: c.args.text("summary_version"), Summary: c.args.text("summary")}
	full := map[string]string{}
	err = c.view(ctx, func(v *store.View) error {
		d, err := v.Document(path)
		if errors.Is(err, store.ErrNotFound) {
			near, err = v.NearPaths(path, 5)
			return err
		}
		if err != nil {
			return err
		}
		seen = true
		nodes, err := v.Nodes(d.ID)
		for _, n := range nodes {
			full[shownID(n)] = n.ID
		}
		return err
	})
	for _, s := range c.args.objects("sections") {
		id := s.text("node_id")
		if whole, ok := full[id]; ok {
			id = whole
		}
		o.Sections = append(o.Sections, store.OutlineSection{NodeID: id, Summary: s.text("summary"), KeyFacts: s.list("key_facts"), ChunkKeys: s.list("chunk_keys")})
	}
	return o, near, seen, err
}

// outlineRefusal lists all that would not pass, as far as an answer holds it.
func outlineRefusal(path string, near []string, rejections []indexer.Rejection) *refusal {
	list := make([]rejected, len(rejections))
	texts := make([]string, 0, 4)
	for i, r := range rejections {
		list[i] = rejected{Field: clip(r.Field, clipTitle), Reason: clip(r.Reason, clipProse), Expected: clip(r.Expected, clipProse)}
		if r.Field == "doc_path" && len(near) > 0 {
			list[i].Nearest = clip(near[0], clipPath)
		}
		if len(texts) < cap(texts) {
			texts = append(texts, list[i].Field+": "+list[i].Reason)
		}
	}
	if more := len(list) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	r := &refusal{code: InvalidInput, text: "nothing was saved; " + strings.Join(texts, "; "), steps: outlineAdvice(path, rejections)}
	n := sort.Search(len(list), func(n int) bool { return units(r.with(list, near, n+1).encode()) > budget })
	return r.with(list, near, n)
}

// with is the refusal with the first n of the rejections.
func (r *refusal) with(list []rejected, near []string, n int) *refusal {
	shown := *r
	details := map[string]any{"rejected": list[:n]}
	if n < len(list) {
		details["rejected_total"] = len(list)
	}
	if len(near) > 0 {
		details["nearest"] = some(near, 1500)
	}
	shown.details = details
	return &shown
}

// outlineAdvice says what to call before the next try.
func outlineAdvice(path string, rejections []indexer.Rejection) steps {
	about := func(suffix string) bool {
		for _, r := range rejections {
			if strings.HasSuffix(r.Field, suffix) {
				return true
			}
		}
		return false
	}
	var document, structure, browse string
	switch {
	case about("doc_path"):
		browse = "browse_documents() finds the document."
	default:
		if about("source_hash") {
			document = callText("get_document", "doc_path", arg(path)) + " gives the present content_hash; read what has changed before you summarise it."
		}
		if about("node_id") {
			structure = callText("get_document_structure", "doc_path", arg(path)) + " gives the present node_ids."
		}
	}
	return next("Correct what details.rejected names and send the whole outline again.", browse, document, structure)
}
