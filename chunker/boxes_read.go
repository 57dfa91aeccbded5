package chunker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// SourceBlock is a piece of the source as whoever turned it into text lists it.
type SourceBlock struct {
	Box
	Text string
}

// maxSourceBlocks bounds a list: a book of a thousand pages has some twenty thousand.
const maxSourceBlocks = 200_000

// maxMeasure bounds a coordinate: in points, three kilometres, as no page is. What is joined and scaled stays finite.
const maxMeasure = 1e7

// maxTypeLength bounds a type in bytes: each chunk that a block runs over repeats it.
const maxTypeLength = 64

// ReadBlocks reads a list of blocks: a JSON array of objects, or an object with the array under "blocks". Of each block
// page, bbox and text are needed; type, block_index, occurrence, confidence, page_width, page_height and coord_space
// may stand beside them, in snake_case or camelCase. What cannot be used is told in problems and left out.
func ReadBlocks(src []byte) ([]SourceBlock, []Problem) {
	list, defaults, err := blockList(bytes.TrimPrefix(src, []byte(byteOrderMark)))
	if err != nil {
		return nil, []Problem{{StageBlocks, "the list of blocks cannot be read (" + err.Error() + "); the text stays, without boxes", 0}}
	}
	var problems []Problem
	tell := func(format string, args ...any) {
		problems = append(problems, Problem{StageBlocks, fmt.Sprintf(format, args...), 0})
	}
	if !utf8.Valid(src) {
		tell("some bytes of the list are not UTF-8; they are read as U+FFFD")
	}
	if list.more {
		tell("more than %d blocks; the first %[1]d are used", maxSourceBlocks)
	}
	blocks := make([]SourceBlock, 0, len(list.entries))
	bad, why := 0, ""
	for i, entry := range list.entries {
		b, err := readBlock(entry, defaults, i)
		if err != nil {
			if bad++; bad == 1 {
				why = fmt.Sprintf("block %d: %v", i, err)
			}
			continue
		}
		blocks = append(blocks, b)
	}
	if bad > 0 {
		tell("%d of %d blocks cannot be used; %s", bad, len(list.entries), why)
	}
	return blocks, problems
}

// rawBlocks are the blocks of a list before they are looked into.
type rawBlocks struct {
	entries []json.RawMessage
	more    bool // than are used
}

// UnmarshalJSON takes apart what is known to be JSON, no more of it than is used: a list of nothings has one a two bytes.
func (l *rawBlocks) UnmarshalJSON(src []byte) error {
	*l = rawBlocks{}
	if src[0] != '[' {
		return json.Unmarshal(src, &l.entries) // for its error; null is none
	}
	d := json.NewDecoder(bytes.NewReader(src))
	_, err := d.Token()
	l.entries = []json.RawMessage{}
	for err == nil && d.More() {
		if l.more = len(l.entries) == maxSourceBlocks; l.more {
			return nil
		}
		var entry json.RawMessage
		err = d.Decode(&entry)
		l.entries = append(l.entries, entry)
	}
	return err
}

// blockList finds the array; what else stands beside it holds for every block.
func blockList(src []byte) (list rawBlocks, defaults blockFields, err error) {
	trimmed := bytes.TrimSpace(src)
	if !bytes.HasPrefix(trimmed, []byte("{")) {
		err = json.Unmarshal(src, &list)
		if err == nil && list.entries == nil {
			err = fmt.Errorf("it is %s, not a list", cutAt(string(trimmed[:min(len(trimmed), 40)]), 20))
		}
		return list, defaults, shortJSON(err)
	}
	var whole struct {
		Blocks *rawBlocks `json:"blocks"`
	}
	if err := json.Unmarshal(src, &whole); err != nil {
		return list, defaults, shortJSON(err)
	}
	if whole.Blocks == nil {
		return list, defaults, fmt.Errorf(`there is no list under "blocks"`)
	}
	if err := json.Unmarshal(src, &defaults); err != nil {
		return list, defaults, shortJSON(err)
	}
	return *whole.Blocks, defaults, nil
}

// fewNumbers are the two or four numbers of a place or size.
type fewNumbers []float64

// UnmarshalJSON refuses a list that is far too long before it is held.
func (n *fewNumbers) UnmarshalJSON(src []byte) error {
	if len(src) > 1024 {
		return fmt.Errorf("%d bytes where a few numbers belong", len(src))
	}
	return json.Unmarshal(src, (*[]float64)(n))
}

// shortJSON takes Go's words out of an error that a person reads.
func shortJSON(err error) error {
	if err == nil {
		return nil
	}
	s := strings.TrimPrefix(err.Error(), "json: ")
	if i := strings.Index(s, " of type "); strings.HasPrefix(s, "cannot unmarshal") && i > 0 {
		s = "unexpected " + strings.TrimSuffix(strings.TrimPrefix(strings.Split(s, " into Go ")[0], "cannot unmarshal "), " ")
	}
	return fmt.Errorf("%s", s)
}

