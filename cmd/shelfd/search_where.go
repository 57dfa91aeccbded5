package main

import (
	"fmt"
	"strconv"

	"shelfd/chunker"
	"shelfd/store"
)

// whereOf is where a hit stands: its lines, or in a text that was derived from a source the pages of that, for its lines
// are not the source's.
func whereOf(v *store.View, h store.Hit) (string, error) {
	if h.Document.Source == "" {
		return "L" + span(h.Chunk.Lines.Start, h.Chunk.Lines.End), nil
	}
	boxes, err := v.ChunkBoxes(h.Document.ID, h.Document.Ordinal(h.Chunk))
	pages := chunker.UnionBoxes(boxes)
	if err != nil || len(pages) == 0 {
		return "", err
	}
	return "p. " + span(pages[0].Page, pages[len(pages)-1].Page), nil
}

func span(first, last int) string {
	if last > first {
		return strconv.Itoa(first) + "-" + strconv.Itoa(last)
	}
	return strconv.Itoa(first)
}

// relatedShown is how many summaries are shown below the hits: they lead on, they are no answer.
const relatedShown = 3

// printRelated prints which sections have summaries that say the words of the query.
func (p *program) printRelated(v *store.View, q store.Query) error {
	sections, err := v.RelatedSections(q, relatedShown)
	if err != nil || len(sections) == 0 {
		return err
	}
	s := p.screen()
	s.line("")
	s.line("%s", s.paint(dim, "Saved summaries that say so too:"))
	for _, r := range sections {
		path := r.Path
		if r.NodeID != "" {
			path = fmt.Sprintf("%s#%s", r.Path, r.NodeID)
		}
		s.line("  %s  %s", s.paint(bold, path), breadcrumb(r.TitlePath))
		s.line("    %s", r.Summary)
	}
	return nil
}
