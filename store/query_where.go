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
	alone := false // the last filter was a negated list, which is several clauses
	for p.skipBlank(); p.at < len(p.src); p.skipBlank() {
		word := p.stretch(p.at)
		if word == "OR" {
			if alone {
				return nil, p.fault("a negated list can't be joined by OR")
			}
			if len(units) == 0 || isOr(units[len(units)-1]) {
				return nil, p.fault("OR stands between two filters")
			}
			units = append(units, unit{kind: unitWord, text: "OR"})
		}
		if word == "OR" || word == "AND" {
			p.at += len(word)
			continue
		}
		list, err := p.strictFilters()
		if err != nil {
			return nil, err
		}
		if alone = list[0].not && len(list) > 1; alone && len(units) > 0 && isOr(units[len(units)-1]) {
			return nil, p.fault("a negated list can't be joined by OR")
		}
		units = append(units, list...)
	}
	if n := len(units); n > 0 && isOr(units[n-1]) {
		return nil, p.fault("OR stands between two filters")
	}
	return join(units), nil
}

func (p *parser) fault(format string, args ...any) error {
	return &QueryError{Position: utf8.RuneCountInString(p.src[:p.at]) + 1, Reason: fmt.Sprintf(format, args...)}
}

// strictFilters reads one filter with its sign, or key in (value, …): as many filters, of which one is enough, or none
// may hold when the sign is a minus.
func (p *parser) strictFilters() ([]unit, error) {
	not := p.negated()
	if not {
		p.at++
	}
	start := p.at
	key := filterKey(p.src[start:])
	p.at += len(key)
	if key == "" || !p.opensList() {
		u, err := p.strictFilter(start, key)
		u.not = not
		return []unit{u}, err
	}
	var units []unit
	for {
		p.skipBlank()
		u, err := p.listed(key)
		if err != nil {
			return nil, err
		}
		if u.not = not; len(units) > 0 && !not {
			units = append(units, unit{kind: unitWord, text: "OR"})
		}
		units = append(units, u)
		if closed := p.src[p.at] == ')'; closed {
			p.at++
			return units, nil
		}
		p.at++
	}
}

// opensList reads "in (".
func (p *parser) opensList() bool {
	at := p.at
	if p.skipBlank(); p.at > at && strings.HasPrefix(strings.ToLower(p.src[p.at:]), "in") {
		p.at += len("in")
		if p.skipBlank(); strings.HasPrefix(p.src[p.at:], "(") {
			p.at++
			return true
		}
	}
	p.at = at
	return false
}

// listed reads a value up to the comma or bracket behind it.
func (p *parser) listed(key string) (unit, error) {
	start := p.at
	value, after, quoted := p.quoted(p.at)
	if !quoted {
		n := strings.IndexAny(p.src[p.at:], ",)")
		if n < 0 {
			return unit{}, p.fault("the list of values is never closed")
		}
		after = p.at + n
		value = strings.TrimRightFunc(p.src[p.at:after], isBlank)
	}
	u := canonicalKey(unit{kind: unitFilter, key: key, op: equal, text: value, typed: key + ":" + value})
	if reason := invalidFilter(u); reason != "" {
		return unit{}, p.fault("%s", reason)
	}
	if p.at = after; quoted {
		p.skipBlank()
	}
	if p.at == len(p.src) || p.src[p.at] != ',' && p.src[p.at] != ')' {
		p.at = min(p.at, len(p.src))
		return unit{}, p.fault("a comma or a bracket is missing after %s", p.src[start:after])
	}
	return u, nil
}

// strictFilter reads what follows a key, which began at start.
func (p *parser) strictFilter(start int, key string) (unit, error) {
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
	u := canonicalKey(unit{kind: unitFilter, key: key, op: op, text: value, typed: p.src[start:after]})
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