// blockFields are the members of a block, each in both spellings.
type blockFields struct {
	Page        *int       `json:"page"`
	BBox        fewNumbers `json:"bbox"`
	Text        *string    `json:"text"`
	Type        string     `json:"type"`
	Index       *int       `json:"block_index"`
	Index2      *int       `json:"blockIndex"`
	Occurrence  *int       `json:"occurrence"`
	Confidence  *float64   `json:"confidence"`
	Width       float64    `json:"page_width"`
	Width2      float64    `json:"pageWidth"`
	Height      float64    `json:"page_height"`
	Height2     float64    `json:"pageHeight"`
	Size        fewNumbers `json:"page_size"`
	Size2       fewNumbers `json:"pageSize"`
	Space       string     `json:"coord_space"`
	Space2      string     `json:"coordSpace"`
	Coordinate  string     `json:"coordinate_space"`
	Coordinate2 string     `json:"coordinateSpace"`
}

func readBlock(raw json.RawMessage, defaults blockFields, place int) (SourceBlock, error) {
	var f blockFields
	if err := json.Unmarshal(raw, &f); err != nil {
		return SourceBlock{}, shortJSON(err)
	}
	switch {
	case f.Page == nil:
		return SourceBlock{}, fmt.Errorf("no page")
	case *f.Page < 0:
		return SourceBlock{}, fmt.Errorf("page %d", *f.Page)
	case len(f.BBox) != 4:
		return SourceBlock{}, fmt.Errorf("bbox has %d numbers, not 4", len(f.BBox))
	case f.Text == nil:
		return SourceBlock{}, fmt.Errorf("no text")
	}
	b := SourceBlock{Text: *f.Text, Box: Box{
		Page: *f.Page, BBox: [4]float64(f.BBox), Type: cutAt(f.Type, maxTypeLength), BlockIndex: place, Occurrence: f.Occurrence, Confidence: f.Confidence,
	}}
	if b.BBox[0] > b.BBox[2] || b.BBox[1] > b.BBox[3] {
		return SourceBlock{}, fmt.Errorf("bbox %v ends before it begins", f.BBox)
	}
	if min(b.BBox[0], b.BBox[1]) < -maxMeasure || max(b.BBox[2], b.BBox[3]) > maxMeasure {
		return SourceBlock{}, fmt.Errorf("bbox %v is on no page", f.BBox)
	}
	for _, index := range []*int{f.Index, f.Index2} {
		if index != nil {
			b.BlockIndex = *index
		}
	}
	b.PageWidth, b.PageHeight = f.pageSize(defaults)
	var err error
	b.Space, err = f.space(defaults, b.BBox)
	if err == nil && b.Confidence != nil {
		b.Confidence, err = share(*b.Confidence)
	}
	return b, err
}

// pageSize is the size of the page as it is said last, 0 when unknown.
func (f blockFields) pageSize(defaults blockFields) (width, height float64) {
	for _, from := range []blockFields{defaults, f} {
		for _, size := range []fewNumbers{{from.Width, from.Height}, {from.Width2, from.Height2}, from.Size, from.Size2} {
			if len(size) == 2 && min(size[0], size[1]) >= 1/maxMeasure && max(size[0], size[1]) <= maxMeasure {
				width, height = size[0], size[1]
			}
		}
	}
	return width, height
}

// space is what the numbers measure, as said, or as they look: shares of a page are at most 1.
func (f blockFields) space(defaults blockFields, bbox [4]float64) (Space, error) {
	said := ""
	for _, from := range []blockFields{defaults, f} {
		for _, s := range []string{from.Space, from.Space2, from.Coordinate, from.Coordinate2} {
			if s != "" {
				said = s
			}
		}
	}
	switch strings.ToLower(said) {
	case "normalized", "normalised":
		return SpaceNormalized, nil
	case "points", "pt":
		return SpacePoints, nil
	case "":
		if bbox[2] <= 1 && bbox[3] <= 1 {
			return SpaceNormalized, nil
		}
		return SpacePoints, nil
	}
	return "", fmt.Errorf("coordinate space %q is neither normalized nor points", cutAt(said, 40))
}

// share is a confidence between 0 and 1; above 1 it counts in hundredths.
func share(confidence float64) (*float64, error) {
	if confidence > 1 {
		confidence /= 100
	}
	if confidence < 0 || confidence > 1 || math.IsNaN(confidence) {
		return nil, fmt.Errorf("confidence is outside 0-1")
	}
	return &confidence, nil
}
