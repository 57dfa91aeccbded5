package mapview

import (
	"fmt"
	"slices"
	"strings"

	"shelfd/store"
)

// maxOutline is how many sections of a document the page tells: more than fit a screen.
const maxOutline = 40

// Gather reads the map of a shelf from one picture of the store; store.ErrNotFound when there is no such shelf.
func Gather(v *store.View, shelf string) (Map, error) {
	g := gathering{v: v, documents: map[int64]store.Document{}}
	if _, err := v.Shelf(shelf); err != nil {
		return Map{}, fmt.Errorf("mapview: shelf %q: %w", shelf, err)
	}
	if err := g.read(shelf); err != nil {
		return Map{}, fmt.Errorf("mapview: shelf %q: %w", shelf, err)
	}
	m := Map{Shelf: shelf, Shelves: []Shelf{}, Documents: []Document{}, Links: []Link{}}
	if err := g.shelves(&m); err != nil {
		return Map{}, err
	}
	return m, g.fill(&m)
}

// gathering is what is read before places in lists can be given.
type gathering struct {
	v         *store.View
	documents map[int64]store.Document
	links     []store.Link
	shelfAt   map[string]int
}

// read takes the documents of the shelf, the links with an end in it, and the documents at their other ends.
func (g *gathering) read(shelf string) error {
	own, err := g.v.DocumentsBelow(shelf)
	if err != nil {
		return err
	}
	for _, d := range own {
		g.documents[d.ID] = d
	}
	all, _, err := g.v.Find(store.LinkQuery{})
	if err != nil {
		return err
	}
	inside := func(id int64) bool { return g.documents[id].Shelf == shelf }
	for _, l := range all {
		if !inside(l.SourceID) && !inside(l.TargetID) {
			continue
		}
		g.links = append(g.links, l)
		for _, end := range []int64{l.SourceID, l.TargetID} {
			if _, known := g.documents[end]; known {
				continue
			}
			if g.documents[end], err = g.v.DocumentByID(end); err != nil {
				return err
			}
		}
	}
	return nil
}

// shelves are those with documents on the map, and the next ones above and below the shelf.
func (g *gathering) shelves(m *Map) error {
	all, err := g.v.Shelves()
	if err != nil {
		return err
	}
	wanted := map[string]bool{m.Shelf: true}
	for _, d := range g.documents {
		wanted[d.Shelf] = true
	}
	for _, s := range all {
		if s.Name == m.Shelf {
			for _, parent := range s.Parents {
				wanted[parent] = true
			}
		}
		if slices.Contains(s.Parents, m.Shelf) {
			wanted[s.Name] = true
		}
	}
	all = slices.DeleteFunc(all, func(s store.Shelf) bool { return !wanted[s.Name] })
	g.shelfAt = map[string]int{}
	for i, s := range all {
		g.shelfAt[s.Name] = i
	}
	for _, s := range all {
		shelf := Shelf{Name: s.Name, Description: s.Description}
		for _, parent := range s.Parents {
			if at, here := g.shelfAt[parent]; here {
				shelf.Parents = append(shelf.Parents, at)
			}
		}
		m.Shelves = append(m.Shelves, shelf)
	}
	return nil
}

// fill gives documents and links their places.
func (g *gathering) fill(m *Map) error {
	list := make([]store.Document, 0, len(g.documents))
	for _, d := range g.documents {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b store.Document) int { return strings.Compare(a.Path, b.Path) })
	at := map[int64]int{}
	for i, d := range list {
		at[d.ID] = i
		outline, err := g.outline(d.ID)
		if err != nil {
			return err
		}
		m.Documents = append(m.Documents, Document{Shelf: g.shelfAt[d.Shelf], Path: d.Path[len(d.Shelf)+1:], Title: d.Title, Outline: outline})
	}
	for _, l := range g.links {
		link := Link{
			Source: at[l.SourceID], Target: at[l.TargetID], Relation: l.Relation, Origin: string(l.Origin),
			Confidence: l.Confidence, Label: l.Label, Rationale: l.Rationale,
		}
		for _, place := range l.Mentions {
			link.Lines = append(link.Lines, place.Line)
		}
		m.Links = append(m.Links, link)
	}
	return nil
}

func (g *gathering) outline(id int64) (headings []Heading, err error) {
	nodes, err := g.v.Nodes(id)
	if err != nil {
		return nil, fmt.Errorf("mapview: %w", err)
	}
	for _, n := range nodes {
		if n.Level > 0 && len(headings) < maxOutline {
			headings = append(headings, Heading{n.Level, n.Title})
		}
	}
	return headings, nil
}
