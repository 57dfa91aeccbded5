package main

import (
	"strings"

	"shelfd/internal/text"
)

// highlight paints the words of line that are among terms. It cuts the line as the index does, so that what matched is
// what lights up, accents and case aside.
func (s screen) highlight(line string, terms []string) string {
	if !s.colour || len(terms) == 0 {
		return line
	}
	var b strings.Builder
	done := 0
	text.Segment(line, func(t text.Token) {
		if t.Start < done || !lit(t, terms) {
			return
		}
		b.WriteString(line[done:t.Start])
		b.WriteString(s.paint(yellow+";"+bold, line[t.Start:t.End]))
		done = t.End
	})
	b.WriteString(line[done:])
	return b.String()
}

// lit says whether a token is one of the terms; a bigram, whether it stands in one.
func lit(t text.Token, terms []string) bool {
	for _, term := range terms {
		if t.Term == term || t.Kind == text.Gram && strings.Contains(term, t.Term) {
			return true
		}
	}
	return false
}
