package store

import (
	"encoding/json"
	"path"
	"strings"
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
