package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"shelfd/store"
)

type documentCard struct {
	DocPath         string           `json:"doc_path"`
	DocID           int64            `json:"doc_id"`
	Shelf           string           `json:"shelf"`
	ShelfState      store.ShelfState `json:"shelf_state,omitempty"` // when the shelf is not up to date
	Title           string           `json:"title"`
	Description     string           `json:"description,omitempty"`
	Frontmatter     map[string]any   `json:"frontmatter,omitempty"`
	FrontmatterNote string           `json:"frontmatter_note,omitempty"`
	Tags            []string         `json:"tags"`
	Aliases         []string         `json:"aliases,omitempty"`
	Language        string           `json:"language,omitempty"`
	Lines           int              `json:"lines"`
	Tokens          int              `json:"tokens"`
	Bytes           int64            `json:"bytes"`
	ContentHash     string           `json:"content_hash"`
	UpdatedAt       string           `json:"updated_at"`
	StructureFirst  bool             `json:"read_structure_first"`
	Summary         string           `json:"summary,omitempty"`
	SummaryStatus   string           `json:"summary_status"`
	SummaryKind     string           `json:"summary_kind,omitempty"`
	SummaryVersion  string           `json:"summary_version,omitempty"`
	SourceChunkKeys []string         `json:"source_chunk_keys"`
	Links           linkCounts       `json:"links"`
	SourcePath      string           `json:"source_path,omitempty"` // of a derived text
	Boxes           int              `json:"boxes,omitempty"`       // blocks of the source that its passages were made of
	Pages           int              `json:"pages,omitempty"`       // on which these stand
	Problem         *problemCard     `json:"problem,omitempty"`
}

type linkCounts struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

