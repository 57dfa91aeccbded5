package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"shelfd/internal/text"
	"shelfd/store"
)

// outlineNode is a section in an outline.
type outlineNode struct {
	NodeID          string        `json:"node_id"`
	Title           string        `json:"title,omitempty"`
	Level           int           `json:"level"`
	LineStart       int           `json:"line_start"`
	LineEnd         int           `json:"line_end"`
	Tokens          int           `json:"tokens"`
	Summary         string        `json:"summary,omitempty"`
	SummaryStatus   string        `json:"summary_status"`
	KeyFacts        []string      `json:"key_facts"`
	SourceChunkKeys []string      `json:"source_chunk_keys"`
	ChildCount      int           `json:"child_count,omitempty"` // children that depth has cut
	Nodes           []outlineNode `json:"nodes"`
}

type outline struct {
	DocPath    string           `json:"doc_path"`
	ShelfState store.ShelfState `json:"shelf_state,omitempty"` // when the shelf is not up to date
	Nodes      []outlineNode    `json:"nodes"`
	Pagination pagination       `json:"pagination"`
}

// tree is the sections of one document with their text.
type tree struct {
	document store.Document
	state    store.ShelfState // of its shelf, when that is not up to date
	content  string
	nodes    []store.Node
	children map[int][]int // ordinals by ordinal, -1 = the top
	said     summaries     // about its sections; only the outline asks
}

func openTree(v *store.View, path string) (tree, error) {
	d, err := openDocument(v, path)
	if err != nil {
		return tree{}, err
	}
	t := tree{document: d, children: map[int][]int{}}
	if t.state, err = outOfDate(v, d.Shelf); err != nil {
		return t, err
	}
	if t.nodes, err = v.Nodes(d.ID); err != nil {
		return t, err
	}
	for _, n := range t.nodes {
		t.children[n.Parent] = append(t.children[n.Parent], n.Ordinal)
	}
	t.content, err = v.Content(d.ID)
	return t, err
}

func structure(ctx context.Context, c call) (json.RawMessage, error) {
	var t tree
	err := c.view(ctx, func(v *store.View) (err error) {
		if t, err = openTree(v, c.args.text("doc_path")); err != nil {
			return err
		}
		t.said, err = summariesOf(v, t.document.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	top := t.children[-1]
	if id := c.args.text("node_id"); id != "" {
		ordinal, err := t.find(id)
		if err != nil {
			return nil, err
		}
		top = []int{ordinal}
	}
	nodes := t.outline(top, c.args.number("depth"))
	render := func(nodes []outlineNode, p pagination) answer {
		return answer{outline{t.document.Path, t.state, nodes, p}, t.outlineAdvice(nodes, p)}
	}
	return pick(splitNodes(nodes, room(render)), c.args.number("part"), render)
}

// outline is depth levels of the nodes with these ordinals.
func (t tree) outline(ordinals []int, depth int) []outlineNode {
	nodes := make([]outlineNode, len(ordinals))
	for i, o := range ordinals {
		n := t.nodes[o]
		nodes[i] = outlineNode{
			NodeID: shownID(n), Title: clip(n.Title, clipTitle), Level: n.Level, LineStart: n.Lines.Start, LineEnd: n.Lines.End,
			Tokens: text.Tokens(t.content[n.Span.Start:n.Span.End]), Nodes: []outlineNode{},
		}
		t.said.fill(&nodes[i], n.ID)
		switch below := t.children[o]; {
		case len(below) == 0:
		case depth > 1:
			nodes[i].Nodes = t.outline(below, depth-1)
		default:
			nodes[i].ChildCount = len(below)
		}
	}
	return nodes
}

func (t tree) outlineAdvice(nodes []outlineNode, p pagination) steps {
	path := arg(t.document.Path)
	var read, open, more string
	if leaf := firstLeaf(nodes); leaf != "" {
		read = readCall(t.document.Path, []string{leaf}) + " reads a section; choose the leaves that fit."
	}
	if cut := firstCut(nodes); cut != "" {
		open = callText("get_document_structure", "doc_path", path, "node_id", arg(cut)) + " opens a node with child_count."
	}
	if p.HasMore {
		more = fmt.Sprintf("The same call with part=%d for the rest of the outline.", p.Part+1)
	}
	if len(t.nodes) == 0 {
		return next("The document has no text.")
	}
	return next(fmt.Sprintf("Part %d of %d of the outline.", p.Part, p.Parts), read, open, more)
}

func firstLeaf(nodes []outlineNode) string {
	for _, n := range nodes {
		if len(n.Nodes) > 0 {
			return firstLeaf(n.Nodes)
		}
		if n.ChildCount == 0 {
			return n.NodeID
		}
	}
	return ""
}

func firstCut(nodes []outlineNode) string {
	for _, n := range nodes {
		if n.ChildCount > 0 {
			return n.NodeID
		}
		if id := firstCut(n.Nodes); id != "" {
			return id
		}
	}
	return ""
}

// maxShownID keeps node ids short enough to be an argument and to repeat in every part of an outline.
const maxShownID = 512

// shownID is the id of a node as answers give it. An id too long for that is cut and made unique by the node's place
// behind a ~, which no slug contains.
func shownID(n store.Node) string {
	if utf8.RuneCountInString(n.ID) <= maxShownID {
		return n.ID
	}
	short := []rune(n.ID)[:maxShownID-20]
	return fmt.Sprintf("%s~%d", string(short), n.Ordinal)
}

// find is the ordinal of the node that answers call id, or a refusal with what is close.
func (t tree) find(id string) (int, error) {
	ids := make([]string, len(t.nodes))
	for i, n := range t.nodes {
		if ids[i] = shownID(n); ids[i] == id || n.ID == id {
			return n.Ordinal, nil
		}
	}
	near := text.Nearest(id, ids, 5)
	r := &refusal{code: NotFound, text: fmt.Sprintf("no node %s in %s", quoted(id), quoted(t.document.Path))}
	if len(near) > 0 {
		near = some(near, 1500)
		r.text += "; close: " + strings.Join(near, ", ")
		r.details = map[string]any{"nearest": near}
	}
	instead := ""
	if len(near) > 0 {
		instead = readCall(t.document.Path, near[:1]) + " if that was meant."
	}
	r.steps = next("No section has this node_id: it was guessed, or the document has changed.",
		callText("get_document_structure", "doc_path", arg(t.document.Path))+" gives the present ones.", instead)
	return 0, r
}
