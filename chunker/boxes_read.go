package chunker

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// SourceBlock is a piece of the source as whoever turned it into text lists it.
type SourceBlock struct {
	Box
	Text string
}

// maxSourceBlocks bounds a list: a book of a thousand pages has some twenty thousand.
const maxSourceBlocks = 200_000

// ReadBlocks reads a list of blocks: a JSON array of objects, or an object with the array under "blocks". Of each block
// page, bbox and text are needed; type, block_index, occurrence, confidence, page_width, page_height and coord_space
// may stand beside them, in snake_case or camelCase. What cannot be used is told in problems and left out.
func ReadBlocks(src []byte) ([]SourceBlock, []Problem) {
	entries, defaults, err := blockList(src)
	if err != nil {
		return nil, []Problem{{StageBlocks, "the list of blocks cannot be read (" + err.Error() + "); the text stays, without boxes", 0}}
	}
	var problems []Problem
	if len(entries) > maxSourceBlocks {
		problems = append(problems, Problem{StageBlocks, fmt.Sprintf("%d blocks; the first %d are used", len(entries), maxSourceBlocks), 0})
		entries = entries[:maxSourceBlocks]
	}
	blocks := make([]SourceBlock, 0, len(entries))
	bad, why := 0, ""
	for i, entry := range entries {
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
		problems = append(problems, Problem{StageBlocks, fmt.Sprintf("%d of %d blocks cannot be used; %s", bad, len(entries), why), 0})
	}
	return blocks, problems
}

// blockList finds the array; what else stands beside it holds for every block.
func blockList(src []byte) (entries []json.RawMessage, defaults blockFields, err error) {
	src = []byte(strings.TrimPrefix(string(src), byteOrderMark))
	trimmed := strings.TrimSpace(string(src))
	if !strings.HasPrefix(trimmed, "{") {
		err = json.Unmarshal(src, &entries)
		if err == nil && entries == nil {
			err = fmt.Errorf("it is %s, not a list", cutAt(trimmed, 20))
		}
		return entries, defaults, shortJSON(err)
	}
	var whole struct {
		Blocks *[]json.RawMessage `json:"blocks"`
	}
	if err := json.Unmarshal(src, &whole); err != nil {
		return nil, defaults, shortJSON(err)
	}
	if whole.Blocks == nil {
		return nil, defaults, fmt.Errorf(`there is no list under "blocks"`)
	}
	if err := json.Unmarshal(src, &defaults); err != nil {
		return nil, defaults, shortJSON(err)
	}
	return *whole.Blocks, defaults, nil
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
	Page        *int      `json:"page"`
	BBox        []float64 `json:"bbox"`
	Text        *string   `json:"text"`
	Type        string    `json:"type"`
	Index       *int      `json:"block_index"`
	Index2      *int      `json:"blockIndex"`
	Occurrence  *int      `json:"occurrence"`
	Confidence  *float64  `json:"confidence"`
	Width       float64   `json:"page_width"`
	Width2      float64   `json:"pageWidth"`
	Height      float64   `json:"page_height"`
	Height2     float64   `json:"pageHeight"`
	Size        []float64 `json:"page_size"`
	Size2       []float64 `json:"pageSize"`
	Space       string    `json:"coord_space"`
	Space2      string    `json:"coordSpace"`
	Coordinate  string    `json:"coordinate_space"`
	Coordinate2 string    `json:"coordinateSpace"`
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
		Page: *f.Page, BBox: [4]float64(f.BBox), Type: f.Type, BlockIndex: place, Occurrence: f.Occurrence, Confidence: f.Confidence,
	}}
	if b.BBox[0] > b.BBox[2] || b.BBox[1] > b.BBox[3] {
		return SourceBlock{}, fmt.Errorf("bbox %v ends before it begins", f.BBox)
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

func (f blockFields) pageSize(defaults blockFields) (width, height float64) {
	for _, from := range []blockFields{defaults, f} {
		for _, size := range [][]float64{{from.Width, from.Height}, {from.Width2, from.Height2}, from.Size, from.Size2} {
			if len(size) == 2 && size[0] > 0 && size[1] > 0 {
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
