package store

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"io"

	"shelfd/chunker"
)

// Dump writes the index as JSON lines, sorted, without ids and times, so that two indexes of the same folders and
// ledger give the same bytes. A shelf that is offline, not wholly readable, not yet reconciled or awaiting a second
// look is marked as partial, and what belongs to it is left out.
func (v *View) Dump(w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	out := json.NewEncoder(buffered)
	out.SetEscapeHTML(false)
	partial, err := v.partialShelves()
	if err != nil {
		return err
	}
	for _, part := range []func(*json.Encoder, map[string]string) error{v.dumpDocuments, v.dumpLinks, v.dumpOutlines, v.dumpProblems, v.dumpShelves, v.dumpSpare, v.dumpUnresolved} {
		if err := part(out, partial); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// partialShelves are the shelves that Dump cannot speak of, with the reason.
func (v *View) partialShelves() (map[string]string, error) {
	partial := map[string]string{}
	err := v.each(`SELECT name, CASE
			WHEN state = 'offline' THEN 'offline'
			WHEN reconciled_at = 0 THEN 'not reconciled'
			WHEN second_looks > 0 THEN 'second look pending'
			ELSE 'not wholly readable' END
		FROM shelves s WHERE origin <> 'reserved' AND (state = 'offline' OR reconciled_at = 0 OR second_looks > 0
			OR EXISTS (SELECT 1 FROM problems p WHERE p.shelf_id = s.id AND p.stage = 'read'))`,
		nil, func(rows *sql.Rows) error {
			var name, why string
			err := rows.Scan(&name, &why)
			partial[name] = why
			return err
		})
	return partial, err
}

type dumpNode struct {
	ID    string        `json:"id"`
	Title string        `json:"title"`
	Level int           `json:"level"`
	Lines chunker.Lines `json:"lines"`
	Span  chunker.Span  `json:"span"`
}

type dumpChunk struct {
	Key    string        `json:"key"`
	Node   int           `json:"node"`
	Lines  chunker.Lines `json:"lines"`
	Span   chunker.Span  `json:"span"`
	Prefix chunker.Span  `json:"prefix"`
	Boxes  []chunker.Box `json:"boxes,omitempty"`
}

type dumpDocument struct {
	Kind        string         `json:"kind"`
	Path        string         `json:"path"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Aliases     []string       `json:"aliases"`
	Tags        []string       `json:"tags"`
	FrontMatter map[string]any `json:"frontmatter"`
	Language    string         `json:"language"`
	Hash        string         `json:"hash"`
	Source      string         `json:"source,omitempty"`
	Bytes       int64          `json:"bytes"`
	Lines       int            `json:"lines"`
	Tokens      int            `json:"tokens"`
	Nodes       []dumpNode     `json:"nodes"`
	Chunks      []dumpChunk    `json:"chunks"`
}

func (v *View) dumpDocuments(out *json.Encoder, partial map[string]string) error {
	list, err := v.documents(`ORDER BY d.file_path`)
	if err != nil {
		return err
	}
	for _, d := range list {
		if partial[d.Shelf] != "" {
			continue
		}
		if err := v.dumpDocument(out, d); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) dumpDocument(out *json.Encoder, d Document) error {
	line := dumpDocument{
		Kind: "document", Path: d.Path, Title: d.Title, Description: d.Description, Aliases: d.Aliases, Tags: d.Tags,
		FrontMatter: d.FrontMatter, Language: d.Language, Hash: d.Hash, Source: d.Source, Bytes: d.Bytes, Lines: d.Lines, Tokens: d.Tokens,
		Nodes: []dumpNode{}, Chunks: []dumpChunk{},
	}
	nodes, err := v.Nodes(d.ID)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		line.Nodes = append(line.Nodes, dumpNode{n.ID, n.Title, n.Level, n.Lines, n.Span})
	}
	chunks, err := v.Chunks(d.ID)
	if err != nil {
		return err
	}
	boxes, err := v.Boxes(d.ID)
	if err != nil {
		return err
	}
	for i, c := range chunks {
		line.Chunks = append(line.Chunks, dumpChunk{KeyString(c.Key), c.Node, c.Lines, c.Span, c.Prefix, boxes[i]})
	}
	return out.Encode(line)
}

type dumpLink struct {
	Kind       string             `json:"kind"`
	Source     string             `json:"source"`
	Target     string             `json:"target"`
	Relation   string             `json:"relation"`
	Origin     Origin             `json:"origin"`
	Score      float64            `json:"score"`
	Confidence float64            `json:"confidence"`
	Version    string             `json:"version,omitempty"`
	Label      string             `json:"label,omitempty"`
	Rationale  string             `json:"rationale,omitempty"`
	Signals    map[string]float64 `json:"signals,omitempty"`
	Links      []TextLink         `json:"links,omitempty"`
}

func (v *View) dumpLinks(out *json.Encoder, partial map[string]string) error {
	return v.each(linkColumns+` ORDER BY a.file_path, b.file_path, l.relation, l.origin`, nil, func(rows *sql.Rows) error {
		l, err := scanLink(rows)
		if err != nil || partial[shelfOf(l.Source)] != "" || partial[shelfOf(l.Target)] != "" {
			return err
		}
		return out.Encode(dumpLink{
			"link", l.Source, l.Target, l.Relation, l.Origin, l.Score, l.Confidence, l.Version, l.Label, l.Rationale, l.Signals, l.Mentions,
		})
	})
}

type dumpProblem struct {
	Kind   string `json:"kind"`
	Path   string `json:"path"`
	Stage  string `json:"stage"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

func (v *View) dumpProblems(out *json.Encoder, partial map[string]string) error {
	list, err := v.Problems("")
	if err != nil {
		return err
	}
	for _, p := range list {
		if partial[p.Shelf] != "" {
			continue
		}
		if err := out.Encode(dumpProblem{"problem", p.Path, p.Stage, p.Line, p.Reason}); err != nil {
			return err
		}
	}
	return nil
}

type dumpShelf struct {
	Kind        string   `json:"kind"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Parents     []string `json:"parents"`
	Partial     string   `json:"partial,omitempty"` // why its documents are left out
}

func (v *View) dumpShelves(out *json.Encoder, partial map[string]string) error {
	list, err := v.Shelves()
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.Parents == nil {
			s.Parents = []string{}
		}
		if err := out.Encode(dumpShelf{"shelf", s.Name, s.Description, s.Parents, partial[s.Name]}); err != nil {
			return err
		}
	}
	return nil
}

type dumpUnresolved struct {
	Kind       string   `json:"kind"`
	Source     string   `json:"source"`
	Link       TextLink `json:"link"`
	Candidates []string `json:"candidates"`
}

func (v *View) dumpUnresolved(out *json.Encoder, partial map[string]string) error {
	list, err := v.Unresolved("")
	if err != nil {
		return err
	}
	for _, u := range list {
		if partial[shelfOf(u.Source)] != "" {
			continue
		}
		if err := out.Encode(dumpUnresolved{"unresolved", u.Source, u.TextLink, u.Candidates}); err != nil {
			return err
		}
	}
	return nil
}
