package main

import (
	"bytes"
	"regexp"
)

// The forms in which an author links to another document. Code keeps its brackets: a fence is no link.
var (
	definition = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]+\]:[ \t]*\S+.*$`)
	image      = regexp.MustCompile(`!\[[^\]\n]*\](\([^)\n]*\)|\[[^\]\n]*\])?`)
	inline     = regexp.MustCompile(`\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])`)
	wiki       = regexp.MustCompile(`!?\[\[[^\]\n]+\]\]`)
	anchor     = regexp.MustCompile(`(?is)<a\s[^>]*>.*?</a>`)
	address    = regexp.MustCompile(`<?https?://[^\s<>)\]]+>?`)
	shortcut   = regexp.MustCompile(`\[([^\[\]\n]+)\]`)
	label      = regexp.MustCompile(`(?m)^ {0,3}\[([^\]\n]+)\]:`)
)

// strip takes the links out of a text, their words with them: what is left of a link between two documents is only
// what its author would have written without it.
func strip(text []byte) []byte {
	labels := map[string]bool{}
	for _, m := range label.FindAllSubmatch(text, -1) {
		labels[string(bytes.ToLower(m[1]))] = true
	}
	for _, form := range []*regexp.Regexp{definition, anchor, image, inline, wiki, address} {
		text = form.ReplaceAll(text, nil)
	}
	return shortcut.ReplaceAllFunc(text, func(link []byte) []byte {
		if labels[string(bytes.ToLower(link[1:len(link)-1]))] {
			return nil
		}
		return link
	})
}
