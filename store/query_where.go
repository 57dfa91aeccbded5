package store

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// parseWhere reads a string of filters. It is as strict as parse is lenient: who writes filters only wants to know
// what is wrong with them. Blanks around comparisons are allowed, and AND between filters.
func parseWhere(s string) (expression, error) {
	p := parser{src: s}
	var units []unit
	for p.skipBlank(); p.at < len(p.src); p.skipBlank() {
		word := p.stretch(p.at)
		if word == "OR" {
			if len(units) == 0 || isOr(units[len(units)-1]) {
				return nil, p.fault("OR stands between two filters")
			}
			units = append(units, unit{kind: unitWord, text: "OR"})
		}
		if word == "OR" || word == "AND" {
			p.at += len(word)
			continue
		}
		u, err := p.strictFilter()
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	if n := len(units); n > 0 && isOr(units[n-1]) {
		return nil, p.fault("OR stands between two filters")
	}
	return join(units), nil
}

func (p *parser) fault(format string, args ...any) error {
	return &QueryError{Position: utf8.RuneCountInString(p.src[:p.at]) + 1, Reason: fmt.Sprintf(format, args...)}
}

// strictFilter reads one filter with its sign.
func (p *parser) strictFilter() (unit, error) {
	not := p.negated()
	if not {
		p.at++
	}
	start := p.at
	key := filterKey(p.src[start:])
	p.at += len(key)
	op := p.strictComparison(key)
	if key == "" || op == "" {
		p.at = start
		return unit{}, p.fault("%q is no filter; a filter is key:value, where key is one of %s or a key of the front matter",
			p.stretch(start), strings.Join(builtInKeys, ", "))
	}
	valueAt := p.at
	value, after, quoted := p.quoted(valueAt)
	if !quoted {
		value = p.stretch(valueAt)
		after = valueAt + len(value)
	}
	if !quoted && strings.HasPrefix(value, `"`) {
		return unit{}, p.fault("the quote is never closed")
	}
	u := canonicalKey(unit{kind: unitFilter, not: not, key: key, op: op, text: value, typed: p.src[start:after]})
	if reason := invalidFilter(u); reason != "" {
		return unit{}, p.fault("%s", reason)
	}
	p.at = after
	return u, nil
}

// strictComparison reads what stands between key and value: a colon, a comparison, or both. "" without either.
func (p *parser) strictComparison(key string) comparison {
	p.skipBlank()
	colon := p.at < len(p.src) && p.src[p.at] == ':'
	if colon {
		p.at++
		p.skipBlank()
	}
	op := comparisonAt(p.src[p.at:])
	p.at += len(op)
	p.skipBlank()
	if colon && op == "" {
		return equal
	}
	return op
}
