package store

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parse reads a query. Every text is a query: what does not parse as an operator is a word.
func parse(s string) expression {
	var units []unit
	p := parser{src: s}
	for p.skipBlank(); p.at < len(p.src); p.skipBlank() {
		units = append(units, p.unit())
	}
	return join(units)
}

// join turns a row of units into clauses: OR between two units joins them, anywhere else it is a word.
func join(units []unit) expression {
	var e expression
	for i := 0; i < len(units); i++ {
		if isOr(units[i]) && len(e) > 0 && i+1 < len(units) && !isOr(units[i+1]) {
			i++
			e[len(e)-1] = append(e[len(e)-1], units[i])
			continue
		}
		e = append(e, clause{units[i]})
	}
	return e
}

func isOr(u unit) bool { return u.kind == unitWord && u.text == "OR" && !u.not }

// parser reads units from left to right; at is a byte offset into src.
type parser struct {
	src string
	at  int
}

// isBlank holds for what separates units: white space and control characters, NUL included.
func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

func (p *parser) skipBlank() {
	p.at += len(p.src[p.at:]) - len(strings.TrimLeftFunc(p.src[p.at:], isBlank))
}

// unit reads what begins here, which is no blank.
func (p *parser) unit() unit {
	not := p.negated()
	if not {
		p.at++
	}
	u, ok := p.phrase()
	if !ok {
		u, ok = p.filter()
	}
	if !ok {
		u = p.word()
	}
	u.not = not
	return u
}

// negated says whether a '-' here negates what follows. Two of them begin a command line flag.
func (p *parser) negated() bool {
	rest := p.src[p.at:]
	if len(rest) < 2 || rest[0] != '-' || rest[1] == '-' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest[1:])
	return !isBlank(r)
}

// phrase reads a quoted phrase. A quote that is never closed is a character like others.
func (p *parser) phrase() (unit, bool) {
	text, after, ok := p.quoted(p.at)
	if ok {
		p.at = after
	}
	return unit{kind: unitPhrase, text: text}, ok
}

// quoted reads "…" at i and returns what is inside and where it ends.
func (p *parser) quoted(i int) (inside string, after int, ok bool) {
	if i >= len(p.src) || p.src[i] != '"' {
		return "", 0, false
	}
	n := strings.IndexByte(p.src[i+1:], '"')
	if n < 0 {
		return "", 0, false
	}
	return p.src[i+1 : i+1+n], i + n + 2, true
}

// word reads up to the next blank.
func (p *parser) word() unit {
	text := p.stretch(p.at)
	p.at += len(text)
	if bare, ok := strings.CutSuffix(text, "*"); ok && bare != "" && !strings.HasSuffix(bare, "*") {
		return unit{kind: unitPrefix, text: bare}
	}
	return unit{kind: unitWord, text: text}
}

// stretch is what stands between i and the next blank.
func (p *parser) stretch(i int) string {
	rest := p.src[i:]
	if n := strings.IndexFunc(rest, isBlank); n >= 0 {
		return rest[:n]
	}
	return rest
}

// filter reads key:value. The key is one of ours or that of a front matter, which only the library can tell.
func (p *parser) filter() (unit, bool) {
	start := p.at
	key := filterKey(p.src[start:])
	if key == "" {
		return unit{}, false
	}
	i := start + len(key)
	colon := i < len(p.src) && p.src[i] == ':'
	if colon {
		i++
	}
	op := comparisonAt(p.src[i:])
	i += len(op)
	if !colon && op == "" {
		return unit{}, false
	}
	value, after, ok := p.value(i)
	if !ok {
		return unit{}, false
	}
	u := unit{kind: unitFilter, key: key, op: op, text: value, typed: p.src[start:after]}
	if u.op == "" {
		u.op = equal
	}
	if u = canonicalKey(u); invalidFilter(u) != "" || !colon && isBuiltIn(u.key) {
		return unit{}, false
	}
	p.at = after
	return u, true
}

// value reads the value of a filter at i: quoted or up to the next blank. "::" and "//" show that it is no filter.
func (p *parser) value(i int) (value string, after int, ok bool) {
	if value, after, ok = p.quoted(i); ok {
		return value, after, value != ""
	}
	value = p.stretch(i)
	if value == "" || strings.ContainsRune(`:/="<>!`, rune(value[0])) && !isPathStart(value) {
		return "", 0, false
	}
	return value, i + len(value), true
}

// isPathStart lets path:/guides pass; "//" is the middle of a URL.
func isPathStart(value string) bool {
	return value[0] == '/' && len(value) > 1 && value[1] != '/'
}

// filterKey is the key that s begins with: a letter, then letters, digits, '_', '-' and '.'.
func filterKey(s string) string {
	for i, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsMark(r)
		if !letter && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)) {
			return s[:i]
		}
	}
	return ""
}

// comparisonAt is the comparison that s begins with, "" without one.
func comparisonAt(s string) comparison {
	for _, op := range []comparison{notEqual, lessOrEqual, greaterOrEqual, equal, less, greater} {
		if strings.HasPrefix(s, string(op)) {
			return op
		}
	}
	return ""
}
