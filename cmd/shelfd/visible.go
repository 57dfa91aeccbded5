package main

import (
	"regexp"
	"strings"
	"unicode"
)

// sgr is a control sequence that changes colours, the only one that shelfd itself writes into a line.
var sgr = regexp.MustCompile(`^\x1b\[[0-9;]*m`)

// visible takes out of a line what would steer the terminal or turn the order of its characters: a title or a file name
// may hold anything. Colours stay, and so do tabs.
func visible(line string) string {
	if !strings.ContainsFunc(line, steers) {
		return line
	}
	var b strings.Builder
	for i, r := range line {
		if r == '\x1b' && sgr.MatchString(line[i:]) || !steers(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// steers says whether a character is a control character or one that overrides the direction of others.
func steers(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}
