package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"shelfd/chunker"
	"shelfd/store"
)

// passageCard is one chunk by itself. Boxes are filled where the document was derived from pages.
type passageCard struct {
	DocPath         string           `json:"doc_path"`
	DocID           int64            `json:"doc_id"`
	ShelfState      store.ShelfState `json:"shelf_state,omitempty"` // when the shelf is not up to date
	Title           string           `json:"title"`
	ChunkKey        string           `json:"chunk_key"`
	Citation        string           `json:"citation"`
	Moved           bool             `json:"moved"` // the citation named another document
	NodeID          string           `json:"node_id"`
	TitlePath       []string         `json:"title_path"`
	LineStart       int              `json:"line_start,omitempty"` // none of a derived text
	LineEnd         int              `json:"line_end,omitempty"`
	Text            string           `json:"text"`
	Truncated       bool             `json:"truncated,omitempty"` // text or paragraphs are longer than shown
	Paragraphs      []paragraph      `json:"paragraphs"`
	Quote           string           `json:"quote,omitempty"`
	Snippet         string           `json:"snippet,omitempty"`
	MatchedTerms    []string         `json:"matched_terms"`
	HighlightText   string           `json:"highlight_text,omitempty"`
	HighlightRanges [][2]int         `json:"highlight_ranges"`
	Boxes           []chunker.Box    `json:"boxes"`       // one a block
	UnionBoxes      []chunker.Box    `json:"union_boxes"` // one a page
	SourcePath      string           `json:"source_path,omitempty"`
	Sheet           string           `json:"sheet,omitempty"`
	Cell            string           `json:"cell,omitempty"`
	Previous        string           `json:"previous,omitempty"` // citation
	Next            string           `json:"next,omitempty"`     // citation
}

type paragraph struct {
	Ordinal int    `json:"ordinal"`
	Text    string `json:"text"`
}

// candidate is a chunk that may stand for one that is gone.
type candidate struct {
	Citation  string   `json:"citation"`
	DocPath   string   `json:"doc_path"`
	NodeID    string   `json:"node_id"`
	TitlePath []string `json:"title_path"`
	LineStart int      `json:"line_start,omitempty"`
	LineEnd   int      `json:"line_end,omitempty"`
	Snippet   string   `json:"snippet"`
}

// passageText is what a passage gives to the text of its chunk, in encoded units. Few are half as long; what is left of
// the budget goes to the paragraphs.
const passageText = 6000

func chunkTool() *tool {
	return &tool{
		name: "get_chunk", title: "Open a citation", reads: true, repeatable: true, run: getChunk,
		about: "One passage by its citation, as search hits and earlier answers carry it: its text, section, lines and a quote that stands in the source word for word. " +
			"A citation stays good when the file is edited elsewhere, renamed or indexed again; of a passage that is gone the answer says so and offers what stands in its place. " +
			"Give exactly one of: citation; doc_id and chunk_key; doc_path and line.",
		params: []param{
			{
				name: "citation", kind: aString, min: 1, max: maxArgument,
				about: "kb://doc/<doc_id>/chunk/<chunk_key>, copied from an answer; hints behind a ? may stay.",
			},
			{name: "doc_id", kind: anInt, min: 1, about: "Document of the chunk_key."},
			{name: "chunk_key", kind: aString, min: 1, max: maxArgument, about: "Key of the passage in that document."},
			{name: "doc_path", kind: aString, min: 1, max: maxArgument, about: "Document of the line, exactly as an answer gave it."},
			{name: "line", kind: anInt, min: 1, about: "A line of the file, from 1: the passage that holds it."},
			{
				name: "line_text", kind: aString, min: 1, max: maxArgument,
				about: "What that line said. Finds the passage when the file has changed since.",
			},
			{name: "query", kind: aString, min: 1, max: maxArgument, about: "Words to light up in the passage."},
		},
	}
}

func getChunk(ctx context.Context, c call) (json.RawMessage, error) {
	var card passageCard
	var whole store.Passage
	err := c.view(ctx, func(v *store.View) error {
		found, moved, hinted, err := findChunk(v, c.args)
		if err != nil {
			return err
		}
		query := c.args.text("query")
		if query == "" {
			query = strings.Join(hinted, " ")
		}
		if whole, err = v.Passage(found, query); err != nil {
			return err
		}
		card = cardOfPassage(whole, moved)
		if card.ShelfState, err = outOfDate(v, whole.Document.Shelf); err != nil {
			return err
		}
		return card.locate(v, whole.Hit)
	})
	if err != nil {
		return nil, err
	}
	steps := card.advice()
	return longest(len(whole.Evidence.Paragraphs), func(n int) answer {
		return answer{card.withParagraphs(whole, n), steps}
	}), nil
}