type problemCard struct {
	Stage  string `json:"stage"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

// What a card gives to each part that a document may fill at will, in encoded units; together with a longest path
// they stay below the budget.
const (
	cardDescription = 2000
	cardFrontmatter = 6000
	cardValue       = 1500
	cardTags        = 1500
	cardAliases     = 700
	cardSummary     = 2100
	cardChunkKeys   = 1000
)

func describeDocument(ctx context.Context, c call) (json.RawMessage, error) {
	var card documentCard
	var top []string
	err := c.view(ctx, func(v *store.View) error {
		d, err := openDocument(v, c.args.text("doc_path"))
		if err != nil {
			return err
		}
		if card, err = cardOf(v, d); err != nil {
			return err
		}
		nodes, err := v.Nodes(d.ID)
		for _, n := range nodes {
			if n.Parent == -1 && len(top) < 20 {
				top = append(top, shownID(n))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer{card, card.advice(top)}.encode(), nil
}

// openDocument finds a document, of a source the text derived from it, or says what is close.
func openDocument(v *store.View, path string) (store.Document, error) {
	d, err := v.Document(path)
	if errors.Is(err, store.ErrNotFound) {
		d, err = v.DerivedFrom(path)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return d, err
	}
	if there, err := v.HasFolder(path); err == nil && there {
		return d, &refusal{
			code: NotFound, text: quoted(path) + " is a folder, not a document",
			steps: next("List the folder.", callText("browse_documents", "folder", arg(path))),
		}
	}
	near, err := v.NearPaths(path, 5)
	if err != nil {
		return d, err
	}
	return d, missing("document", path, near, "get_document", "doc_path")
}

func cardOf(v *store.View, d store.Document) (documentCard, error) {
	card := documentCard{
		DocPath: d.Path, DocID: d.ID, Shelf: clip(d.Shelf, clipProse), Title: clip(d.Title, clipTitle), Description: clip(d.Description, cardDescription),
		Tags: some(d.Tags, cardTags), Aliases: some(d.Aliases, cardAliases), Language: d.Language,
		Lines: d.Lines, Tokens: d.Tokens, Bytes: d.Bytes, ContentHash: d.Hash, UpdatedAt: stamp(d.Updated),
		StructureFirst: d.Tokens > structureFirst,
	}
	card.Frontmatter, card.FrontmatterNote = someFrontmatter(d.FrontMatter)
	if err := card.summarise(v); err != nil {
		return card, err
	}
	if d.Source != "" {
		var err error
		card.SourcePath = besides(d.Source)
		if card.Boxes, card.Pages, err = v.BoxCounts(d.ID); err != nil {
			return card, err
		}
	}
	var err error
	if card.ShelfState, err = outOfDate(v, d.Shelf); err != nil {
		return card, err
	}
	if card.Links.In, card.Links.Out, err = v.LinkCounts(d.ID); err != nil {
		return card, err
	}
	p, err := v.ProblemOf(d.Path)
	if p != nil {
		card.Problem = &problemCard{p.Stage, p.Line, clip(p.Reason, clipProse)}
	}
	return card, err
}

// summarise adds what is said about the document.
func (card *documentCard) summarise(v *store.View) error {
	o, err := v.Outline(card.DocID)
	card.Summary, card.SummaryStatus, card.SummaryKind = clip(o.Summary, cardSummary), string(o.Status), string(o.Kind)
	card.SummaryVersion, card.SourceChunkKeys = clip(o.Version, clipTitle), some(o.ChunkKeys(), cardChunkKeys)
	return err
}

// some keeps as many entries as max units hold, each cut to a title's length.
func some(list []string, max int) []string {
	out := []string{}
	for _, s := range list {
		s = clip(s, clipTitle)
		if max -= encodedUnits(s) + len(`"",`); max < 0 {
			break
		}
		out = append(out, s)
	}
	return out
}

// someFrontmatter cuts values that are long and leaves out keys that don't fit any more; the note says which.
func someFrontmatter(all map[string]any) (map[string]any, string) {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	kept, room, cut := map[string]any{}, cardFrontmatter, 0
	for _, name := range names {
		value := all[name]
		if text := encode(value); units(text) > cardValue {
			value = clip(plain(value, text), cardValue)
			cut++
		}
		size := encodedUnits(name) + units(encode(value)) + len(`"":,`)
		if size > room {
			continue
		}
		room -= size
		kept[name] = value
	}
	if left := len(all) - len(kept); left+cut > 0 {
		return kept, fmt.Sprintf("front matter cut to fit: %s shortened, %s left out; read the first lines of the file's text for the whole", count(cut, "value", "values"), count(left, "key", "keys"))
	}
	return kept, ""
}

func plain(value any, encoded json.RawMessage) string {
	if s, ok := value.(string); ok {
		return s
	}
	return string(encoded)
}

func (card documentCard) advice(top []string) steps {
	path := arg(card.DocPath)
	outline := callText("get_document_structure", "doc_path", path)
	var neighbours string
	if n := card.Links.In + card.Links.Out; n > 0 {
		neighbours = callText("related_documents", "doc_path", path) + fmt.Sprintf(" shows its %s.", count(n, "link", "links"))
	}
	switch {
	case len(top) == 0:
		return next("The document has no text.", neighbours)
	case card.StructureFirst:
		return next(fmt.Sprintf("Long document (%d tokens): look at the outline first, then read only the sections you need.", card.Tokens), outline, neighbours)
	}
	if card.Tokens > glance {
		return next(fmt.Sprintf("%d tokens: the outline finds the section you need; the whole can be read as well.", card.Tokens), outline, readCall(card.DocPath, top), neighbours)
	}
	return next(fmt.Sprintf("Short enough (%d tokens) to be read from its top sections.", card.Tokens), readCall(card.DocPath, top), outline, neighbours)
}

// readCall is get_node_content for as many of the nodes as make a short sentence.
func readCall(path string, ids []string) string {
	shown := some(ids, 400)
	if len(shown) == 0 {
		return ""
	}
	return callText("get_node_content", "doc_path", arg(path), "node_ids", string(encode(shown)))
}
