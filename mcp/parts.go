package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// pagination says which part of a tree or text an answer is.
type pagination struct {
	Part    int  `json:"part"`
	Parts   int  `json:"parts"`
	HasMore bool `json:"has_more"`
}

func paginate(part, parts int) pagination { return pagination{part, parts, part < parts} }

// adviceRoom is kept free for next steps that name nodes: a path and two node ids, each at most 300 units as arg and
// readCall write them, and the words around them.
const adviceRoom = 1500

// room is what is left of the budget for the nodes of one part, whichever part it is: render is tried with the
// longest numbers, as the last part and as one before it.
func room[T any](render func([]T, pagination) answer) int {
	const most = 9999999
	last := units(render([]T{}, paginate(most, most)).encode())
	before := units(render([]T{}, paginate(most-1, most)).encode())
	return budget - adviceRoom - max(last, before) + len("[]")
}

// pick renders one of the parts, or says how many there are.
func pick[T any](parts [][]T, part int, render func([]T, pagination) answer) (json.RawMessage, error) {
	if part > len(parts) {
		return nil, invalid("part", fmt.Sprintf("there is no part %d", part), fmt.Sprintf("1-%d: this answer has %s", len(parts), count(len(parts), "part", "parts")))
	}
	return render(parts[part-1], paginate(part, len(parts))).encode(), nil
}

// count says a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// splitNodes cuts a list of outline nodes into parts whose JSON takes at most limit units. Order is kept. A node too
// large for one part repeats itself, without its children, in front of each run of them.
func splitNodes(nodes []outlineNode, limit int) [][]outlineNode {
	var g group[outlineNode]
	for _, n := range nodes {
		size := units(encode(n))
		if len("[]")+size > limit && len(n.Nodes) > 0 {
			g.flush()
			for _, piece := range splitChildren(n, limit) {
				g.parts = append(g.parts, []outlineNode{piece})
			}
			continue
		}
		g.add(n, size, limit)
	}
	return g.all()
}

func splitChildren(n outlineNode, limit int) []outlineNode {
	shell := n
	shell.Nodes = []outlineNode{}
	var pieces []outlineNode
	if n.Summary != "" { // shown once, in front: too much to repeat at every level
		pieces = append(pieces, shell)
		shell.Summary, shell.KeyFacts, shell.SourceChunkKeys = "", []string{}, []string{}
	}
	inner := limit - len("[]") - units(encode(shell))
	for _, children := range splitNodes(n.Nodes, inner) {
		piece := shell
		piece.Nodes = children
		pieces = append(pieces, piece)
	}
	return pieces
}

// group fills parts one after another.
type group[T any] struct {
	parts [][]T
	open  []T
	size  int // of open as JSON, without the brackets
}

func (g *group[T]) add(item T, size, limit int) {
	if len(g.open) > 0 && len("[],")+g.size+size > limit {
		g.flush()
	}
	if len(g.open) > 0 {
		g.size += len(",")
	}
	g.open = append(g.open, item)
	g.size += size
}

func (g *group[T]) flush() {
	if len(g.open) > 0 {
		g.parts = append(g.parts, g.open)
	}
	g.open, g.size = nil, 0
}

// all is at least one part: an empty one when nothing was added.
func (g *group[T]) all() [][]T {
	g.flush()
	if len(g.parts) == 0 {
		return [][]T{{}}
	}
	return g.parts
}

// passage is a section with its text, or a piece of it. LineStart and LineEnd are those of the piece.
type passage struct {
	NodeID    string   `json:"node_id"`
	TitlePath []string `json:"title_path"`
	LineStart int      `json:"line_start"`
	LineEnd   int      `json:"line_end"`
	Content   string   `json:"content"`
	text      []string // the lines of the source
}

// splitPassages cuts passages into parts whose JSON takes at most limit units. A passage that fits a part is never cut;
// a longer one is cut between lines, each piece a part of its own. A line longer than a part is cut, its number
// repeated.
func splitPassages(passages []passage, limit int) [][]passage {
	var g group[passage]
	for _, p := range passages {
		pieces := cutPassage(p, limit-len("[]"))
		if len(pieces) == 1 {
			g.add(pieces[0], units(encode(pieces[0])), limit)
			continue
		}
		g.flush()
		for _, piece := range pieces {
			g.parts = append(g.parts, []passage{piece})
		}
	}
	return g.all()
}

// cutPassage writes the numbered lines of p into as few pieces as hold them in order.
func cutPassage(p passage, limit int) []passage {
	shell := p
	shell.LineStart, shell.LineEnd, shell.Content, shell.text = 9999999, 9999999, "", nil // numbers at their longest
	limit -= units(encode(shell))
	c := cutter{shell: shell, limit: limit}
	for i, line := range p.text {
		c.line(p.LineStart+i, line)
	}
	if len(c.pieces) == 0 && c.last == 0 {
		p.text = nil
		return []passage{p}
	}
	c.flush()
	return c.pieces
}

// cutter fills pieces with numbered lines.
type cutter struct {
	shell       passage
	limit       int // units of content in a piece
	pieces      []passage
	content     strings.Builder
	used        int
	first, last int // lines in content, 0 = none
}

func (c *cutter) line(number int, line string) {
	prefix := strconv.Itoa(number) + "│ "
	frame := encodedUnits(prefix) + len(`\n`)
	if c.last != 0 && c.used+frame+encodedUnits(line) > c.limit {
		c.flush()
	}
	for {
		n := fitting(line, c.limit-frame)
		if n == 0 && line != "" {
			n = len(line) // cannot happen with a budget of thousands; never loop
		}
		c.put(number, prefix+line[:n], frame+encodedUnits(line[:n]))
		if line = line[n:]; line == "" {
			return
		}
		c.flush()
	}
}

func (c *cutter) put(number int, text string, size int) {
	if c.last != 0 {
		c.content.WriteByte('\n')
	} else {
		c.first = number
	}
	c.content.WriteString(text)
	c.used += size
	c.last = number
}

func (c *cutter) flush() {
	if c.last == 0 {
		return
	}
	piece := c.shell
	piece.LineStart, piece.LineEnd, piece.Content = c.first, c.last, c.content.String()
	c.pieces = append(c.pieces, piece)
	c.content.Reset()
	c.used, c.first, c.last = 0, 0, 0
}
