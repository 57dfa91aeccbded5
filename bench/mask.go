package main

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
)

// The forms of a link whose text may be a query: [text](target), [text][ref], [text][] and [[page|text]].
var (
	bracketed = regexp.MustCompile(`^\[((?:[^\[\]]|\[[^\[\]]*\])*)\]`)
	wikiText  = regexp.MustCompile(`\[\[([^\]|]+)\|([^\]]+)\]\]`)
	markup    = regexp.MustCompile("[*_`~]")
)

// queryText is a link text as queries are compared.
func queryText(s string) string {
	return cases.Fold().String(strings.Join(strings.Fields(markup.ReplaceAllString(s, "")), " "))
}

// mask replaces the text of each link that is one of the queries by the word "link"; its target stays. Without it the
// page that holds the link would give the answer away, or the link itself where engines read texts of links.
func mask(s string, queries map[string]bool) string {
	s = wikiText.ReplaceAllStringFunc(s, func(link string) string {
		m := wikiText.FindStringSubmatch(link)
		if queries[queryText(m[2])] {
			return "[[" + m[1] + "|link]]"
		}
		return link
	})
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '[')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		n := masked(&b, s, queries)
		s = s[n:]
	}
}

// masked writes what the bracket at the start of s opens, masked when it is a query, and returns its length; without
// brackets that could belong to a link it is the bracket alone. Brackets before a colon define a link.
func masked(b *strings.Builder, s string, queries map[string]bool) int {
	m := bracketed.FindStringSubmatch(s)
	if m == nil || strings.HasPrefix(s[len(m[0]):], ":") {
		_, n := utf8.DecodeRuneInString(s)
		b.WriteString(s[:n])
		return n
	}
	if queries[queryText(m[1])] {
		b.WriteString("[link]")
	} else {
		b.WriteString(m[0])
	}
	return len(m[0])
}
