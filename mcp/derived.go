package mcp

import (
	"strings"

	"shelfd/chunker"
	"shelfd/store"
)

// located is where a passage of a derived text stands in its source: on pages or in a sheet. Empty for other documents.
type located struct {
	DerivedPath string        `json:"derived_path,omitempty"`
	Boxes       []chunker.Box `json:"boxes,omitzero"` // one a page, around all of the passage
	Page        *int          `json:"page,omitempty"` // of the first box
	BBox        *[4]float64   `json:"bbox,omitempty"` // of the first box
	Approximate bool          `json:"approximate,omitempty"`
	Sheet       string        `json:"sheet,omitempty"`
	Cell        string        `json:"cell,omitempty"`
}

// locate reads where a hit stands in its source.
func locate(v *store.View, h store.Hit) (located, error) {
	var l located
	if h.Document.Source == "" {
		return l, nil
	}
	l.DerivedPath = besides(h.Document.Path)
	if h.Evidence != nil {
		l.Sheet, l.Cell = clip(h.Evidence.Sheet, clipTitle), h.Evidence.Cell
	}
	boxes, err := v.ChunkBoxes(h.Document.ID, h.Document.Ordinal(h.Chunk))
	if err != nil {
		return l, err
	}
	l.Boxes = fittingBoxes(chunker.UnionBoxes(boxes), roomForBoxes)
	if len(l.Boxes) > 0 {
		l.Page, l.BBox = &l.Boxes[0].Page, &l.Boxes[0].BBox
	}
	for _, b := range boxes {
		l.Approximate = l.Approximate || b.Approximate
	}
	return l, nil
}

// besides is a path that stands beside the doc_path of an answer and can be told from it: none when it is so long that
// it would crowd out the rest.
func besides(path string) string {
	if encodedUnits(path) > 1500 {
		return ""
	}
	return path
}

// roomForBoxes is what a passage gives to a list of boxes, in encoded units: some two dozen.
const roomForBoxes = 3000

// fittingBoxes keeps the first boxes, as many as the room holds.
func fittingBoxes(boxes []chunker.Box, room int) []chunker.Box {
	out := []chunker.Box{}
	for _, b := range boxes {
		b.Type = clip(b.Type, 40)
		if room -= units(encode(b)) + len(","); room < 0 {
			break
		}
		out = append(out, b)
	}
	return out
}

// linesOf are the lines of a chunk, none of a derived text: a reader would take them for the source's.
func linesOf(d store.Document, c store.Chunk) chunker.Lines {
	if d.Source != "" {
		return chunker.Lines{}
	}
	return c.Lines
}

// labelOf is the name of a shelf in a language, "" where it has none: of "it-CH" the one for it-CH, else for it.
func labelOf(labels map[string]string, locale string) string {
	best, length := "", 0
	locale = strings.ToLower(strings.ReplaceAll(locale, "_", "-"))
	for language, label := range labels {
		language = strings.ToLower(strings.ReplaceAll(language, "_", "-"))
		if (locale == language || strings.HasPrefix(locale, language+"-")) && len(language) > length {
			best, length = label, len(language)
		}
	}
	return best
}

// displayPath is the path of a document, or of its source, below the shelf's label; "" without a label.
func displayPath(d store.Document, label string) string {
	if label == "" {
		return ""
	}
	path := d.Path
	if d.Source != "" {
		path = d.Source
	}
	return label + strings.TrimPrefix(path, d.Shelf)
}
