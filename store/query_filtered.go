package store

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"shelfd/internal/text"
)

// filter finds the documents that pass a filter; for heading: the chunks.
func (l *lookup) filter(u unit) (found, error) {
	positive := u
	if u.op == notEqual && isBuiltIn(u.key) {
		positive.op = equal
	}
	if u.key == keyHeading {
		chunks, err := l.v.chunkPostings(match{chunk: columnMatch(headingColumn, u.text)}.scoped(l.scope).chunk)
		if err != nil || positive == u {
			return found{by: chunks}, err
		}
		return l.without(found{by: chunks})
	}
	documents, err := l.filtered(positive)
	if err != nil {
		return found{}, err
	}
	if positive != u {
		return l.without(found{by: l.index.of(documents).chunks()})
	}
	names, err := l.inScope(documents)
	return found{by: names.chunks()}, err
}

// without are the chunks of the scope that do not have it. They hold no word for that.
func (l *lookup) without(f found) (found, error) {
	all, err := l.all()
	return found{by: subtract(all.chunks(), f.answers())}, err
}

func (l *lookup) filtered(u unit) (postings, error) {
	switch u.key {
	case keyShelf:
		scope, err := l.shelfScope(u.text)
		if err != nil {
			return nil, err
		}
		return l.v.documentPostings(scope)
	case keyTitle:
		return l.v.documentPostings(match{document: columnMatch(titleColumn, u.text)}.scoped(l.scope).document)
	case keyTag:
		return l.tagged(u.text)
	case keyPath:
		return l.paths(u.text)
	case keyKind:
		return l.kind("." + text.Fold(u.text))
	case keyAfter, keyBefore:
		return l.dated(u)
	}
	return l.frontMatter(u)
}

// columnMatch wants the words of value in a row in one column.
func columnMatch(column, value string) string {
	terms := cut(value).running
	if len(terms) == 1 && isSingleCJK(terms[0]) {
		return column + " : " + quote(terms...) + " *"
	}
	return column + " : " + quote(terms...)
}

// shelfScope is the scope of the shelves of that name, whatever its case; a scope that holds nothing without one.
func (l *lookup) shelfScope(name string) (string, error) {
	terms := []string{shelfTerm("")}
	err := l.v.each(`SELECT name FROM shelves`, nil, func(rows *sql.Rows) error {
		var shelf string
		err := rows.Scan(&shelf)
		if text.Fold(shelf) == text.Fold(name) {
			terms = append(terms, shelfTerm(shelf))
		}
		return err
	})
	return scopeMatch(terms...), err
}

// tagged are the documents with that tag. The index finds candidates; the tags themselves decide.
func (l *lookup) tagged(tag string) (postings, error) {
	query, args := `SELECT id, tags FROM documents WHERE tags <> '[]'`, []any(nil)
	if len(cut(tag).running) > 0 {
		candidates, err := l.v.documentPostings(match{document: columnMatch(tagColumn, tag)}.scoped(l.scope).document)
		if err != nil || len(candidates) == 0 {
			return nil, err
		}
		query, args = `SELECT d.id, d.tags FROM json_each(?) j JOIN documents d ON d.id = j.value`, []any{jsonNumbers(candidates)}
	}
	var documents postings
	folded := text.Fold(tag)
	err := l.v.each(query, args, func(rows *sql.Rows) error {
		var id int64
		var list string
		if err := rows.Scan(&id, &list); err != nil {
			return err
		}
		var tags []string
		err := json.Unmarshal([]byte(list), &tags)
		if slices.ContainsFunc(tags, func(t string) bool { return text.Fold(t) == folded }) {
			documents = append(documents, id)
		}
		return err
	})
	return sorted(documents), err
}

// paths are the documents whose doc_path, or a tail of it that begins after a slash, begins with value or fits it as a
// glob. Case does not matter.
func (l *lookup) paths(value string) (postings, error) {
	value = strings.TrimPrefix(text.Fold(value), "/")
	glob := strings.ContainsAny(value, "*?[{")
	if glob && !doublestar.ValidatePattern(value) {
		glob = false
	}
	c, err := l.v.catalogue()
	if err != nil {
		return nil, err
	}
	return c.where(func(x catalogued) bool { return pathFits(x.folded, value, glob) }), nil
}

// kind are the documents whose names have that ending.
func (l *lookup) kind(ending string) (postings, error) {
	c, err := l.v.catalogue()
	if err != nil {
		return nil, err
	}
	return c.where(func(x catalogued) bool { return strings.HasSuffix(x.folded, ending) }), nil
}

func pathFits(docPath, value string, glob bool) bool {
	if !glob {
		return strings.Contains("/"+docPath, "/"+value)
	}
	for {
		if doublestar.MatchUnvalidated(value, docPath) {
			return true
		}
		_, tail, ok := strings.Cut(docPath, "/")
		if !ok {
			return false
		}
		docPath = tail
	}
}

// dated are the documents of a day or later, or before a day. A date of the front matter without a time of day names
// that day everywhere, so it is compared with the day of UTC, in which it is stored; other times with the local day.
func (l *lookup) dated(u unit) (postings, error) {
	local, _ := parseDay(u.text, time.Local)
	utc, _ := parseDay(u.text, time.UTC)
	c, err := l.v.catalogue()
	if err != nil {
		return nil, err
	}
	return c.where(func(x catalogued) bool {
		bound := local
		if x.day {
			bound = utc
		}
		return (x.date >= nanoseconds(bound)) == (u.key == keyAfter)
	}), nil
}

// frontMatter are the documents that have the key with a value that compares as wanted; of a list one element is
// enough, and for != none may be equal.
func (l *lookup) frontMatter(u unit) (postings, error) {
	values, err := l.frontValues(u.key)
	var documents, equals postings
	for _, f := range values {
		if compare(f.value, u.text, u.op) {
			documents = append(documents, f.document)
		} else if u.op == notEqual {
			equals = append(equals, f.document)
		}
	}
	return subtract(sorted(documents), sorted(equals)), err
}

// frontValues lists the scalars that stand below a key, whatever its case.
func (l *lookup) frontValues(key string) ([]frontValue, error) {
	c, err := l.v.catalogue()
	if err != nil {
		return nil, err
	}
	return c.values(l.v, key)
}

// settle turns filters whose key no document has into the words they were typed as.
func (l *lookup) settle(e expression) (expression, error) {
	for i, c := range e {
		for j, u := range c {
			if u.kind != unitFilter || isBuiltIn(u.key) {
				continue
			}
			values, err := l.frontValues(u.key)
			if err != nil {
				return nil, err
			}
			if len(values) == 0 {
				e[i][j] = unit{kind: unitWord, not: u.not, text: u.typed}
			}
		}
	}
	return e, nil
}