// findChunk finds the chunk by whichever of the three ways was given.
func findChunk(v *store.View, args values) (c store.Chunk, moved bool, hinted []string, err error) {
	if err := oneWay(args); err != nil {
		return c, false, nil, err
	}
	if args.text("doc_path") != "" {
		c, err = chunkAtLine(v, args)
		return c, false, nil, err
	}
	r := store.Reference{Document: int64(args.number("doc_id"))}
	ok, field, value := false, "chunk_key", args.text("chunk_key")
	if citation := args.text("citation"); citation != "" {
		field, value = "citation", citation
		r, ok = store.ParseCitation(citation)
	} else {
		r.Key, ok = store.ParseKey(value)
	}
	if !ok && r.Document > 0 {
		return c, false, nil, noSuchKey(v, r.Document, value)
	}
	if !ok {
		return c, false, nil, invalid(field, quoted(value)+" is not a "+strings.ReplaceAll(field, "_", " "), wantedForm[field])
	}
	c, moved, err = v.Resolve(r)
	if errors.Is(err, store.ErrNotFound) {
		err = chunkGone(v, r)
	}
	return c, moved, r.Terms, err
}

var wantedForm = map[string]string{
	"citation":  "kb://doc/<doc_id>/chunk/<chunk_key>, copied from an answer",
	"chunk_key": "sixteen hexadecimal digits, with -2, -3 … behind them where the answer had it",
}

// oneWay refuses arguments that name no passage, or in more than one way.
func oneWay(args values) error {
	given := func(name string) bool { _, ok := args[name]; return ok }
	byKey, byLine := given("doc_id") || given("chunk_key"), given("doc_path") || given("line") || given("line_text")
	ways := 0
	for _, way := range []bool{given("citation"), byKey, byLine} {
		if way {
			ways++
		}
	}
	const expected = "exactly one of: citation; doc_id and chunk_key; doc_path and line"
	switch {
	case ways == 0:
		return invalid("citation", "no passage is named", expected)
	case ways > 1:
		return invalid("citation", "the passage is named in more than one way", expected)
	case byKey && !given("doc_id"):
		return invalid("doc_id", "it is required with chunk_key", expected)
	case byKey && !given("chunk_key"):
		return invalid("chunk_key", "it is required with doc_id", expected)
	case byLine && !given("doc_path"):
		return invalid("doc_path", "it is required with line", expected)
	case byLine && !given("line"):
		return invalid("line", "it is required with doc_path", expected)
	}
	return nil
}

func chunkAtLine(v *store.View, args values) (store.Chunk, error) {
	d, err := openDocument(v, args.text("doc_path"))
	if err != nil {
		return store.Chunk{}, err
	}
	line, lineText := args.number("line"), args.text("line_text")
	if line > d.Lines && lineText == "" {
		return store.Chunk{}, invalid("line", fmt.Sprintf("the document ends at line %d", d.Lines), fmt.Sprintf("1-%d, or line_text with what the line said", d.Lines))
	}
	c, err := v.ChunkAt(d, line, lineText)
	if err == nil && lineText == "" && line < c.Lines.Start && c.ID == d.FirstChunk && len(d.FrontMatter) > 0 {
		return c, &refusal{
			code: NotFound, text: fmt.Sprintf("line %d of %s stands before its text, in the front matter", line, quoted(d.Path)),
			details: map[string]any{"candidates": []candidate{}},
			steps:   next("No passage holds front matter.", callText("get_document", "doc_path", arg(d.Path))+" shows it."),
		}
	}
	if !errors.Is(err, store.ErrNotFound) {
		return c, err
	}
	if d.Chunks == 0 {
		return c, gone(fmt.Sprintf("%s has no text", quoted(d.Path)), nil, "")
	}
	near, err := v.ChunkAt(d, line, "")
	if err != nil {
		return c, err
	}
	list, err := candidates(v, []store.Chunk{near})
	if err != nil {
		return c, err
	}
	return c, gone(fmt.Sprintf("no line of %s says that any more; line %d is now in another passage", quoted(d.Path), line), list, d.Path)
}

// chunkGone says that a passage is not there any more, and what stands in its place.
func chunkGone(v *store.View, r store.Reference) error {
	chunks, err := v.Candidates(r)
	if err != nil {
		return err
	}
	list, err := candidates(v, chunks)
	if err != nil {
		return err
	}
	d, err := v.DocumentByID(r.Document)
	switch {
	case errors.Is(err, store.ErrNotFound) && len(list) > 1:
		return gone("the document is gone, and more than one other holds this passage", list, "")
	case errors.Is(err, store.ErrNotFound):
		return gone(fmt.Sprintf("there is no document %d, and no other holds passage %s", r.Document, store.KeyString(r.Key)), list, "")
	case err != nil:
		return err
	}
	return gone(fmt.Sprintf("%s holds passage %s no more: it was edited", quoted(d.Path), store.KeyString(r.Key)), list, d.Path)
}

