package store

import (
	"database/sql"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"shelfd/internal/text"
)

// found is where something stands.
type found struct {
	in postings // chunks that hold it
	by postings // chunks whose document has it among its names, or that pass a filter

	memo *postings // what answers has worked out
}

// answers are the chunks that have it, in themselves or by the names of their document.
func (f found) answers() postings {
	if f.memo == nil {
		return union(f.in, f.by)
	}
	if *f.memo == nil {
		*f.memo = union(f.in, f.by)
	}
	return *f.memo
}

// size is the number of answers, those that are in both counted twice.
func (f found) size() int { return len(f.in) + len(f.by) }

func (f found) or(g found) found {
	switch {
	case g.size() == 0:
		return f
	case f.size() == 0:
		return g
	}
	return found{in: union(f.in, g.in), by: union(f.by, g.by), memo: new(postings)}
}

func (f found) and(g found) found {
	return found{
		in:   union(intersect(f.in, g.answers()), intersect(g.in, f.by)),
		by:   intersect(f.by, g.by),
		memo: new(postings),
	}
}

// lookup finds the parts of one query inside a scope.
type lookup struct {
	v     *View
	scope string // MATCH expression that holds in both tables; "" = everywhere
	index *census
	every extents // all documents in the scope, once asked for

	within postings // their chunks, once asked for

	terms map[string][]vocabularyTerm // of the index, by how they begin
}

// match finds what a compiled unit finds.
func (l *lookup) match(m match) (found, error) {
	chunks, err := l.chunks(m)
	if err != nil {
		return found{}, err
	}
	documents, err := l.documents(m, named)
	if err != nil {
		return found{}, err
	}
	return found{in: chunks, by: l.index.of(documents).chunks(), memo: new(postings)}, nil
}

// chunks finds the chunks of the scope that match. A wide scope costs FTS5 more than the word: then it is left to us.
func (l *lookup) chunks(m match) (postings, error) {
	if m.chunk == "" {
		return nil, nil
	}
	narrow, err := l.narrow()
	if err != nil {
		return nil, err
	}
	if narrow {
		return l.v.chunkPostings(m.scoped(l.scope).chunk)
	}
	set, err := l.kept(m.common, func() (postings, error) { return l.v.chunkPostings(m.chunk) })
	if l.scope != "" {
		set = intersect(set, l.within)
	}
	return set, err
}

// documents finds the documents of the scope whose names match. where says which names m looks at.
func (l *lookup) documents(m match, where stance) (postings, error) {
	if m.document == "" {
		return nil, nil
	}
	narrow, err := l.narrow()
	if err != nil {
		return nil, err
	}
	if narrow {
		return l.v.documentPostings(m.scoped(l.scope).document)
	}
	m.common.where = where
	set, err := l.kept(m.common, func() (postings, error) { return l.v.documentPostings(m.document) })
	if err != nil || l.scope == "" {
		return set, err
	}
	names, err := l.inScope(set)
	out := make(postings, len(names))
	for i, x := range names {
		out[i] = x.document
	}
	return out, err
}

// kept are the postings of a common term, and, where none are kept or t is none, those that read reads.
func (l *lookup) kept(t commonTerm, read func() (postings, error)) (postings, error) {
	if t.term == "" {
		return read()
	}
	if set, ok := l.index.common.get(t); ok {
		return set, nil
	}
	set, err := read()
	if err == nil && len(set) >= commonFrom && !l.v.writer {
		l.index.common.put(t, set)
	}
	return set, err
}

// narrowShare is the share of all chunks up to which a scope is narrow.
const narrowShare = 1.0 / 20

// narrow says whether the scope holds so little that FTS5 finds it faster than the words. Otherwise within is set.
func (l *lookup) narrow() (bool, error) {
	if l.scope == "" {
		return false, nil
	}
	if l.within == nil {
		all, err := l.all()
		if err != nil {
			return false, err
		}
		l.within = all.chunks()
	}
	return float64(len(l.within)) < narrowShare*float64(l.index.chunks), nil
}

// unit finds a unit as typed, its sign left out of account.
func (l *lookup) unit(u unit) (found, error) {
	if u.kind == unitFilter {
		return l.filter(u)
	}
	return l.match(compileUnit(u))
}

// all are the documents of the scope.
func (l *lookup) all() (extents, error) {
	if l.scope == "" {
		return l.index.documents, nil
	}
	if l.every == nil {
		var err error
		if l.every, err = l.index.scope(l.v, l.scope); err != nil {
			return nil, err
		}
	}
	return l.every, nil
}

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

// inScope are those of the documents that the scope holds.
func (l *lookup) inScope(documents postings) (extents, error) {
	if l.scope == "" {
		return l.index.of(documents), nil
	}
	all, err := l.all()
	var names extents
	for _, x := range all {
		documents = documents[ahead(len(documents), func(i int) bool { return documents[i] < x.document }):]
		if len(documents) > 0 && documents[0] == x.document {
			names = append(names, x)
		}
	}
	return names, err
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
		return (x.date >= bound.UnixNano()) == (u.key == keyAfter)
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

func jsonNumbers(ids []int64) string {
	b, _ := json.Marshal(ids) // numbers always marshal
	return string(b)
}

// folderScope is the scope of a shelf or folder, "" = everywhere.
func folderScope(folder string) string {
	if folder = strings.Trim(path.Clean("/"+folder), "/"); folder == "" {
		return ""
	}
	return scopeMatch(folderTerm(folder))
}
