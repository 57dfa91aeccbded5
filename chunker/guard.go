package chunker

import "bytes"

// goldmark can't be cancelled, and a handful of inputs cost it the square of their length. Three guards keep any file
// of 8 MiB within a second on a slow core, none of them by the clock, so that the same bytes give the same Document:
// heavy refuses before parsing, shallow caps the nesting, and the meter counts the steps that goldmark would take.
const (
	// maxWeight bounds the nodes of a tree: one costs about 250 ns and 200 bytes. Half of 14,000 real documents have
	// less than a node in 19 bytes, all but one in a hundred less than one in 9.
	maxWeight = 1_000_000
	// maxDepth bounds nested lists and quotes. Every line costs goldmark its length for each open one.
	maxDepth = 64
	// maxSteps bounds the work that grows with the square of a block: 5 to 15 ns a step. A real document of 8 MiB takes
	// about four million.
	maxSteps = 20_000_000
)

// nodeWeight is about how many nodes goldmark makes for a byte.
var nodeWeight = [256]uint8{'\n': 1, '|': 2, '<': 1, '[': 2, ']': 1, '*': 1, '_': 1, '`': 1, '~': 1, '#': 2}

// heavy says whether the tree of src would be too large, or the containers of one line too many.
func heavy(src []byte) bool {
	weight := 0
	for _, c := range src {
		weight += int(nodeWeight[c])
	}
	if weight > maxWeight {
		return true
	}
	for len(src) > 0 {
		end := bytes.IndexByte(src, '\n') + 1
		if end == 0 {
			end = len(src)
		}
		// A marker makes three nodes. A line is walked twice for each of its containers; 64 bytes of that cost as much
		// as a node.
		markers, levels := leadingMarkers(src[:end])
		weight += 3*min(markers, maxDepth) + min(levels, maxDepth)*end/64
		src = src[end:]
	}
	return weight > maxWeight
}

// leadingMarkers counts the list and quote markers at the start of a line, and the containers that it may stand in:
// the markers, or one for two columns of indentation.
func leadingMarkers(line []byte) (markers, levels int) {
	spaces := 0
	for _, c := range line {
		switch {
		case c == ' ':
			spaces++
		case c == '\t':
			spaces += 4
		case c == '>' || c == '-' || c == '+' || c == '*' || c == '.' || c == ')':
			markers++
		case c >= '0' && c <= '9':
		default:
			return markers, max(markers, spaces/2)
		}
	}
	return markers, max(markers, spaces/2)
}
