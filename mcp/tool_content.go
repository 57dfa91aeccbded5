package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"shelfd/store"
)

type reading struct {
	DocPath    string           `json:"doc_path"`
	ShelfState store.ShelfState `json:"shelf_state,omitempty"` // when the shelf is not up to date
	Nodes      []passage        `json:"nodes"`
	Pagination pagination       `json:"pagination"`
}

func content(ctx context.Context, c call) (json.RawMessage, error) {
	var t tree
	err := c.view(ctx, func(v *store.View) (err error) {
		t, err = openTree(v, c.args.text("doc_path"))
		return err
	})
	if err != nil {
		return nil, err
	}
	passages, err := t.passages(c.args.list("node_ids"))
	if err != nil {
		return nil, err
	}
	render := func(nodes []passage, p pagination) answer {
		return answer{reading{t.document.Path, t.state, nodes, p}, t.readingAdvice(nodes, p)}
	}
	return pick(splitPassages(passages, room(render)), c.args.number("part"), render)
}

// passages are the nodes asked for in the order asked, each once.
func (t tree) passages(ids []string) ([]passage, error) {
	lines := strings.Split(t.content, "\n")
	seen := map[int]bool{}
	var list []passage
	for _, id := range ids {
		o, err := t.find(id)
		if err != nil {
			return nil, err
		}
		if seen[o] {
			continue
		}
		seen[o] = true
		n := t.nodes[o]
		list = append(list, passage{
			NodeID: shownID(n), TitlePath: t.trail(o), LineStart: n.Lines.Start, LineEnd: n.Lines.End,
			text: sourceLines(lines, n.Lines.Start, n.Lines.End),
		})
	}
	return list, nil
}

// sourceLines are lines first to last, without what marks their end and the file's beginning.
func sourceLines(lines []string, first, last int) []string {
	first, last = max(first, 1), min(last, len(lines))
	if first > last {
		return nil
	}
	out := make([]string, 0, last-first+1)
	for _, line := range lines[first-1 : last] {
		out = append(out, strings.TrimSuffix(line, "\r"))
	}
	if first == 1 {
		out[0] = strings.TrimPrefix(out[0], "\ufeff")
	}
	return out
}

// trail is the titles from the top section to the node's own.
func (t tree) trail(ordinal int) []string {
	var titles []string
	for o := ordinal; o >= 0; o = t.nodes[o].Parent {
		if title := t.nodes[o].Title; title != "" {
			titles = append([]string{title}, titles...)
		}
	}
	return clipTrailOf(titles)
}

func (t tree) readingAdvice(nodes []passage, p pagination) steps {
	var more string
	if p.HasMore {
		more = fmt.Sprintf("The same call with part=%d goes on.", p.Part+1)
	}
	cite := "Cite as [doc_path, L<start>-<end>] with the line numbers printed before the lines."
	if len(nodes) > 0 && clip(t.document.Path, 200) == t.document.Path {
		cite = fmt.Sprintf("Cite only the lines that carry a claim, one citation a claim: within [%s, L%d-%d].", t.document.Path, nodes[0].LineStart, nodes[0].LineEnd)
	}
	return next(fmt.Sprintf("Part %d of %d.", p.Part, p.Parts), cite, more)
}