// noSuchKey is about what was given for a key, or a citation, and can be none.
func noSuchKey(v *store.View, document int64, given string) error {
	d, err := v.DocumentByID(document)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return gone("there is no passage "+quoted(given)+"; a key is "+wantedForm["chunk_key"], nil, d.Path)
}

func gone(text string, list []candidate, docPath string) *refusal {
	if list == nil {
		list = []candidate{}
	}
	options := []string{}
	for _, c := range list[:min(len(list), 3)] {
		options = append(options, callText("get_chunk", "citation", arg(c.Citation)))
	}
	if docPath != "" {
		options = append(options, callText("get_document_structure", "doc_path", arg(docPath)))
	}
	summary := "The passage is gone; do not cite it. These may say the same now: read before you cite."
	if len(list) == 0 {
		summary = "The passage is gone; do not cite it."
		options = append(options, "search_documents() with the words that it held.")
	}
	return &refusal{code: NotFound, text: text, details: map[string]any{"candidates": list}, steps: next(summary, options...)}
}

func candidates(v *store.View, chunks []store.Chunk) ([]candidate, error) {
	var list []candidate
	for _, c := range chunks {
		p, err := v.Passage(c, "")
		if err != nil {
			return nil, err
		}
		lines := linesOf(p.Document, c)
		list = append(list, candidate{
			Citation: store.Citation(c.DocumentID, c.Key), DocPath: clip(p.Document.Path, clipProse), NodeID: clip(shownID(store.Node{ID: p.NodeID, Ordinal: c.Node}), clipProse),
			TitlePath: some(clipTrailOf(p.TitlePath), clipProse), LineStart: lines.Start, LineEnd: lines.End, Snippet: clip(p.Snippet, clipTitle),
		})
	}
	return list, nil
}

func cardOfPassage(p store.Passage, moved bool) passageCard {
	if p.Evidence == nil {
		return passageCard{}
	}
	lines := linesOf(p.Document, p.Chunk)
	return passageCard{
		DocPath: clip(p.Document.Path, clipPath), DocID: p.Document.ID, Title: clip(p.Document.Title, clipTitle),
		ChunkKey: store.KeyString(p.Chunk.Key), Citation: store.Citation(p.Document.ID, p.Chunk.Key), Moved: moved,
		NodeID: shownID(store.Node{ID: p.NodeID, Ordinal: p.Chunk.Node}), TitlePath: clipTrailOf(p.TitlePath),
		LineStart: lines.Start, LineEnd: lines.End, SourcePath: besides(p.Document.Source), Text: clip(p.Text, passageText),
		Quote: p.Evidence.Quote, Snippet: clip(p.Snippet, clipProse), MatchedTerms: some(p.Terms, 1000),
		HighlightText: p.Evidence.Highlight, HighlightRanges: rangesOf(p.Evidence),
		Sheet: clip(p.Evidence.Sheet, clipTitle), Cell: p.Evidence.Cell,
		Previous: citationOf(p.Document.ID, p.Previous), Next: citationOf(p.Document.ID, p.Next),
	}
}

// locate adds where the passage stands on the pages of its source.
func (card *passageCard) locate(v *store.View, h store.Hit) error {
	boxes, err := v.ChunkBoxes(h.Document.ID, h.Document.Ordinal(h.Chunk))
	card.Boxes, card.UnionBoxes = fittingBoxes(boxes, roomForBoxes), fittingBoxes(chunker.UnionBoxes(boxes), roomForBoxes)
	return err
}

// withParagraphs shows the first n paragraphs.
func (card passageCard) withParagraphs(p store.Passage, n int) passageCard {
	card.Paragraphs = make([]paragraph, n)
	for i, text := range p.Evidence.Paragraphs[:n] {
		card.Paragraphs[i] = paragraph{i, text}
	}
	card.Truncated = card.Text != p.Text || n < len(p.Evidence.Paragraphs)
	return card
}

func rangesOf(e *store.Evidence) [][2]int {
	if e.Ranges == nil {
		return [][2]int{}
	}
	return e.Ranges
}

func citationOf(document int64, c *store.Chunk) string {
	if c == nil {
		return ""
	}
	return store.Citation(document, c.Key)
}

func (card passageCard) advice() steps {
	summary := fmt.Sprintf("The passage as it stands now, lines %d-%d.", card.LineStart, card.LineEnd)
	if card.SourcePath != "" {
		summary = "The passage as it stands in the text made of source_path; boxes say where on its pages."
	}
	if card.Moved {
		summary = "The document of the citation has this passage no more; it stands here. Cite it by the new citation."
	}
	around := ""
	if card.Next != "" {
		around = callText("get_chunk", "citation", arg(card.Next)) + " reads on."
	}
	return next(summary, readCall(card.DocPath, []string{card.NodeID}), around)
}
