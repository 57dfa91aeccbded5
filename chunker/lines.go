package chunker

import (
	"sort"
	"strings"
)

// lineIndex holds the offset of the first byte of each line. "\n", "\r\n" and a lone "\r" end a line, as in an editor.
type lineIndex []int32

func indexLines(s string) lineIndex {
	x := make(lineIndex, 0, strings.Count(s, "\n")+2)
	if len(s) > 0 {
		x = append(x, 0)
	}
	if strings.IndexByte(s, '\r') < 0 {
		for i := strings.IndexByte(s, '\n') + 1; i > 0 && i < len(s); {
			x = append(x, int32(i))
			next := strings.IndexByte(s[i:], '\n') + 1
			if next == 0 {
				break
			}
			i += next
		}
		return x
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\n' || s[i] == '\r' && s[i+1] != '\n' {
			x = append(x, int32(i+1))
		}
	}
	return x
}

// line is the 1-based number of the line that holds the byte at off.
func (x lineIndex) line(off int) int {
	return max(1, sort.Search(len(x), func(i int) bool { return int(x[i]) > off }))
}

// start is the offset of the first byte of the line that holds the byte at off.
func (x lineIndex) start(off int) int {
	if len(x) == 0 {
		return 0
	}
	return int(x[x.line(off)-1])
}

// lines are the lines of a span; the lines of an empty one are the line it stands in.
func (x lineIndex) lines(s Span) Lines {
	return Lines{Start: x.line(s.Start), End: x.line(max(s.Start, s.End-1))}
}

// unixLines returns s with every lone "\r" as "\n": goldmark doesn't take it for a line end. No offset moves.
func unixLines(s string) []byte {
	b := []byte(s)
	if strings.IndexByte(s, '\r') < 0 {
		return b
	}
	for i, c := range b {
		if c == '\r' && (i+1 == len(b) || b[i+1] != '\n') {
			b[i] = '\n'
		}
	}
	return b
}

// isSpace says whether c is white space to CommonMark. A line of nothing else is blank.
func isSpace(c byte) bool {
	return c == ' ' || c >= '\t' && c <= '\r'
}

// trimBlank narrows s to whole lines: blank lines at both ends and the last line end fall off, indentation stays.
func trimBlank(text string, s Span) Span {
	for s.End > s.Start && isSpace(text[s.End-1]) {
		s.End--
	}
	for i := s.Start; i < s.End && isSpace(text[i]); i++ {
		if text[i] == '\n' || text[i] == '\r' {
			s.Start = i + 1
		}
	}
	return s
}
