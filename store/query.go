package store

import (
	"fmt"
	"strings"
)

// expression is a parsed query: a chunk answers it when every clause holds.
type expression []clause

// clause is one wanted thing or several joined by OR, of which one is enough.
type clause []unit

// unit is the smallest part of a query.
type unit struct {
	kind  unitKind
	not   bool
	text  string // of words, phrases, prefixes: as typed, without quotes and '*'; of filters: the value
	key   string // of filters, folded for the built-in ones
	op    comparison
	typed string // of filters: as typed, for those that turn out to be words
}

type unitKind uint8

const (
	unitWord unitKind = iota
	unitPhrase
	unitPrefix
	unitFilter
)

// comparison is the sign in a filter.
type comparison string

const (
	equal          comparison = "="
	notEqual       comparison = "!="
	less           comparison = "<"
	lessOrEqual    comparison = "<="
	greater        comparison = ">"
	greaterOrEqual comparison = ">="
)

// QueryError says why a filter string or a regular expression cannot be understood, and where.
type QueryError struct {
	Position int // of the character at fault, from 1
	Reason   string
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("store: query: character %d: %s", e.Position, e.Reason)
}

// String writes the query in its own language.
func (e expression) String() string {
	parts := make([]string, len(e))
	for i, c := range e {
		parts[i] = c.String()
	}
	return strings.Join(parts, " ")
}

func (c clause) String() string {
	parts := make([]string, len(c))
	for i, u := range c {
		parts[i] = u.String()
	}
	return strings.Join(parts, " OR ")
}

func (u unit) String() string {
	sign := ""
	if u.not {
		sign = "-"
	}
	switch u.kind {
	case unitPhrase:
		return sign + `"` + u.text + `"`
	case unitPrefix:
		return sign + u.text + "*"
	case unitFilter:
		return sign + u.key + ":" + u.op.prefix() + quoteValue(u.text)
	}
	if u.text == "OR" {
		return sign + "or"
	}
	return sign + u.text
}

// prefix is how a comparison stands before a value: "=" goes without saying.
func (c comparison) prefix() string {
	if c == equal {
		return ""
	}
	return string(c)
}

// quoteValue quotes a value that would not be read back as it is.
func quoteValue(s string) string {
	if s == "" || strings.ContainsFunc(s, isBlank) || strings.ContainsRune("=!<>:/", rune(s[0])) && !isPathStart(s) {
		return `"` + s + `"`
	}
	return s
}
